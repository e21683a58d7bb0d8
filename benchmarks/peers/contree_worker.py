"""ConTree: every threshold of continuous columns.

complexity_cost is the price of a branching node; depth is at most 20. It tells neither a
status nor a bound, only a warning when time is up.
"""

import warnings

import numpy as np
from _worker import Answer, Run, nested_depth, nested_leaves, serve
from pycontree import ConTree


def is_leaf(node):
    return node.is_leaf_node()


def children(node):
    return node.get_left(), node.get_right()


def make(job, arrays):
    X, y = arrays["X"].astype(np.float64), arrays["y"].astype(np.int32)
    depth = job["max_depth"]
    model = ConTree(
        max_depth=20 if depth is None else depth,
        complexity_cost=job["cost_complexity"],
        time_limit=job["time_limit"],
        **job.get("options", {}),
    )
    late = []

    def fit():
        late.clear()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, y)
        late.extend(str(w.message) for w in caught if "time limit" in str(w.message))

    def read():
        return Answer(
            predictions=np.asarray(model.predict(X)),
            n_leaves=nested_leaves(model.tree_, is_leaf, children),
            depth=nested_depth(model.tree_, is_leaf, children),
            status="time_out" if late else "optimal",
            notes=["depth capped at 20"] if depth is None else [],
            predict=lambda rows: model.predict(rows.astype(np.float64)),
        )

    return Run(fit, read)


if __name__ == "__main__":
    serve("contree", "pycontree", make)
