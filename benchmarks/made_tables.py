"""Policy and regression trees on made tables: ``python -m benchmarks.made_tables --help``.

Policies over all thresholds of normal columns, as in the table of run times of R's policytree: three actions, depth 2
and 3, no leaf penalty. Rewards are normal noise ("noise"), or noise beside two for the action that three columns decide
on ("signal"). Regression at depth 2: how seconds grow with rows and columns, up to a million rows. Seconds are of the
processor, of the whole `fit` call; the limit is on those of the clock. Nothing is read but numpy's random numbers.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from benchmarks._harness import write_results
from benchmarks._tables import format_table
from benchmarks.regression import commit
from treewright import OptimalPolicyTree, OptimalTreeRegressor, SolveStatus, __version__

ACTIONS = 3
POLICIES = [(rows, 10, depth) for rows in (1_000, 10_000, 100_000) for depth in (2, 3)]
REGRESSIONS = [(10_000, 10), (100_000, 10), (1_000_000, 10), (100_000, 20), (100_000, 40)]


def rewards(X: NDArray[np.float64], kind: str, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the reward of each row and action."""
    noise = rng.normal(size=(len(X), ACTIONS))
    if kind == "noise":
        return noise
    return noise + 2 * np.c_[X[:, 0] > 0, X[:, 1] > 0.3, X[:, 2] * X[:, 3] > 0]


def target(X: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a target that depends on the columns smoothly, with noise: no split is far better than all others."""
    return np.asarray(X[:, 0] + X[:, 1] * (X[:, 2] > 0) + np.sin(X[:, 3]) + rng.normal(size=len(X)))


def row(model: Any, kind: str, depth: int, *data: Any) -> dict[str, Any]:
    """Fit, and tell what it took."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        begun = time.process_time()
        model.fit(*data)
        spent = time.process_time() - begun
    result = model.result_
    return {
        "package": "treewright",
        "version": __version__,
        "task": kind,
        "rows": data[0].shape[0],
        "columns": data[0].shape[1],
        "max_depth": depth,
        "cpu_seconds": round(spent, 3),
        "proven": result.status is SolveStatus.OPTIMAL,
        "gap": round(result.gap, 6),
        "objective": result.objective,
        "lower_bound": result.lower_bound,
    }


def shown(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table."""
    header = ["task", "rows", "columns", "depth", "cpu s", "proven", "objective"]
    return format_table(
        header,
        [
            [
                one["task"],
                f"{one['rows']:,}",
                one["columns"],
                one["max_depth"],
                f"{one['cpu_seconds']:.3g}",
                "yes" if one["proven"] else f"gap {100 * one['gap']:.1f}%",
                f"{one['objective']:.6f}",
            ]
            for one in rows
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="of the clock, for each fit")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", action="store_true", help="write results/made_tables.json")
    arguments = parser.parse_args()
    options = {
        "commit": commit(),
        "seconds": arguments.seconds,
        "seed": arguments.seed,
        "numpy": np.__version__,
    }
    how: dict[str, Any] = {"time_limit": arguments.seconds, "progress": False}
    rows: list[dict[str, Any]] = []

    def add(one: dict[str, Any]) -> None:
        rows.append(one)
        print(shown([one]).splitlines()[-1], flush=True)
        if arguments.save:  # at once: a long run may be broken off
            write_results("made_tables", options, rows)

    warm_up = np.arange(8.0)[:, None]
    OptimalTreeRegressor(max_depth=1, **how).fit(warm_up, warm_up[:, 0])  # imports are no part of a fit
    for n_rows, n_columns in REGRESSIONS:
        rng = np.random.default_rng(arguments.seed)
        X = rng.normal(size=(n_rows, n_columns))
        add(row(OptimalTreeRegressor(0.0, max_depth=2, **how), "regression", 2, X, target(X, rng)))
    for kind in ("signal", "noise"):
        for n_rows, n_columns, depth in POLICIES:
            rng = np.random.default_rng(arguments.seed)
            X = rng.normal(size=(n_rows, n_columns))
            model = OptimalPolicyTree(0.0, max_depth=depth, **how)
            add(row(model, f"policy, {kind}", depth, X, rewards(X, kind, rng)))
    print("\n" + shown(rows))


if __name__ == "__main__":
    main()
