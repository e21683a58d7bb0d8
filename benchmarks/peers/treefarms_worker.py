"""TreeFARMS: exact prices, cheapest labels (of equals class 1), no redundant splits; depth counts nodes."""

import math

import pandas as pd
from _set_worker import serve
from treefarms import TREEFARMS


def count(job, X, y):
    frame = pd.DataFrame(X.astype(int), columns=[f"x{i}" for i in range(X.shape[1])])
    model = TREEFARMS(
        {
            "regularization": job["cost_complexity"],
            "rashomon_bound_multiplier": job["epsilon"],
            "depth_budget": job["max_depth"] + 1,
            # Of the clock, and what is listed after it is no whole set, though it is called a success.
            "time_limit": math.ceil(2 * job["wall_limit"]),
            "worker_limit": 1,
            "verbose": False,
        }
    )
    model.fit(frame, pd.Series(y.astype(int), name="y"))
    if model.timeout:
        raise TimeoutError("the time limit")
    return {"trees": str(model.model_set.get_tree_count())}


if __name__ == "__main__":
    serve("treefarms", count)
