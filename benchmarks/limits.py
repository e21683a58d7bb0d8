"""Limits on tables of 10^7 cells: ``python -m benchmarks.limits --help``.

How long each estimator goes on after its limit: with a time limit of .05 s, with a step limit of 1, and after Ctrl-C.
The tables have 10^7 cells (`--small`: 10^5) without any pattern, and labels of ten classes. The time limit is tried on
three shapes, the other two limits on the tall one, where sorting and walking the columns takes longest. An estimator
and a table have a process of their own, in which the estimator has first been fitted to a small table, so that what it
imports is loaded. Seconds are those of the processor from the first line of `fit`, less the limit. Ctrl-C comes after
half a second of them, and what follows counts from that second, not from when the interpreter sees it, for a call that
does not look is what is to be found. There is no figure where the fit has ended by then, or would first fit a model of
another library without a clock.
A machine that is busy with other work makes them more: searches share its memory and caches.
"""

from __future__ import annotations

import argparse
import inspect
import json
import signal
import subprocess
import sys
import time
import warnings
from functools import cache, wraps
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._harness import write_results
from benchmarks._limits_options import front, options, table_for
from benchmarks._tables import format_table
from benchmarks.regression import commit

ROOT = Path(__file__).resolve().parents[1]
LARGE = {"tall": (1_000_000, 10), "square": (100_000, 100), "wide": (1_000, 10_000)}
SMALL = {"small tall": (10_000, 10), "small square": (1_000, 100), "small wide": (316, 316)}
SHAPES = LARGE | SMALL
# What is not asked of some: models of other libraries look at no clock (a time limit gives them fewer rows), and the
# step limit of the 121 fits of a cross-validation for leaf accuracy is that of each. Before a program of a million rows
# is refused CART grows its trees, without a clock where there is no time limit.
NOT_ASKED = {
    "OptimalTreeClassifier, guided": ("steps", "Ctrl-C"),
    "HybridTreeClassifier": ("steps", "Ctrl-C"),
    "MIPTreeClassifier": ("steps", "Ctrl-C"),
    "LeafAccuracyTreeClassifierCV": ("steps",),
}
# Public, with a limit, and not here: nothing looks at a clock while CART, or a reference of scikit-learn, is grown.
NOT_MEASURED = ("compare_with_cart", "ThresholdGuesser")
LINE_ROWS = 200_000  # of the table for lines in one column, where each cell is looked at once a column
ALL_LIMITS = ("time", "steps", "Ctrl-C")
LIMITS = {shape: ALL_LIMITS if shape.endswith("tall") else ("time",) for shape in SHAPES}
TIME = 0.05  # the time limit
PRESS = 0.5  # seconds of the processor before Ctrl-C
NONE: dict[str, Any] = {"time_limit": None}


def estimators() -> dict[str, Any]:
    """Return how each estimator is made, by name: a function of the limits."""
    from sklearn.base import clone
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    import treewright as tw

    class SimpleLines(tw.OptimalTreeRegressor):
        def fit(self, X: Any, y: Any) -> None:
            super().fit(X[:LINE_ROWS].round(2), y[:LINE_ROWS])

    def trained(model: Any) -> Any:  # so that no limit waits for its training
        class Trained(type(model)):  # type: ignore[misc]
            def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
                vars(self).update(vars(known(X.shape[1])))
                return self

        @cache
        def known(n_columns: int) -> Any:
            rng = np.random.default_rng(2)
            return clone(model).fit(rng.normal(size=(200, n_columns)), np.resize(range(10), 200))

        TRAINED.append(known)
        return Trained(**model.get_params())

    class Policy(tw.OptimalPolicyTree):
        def fit(self, X: Any, y: Any) -> None:
            super().fit(X, REWARDS[: len(X)])

    class Survival(tw.OptimalSurvivalTree):
        def fit(self, X: Any, y: Any) -> None:
            super().fit(X, (y > 2, REWARDS[: len(X), 0] + 10))

    @wraps(tw.roc_frontier)
    def of_two(X: Any, y: Any, **parameters: Any) -> None:
        tw.roc_frontier(X, y % 2, **parameters)

    guess = {"thresholds": "guess", "guess_lower_bounds": True}
    return {
        "OptimalTreeClassifier": (tw.OptimalTreeClassifier, {}),
        "OptimalTreeClassifier, balanced": (tw.OptimalTreeClassifier, {"class_weight": "balanced"}),
        "OptimalTreeClassifier, guided": (tw.OptimalTreeClassifier, guess),
        "OptimalTreeClassifierCV": (tw.OptimalTreeClassifierCV, {}),
        "OptimalTreeRegressor": (tw.OptimalTreeRegressor, {}),
        "OptimalTreeRegressor, absolute error": (tw.OptimalTreeRegressor, {"criterion": "absolute_error"}),
        "OptimalTreeRegressor, linear leaves": (tw.OptimalTreeRegressor, {"leaf_model": "linear"}),
        "OptimalTreeRegressor, simple lines": (SimpleLines, {"leaf_model": "simple_linear", "max_depth": 3}),
        "OptimalTreeRegressorCV": (tw.OptimalTreeRegressorCV, {}),
        "OptimalProbabilityTree": (tw.OptimalProbabilityTree, {}),
        "OptimalPolicyTree": (Policy, {}),
        "OptimalSurvivalTree": (Survival, {}),
        "LeafAccuracyTreeClassifier": (tw.LeafAccuracyTreeClassifier, {}),
        "LeafAccuracyTreeClassifierCV": (tw.LeafAccuracyTreeClassifierCV, {}),
        "HybridTreeClassifier": (tw.HybridTreeClassifier, {}),
        "MIPTreeClassifier": (tw.MIPTreeClassifier, {}),
        "BornAgainTreeClassifier, rows": (
            tw.BornAgainTreeClassifier,
            {"estimator": trained(RandomForestClassifier(5, max_depth=3)), "faithful": "rows"},
        ),
        "BornAgainTreeRegressor": (
            tw.BornAgainTreeRegressor,
            {"estimator": trained(RandomForestRegressor(5, max_depth=3)), "max_depth": 3},
        ),
        "BornAgainTreeRegressor, everywhere": (
            tw.BornAgainTreeRegressor,
            {
                "estimator": trained(RandomForestRegressor(100, max_depth=8, max_features=0.3)),
                "faithful": "everywhere",
                "tolerance": 1e-6,
                "max_leaves": 10**7,
            },
        ),
        "LatentTreeClassifier": (tw.LatentTreeClassifier, {}),
        "LatentTreeRegressor": (tw.LatentTreeRegressor, {}),
        "LatentTreeClusterer": (tw.LatentTreeClusterer, {}),
        "NearOptimalTreeClassifier": (tw.NearOptimalTreeClassifier, {}),
        "fit_shards": (front(tw.fit_shards), {}),
        "near_optimal_trees": (front(tw.near_optimal_trees), {"cost_complexity": 0.01}),
        "accuracy_frontier": (front(tw.accuracy_frontier), {"max_leaves": 8}),
        "regression_frontier": (front(tw.regression_frontier), {"max_leaves": 8}),
        "roc_frontier": (front(of_two), {}),
    } | options()


