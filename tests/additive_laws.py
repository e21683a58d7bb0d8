"""What the laws of all additive losses ask alike: random tables, stopped searches, certificates that were changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from treewright.convert import from_json, to_json
from treewright.result import SolveStatus
from treewright.search import Limits

LIMITS = ("max_depth", "max_leaf_nodes", "min_samples_leaf")

TAMPERED: dict[str, Callable[[Any], Any]] = {
    "objective": lambda r: replace(r, objective=r.objective * 0.9),
    "loss": lambda r: replace(r, loss=r.loss * 0.9, objective=r.objective - 0.1 * r.loss),
    "bound": lambda r: replace(r, lower_bound=r.objective + 1),
    "bound below": lambda r: replace(r, lower_bound=r.lower_bound * 0.5),
    "depth": lambda r: replace(r, options={**r.options, "max_depth": None}),
    "tolerance": lambda r: replace(r, stats={**r.stats, "tolerance": 0.1}),
    "value": lambda r: replace(r, tree=replace(r.tree, value=r.tree.value * 1.01)),
}


def tied_table(rng: np.random.Generator, n: int, n_columns: int, colours: tuple[Any, ...] = ()):
    """A table with ties, often missing values in its first column, and often one of text."""
    columns = {f"x{j}": rng.integers(0, rng.integers(2, 6), n).astype(float) for j in range(n_columns)}
    if rng.random() < 0.3:
        columns["x0"][rng.random(n) < 0.4] = np.nan
    X = pd.DataFrame(columns)
    if rng.random() < 0.3:
        X["text"] = rng.choice(colours or ("red", "green", "blue"), n)
        if X["text"].isna().all():
            X.loc[0, "text"] = "red"
    return X


def random_limits(rng: np.random.Generator) -> dict[str, Any]:
    """The leaf penalty, exact in binary or not, and the limits of a tree."""
    return {
        "cost_complexity": float(rng.choice([0, 0.125, 0.03125, 0.5, 1])),
        "max_depth": [0, 1, 2, 3, None][rng.integers(5)],
        "max_leaf_nodes": [None, None, 1, 2, 3][rng.integers(5)],
        "min_samples_leaf": int(rng.choice([1, 1, 1, 2])),
    }


def assert_kept(problem: Any, result: Any, verify: Callable[..., Any]) -> None:
    """The verifier agrees, and a file of the result says and predicts the same."""
    report = verify(problem, result)
    assert report.ok, str(report)
    read = from_json(to_json(result))
    assert read.result.sentence() == result.sentence()
    X = problem.table.X
    np.testing.assert_array_equal(read.tree.predict(X), result.tree.predict(X))


def assert_bounds_of_stopped(
    problem: Any, solve: Callable[..., Any], verify: Callable[..., Any], **how: Any
) -> None:
    """No bound of a stopped search is above the optimum, and no tree of one is below it."""
    proven = solve(problem)
    assert proven.status is SolveStatus.OPTIMAL
    for steps in (1, 5, 40):
        stopped = solve(problem, limits=Limits(step_limit=steps), **how)
        assert stopped.lower_bound <= proven.objective + 1e-12 <= stopped.objective + 2e-12
        report = verify(problem, stopped)
        assert report.ok, str(report)
