"""Threads in one search: ``python -m benchmarks.threads --help``.

Generated tables, each searched to the proof with 1, 2, 4, ... threads; every run has a process of its own. Speedup is
the clock's, with one thread over with several, and says something only on a machine that does nothing else. Work is the
processor's seconds with several threads over those with one: what they do twice, or wait for actively. The two
together bound what more cores could give. Each run must give the proof and the tree of one thread, else the benchmark
ends with an error. The tables of under .1 s show what a user pays who asks for threads in vain.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import time
from typing import Any

import numpy as np

from benchmarks._harness import write_results
from benchmarks._tables import format_table
from benchmarks.regression import commit
from treewright import (
    LeafAccuracyTreeClassifier,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    SolveStatus,
    __version__,
)

# name: (rows, columns, values of a column or 0 for all different, noise, depth, price, kind of tree)
TABLES: dict[str, tuple[int, int, int, float, int, float, str]] = {
    "small": (500, 8, 0, 0.2, 3, 0.0, "classes"),
    "small, few values": (3000, 6, 200, 0.1, 3, 0.004, "classes"),
    "depth 3": (40_000, 10, 0, 0.2, 3, 0.0, "classes"),
    "depth 3, wide": (4000, 60, 0, 0.3, 3, 0.001, "classes"),
    "depth 4": (3000, 8, 0, 0.2, 4, 0.002, "classes"),
    "depth 4, 3 columns": (6000, 3, 0, 0.2, 4, 0.0005, "classes"),
    "depth 5": (600, 5, 0, 0.2, 5, 0.004, "classes"),
    "binary, depth 4": (4000, 200, 2, 0.3, 4, 0.002, "classes"),
    "binary, depth 5": (1500, 80, 2, 0.3, 5, 0.002, "classes"),
    "regression": (3000, 6, 0, 0.5, 3, 0.001, "numbers"),
    "worst leaf, small": (1000, 6, 10, 0.2, 3, 0.0, "worst leaf"),
    "worst leaf, 16 values": (3000, 12, 16, 0.2, 4, 0.0, "worst leaf"),
    "worst leaf, continuous": (500, 5, 0, 0.2, 3, 0.0, "worst leaf"),
}


def generate(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a table: two rules over four columns, a share of the labels turned round, or a sum with noise."""
    rows, columns, values, noise, _, _, kind = TABLES[name]
    rng = np.random.default_rng(0)
    X = rng.random((rows, columns))
    if values:
        X = np.floor(X * values)
    x = [X[:, min(j, columns - 1)] / X.max() for j in range(4)]
    rule = ((x[0] > 0.5) & (x[1] < 0.8)) | ((x[2] > 0.6) & (x[3] > 0.3))
    if kind == "numbers":
        return X, 2 * rule + x[0] + noise * rng.normal(size=rows)
    return X, rule ^ (rng.random(rows) < noise)


def model_of(name: str) -> Any:
    """Return the estimator of a table."""
    *_, depth, price, kind = TABLES[name]
    if kind == "worst leaf":
        return LeafAccuracyTreeClassifier(depth, thresholds="all")
    return (OptimalTreeRegressor if kind == "numbers" else OptimalTreeClassifier)(price, max_depth=depth)


def run(name: str, n_jobs: int, seconds: float) -> dict[str, Any]:
    """Search one table with so many threads."""
    X, y = generate(name)
    model = model_of(name).set_params(time_limit=seconds, progress=False, n_jobs=n_jobs)
    clock, processor = time.perf_counter(), time.process_time()
    result = model.fit(X, y).result_
    return {
        "package": "treewright",
        "version": __version__,
        "table": name,
        "n_jobs": n_jobs,
        "seconds": time.perf_counter() - clock,
        "cpu_seconds": time.process_time() - processor,
        "proven": result.status is SolveStatus.OPTIMAL,
        "objective": result.objective,
        "splits": str(result.tree.splits),
        "steps": result.stats["steps"],
    }


def apart(name: str, n_jobs: int, seconds: float) -> dict[str, Any]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(run, (name, n_jobs, seconds))


def median_of(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one row for the runs of a table with so many threads."""
    row = {key: value for key, value in runs[0].items() if key not in ("seconds", "cpu_seconds")}
    for key in ("seconds", "cpu_seconds"):
        row[key] = round(statistics.median(one[key] for one in runs), 3)
    return row


def shown(row: dict[str, Any], one: dict[str, Any]) -> list[str]:
    return [
        row["table"],
        str(row["n_jobs"]),
        f"{row['seconds']:.2f}",
        f"{one['seconds'] / row['seconds']:.2f}",
        f"{row['cpu_seconds']:.2f}",
        f"{row['cpu_seconds'] / one['cpu_seconds']:.2f}",
        "yes" if row["proven"] else "no",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2, 4, 8, 16])
    parser.add_argument("--only", nargs="*", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--repeat", type=int, default=1, help="runs of each, of which the median counts")
    parser.add_argument("--seconds", type=float, default=60, help="time limit of a run")
    parser.add_argument("--save", action="store_true", help="write results/threads.json")
    asked = parser.parse_args()
    header = ["table", "threads", "seconds", "speedup", "cpu seconds", "work", "proven"]
    cells: list[list[str]] = []
    rows: list[dict[str, Any]] = []
    options = {"commit": commit(), "cores": os.cpu_count(), "repeat": asked.repeat, "seconds": asked.seconds}
    for name in asked.only:
        one: dict[str, Any] = {}
        for n_jobs in sorted({1, *asked.jobs}):
            row = median_of([apart(name, n_jobs, asked.seconds) for _ in range(asked.repeat)])
            one = one or row
            same = (row["splits"], row["objective"]) == (one["splits"], one["objective"])
            if row["proven"] and one["proven"] and not same:
                raise SystemExit(f"{name}: {n_jobs} threads give another tree than one")
            rows.append({key: value for key, value in row.items() if key != "splits"})
            cells.append(shown(row, one))
            print("  ".join(cells[-1]), flush=True)
            if asked.save:  # at once: a long run may be broken off
                write_results("threads", options, rows)
    print("\n" + format_table(header, cells))


if __name__ == "__main__":
    main()
