"""STreeD: cost_complexity is the price of a branching node, so its value is ours less one leaf.

Depth is at most 20. For an unlimited depth the option `depth_when_unlimited` (default 20) is used and said in
the notes; the answer is of the same problem only as long as no optimal tree is deeper.
"""

import numpy as np
from _worker import Answer, Run, serve
from pystreed import STreeDClassifier


def make(job, arrays):
    X, y = arrays["X"].astype(np.int32), arrays["y"].astype(np.int32)
    options = dict(job.get("options", {}))
    cap = options.pop("depth_when_unlimited", 20)
    depth = job["max_depth"]
    task = "cost-complex-accuracy" if job["cost_complexity"] > 0 else "accuracy"
    model = STreeDClassifier(
        task,
        max_depth=cap if depth is None else depth,
        cost_complexity=job["cost_complexity"],
        time_limit=job["time_limit"],
        **options,
    )

    def read():
        leaves = model.get_n_leaves()
        return Answer(
            predictions=np.asarray(model.predict(X)),
            n_leaves=leaves,
            depth=model.get_depth(),
            status="optimal" if model.fit_result.is_optimal() else "time_out",
            own_objective=1 - model.fit_result.score(),
            notes=[f"depth capped at {cap}"] if depth is None else [],
        )

    return Run(lambda: model.fit(X, y), read)


if __name__ == "__main__":
    serve("streed", "pystreed", make)
