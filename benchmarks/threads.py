"""Threads in one search: ``python -m benchmarks.threads --help``.

Generated tables, and two of real numbers, or problems of the grids (``--grids``) or over few splits
(``--few-splits``), each searched to the proof with 1, 2, 4, ... threads; every run has a process of its own. Speedup
is the clock's, with one thread over with several, and says something only on a machine that does nothing else. Work
is the processor's seconds with several threads over those with one: what they do twice, or wait for actively. Balance
says what the clock could say on a quiet machine, whatever this one does: the processor's seconds of one thread over
those of the thread that worked longest (the calling thread, or the mean of the others where that is more; with two
threads that is exact). Each run must give the proof and the tree of one thread, else the benchmark ends with an
error. The tables of under .1 s show what a user pays who asks for threads in vain.

``--simulate 8 32 128`` says what so many cores would give. The recorded unit is the processor second of a thread:
a run with so many threads on whatever cores there are, of which each thread's share is counted, not the clock. What
limits it is said, too: the calling thread's own part (what is not divided), or work that is done twice.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import time
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks import _threads_grids as grids
from benchmarks._harness import write_results
from benchmarks._tables import format_table
from benchmarks.regression import commit, read
from treewright import (
    LeafAccuracyTreeClassifier,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    SolveStatus,
    __version__,
    accuracy_frontier,
    near_optimal_trees,
)
from treewright.bornagain import Ensemble, solve

# name: (rows or 0 for a real table, columns, values of a column or 0 for all different, noise, depth, price, kind)
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
    "skillcraft": (0, 0, 0, 0.0, 3, 0.0, "numbers"),
    "protein": (0, 0, 0, 0.0, 3, 0.0, "numbers"),
    "worst leaf, small": (1000, 6, 10, 0.2, 3, 0.0, "worst leaf"),
    "worst leaf, 16 values": (3000, 12, 16, 0.2, 4, 0.0, "worst leaf"),
    "worst leaf, continuous": (500, 5, 0, 0.2, 3, 0.0, "worst leaf"),
    "front": (600, 5, 0, 0.2, 3, 0.0, "front"),
    "near-optimal": (3000, 40, 2, 0.3, 4, 0.005, "near-optimal"),
    "born-again": (600, 6, 9, 0.2, 3, 0.0, "born-again"),
}
FRONT_LEAVES, EPSILON, FOREST = 6, 0.03, 6


def generate(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a table: two rules over four columns, a share of the labels turned round, or a sum with noise."""
    rows, columns, values, noise, _, _, kind = TABLES[name]
    if not rows:
        return read(name)
    rng = np.random.default_rng(0)
    X = rng.random((rows, columns))
    if values:
        X = np.floor(X * values)
    x = [X[:, min(j, columns - 1)] / X.max() for j in range(4)]
    rule = ((x[0] > 0.5) & (x[1] < 0.8)) | ((x[2] > 0.6) & (x[3] > 0.3))
    if kind == "numbers":
        return X, 2 * rule + x[0] + noise * rng.normal(size=rows)
    return X, rule ^ (rng.random(rows) < noise)


def search(name: str, n_jobs: int, seconds: float) -> tuple[Any, ...]:
    """Search one table with so many threads: whether it is proven, the objective, what must be equal, and steps."""
    if name in grids.PROBLEMS or name in grids.FEW_SPLITS:
        return fitted(grids.estimator(name), *grids.read(name), n_jobs, seconds)
    X, y = generate(name)
    *_, depth, price, kind = TABLES[name]
    if kind == "front":
        front = accuracy_frontier(
            X, y, max_leaves=FRONT_LEAVES, max_depth=depth, time_limit=seconds, n_jobs=n_jobs, progress=False
        )
        proven = all(point.status is SolveStatus.OPTIMAL for point in front)
        return proven, front[-1].loss, [str(point.tree.splits) for point in front], front[-1].stats["steps"]
    if kind == "near-optimal":
        trees = near_optimal_trees(
            X, y, cost_complexity=price, max_depth=depth, epsilon=EPSILON, time_limit=seconds, n_jobs=n_jobs,
            progress=False,
        )  # fmt: skip
        return trees.stop_reason is None, trees.best.objective, len(trees), trees.counts.graph.arrays["steps"]
    if kind == "born-again":
        forest = RandomForestClassifier(FOREST, max_depth=depth, random_state=0).fit(X, y)
        found = solve(Ensemble.from_model(forest), objective="leaves", time_limit=seconds, n_jobs=n_jobs)
        return (
            found.status is SolveStatus.OPTIMAL,
            found.objective,
            str(found.tree.splits),
            found.stats["steps"],
        )
    model: Any = (
        LeafAccuracyTreeClassifier(depth, thresholds="all")
        if kind == "worst leaf"
        else (OptimalTreeRegressor if kind == "numbers" else OptimalTreeClassifier)(price, max_depth=depth)
    )
    return fitted(model, X, y, n_jobs, seconds)


