"""DL8.5: least misclassification at a depth; it knows no price of a leaf, so cost_complexity must be 0."""

import math

import numpy as np
from _worker import Answer, Run, nested_depth, nested_leaves, serve
from pydl85 import DL85Classifier


def is_leaf(node):
    return "value" in node


def children(node):
    return node["left"], node["right"]


def predict(node, X, rows, out):
    if is_leaf(node):
        out[rows] = node["value"]
        return
    goes = X[rows, node["feat"]] == 1
    predict(node["left"], X, rows[goes], out)
    predict(node["right"], X, rows[~goes], out)


def make(job, arrays):
    if job["cost_complexity"] != 0 or job["max_depth"] is None:
        raise ValueError("DL8.5 solves cost_complexity = 0 with a depth only")
    X, y = arrays["X"].astype(np.int32), arrays["y"].astype(np.int32)
    model = DL85Classifier(
        max_depth=job["max_depth"],
        time_limit=math.ceil(job["time_limit"]),  # 0 would mean none
        quiet=True,
        **job.get("options", {}),
    )

    def read():
        if model.tree_ is None:
            raise RuntimeError("no tree within the time limit" if model.timeout_ else "no tree")
        out = np.zeros(len(y), dtype=np.int64)
        predict(model.tree_, X, np.arange(len(y)), out)
        return Answer(
            predictions=out,
            n_leaves=nested_leaves(model.tree_, is_leaf, children),
            depth=nested_depth(model.tree_, is_leaf, children),
            status="time_out" if model.timeout_ else "optimal",
            own_objective=float(model.error_),
            extra={"lattice": int(model.lattice_size_), "own_seconds": float(model.runtime_)},
        )

    return Run(lambda: model.fit(X, y), read)


if __name__ == "__main__":
    serve("dl85", "pydl8.5", make)
