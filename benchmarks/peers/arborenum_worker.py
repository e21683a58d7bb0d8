"""arborenum: all thresholds; any label, redundant splits counted, whole rows; the bound is given.

By default it approximates the set; "complete" asks for all of it.
"""

from _set_worker import serve
from arborenum import ArborEnum


def count(job, X, y):
    model = ArborEnum()
    complete = {"lookahead_k": max(1, job["max_depth"] - 1), "proxy_mode": "continuous"}
    model.fit(
        X,
        y.astype(int),
        lambda_reg=job["cost_complexity"],
        depth_budget=job["max_depth"],
        rashomon_mult=job["epsilon"],
        root_budget=job["bound_rows"],
        **(complete if job.get("complete") else {}),
    )
    return {"trees": str(model.count_trees())}


if __name__ == "__main__":
    serve("arborenum", count)
