"""Part "merged": the fewest leaves of a tree that decides like a published forest on its training rows."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._born_again_runs import Asked, measured, rows_of
from treewright.bornagain import Ensemble, distil, solve_active
from treewright.tree import merge_equal_leaves

__all__ = ["run", "show"]

LEAVES, SECONDS = 40, 20.0  # of the searches for the fewest merged leaves


def run(asked: Asked) -> list[dict[str, Any]]:
    """Find the fewest leaves of a tree that decides like a published forest on its training rows.

    Sibling leaves of one class count as one, unlike in the proof of active pruning, whose trees stand beside.
    """
    found = []
    for dataset in asked.sets:
        for fold in asked.folds:
            X, _ = rows_of(asked.data, dataset, "train", fold)
            X_test, _ = rows_of(asked.data, dataset, "test", fold)
            path = asked.data / dataset / "forests" / f"{dataset}.RF{fold}.txt"

            def work(path: Path = path, X: Any = X, X_test: Any = X_test) -> dict[str, Any]:
                ensemble = Ensemble.load(path)
                active = solve_active(ensemble, X, time_limit=None).tree
                start = time.process_time()
                end = start + SECONDS
                result = distil(
                    ensemble, X, tolerance=0.0, max_depth=None, max_leaves=LEAVES, time_limit=None,
                    progress=lambda _: time.process_time() > end,
                )  # fmt: skip
                return {
                    "cpu_seconds": time.process_time() - start,
                    "active": active.n_leaves,
                    "active, merged": merge_equal_leaves(active).n_leaves,
                    "leaves": (result.tree if result.loss == 0 else merge_equal_leaves(active)).n_leaves,
                    "lower_bound": result.lower_bound,
                    "status": result.status.name,
                    "loss": result.loss,
                    "agrees_test": float(np.mean(result.tree.predict(X_test) == ensemble.predict(X_test))),
                    "active_agrees_test": float(np.mean(active.predict(X_test) == ensemble.predict(X_test))),
                }

            found.append({"dataset": dataset, "fold": fold} | measured(work))
    return found


def show(rows: list[dict[str, Any]]) -> None:
    heads = ("active", "merged", "leaves", "bound", "proven", "sum s", "max s", "test, active", "test")
    print("The fewest leaves of a tree that decides like the forest on its training rows; last: on test rows")
    print(f"{'set':<26}" + "".join(f"{head:>13}" for head in heads))
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        part = [r for r in rows if r["dataset"] == dataset and "error" not in r]
        means = [
            np.mean([r[key] for r in part]) for key in ("active", "active, merged", "leaves", "lower_bound")
        ]
        proven = f"{sum(r['status'] == 'OPTIMAL' and r['loss'] == 0 for r in part)} of {len(part)}"
        seconds = [r["cpu_seconds"] for r in part]
        agrees = [np.mean([r[key] for r in part]) for key in ("active_agrees_test", "agrees_test")]
        cells = [*(f"{x:.1f}" for x in means), proven, f"{sum(seconds):.2f}", f"{max(seconds):.2f}"]
        print(f"{dataset:<26}" + "".join(f"{cell:>13}" for cell in [*cells, *(f"{x:.3f}" for x in agrees)]))
    print(f"{len(rows)} runs, {sum('error' in r for r in rows)} errors")
