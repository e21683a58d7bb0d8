"""Part "growth": how time grows with trees, features and samples (Vidal and Schiffer 2020, Figure 3)."""

from __future__ import annotations

import gzip
import time
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks._born_again_runs import Asked, describe, measured
from treewright.bornagain import Ensemble, solve

__all__ = ["run", "show"]


def run(asked: Asked) -> list[dict[str, Any]]:
    """Figure 3 of the paper: trees, features and samples of FICO around (n, p, T) = (2500, 10, 10)."""
    with gzip.open(asked.data / "FICO" / "FICO.full.csv.gz", "rt") as stream:
        table = np.loadtxt(stream, delimiter=",", skiprows=1)
    found = []
    axes = {
        "trees": [3, 5, 7, 10, 12, 15, 17, 20],
        "features": [2, 3, 5, 7, 10, 12, 15, 17],
        "samples": [250, 500, 750, 1000, 2500, 5000, 7500, 10459],
    }
    for axis, values in axes.items():
        for value in values:
            for seed in range(10):
                case = {"trees": 10, "features": 10, "samples": 2500} | {axis: value}
                rng = np.random.default_rng(seed)
                columns = rng.choice(table.shape[1] - 1, case["features"], replace=False)
                rows = rng.choice(len(table), case["samples"], replace=False)
                X, y = table[rows][:, columns], table[rows, -1].astype(int)
                half = max(1, case["features"] // 2)
                forest = RandomForestClassifier(
                    case["trees"], max_depth=3, max_features=half, random_state=seed
                )
                ensemble = Ensemble.from_model(forest.fit(X, y)).as_hard_vote()
                for goal in ("depth", "leaves"):

                    def work(ensemble: Any = ensemble, goal: str = goal) -> dict[str, Any]:
                        start = time.process_time()
                        result = solve(ensemble, objective=goal)
                        return describe(result, ensemble, time.process_time() - start)

                    found.append(
                        {"axis": axis, "value": value, "seed": seed, "objective": goal} | measured(work)
                    )
    return found


def show(rows: list[dict[str, Any]]) -> None:
    print(f"{'axis':<10}{'value':>7}{'median boxes':>14}{'D ms':>9}{'L ms':>9}")
    for axis in ("trees", "features", "samples"):
        for value in sorted({r["value"] for r in rows if r["axis"] == axis}):
            part = [r for r in rows if r["axis"] == axis and r["value"] == value and "error" not in r]
            times = [
                1000 * np.median([r["core_seconds"] for r in part if r["objective"] == g])
                for g in ("depth", "leaves")
            ]
            boxes = np.median([r["boxes"] for r in part])
            print(f"{axis:<10}{value:>7}{boxes:>14.3g}{times[0]:>9.2f}{times[1]:>9.2f}")
    part = [r for r in rows if r["axis"] == "features" and r["value"] >= 7 and "error" not in r]
    if part:
        x = [r["value"] for r in part]
        boxes = np.polyfit(x, np.log([r["boxes"] for r in part]), 1)[0]
        seconds = np.polyfit(x, np.log([r["core_seconds"] for r in part]), 1)[0]
        print(f"per feature: boxes x {np.exp(boxes):.2f}, time x {np.exp(seconds):.2f}")
