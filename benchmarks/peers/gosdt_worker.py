"""gosdt: regularization is the price of a leaf; depth_budget counts splits on a path, None is unlimited."""

import json
import math

import numpy as np
from _worker import Answer, Run, nested_depth, nested_leaves, serve
from gosdt import GOSDTClassifier

STATUS = {"CONVERGED": "optimal", "TIMEOUT": "time_out"}


def is_leaf(node):
    return "prediction" in node


def children(node):
    return node["true"], node["false"]


def predict(node, X, rows, out):
    if is_leaf(node):
        out[rows] = node["prediction"]
        return
    goes = X[rows, node["feature"]] != 0
    predict(node["true"], X, rows[goes], out)
    predict(node["false"], X, rows[~goes], out)


def make(job, arrays):
    X, y = arrays["X"].astype(bool), arrays["y"]
    fit_arguments = {"y_ref": arrays["y_ref"]} if "y_ref" in arrays else {}
    model = GOSDTClassifier(
        regularization=job["cost_complexity"],
        allow_small_reg=True,  # else a price below one row is raised to 1/rows without a word
        depth_budget=job["max_depth"],
        time_limit=math.ceil(job["time_limit"]),  # whole seconds only
        worker_limit=1,
        **job.get("options", {}),
    )

    def read():
        result = model.result_
        tree = json.loads(result.model)[0]
        codes = np.zeros(len(y), dtype=np.int64)
        predict(tree, X, np.arange(len(y)), codes)
        status = str(result.status).rsplit(".", 1)[-1]
        return Answer(
            predictions=model.classes_[codes],
            n_leaves=nested_leaves(tree, is_leaf, children),
            depth=nested_depth(tree, is_leaf, children),
            status=STATUS.get(status, "unproven")
            if not fit_arguments or status != "CONVERGED"
            else "guessed",
            lower_bound=float(result.lowerbound),
            own_objective=float(result.upperbound),
            notes=[] if status in STATUS else [status],
            extra={"status": status, "iterations": int(result.n_iterations), "graph": int(result.graph_size)},
        )

    return Run(lambda: model.fit(X, y, **fit_arguments), read)


if __name__ == "__main__":
    serve("gosdt", "gosdt", make)