TRAINED: list[Any] = []  # what makes models of other libraries for so many columns, before a limit runs
REWARDS = np.random.default_rng(1).normal(size=(max(n for n, _ in SHAPES.values()), 3))


def answers(name: str, shape: str, limits: list[str]) -> dict[str, Any]:
    """Return the processor seconds beyond each limit, in this process."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=SHAPES[shape]), rng.integers(0, 10, SHAPES[shape][0])
    kind, fixed = estimators()[name]
    known = set(inspect.signature(kind).parameters)
    warnings.simplefilter("ignore")
    kind(**fixed, time_limit=1.0).fit(*table_for(kind, X[:120, :3], y[:120]))
    for train in TRAINED:
        train(X.shape[1])
    X, y = table_for(kind, X, y)
    told: dict[str, Any] = {}
    for limit in limits:
        how: dict[str, Any] = {
            "time": {"time_limit": TIME},
            "steps": NONE | {"step_limit": 1},
            "Ctrl-C": NONE,
        }[limit]
        if not set(how) <= known or limit in NOT_ASKED.get(name, ()):
            continue
        told[limit] = _late(kind(**fixed, **how), X, y, limit)
    return told


def _late(model: Any, X: Any, y: Any, limit: str) -> float | None:
    """Return the processor seconds of a fit beyond its limit; None if it ended before."""
    pressed: list[bool] = []

    def press(*_: Any) -> None:
        pressed.append(True)
        raise KeyboardInterrupt

    signal.signal(signal.SIGPROF, press)
    if limit == "Ctrl-C":
        signal.setitimer(signal.ITIMER_PROF, PRESS)
    began = time.process_time()
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    ended = time.process_time()
    if limit == "Ctrl-C" and not pressed:
        return None
    # Ctrl-C from the second it comes, not from the one in which the interpreter hears of it.
    return ended - began - {"time": TIME, "steps": 0.0, "Ctrl-C": PRESS}[limit]


def apart(name: str, shape: str, limits: list[str]) -> dict[str, Any]:
    """Return the answers of a fresh process."""
    command = [sys.executable, "-m", "benchmarks.limits", "--child", name, shape, ",".join(limits)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode:
        raise SystemExit(run.stderr)
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", help="part of the names of estimators")
    parser.add_argument("--shapes", nargs="*", choices=list(SHAPES), help="default: those of 10^7 cells")
    parser.add_argument("--small", action="store_true", help="the shapes of 10^5 cells")
    parser.add_argument(
        "--save", action="store_true", help="write results/limits.json, or results/limits-small.json"
    )
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        name, shape, limits = asked.child
        print(json.dumps(answers(name, shape, limits.split(","))))
        return
    rows: list[dict[str, Any]] = []
    made_with = settings()
    shapes = asked.shapes or list(SMALL if asked.small else LARGE)
    columns = ["estimator", *(column(limit, shape) for shape in shapes for limit in LIMITS[shape])]
    for name in estimators():
        if asked.only and not any(part in name for part in asked.only):
            continue
        row: dict[str, Any] = {"estimator": name}
        for shape in shapes:
            found = apart(name, shape, list(LIMITS[shape]))
            row |= {column(limit, shape): shown(found.get(limit)) for limit in LIMITS[shape]}
        rows.append(row)
        print("  ".join(str(row[c]) for c in columns), flush=True)
        if asked.save:  # at once: a long run may be broken off
            write_results("limits-small" if asked.small else "limits", made_with, rows)
    print("\n" + format_table(columns, [[row[c] for c in columns] for row in rows]))


def settings() -> dict[str, Any]:
    """Return what the results are made with."""
    versions = {name: version(name) for name in ("treewright", "numpy", "scikit-learn")}
    return {
        "commit": commit(),
        **versions,
        "time_limit": TIME,
        "step_limit": 1,
        "seconds_before_ctrl_c": PRESS,
    }


def column(limit: str, shape: str) -> str:
    """Return the head of a column of the table."""
    rows, columns = SHAPES[shape]
    return f"{limit}, {rows:,} x {columns:,}"


def shown(late: float | None) -> str:
    """Return seconds as the table shows them."""
    return "-" if late is None else f"{late:.2f}"


if __name__ == "__main__":
    main()
