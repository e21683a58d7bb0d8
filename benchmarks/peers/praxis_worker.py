"""PRAXIS: any label, redundant splits counted, whole rows; the bound is given, relative to the optimum.

By default it approximates the set; with a lookahead of the depth less one ("complete") it is asked for all of it.
"""

import numpy as np
from _set_worker import serve
from praxis import PRAXIS


def count(job, X, y):
    model = PRAXIS()
    model.fit(
        X.astype(np.uint8),
        y.astype(int),
        lambda_reg=job["cost_complexity"],
        depth_budget=job["max_depth"],
        rashomon_mult=job["epsilon"],
        root_budget=job["bound_rows"],
        lookahead_k=max(1, job["max_depth"] - 1) if job.get("complete") else 1,
    )
    return {"trees": str(model.count_trees())}


if __name__ == "__main__":
    serve("tree-praxis", count)
