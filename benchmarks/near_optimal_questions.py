"""Questions to near-optimal sets: CPU seconds of one core for the set, then for each answer.

    python -m benchmarks.near_optimal_questions [--only compas ...] [--repeat 3] [--save]

The sets are those of fico and compas over binary columns at depth 5 and epsilon .1, every label and every split
counted. Each set is made anew for each repetition, so no answer is one that was kept; the least seconds are told. They
are of the processor, since machines are shared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks._data import read_csv
from benchmarks._harness import write_results
from benchmarks.near_optimal import commit
from treewright import __version__, near_optimal_trees
from treewright.near_optimal import NearOptimalTrees

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
NAME = "near_optimal_questions"

# table: file, leaf penalties, number of the column whose group is asked for
TABLES: dict[str, tuple[str, tuple[float, ...], int | None]] = {
    "fico": ("osdt/fico_binary.csv.gz", (0.005, 0.002), None),
    "compas": ("osdt/compas-binary.csv", (0.005,), 0),
}
DEPTH, EPSILON = 5, 0.1
GAPS = (0.05, 0.02)


def questions(X: Any, group: int | None) -> dict[str, Callable[[NearOptimalTrees], Any]]:
    """What is asked of a set."""
    if group is None:
        return {
            "shares of columns": lambda trees: trees.columns(reliance=False),
            "columns with reliance": lambda trees: trees.columns(),
            "votes of all rows": lambda trees: trees.vote_share(),
        }

    def best(gap: float) -> Callable[[NearOptimalTrees], Any]:
        def ask(trees: NearOptimalTrees) -> None:
            tree, _, bound = trees.best_with_gap(X[:, group] == 1, gap)
            assert tree is not None
            assert bound <= trees.bound_

        return ask

    return {f"best tree with a parity gap of at most {gap:g}": best(gap) for gap in GAPS}


def measure(name: str, price: float, repeat: int) -> list[dict[str, Any]]:
    """Return a row for the set and for each question."""
    file, _, group = TABLES[name]
    X, y = read_csv(DATA / file)
    asked = {"the set": lambda _: None} | questions(X, group)
    least = dict.fromkeys(asked, float("inf"))
    for _ in range(repeat):
        for question, ask in asked.items():
            begun = time.process_time()
            trees = near_optimal_trees(
                X, y, cost_complexity=price, max_depth=DEPTH, epsilon=EPSILON, leaf_labels="any",
                redundant_splits=True, time_limit=None, progress=False,
            )  # fmt: skip
            assert trees.status_ == "complete"
            if question != "the set":
                begun = time.process_time()
                ask(trees)
            least[question] = min(least[question], time.process_time() - begun)
    said = {"package": "treewright", "version": __version__, "table": name, "rows": len(y), "price": price}
    said |= {"depth": DEPTH, "epsilon": EPSILON, "trees": str(trees.n_trees_)}
    return [said | {"question": question, "cpu_seconds": round(s, 3)} for question, s in least.items()]


def main() -> None:
    """Ask what was chosen and print a line for each answer."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--save", action="store_true", help=f"write results/{NAME}.json")
    options = parser.parse_args()
    rows = []
    for name in options.only:
        for price in TABLES[name][1]:
            for row in measure(name, price, options.repeat):
                print(f"{name}, {price:g}: {row['question']}: {row['cpu_seconds']} s", flush=True)
                rows.append(row)
    if options.save:
        said = {"only": options.only, "repeat": options.repeat, "commit": commit()}
        write_results(NAME, said, rows)


if __name__ == "__main__":
    main()
