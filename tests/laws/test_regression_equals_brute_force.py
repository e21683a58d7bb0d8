"""Exact regression trees against a list of all trees in rational arithmetic, and what verify says of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from treewright import OptimalTreeRegressor
from treewright.convert import from_json, to_json
from treewright.problem import make_regression_problem
from treewright.result import SolveStatus
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


TAMPERED = {
    "objective": lambda r: replace(r, objective=r.objective * 0.9),
    "loss": lambda r: replace(r, loss=r.loss * 0.9, objective=r.objective - 0.1 * r.loss),
    "bound": lambda r: replace(r, lower_bound=r.objective + 1),
    "bound below": lambda r: replace(r, lower_bound=r.lower_bound * 0.5),
    "depth": lambda r: replace(r, options={**r.options, "max_depth": None}),
    "no depth": lambda r: replace(r, options={k: v for k, v in r.options.items() if k != "max_depth"}),
    "tolerance": lambda r: replace(r, stats={**r.stats, "tolerance": 0.1}),
    "no tolerance": lambda r: replace(r, stats={}),
    "tolerance of text": lambda r: replace(r, stats={"tolerance": "none"}),
    "criterion": lambda r: replace(r, options={**r.options, "criterion": "absolute_error"}),
    "value": lambda r: replace(r, tree=replace(r.tree, value=r.tree.value * 1.01)),
    "count": lambda r: replace(r, tree=replace(r.tree, n_node_samples=r.tree.n_node_samples + 1)),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_tampered_certificates_are_refused(what):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    result = OptimalTreeRegressor(max_depth=2).fit(X, y).result_
    problem = make_regression_problem(table_from(X), y, cost_complexity=0.01, max_depth=2)
    assert verify_regression(problem, result).ok
    assert not verify_regression(problem, TAMPERED[what](result)).ok


def test_constant_target_is_one_leaf():
    result = OptimalTreeRegressor().fit([[1.0], [2.0], [3.0]], [7.0, 7.0, 7.0]).result_
    assert (result.tree.n_leaves, result.loss, result.status) == (1, 0.0, SolveStatus.OPTIMAL)
