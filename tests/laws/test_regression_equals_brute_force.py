"""Exact regression trees against a list of all trees in rational arithmetic, and what verify says of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from additive_laws import TAMPERED
from treewright import OptimalTreeRegressor
from treewright.convert import from_json, to_json
from treewright.problem import make_regression_problem
from treewright.result import SolveStatus
from treewright.search import solve_regression
from treewright.table import table_from
from treewright.verify import verify_regression


def least_objective(X, y, weight, *, cost_complexity, max_depth, max_leaf_nodes, min_samples_leaf):
    """Return the least objective of any tree over all thresholds, as a fraction of the loss of one leaf."""
    y, weight = [Fraction(float(v)) for v in y], [Fraction(float(v)) for v in weight]
    n, price = len(y), Fraction(repr(float(cost_complexity)))

    def loss(rows):
        total = sum(weight[r] for r in rows)
        mean = sum(weight[r] * y[r] for r in rows) / total
        return sum(weight[r] * (y[r] - mean) ** 2 for r in rows)

    one_leaf = loss(range(n))

    @cache
    def best(rows, depth, leaves):
        """Least cost in at most so many leaves; None if there is no tree."""
        found = loss(rows) / one_leaf + price if len(rows) >= min_samples_leaf else None
        if depth == 0 or leaves < 2:
            return found
        for j in range(X.shape[1]):
            for threshold in sorted({X[r, j] for r in rows})[:-1]:
                left = tuple(r for r in rows if X[r, j] <= threshold)
                right = tuple(r for r in rows if X[r, j] > threshold)
                for k in range(1, leaves):
                    a, b = best(left, depth - 1, k), best(right, depth - 1, leaves - k)
                    if a is not None and b is not None and (found is None or a + b < found):
                        found = a + b
        return found

    return best(tuple(range(n)), max_depth, min(2**max_depth, max_leaf_nodes or n))


def random_case(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(3, 9)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.integers(2, 6), (n, m)).astype(float)
    y = rng.normal(size=n) if rng.random() < 0.5 else rng.integers(0, 4, n).astype(float)
    y[0], y[1] = 0.0, 1.0  # not all the same
    if rng.random() < 0.3:
        y = y * 10.0 ** rng.integers(-200, 200)
    weight = [np.ones(n), rng.integers(1, 5, n).astype(float), rng.random(n) + 0.01][rng.integers(3)]
    return X, y, weight, {
        "cost_complexity": float(rng.choice([0, 0.001, 0.02, 0.1, 1])),
        "max_depth": int(rng.integers(0, 4)),
        "max_leaf_nodes": [None, None, 1, 2, 3][rng.integers(5)],
        "min_samples_leaf": int(rng.choice([1, 1, 2])),
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(150))
def test_optimum_and_certificate(seed):
    X, y, weight, asked = random_case(seed)
    model = OptimalTreeRegressor(**asked).fit(X, y, sample_weight=weight)
    result = model.result_
    wanted = least_objective(X, y / np.abs(y).max(), weight, **asked)
    assert result.status is SolveStatus.OPTIMAL
    assert result.objective == pytest.approx(float(wanted), abs=1e-11)
    assert result.lower_bound <= float(wanted) + 1e-15
    problem = make_regression_problem(table_from(X), y, sample_weight=weight, **asked)
    report = verify_regression(problem, result)
    assert report.ok, report

    read = from_json(to_json(result))
    assert read.result.sentence() == result.sentence()
    np.testing.assert_array_equal(read.tree.predict(X), model.predict(X))
    leaf = model.apply(X)
    for node in np.unique(leaf):
        rows = leaf == node
        assert model.predict(X)[rows] == pytest.approx(np.average(y[rows], weights=weight[rows]), rel=1e-12)


CHANGED = TAMPERED | {
    "no depth": lambda r: replace(r, options={k: v for k, v in r.options.items() if k != "max_depth"}),
    "no tolerance": lambda r: replace(r, stats={}),
    "tolerance of text": lambda r: replace(r, stats={"tolerance": "none"}),
    "criterion": lambda r: replace(r, options={**r.options, "criterion": "absolute_error"}),
    "count": lambda r: replace(r, tree=replace(r.tree, n_node_samples=r.tree.n_node_samples + 1)),
}


@pytest.mark.parametrize("what", CHANGED)
def test_tampered_certificates_are_refused(what):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    result = OptimalTreeRegressor(max_depth=2).fit(X, y).result_
    problem = make_regression_problem(table_from(X), y, cost_complexity=0.01, max_depth=2)
    assert verify_regression(problem, result).ok
    assert not verify_regression(problem, CHANGED[what](result)).ok


def test_constant_target_is_one_leaf():
    result = OptimalTreeRegressor().fit([[1.0], [2.0], [3.0]], [7.0, 7.0, 7.0]).result_
    assert (result.tree.n_leaves, result.loss, result.status) == (1, 0.0, SolveStatus.OPTIMAL)


@pytest.mark.parametrize("seed", range(60))
def test_bounds_hold_where_weights_of_rows_round_to_nothing(seed):
    """Weights of 1e-8 to 1e8: the integers of the search know nothing of some rows, on which a tree may lose most."""
    rng = np.random.default_rng(seed)
    X, y, _, asked = random_case(seed)
    n = len(y)
    y[: n // 2] = y[0]  # the heavy rows are alike, so what is lost is lost on light ones
    y[-1] = y[0] + 1
    weight = np.where(np.arange(n) < n // 2, 10.0 ** rng.uniform(5, 9, n), 10.0 ** rng.uniform(-9, -5, n))
    asked = asked | {"cost_complexity": float(rng.choice([0.001, 0.02, 0.1]))}
    if y.max() - y.min() == 0 or not np.isfinite(y).all():
        return
    problem = make_regression_problem(table_from(X), y, sample_weight=weight, **asked)
    result = solve_regression(problem)
    wanted = float(least_objective(X, y / np.abs(y).max(), weight, **asked))
    assert result.lower_bound <= wanted * (1 + 1e-9) + 1e-15
    if result.status is SolveStatus.OPTIMAL:
        assert result.objective <= wanted + max(result.rounding, 1e-9)


def test_one_leaf_is_not_called_optimal_where_light_rows_lose_all():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [1.3, 1.3, 3.1, 7.7]
    model = OptimalTreeRegressor(cost_complexity=0.01, max_depth=2)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y, sample_weight=[1e7, 1e7, 1e-7, 1e-7])
    assert model.result_.status is not SolveStatus.OPTIMAL
    assert model.result_.lower_bound <= 0.03


@pytest.mark.parametrize("far", [1e7, 1.7e9])
def test_absolute_errors_of_targets_far_from_zero_are_verified(far):
    """Such as seconds since 1970: the verifier lost the digits of their differences."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 6, (20, 2)).astype(float), rng.normal(size=20) + far
        problem = make_regression_problem(
            table_from(X), y, cost_complexity=0.01, max_depth=2, criterion="absolute_error"
        )
        report = verify_regression(problem, solve_regression(problem))
        assert report.ok, str(report)


def test_events_of_rows_of_little_weight_fit_the_search():
    """Their sum in whole numbers was one above what the compiled core takes."""
    model = OptimalTreeRegressor(cost_complexity=0, max_depth=1, criterion="poisson")
    with pytest.warns(ConvergenceWarning, match="rounded"):
        model.fit([[0], [1], [2], [3]], [2, 2, 0, 0], sample_weight=[4e6, 3e-9, 6e-4, 7e-13])
    assert model.result_.lower_bound <= model.result_.objective
