"""The accuracy-sparsity front: CPU seconds of one core, what is proven, and what it costs point by point.

    python -m benchmarks.frontier [--only compas fico ...] [--seconds 60] [--no-single] [--save]

Tables are those of the reference data folder beside the checkout: the binary files of the sparse-tree papers, and
continuous ones with quantiles as thresholds. "one by one" is one search with `max_leaf_nodes` for each point, each
stopped at the same limit; its losses must agree where both are proven. Seconds are of the processor, since machines are
shared; the limit is on those of the clock.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from benchmarks._data import read_csv
from benchmarks._harness import write_results
from treewright import SolveStatus, __version__
from treewright.problem import make_problem
from treewright.search import Limits, solve, solve_frontier
from treewright.table import table_from

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

# name: file, thresholds, depth, leaves
RUNS: dict[str, tuple[str, Any, int | None, int]] = {
    "compas": ("osdt/compas-binary.csv", "all", None, 20),
    "fico": ("osdt/fico_binary.csv.gz", "all", None, 20),
    "fico, depth 5": ("osdt/fico_binary.csv.gz", "all", 5, 20),
    "tic-tac-toe": ("osdt/tic-tac-toe.csv", "all", None, 20),
    "car": ("osdt/car-evaluation.csv", "all", None, 20),
    "monk2": ("osdt/monk2-train.csv", "all", None, 20),
    "compas raw, 8 quantiles": ("gosdt_guesses/compas.csv", 8, None, 15),
    "compas raw, all, depth 4": ("gosdt_guesses/compas.csv", "all", 4, 15),
    "fico raw, 4 quantiles, depth 4": ("gosdt_guesses/fico.csv.gz", 4, 4, 15),
    "broward, 4 quantiles, depth 4": ("gosdt_guesses/broward_general_2y.csv", 4, 4, 12),
}


def measure(name: str, seconds: float, one_by_one: bool) -> dict[str, Any]:
    """Run one front; then its points one by one."""
    file, thresholds, max_depth, max_leaves = RUNS[name]
    X, y = read_csv(DATA / file)
    problem = make_problem(
        table_from(X), y, cost_complexity=0.0, max_depth=max_depth, max_leaf_nodes=max_leaves
    )
    limits = Limits(time_limit=seconds)
    begun = time.process_time()
    front = solve_frontier(problem, thresholds, limits=limits)
    row: dict[str, Any] = {
        "package": "treewright",
        "version": __version__,
        "name": name,
        "rows": len(y),
        "distinct_columns": front.stats["distinct_columns"],
        "max_leaves": max_leaves,
        "cpu_seconds": round(time.process_time() - begun, 3),
        "proven_leaves": front.proven_leaves,
        "subproblems": front.stats["subproblems"],
        "megabytes": round(front.stats["bytes"] / 1e6, 1),
        "losses": [point.loss for point in front.limits],
        "lower_bounds": [point.lower_bound for point in front.limits],
    }
    if one_by_one:
        begun = time.process_time()
        proven = 0
        for leaves, point in enumerate(front.limits, 1):
            alone = solve(
                make_problem(
                    table_from(X), y, cost_complexity=0.0, max_depth=max_depth, max_leaf_nodes=leaves
                ),
                thresholds,
                limits=limits,
            )
            if alone.status is SolveStatus.OPTIMAL:
                proven += 1
                if point.status is SolveStatus.OPTIMAL and abs(alone.loss - point.loss) > 1e-12:
                    raise AssertionError(f"{name}, {leaves} leaves: {alone.loss} alone, {point.loss} here")
        row |= {"single_cpu_seconds": round(time.process_time() - begun, 3), "single_proven": proven}
    return row


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=list(RUNS), choices=list(RUNS))
    parser.add_argument("--seconds", type=float, default=60, help="of the clock, for each search")
    parser.add_argument("--no-single", action="store_true", help="leave out the searches one by one")
    parser.add_argument("--save", action="store_true", help="write results/frontier.json")
    arguments = parser.parse_args()
    print(
        f"{'table':<32} {'columns':>7} {'leaves':>6} {'proven':>6} {'cpu s':>8} {'subproblems':>12} {'one by one':>22}"
    )
    rows = []
    for name in arguments.only:
        row = measure(name, arguments.seconds, not arguments.no_single)
        rows.append(row)
        single = ""
        if "single_cpu_seconds" in row:
            single = f"{row['single_cpu_seconds']:.2f} s, {row['single_proven']} proven"
        print(
            f"{name:<32} {row['distinct_columns']:>7} {row['max_leaves']:>6} {row['proven_leaves']:>6} "
            f"{row['cpu_seconds']:>8.3f} {row['subproblems']:>12,} {single:>22}",
            flush=True,
        )
    if arguments.save:
        print(f"Wrote {write_results('frontier', {'seconds': arguments.seconds}, rows)}")


if __name__ == "__main__":
    main()
