"""Regression trees of several outputs against all trees of tiny tables, in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from brute_force_additive import best_tree, squared_error
from treewright import OptimalTreeRegressor
from treewright.convert import from_json, to_json
from treewright.problem import make_regression_problem
from treewright.result import SolveStatus
from treewright.search import regression_frontier
from treewright.table import table_from
from treewright.verify import verify_regression

TABLES = 25  # in each of the twelve runs


def random_case(rng):
    n, m, outputs = int(rng.integers(3, 10)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    X = rng.integers(0, rng.integers(2, 5), (n, m)).astype(float)
    if rng.random() < 0.3:
        X[rng.random((n, m)) < 0.2] = np.nan
    y = rng.integers(-5, 6, (n, outputs)) * rng.integers(1, 40, outputs)
    if rng.random() < 0.3:
        y[:, 0] = 3  # says nothing
    y[0, -1], y[1, -1] = 0, 1
    weight = rng.integers(1, 4, n) if rng.random() < 0.5 else np.ones(n, dtype=int)
    return (
        X,
        y,
        weight,
        {
            "cost_complexity": float(rng.choice([0.0, 0.01, 0.1])),
            "max_depth": int(rng.integers(1, 4)),
            "max_leaf_nodes": None if rng.random() < 0.6 else int(rng.integers(1, 5)),
            "min_samples_leaf": int(rng.integers(1, 3)),
        },
    )


@pytest.mark.parametrize("seed", range(12))
def test_the_least_squared_error_of_several_outputs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(TABLES):
        X, y, weight, limits = random_case(rng)
        model = OptimalTreeRegressor(**limits, progress=False).fit(X, y.astype(float), sample_weight=weight)
        result, table = model.result_, table_from(X)
        loss = squared_error(y, weight)
        one_leaf = loss(list(range(len(y))))
        price = Fraction(repr(limits["cost_complexity"])) * one_leaf
        rest = {name: limits[name] for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf")}
        least, _ = best_tree(table, loss, price=price, **rest)
        assert result.status is SolveStatus.OPTIMAL
        assert result.objective == pytest.approx(float(least / one_leaf), abs=1e-9)
        problem = make_regression_problem(table, y, sample_weight=weight, **limits)
        report = verify_regression(problem, result)
        assert report.ok, str(report)
        again = from_json(to_json(result))
        assert again.result is not None
        assert again.result.sentence() == result.sentence()
        assert verify_regression(problem, again.result).ok
        np.testing.assert_array_equal(again.tree.predict(table.X), model.predict(X))
        assert model.predict(X).shape == y.shape


def test_extreme_targets_neither_overflow_nor_vanish() -> None:
    X = np.arange(6.0)[:, None]
    y = np.array([[0, 1], [0, 1], [0, 2], [1, 2], [1, 2], [1, 2]], dtype=float)
    plain = OptimalTreeRegressor(0.0, max_depth=1).fit(X, y).result_
    for unit in (1e-300, 1e300):
        scaled = OptimalTreeRegressor(0.0, max_depth=1).fit(X, y * unit)
        assert scaled.result_.loss == pytest.approx(plain.loss)
        assert scaled.result_.tree.threshold[0] == plain.tree.threshold[0]
        assert verify_regression(
            make_regression_problem(table_from(X), y * unit, cost_complexity=0.0, max_depth=1), scaled.result_
        ).ok


def test_verify_finds_a_wrong_mean_of_any_output() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 4, (30, 2)).astype(float), rng.normal(size=(30, 3))
    problem = make_regression_problem(table_from(X), y, cost_complexity=0.0, max_depth=2)
    text = to_json(OptimalTreeRegressor(0.0, max_depth=2).fit(X, y).result_)
    for output in range(3):
        model = from_json(text)
        assert model.result is not None
        value = model.tree.value.copy()
        value[1, output] += 1e-3
        object.__setattr__(model.tree, "value", value)
        report = verify_regression(problem, model.tree)
        assert not report.ok
        assert f"output {output}" in str(report)


@pytest.mark.parametrize("seed", range(6))
def test_the_front_of_several_outputs(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(4):
        X, y, weight, _ = random_case(rng)
        loss, table = squared_error(y, weight), table_from(X)
        one_leaf = loss(list(range(len(y))))
        front = regression_frontier(X, y, max_leaves=4, max_depth=2, sample_weight=weight, progress=False)
        for leaves, point in enumerate(front.limits, 1):
            least, _ = best_tree(table, loss, max_depth=2, max_leaf_nodes=leaves)
            assert point.status is SolveStatus.OPTIMAL
            assert point.loss == pytest.approx(float(least / one_leaf), abs=1e-9)
