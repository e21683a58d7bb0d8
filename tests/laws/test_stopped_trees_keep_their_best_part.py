"""Law: whatever stops a run, no leaf and no child in the place of an inner node makes its tree better.

Over binary columns, over ranked columns, under a limit on leaves, for additive losses; with gaps and text. The best
worst leaf has a test of its own (test_stopped_leaf_accuracy_is_tidy.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from prunings import prunings
from treewright.problem import (
    Problem,
    make_policy_problem,
    make_problem,
    make_regression_problem,
    make_survival_problem,
)
from treewright.search import BinaryOptions, Limits, solve, solve_policy, solve_regression, solve_survival
from treewright.search._additive import loss_of
from treewright.search._additive_losses import ActionLoss, AdditiveLoss, SquaredErrorLoss, SurvivalLoss
from treewright.table import table_from
from treewright.tree import Split, grow

SOLVE: dict[str, Callable[..., Any]] = {
    "regression": solve_regression,
    "policy": solve_policy,
    "survival": solve_survival,
}
STEPS = (1, 2, 5, 20, 80)


def frame(rng: np.random.Generator, n_rows: int) -> pd.DataFrame:
    X = pd.DataFrame(rng.random((n_rows, 5)).round(2), columns=list("abcde"))
    X.loc[rng.random(n_rows) < 0.1, "b"] = np.nan
    X["text"] = rng.choice(np.array(["u", "v", "w", "x", "y", None], dtype=object), n_rows)
    return X


def objective(problem: Problem, splits: list[Split | None]) -> float:
    table = problem.table
    tree = grow(
        table.columns, problem.classes, splits, table.X, problem.y, problem.sample_weight, problem.costs
    )
    paid = (tree.value[tree.is_leaf] @ problem.costs).min(axis=1).sum()
    return float(paid / problem.total_weight) + problem.cost_complexity * tree.n_leaves


@pytest.mark.parametrize("engine", ["binary", "ranked"])
@pytest.mark.parametrize("leaves", [None, 7])
def test_of_a_classification_tree(engine: str, leaves: int | None) -> None:
    rng = np.random.default_rng(1)
    inner = 0
    for steps in STEPS:
        for _ in range(4):
            n = int(rng.integers(40, 200))
            X = frame(rng, n)
            y = (X["a"] + X["c"] * 0.5 + (X["text"] == "u") + 0.3 * rng.normal(size=n) > 0.9).astype(int)
            problem = make_problem(
                table_from(X), y + (X["d"] > 0.8), cost_complexity=float(rng.choice([0.0, 0.003, 0.02])),
                max_leaf_nodes=leaves, min_samples_leaf=int(rng.integers(1, 5)),
                sample_weight=rng.random(n) + 0.5,
            )  # fmt: skip
            result = solve(
                problem, "all", limits=Limits(step_limit=steps), options=BinaryOptions(engine=engine)
            )
            splits = list(result.tree.splits)
            inner += len(splits) > 1
            for other in prunings(splits):
                assert objective(problem, other) >= result.objective - 1e-9
    assert inner > 10


def additive_problem(kind: str, rng: np.random.Generator, **limits: object) -> tuple[Any, AdditiveLoss]:
    """A problem of one of the kinds, and its loss."""
    n = int(rng.integers(40, 200))
    X = frame(rng, n)
    table, weight = table_from(X), rng.random(n) + 0.5
    signal = (3 * X["a"] + X["c"] + (X["text"] == "u")).to_numpy()
    if kind == "regression":
        regression = make_regression_problem(
            table, signal + rng.normal(size=n), sample_weight=weight, **limits
        )
        return regression, SquaredErrorLoss(regression.y, weight)
    if kind == "policy":
        rewards = np.column_stack([signal, rng.normal(2, 1, n), 4 - signal]) + rng.normal(size=(n, 3))
        policy = make_policy_problem(table, rewards, sample_weight=weight, **limits)
        return policy, ActionLoss(policy.regret)
    y = (rng.random(n) < 0.7, rng.exponential(np.exp(signal)))
    survival = make_survival_problem(table, y, sample_weight=weight, **limits)
    whole = survival.sample_weight.astype(np.int64)
    hazard = np.ldexp(survival.hazard, survival.hazard_bits).astype(np.int64)
    return survival, SurvivalLoss(whole * survival.event, whole * hazard)


@pytest.mark.parametrize("depth", [None, 3])
@pytest.mark.parametrize("kind", ["regression", "policy", "survival"])
def test_of_a_tree_with_an_additive_loss(kind: str, depth: int | None) -> None:
    rng = np.random.default_rng(2)
    inner = 0
    for steps in STEPS:
        for _ in range(4):
            problem, loss = additive_problem(
                kind,
                rng,
                cost_complexity=float(rng.choice([0.0, 0.003, 0.02])),
                max_depth=depth,
                min_samples_leaf=int(rng.integers(1, 5)),
            )

            def share_left(
                splits: list[Split | None], problem: Any = problem, loss: AdditiveLoss = loss
            ) -> float:
                share = loss_of(splits, problem.table, loss) / loss.leaf_loss()
                return share + problem.cost_complexity * sum(split is None for split in splits)

            result = SOLVE[kind](problem, limits=Limits(step_limit=steps))
            splits = list(result.tree.splits)
            inner += len(splits) > 1
            assert result.objective == pytest.approx(share_left(splits), abs=1e-9)
            for other in [[None], *prunings(splits)]:
                assert share_left(other) >= result.objective - 1e-9
    assert inner > 10


def wide_numbers(rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(rng.random((4000, 200)).round(1))


def wide_bits(rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(rng.integers(0, 2, (4000, 200)))


def wide_text(rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame({"id": rng.integers(0, 2000, 4000).astype(str)}).join(wide_bits(rng))


@pytest.mark.parametrize("make", [wide_numbers, wide_bits, wide_text])
def test_of_a_wide_table(make: Callable[[np.random.Generator], pd.DataFrame]) -> None:
    """4,000 rows of 200 columns and one step: no worse than its parts, and than the best split of the one column."""
    rng = np.random.default_rng(3)
    X = make(rng)
    signal = X.iloc[:, -1]
    y = (signal > signal.mean()).to_numpy() ^ (rng.random(4000) < 0.2)
    problem = make_problem(table_from(X), y, cost_complexity=0.001, max_depth=3)
    result = solve(problem, limits=Limits(step_limit=1))
    assert result.objective < 0.21
    for other in prunings(list(result.tree.splits)):
        assert objective(problem, other) >= result.objective - 1e-9
