"""One regression tree over binary columns by a peer, for `benchmarks.regression_binary`.

Runs inside the peer's environment; nothing of treewright is installed there. Arguments: the peer and an .npz file with
X, y, price, depth (0: unlimited) and seconds. Prints one JSON object on the last line.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from importlib.metadata import version
from typing import Any

import numpy as np

STREED_DEEPEST = 20


def streed(data: Any) -> dict[str, Any]:
    from pystreed import STreeDRegressor

    depth, price = int(data["depth"]), float(data["price"])
    # Its price is one of a branching node, on mean squared errors of targets that it standardises itself.
    model = STreeDRegressor(
        "cost-complex-regression",
        max_depth=depth or STREED_DEEPEST,
        cost_complexity=price,
        time_limit=float(data["seconds"]),
        use_task_lower_bound=False,
    )
    X, y = data["X"].astype(np.int32), data["y"]
    begun = time.process_time()
    model.fit(X, y)
    spent = time.process_time() - begun
    return {
        "version": version("pystreed"),
        "cpu_seconds": spent,
        "proven": bool(model.fit_result.is_optimal()),
        "leaves": int(model.get_n_leaves()),
        "predictions": np.asarray(model.predict(X), dtype=float).tolist(),
    }


def osrt(data: Any) -> dict[str, Any]:
    import pandas as pd
    from osrt import OSRT

    depth = int(data["depth"])
    with tempfile.TemporaryDirectory() as folder:
        model = OSRT(
            {
                "regularization": float(data["price"]),
                "depth_budget": depth + 1 if depth else 0,  # it counts levels of nodes
                "time_limit": round(float(data["seconds"])),
                "metric": "L2",
                "weights": [],
                "verbose": False,
                "diagnostics": False,
                "model_limit": 1,
                "worker_limit": 1,
                "model": os.path.join(folder, "model.json"),
                "profile": os.path.join(folder, "profile.csv"),
            }
        )
        X = pd.DataFrame(data["X"].astype(int), columns=[f"x{j}" for j in range(data["X"].shape[1])])
        begun = time.process_time()
        model.fit(X, pd.DataFrame(data["y"], columns=["y"]))
        spent = time.process_time() - begun
        return {
            "version": version("osrt"),
            "cpu_seconds": spent,
            "proven": not model.timeout and model.ub - model.lb < 1e-6,
            "leaves": int(model.leaves()),
            "predictions": np.asarray(model.predict(X), dtype=float).reshape(-1).tolist(),
        }


if __name__ == "__main__":
    peer, path = sys.argv[1:]
    print(json.dumps({"streed": streed, "osrt": osrt}[peer](np.load(path))))
