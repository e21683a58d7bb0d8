"""A changed number is noticed whatever the size of targets, rewards, weights, costs; an unchanged one is accepted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.problem import (
    make_policy_problem,
    make_probability_problem,
    make_problem,
    make_regression_problem,
    make_survival_problem,
)
from treewright.table import table_from
from treewright.verify import (
    verify,
    verify_policy,
    verify_probability,
    verify_regression,
    verify_survival,
)

SIZES = [5e-315, 1e-300, 4.921426946635217e-151, 1e-12, 1.0, 1e150, 1e300]
X = np.array([[0.0], [0.0], [1.0], [1.0], [2.0], [2.0], [2.0]])
Verdict = Callable[[Any], bool]


def forged(result: Any, node: int, place: int, by: float = 1.0001) -> Any:
    """The result with one number of one node changed."""
    value = result.tree.value.copy()
    value[node, place] *= by
    return replace(result, tree=replace(result.tree, value=value))


def regression(y: Any, rows: slice = slice(None)) -> tuple[Any, Verdict]:
    model = tw.OptimalTreeRegressor(max_depth=2).fit(X[rows], y)
    problem = make_regression_problem(table_from(X[rows]), y, max_depth=2)
    return model.result_, lambda claim: verify_regression(problem, claim).ok


def every_number_counts(result: Any, verdict: Verdict) -> None:
    assert verdict(result)
    for node, place in zip(*np.nonzero(result.tree.value), strict=True):
        assert not verdict(forged(result, int(node), int(place))), (node, place)


@pytest.mark.parametrize("size", SIZES)
def test_one_target(size: float) -> None:
    every_number_counts(*regression([size], slice(1)))


@pytest.mark.parametrize("size", SIZES)
def test_targets(size: float) -> None:
    every_number_counts(*regression(np.array([1.0, 1.1, 3.0, 3.5, 7.0, 7.0, 7.0]) * size))


def test_small_targets_beside_large_ones() -> None:
    """Each leaf is compared on its own scale."""
    every_number_counts(*regression(np.array([1e-9, 2e-9, 3.0, 3.5, 7e9, 7e9, 7e9])))


@pytest.mark.parametrize("size", SIZES[1:-1])
def test_rewards(size: float) -> None:
    rewards = np.array([[1.0, 2], [1, 2], [3, 1], [3, 1], [4, 5], [4, 5], [4, 5.5]]) * size
    model = tw.OptimalPolicyTree(max_depth=2).fit(X, rewards)
    problem = make_policy_problem(table_from(X), rewards, max_depth=2)
    every_number_counts(model.result_, lambda claim: verify_policy(problem, claim).ok)


@pytest.mark.parametrize("share", [2.0**-30, 2.0**-12, 1.0])
def test_hazard_ratios(share: float) -> None:
    """A leaf with hardly an event beside many: its ratio is small, and told to the last digits."""
    time, event = np.array([9.0, 9, 9, 9, 1, 2, 3]), np.array([1, 0, 0, 0, 1, 1, 1])
    weight = np.array([share, 1, 1, 1, 1, 1, 1])
    model = tw.OptimalSurvivalTree(cost_complexity=0.001, max_depth=1).fit(X, (event, time), weight)
    problem = make_survival_problem(
        table_from(X), (event, time), sample_weight=weight, cost_complexity=0.001, max_depth=1
    )
    every_number_counts(model.result_, lambda claim: verify_survival(problem, claim).ok)


@pytest.mark.parametrize("small", [1e-13, 1e-3, 1.0])
def test_weights_of_classes(small: float) -> None:
    """A node of little weight beside heavy ones."""
    y, weight = np.array([0, 1, 1, 1, 0, 0, 1]), np.array([1, 1.1, 2, 2, 3, 3, 3.3])
    weight[:2] *= small
    model = tw.OptimalProbabilityTree(0.0, max_depth=2).fit(X, y, weight)
    problem = make_probability_problem(
        table_from(X), y, sample_weight=weight, cost_complexity=0.0, max_depth=2
    )
    every_number_counts(model.result_, lambda claim: verify_probability(problem, claim).ok)
    plain = tw.OptimalTreeClassifier(0.0, max_depth=2).fit(X, y, weight)
    asked = make_problem(table_from(X), y, sample_weight=weight, cost_complexity=0.0, max_depth=2)
    every_number_counts(plain.result_, lambda claim: verify(asked, claim).ok)


@pytest.mark.parametrize("size", [1e-200, 1e-12, 1.0, 1e6])
def test_costs(size: float) -> None:
    """A loss, a label and a bound are compared on the scale of the costs."""
    y, costs = np.array([0, 1, 1, 1, 0, 0, 1]), np.array([[0, 1.0], [2, 0]]) * size
    model = tw.OptimalTreeClassifier(0.0, max_depth=1, costs=costs.tolist()).fit(X, y)
    problem = make_problem(table_from(X), y, costs=costs, cost_complexity=0.0, max_depth=1)
    result = model.result_
    assert verify(problem, result).ok
    names = [
        {check.name for check in verify(problem, claim).failed}
        for claim in (
            replace(result, loss=result.loss * 1.001),
            replace(result, objective=result.objective * 1.001),
            replace(result, lower_bound=result.lower_bound * 1.001),
            replace(result, tree=replace(result.tree, prediction=1 - result.tree.prediction)),
        )
    ]
    assert "loss" in names[0]
    assert "objective" in names[1]
    assert "lower_bound <= objective" in names[2]
    assert "cheapest label in each node" in names[3]


def test_costs_that_are_alike_take_no_digits_from_small_rewards() -> None:
    rewards = np.array([[1.0, 4.8e-151], [0.0, 2.2e-151]])
    columns = np.zeros((2, 1))
    model = tw.OptimalPolicyTree(action_costs=[2.0, 2.0], max_depth=1).fit(columns, rewards)
    problem = make_policy_problem(table_from(columns), rewards, action_costs=[2.0, 2.0], max_depth=1)
    assert verify_policy(problem, model.result_).ok