def fitted(model: Any, X: np.ndarray, y: np.ndarray, n_jobs: int, seconds: float) -> tuple[Any, ...]:
    """Fit an estimator; return as `search`."""
    result = model.set_params(time_limit=seconds, progress=False, n_jobs=n_jobs).fit(X, y).result_
    splits = str(result.tree.splits)
    return result.status is SolveStatus.OPTIMAL, result.objective, splits, result.stats["steps"]


def run(name: str, n_jobs: int, seconds: float) -> dict[str, Any]:
    """Search one table with so many threads, and count the seconds of its threads."""
    clock, processor, calling = time.perf_counter(), time.process_time(), time.thread_time()
    proven, objective, answer, steps = search(name, n_jobs, seconds)
    calling, processor = time.thread_time() - calling, time.process_time() - processor
    others = (processor - calling) / max(1, n_jobs - 1)
    return {
        "package": "treewright",
        "version": __version__,
        "table": name,
        "n_jobs": n_jobs,
        "seconds": time.perf_counter() - clock,
        "cpu_seconds": processor,
        "longest": max(calling, others),
        "proven": proven,
        "objective": objective,
        "answer": answer,
        "steps": steps,
    }


def apart(name: str, n_jobs: int, seconds: float) -> dict[str, Any]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(run, (name, n_jobs, seconds))


def median_of(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one row for the runs of a table with so many threads."""
    measured = ("seconds", "cpu_seconds", "longest")
    row = {key: value for key, value in runs[0].items() if key not in measured} | {"repeat": len(runs)}
    for key in measured:
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
        f"{one['cpu_seconds'] / row['longest']:.2f}",
        "yes" if row["proven"] else "no",
    ]


def limit(row: dict[str, Any], one: dict[str, Any]) -> str:
    """Say what keeps the gain of so many threads below their number.

    With s seconds that only the calling thread can work and d that are divided by n threads, it works s + d / n, and
    all work s + d.
    """
    n = row["n_jobs"]
    alone = max(0.0, (n * row["longest"] - row["cpu_seconds"]) / max(1, n - 1))
    twice = max(0.0, row["cpu_seconds"] - one["cpu_seconds"])
    if n == 1:
        return "-"
    larger = f"{alone:.2f} s of one thread" if alone >= twice / n else f"{twice:.2f} s of work more"
    return f"{larger}; at most {one['cpu_seconds'] / max(alone, 1e-9):.0f} times"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2, 4, 8, 16])
    parser.add_argument(
        "--only", nargs="*", choices=[*TABLES, *grids.PROBLEMS, *grids.FEW_SPLITS], default=list(TABLES)
    )
    parser.add_argument(
        "--grids", action="store_true", help="problems of the grids of over two seconds instead"
    )
    parser.add_argument(
        "--few-splits", action="store_true", help="those of the search over few splits instead"
    )
    parser.add_argument("--repeat", type=int, default=1, help="runs of each, of which the median counts")
    parser.add_argument("--seconds", type=float, default=60, help="time limit of a run")
    parser.add_argument("--simulate", type=int, nargs="*", default=[], metavar="CORES", help="see above")
    parser.add_argument("--save", nargs="?", const="threads", metavar="NAME", help="write results/NAME.json")
    asked = parser.parse_args()
    header = ["table", "threads", "seconds", "speedup", "cpu seconds", "work", "balance", "proven"]
    if asked.simulate:
        header.append("limit")
    cells: list[list[str]] = []
    rows: list[dict[str, Any]] = []
    options = {"commit": commit(), "cores": os.cpu_count(), "repeat": asked.repeat, "seconds": asked.seconds}
    for name in grids.PROBLEMS if asked.grids else grids.FEW_SPLITS if asked.few_splits else asked.only:
        one: dict[str, Any] = {}
        for n_jobs in sorted({1, *(asked.simulate or asked.jobs)}):
            row = median_of([apart(name, n_jobs, asked.seconds) for _ in range(asked.repeat)])
            one = one or row
            same = (row["answer"], row["objective"]) == (one["answer"], one["objective"])
            if row["proven"] and one["proven"] and not same:
                raise SystemExit(f"{name}: {n_jobs} threads give another answer than one")
            rows.append({key: value for key, value in row.items() if key != "answer"})
            cells.append(shown(row, one) + ([limit(row, one)] if asked.simulate else []))
            print("  ".join(cells[-1]), flush=True)
            if asked.save:  # at once: a long run may be broken off
                write_results(asked.save, options, rows)
    print("\n" + format_table(header, cells))


if __name__ == "__main__":
    main()
