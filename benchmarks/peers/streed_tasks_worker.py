"""One policy or survival tree by pystreed, for `benchmarks.streed_tasks`.

Runs inside pystreed's environment; nothing of treewright is installed there. Arguments: the task and an .npz file with
X, y, depth and seconds. Prints one JSON object on the last line.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from typing import Any

import numpy as np

SHORT = 0.5  # seconds, below which a fit is made twice and the shorter one counts


def policy(data: Any) -> Any:
    from pystreed import STreeDPrescriptivePolicyGenerator

    return STreeDPrescriptivePolicyGenerator(
        max_depth=int(data["depth"]), time_limit=float(data["seconds"])
    ), data["y"]


def survival(data: Any) -> Any:
    from pystreed import STreeDSurvivalAnalysis

    class Survival(STreeDSurvivalAnalysis):
        """pystreed 1.4.0 takes no truth values of numpy 2, and scikit-survival, which checks them first, no others."""

        def _compute_baseline_cumulative_hazard_function(self, events: Any, times: Any) -> Any:
            return super()._compute_baseline_cumulative_hazard_function(events.astype(int), times)

        def _process_extra_data(self, X: Any, events: Any) -> Any:
            return super()._process_extra_data(
                X, None if events is None else [int(event) for event in events]
            )

    y = np.array([(event > 0, at) for event, at in data["y"]], dtype=[("event", "?"), ("time", "f8")])
    return Survival(max_depth=int(data["depth"]), time_limit=float(data["seconds"])), y


if __name__ == "__main__":
    task, path = sys.argv[1:]
    data = np.load(path)
    X, spent = data["X"].astype(np.int32), []
    while len(spent) < 2 and sum(spent) < SHORT:
        model, y = {"policy": policy, "survival": survival}[task](data)
        begun = time.process_time()
        model.fit(X, y)
        spent.append(time.process_time() - begun)
    answer = {
        "version": version("pystreed"),
        "cpu_seconds": min(spent),
        "proven": bool(model.fit_result.is_optimal()),
        "leaves": int(model.get_n_leaves()),
        "predictions": np.asarray(model.predict(X), dtype=float).reshape(-1).tolist(),
    }
    print(json.dumps(answer))
