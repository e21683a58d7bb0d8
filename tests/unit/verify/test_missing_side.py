"""The checker recomputes where missing values go, and says of which trees it cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from treewright import fit_shards
from treewright.near_optimal import solve_near_optimal
from treewright.problem import (
    make_f1_problem,
    make_policy_problem,
    make_probability_problem,
    make_problem,
    make_regression_problem,
    make_row_costs_problem,
    make_survival_problem,
)
from treewright.search import (
    solve,
    solve_f1,
    solve_leaf_accuracy,
    solve_policy,
    solve_probability,
    solve_regression,
    solve_row_costs,
    solve_survival,
)
from treewright.table import table_from
from treewright.tree import Tree
from treewright.verify import (
    VerificationReport,
    verify,
    verify_f1,
    verify_policy,
    verify_probability,
    verify_regression,
    verify_row_costs,
    verify_shards,
    verify_survival,
)

SIDES = "Not checked: to which side of a split missing values go"


def rows(seed: int) -> tuple[Any, Any, Any, Any]:
    """Columns of which the first is complete, labels, targets and weights."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (90, 3)).astype(float)
    X[:, 1:][rng.random((90, 2)) < 0.04] = np.nan
    x = np.nan_to_num(X)
    y = ((x[:, 0] > 4) ^ (x[:, 1] > 5) ^ (rng.random(90) < 0.1)).astype(int)
    target = 2 * x[:, 0] + 5 * (x[:, 1] > 4) + rng.normal(size=90)
    return X, y, target, rng.integers(1, 4, 90).astype(float)


def solved(kind: str, seed: int) -> tuple[Any, Any, Callable[[Any, Any], VerificationReport]]:
    """Return a problem of each kind, its result, and what verifies it."""
    X, y, target, weight = rows(seed)
    table, limits = table_from(X), {"sample_weight": weight, "max_depth": 2, "cost_complexity": 0.01}
    if kind == "leaf accuracy":
        del limits["cost_complexity"]
    costs = np.random.default_rng(seed).integers(0, 5, (90, 2))
    outcome = (y == 1, target - target.min() + 1)
    made: dict[str, tuple[Callable[[], Any], Any, Any]] = {
        "classes": (lambda: make_problem(table, y, **limits), solve, verify),
        "leaf accuracy": (lambda: make_problem(table, y, **limits), solve_leaf_accuracy, verify),
        "f1": (lambda: make_f1_problem(table, y, **limits), solve_f1, verify_f1),
        "regression": (
            lambda: make_regression_problem(table, target, **limits), solve_regression, verify_regression,
        ),
        "brier": (lambda: make_probability_problem(table, y, **limits), solve_probability, verify_probability),
        "policy": (
            lambda: make_policy_problem(table, np.column_stack([target, 20 - target]), **limits),
            solve_policy, verify_policy,
        ),
        "row costs": (
            lambda: make_row_costs_problem(table, y, costs, **limits), solve_row_costs, verify_row_costs,
        ),
        "survival": (lambda: make_survival_problem(table, outcome, **limits), solve_survival, verify_survival),
    }  # fmt: skip
    problem, search, check = made[kind]
    question = problem()
    return question, search(question), check


KINDS = ("classes", "leaf accuracy", "f1", "regression", "brier", "policy", "row costs", "survival")


def flipped(tree: Tree, node: int) -> Tree:
    splits = list(tree.splits)
    split: Any = splits[node]
    splits[node] = replace(split, missing_left=not split.missing_left)
    return replace(tree, splits=tuple(splits))


def failed(report: VerificationReport) -> set[str]:
    return {check.name for check in report.failed}


@pytest.mark.parametrize("kind", KINDS)
def test_no_side_can_be_changed_unnoticed(kind: str) -> None:
    alone = 0
    for seed in range(4):
        problem, result, check = solved(kind, seed)
        assert check(problem, result).ok
        for node in np.flatnonzero(~result.tree.is_leaf):
            report = check(problem, replace(result, tree=flipped(result.tree, node)))
            assert not report.ok, (seed, node)
            alone += failed(report) == {"side of missing values"}
    assert alone


@pytest.mark.parametrize("kind", KINDS)
def test_columns_with_missing_values_are_those_of_the_table(kind: str) -> None:
    problem, result, check = solved(kind, 0)
    for column in result.tree.asked:
        columns = list(result.tree.columns)
        columns[column] = replace(columns[column], has_missing=not columns[column].has_missing)
        lie = replace(result, tree=replace(result.tree, columns=tuple(columns)))
        assert failed(check(problem, lie)) == {"missing values"}


@pytest.mark.parametrize("kind", ["brier", "policy", "row costs"])
def test_what_a_split_would_predict_is_checked(kind: str) -> None:
    problem, result, check = solved(kind, 0)
    prediction = result.tree.prediction.copy()
    prediction[0] = 1 - prediction[0]  # the root is a split
    assert result.tree.splits[0] is not None
    lie = replace(result, tree=replace(result.tree, prediction=prediction))
    assert failed(check(problem, lie)) in ({"prediction of each node"}, {"action of each node"})


def test_sides_that_a_method_leaves_open_are_not_checked_and_that_is_said() -> None:
    X, y, _, weight = rows(0)
    problem = make_problem(table_from(X), y, sample_weight=weight, max_depth=2, cost_complexity=0.01)
    assert SIDES not in str(verify(problem, solve(problem)))
    near = solve_near_optimal(problem, 3, epsilon=0.1)
    sharded = fit_shards(X, y, max_depth=2, shard_rows=45)
    for report in (
        verify(problem, solve(problem).tree),
        verify(problem, near.result(1)),
        verify_shards(sharded, X, target=y),
    ):
        assert report.ok
        assert SIDES in str(report)
