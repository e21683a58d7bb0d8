"""Regression trees for every criterion but squared error against a list of all trees, and what verify says of them.

Absolute error and quantiles are compared in exact fractions, deviances with logarithms of 60 digits.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from sklearn.metrics import mean_gamma_deviance, mean_pinball_loss, mean_poisson_deviance
from sklearn.tree import DecisionTreeRegressor

from additive_laws import LIMITS, TAMPERED, assert_bounds_of_stopped, assert_kept, random_limits, tied_table
from brute_force_additive import best_tree
from treewright import OptimalTreeRegressor
from treewright.errors import InputError
from treewright.problem import make_regression_problem
from treewright.result import SolveStatus
from treewright.search import RankedOptions, regression_frontier, solve_regression
from treewright.table import table_from
from treewright.verify import verify_regression

CRITERIA = ("poisson", "gamma", "absolute_error", "quantile")
TABLES_A_BLOCK = 40
OPTIONS = (
    None,
    RankedOptions(plain_work=1, groups=False),
    RankedOptions(monotone=False, groups=False),
    RankedOptions(lipschitz=False, between=False, neighbours=False),
    RankedOptions(leaf_count=False, shallower=False, fair_shares=False, groups=False),
)


@cache
def logarithm(number: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = 60
        return Fraction((Decimal(number.numerator) / Decimal(number.denominator)).ln())


def loss_of(problem):
    """Return the loss of one leaf as a function of its rows."""
    weight = [Fraction(float(w)) for w in problem.sample_weight]
    y = [Fraction(float(v)) for v in problem.y]

    def deviance(rows):
        total = sum(weight[i] for i in rows)
        mean = sum(weight[i] * y[i] for i in rows) / total
        if mean == 0:
            return Fraction(0)
        if problem.criterion == "poisson":
            seen = [i for i in rows if y[i] > 0]
            return max(
                Fraction(0), sum((weight[i] * y[i] * logarithm(y[i] / mean) for i in seen), Fraction(0))
            )
        return max(Fraction(0), sum((weight[i] * logarithm(mean / y[i]) for i in rows), Fraction(0)))

    def pinball(rows):
        up, down = problem.share.numerator, problem.share.denominator - problem.share.numerator
        return min(
            sum(weight[i] * (up * max(y[i] - q, 0) + down * max(q - y[i], 0)) for i in rows)
            for q in {y[i] for i in rows}
        )

    return deviance if problem.share is None else pinball


def random_case(rng: np.random.Generator, criterion: str):
    """A table with ties, missing values and text; whole or broken targets; weights whole, broken or none."""
    n, n_columns = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    X = tied_table(rng, n, n_columns)
    y = [rng.integers(0, 5, n).astype(float), rng.exponential(size=n), rng.gamma(0.3, size=n) * 1e5][
        rng.integers(3)
    ]
    if criterion == "poisson":
        y[0] = max(y[0], 1)
    elif criterion == "gamma":
        y += 0.01
    else:
        y -= rng.integers(0, 3)
    weight = [np.ones(n), rng.integers(0, 4, n).astype(float), rng.random(n) * 1e4][rng.integers(3)]
    weight[0] = max(weight[0], 1)
    return X, y, weight, {
        **random_limits(rng),
        "criterion": criterion,
        "quantile": float(rng.choice([0.5, 0.9, 0.25, 0.01])),
    }  # fmt: skip


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("block", range(12))
def test_optimum_and_certificate(criterion, block):
    rng = np.random.default_rng(block)
    for k in range(TABLES_A_BLOCK):
        X, y, weight, asked = random_case(rng, criterion)
        if asked["min_samples_leaf"] > (weight > 0).sum():
            continue
        problem = make_regression_problem(table_from(X), y, sample_weight=weight, **asked)
        loss = loss_of(problem)
        one_leaf = loss(list(range(problem.table.n_rows)))
        limits = {name: asked[name] for name in LIMITS}
        result = solve_regression(problem, options=OPTIONS[k % len(OPTIONS)])
        if problem.y.min() == problem.y.max():
            assert (result.loss, result.tree.n_leaves) == (0, 1)
            continue
        wanted, leaves = best_tree(
            problem.table, loss, price=Fraction(asked["cost_complexity"]) * one_leaf, **limits
        )
        tolerance = result.stats["tolerance"]
        assert result.status is (SolveStatus.OPTIMAL if tolerance <= 1e-8 else SolveStatus.FEASIBLE)
        assert tolerance < 1e-6  # of rounded weights and targets far apart
        assert -1e-11 <= result.objective - float(wanted / one_leaf) <= tolerance + 1e-11
        assert result.lower_bound <= float(wanted / one_leaf) + 1e-14
        whole = (weight == np.rint(weight)).all() and (y == np.rint(y)).all()
        if whole and problem.share is not None:
            assert result.tree.n_leaves <= leaves
        if k % 5:
            continue
        assert_kept(problem, result, verify_regression)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(5))
def test_stopped_searches_hold_their_bound(criterion, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)).round(1), rng.integers(1, 9, 60).astype(float)
    about = {"cost_complexity": 0.01, "max_depth": 3, "criterion": criterion, "quantile": 0.8}
    problem = make_regression_problem(table_from(X), y, **about)
    assert_bounds_of_stopped(problem, solve_regression, verify_regression)


CHANGED = TAMPERED | {
    "criterion": lambda r: replace(r, options={**r.options, "criterion": "squared_error"}),
    "quantile": lambda r: replace(r, options={**r.options, "criterion": "quantile", "quantile": 0.3}),
}


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("what", CHANGED)
def test_tampered_certificates_are_refused(criterion, what):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(61, 3)), rng.gamma(2, size=61)
    about = {"cost_complexity": 0.01, "max_depth": 2, "criterion": criterion, "quantile": 0.8}
    problem = make_regression_problem(table_from(X), y, **about)
    result = OptimalTreeRegressor(**about).fit(X, y).result_
    assert verify_regression(problem, result).ok
    assert not verify_regression(problem, CHANGED[what](result)).ok


def test_a_median_is_the_middle_of_two_that_are_as_good():
    problem = make_regression_problem(table_from([[0.0], [0.0]]), [1, 4], criterion="absolute_error")
    result = solve_regression(problem)
    assert result.tree.value[0, 0] == 2.5
    assert verify_regression(problem, result).ok
    other = replace(
        result, tree=replace(result.tree, value=np.array([[3.0]]))
    )  # no worse, but not what is said
    assert not verify_regression(problem, other).ok


def test_no_worse_than_cart_by_the_measures_of_scikit_learn():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    y = rng.poisson(np.exp(X[:, 0])).astype(float)
    measures = {
        "poisson": lambda y, p: mean_poisson_deviance(y, np.maximum(p, 1e-300)),
        "absolute_error": lambda y, p: mean_pinball_loss(y, p, alpha=0.5),
    }
    for criterion, measure in measures.items():
        ours = OptimalTreeRegressor(0, max_depth=2, criterion=criterion).fit(X, y)
        cart = DecisionTreeRegressor(criterion=criterion, max_depth=2, random_state=0).fit(X, y)
        assert measure(y, ours.predict(X)) <= measure(y, cart.predict(X)) + 1e-12
        one = OptimalTreeRegressor(0, max_depth=0, criterion=criterion).fit(X, y)
        share = measure(y, ours.predict(X)) / measure(y, one.predict(X))
        assert ours.result_.loss == pytest.approx(share)
    gamma = OptimalTreeRegressor(0, max_depth=2, criterion="gamma").fit(X, y + 1)
    one = OptimalTreeRegressor(0, max_depth=0, criterion="gamma").fit(X, y + 1)
    share = mean_gamma_deviance(y + 1, gamma.predict(X)) / mean_gamma_deviance(y + 1, one.predict(X))
    assert gamma.result_.loss == pytest.approx(share)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
@pytest.mark.parametrize("criterion", ["squared_error", *CRITERIA])
def test_the_unit_of_the_target_changes_nothing(criterion, scale):
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 4, (50, 2)), rng.integers(1, 9, 50).astype(float)
    plain = OptimalTreeRegressor(criterion=criterion).fit(X, y).result_
    result = OptimalTreeRegressor(criterion=criterion).fit(X, y * scale).result_
    assert result.status is SolveStatus.OPTIMAL
    assert result.tree.splits == plain.tree.splits
    assert result.objective == pytest.approx(plain.objective)


@pytest.mark.parametrize("criterion", ["squared_error", *CRITERIA])
def test_constant_targets(criterion):
    result = OptimalTreeRegressor(criterion=criterion).fit([[0.0], [1.0]], [0.1, 0.1]).result_
    assert (result.tree.n_leaves, result.loss, result.status) == (1, 0.0, SolveStatus.OPTIMAL)
    assert result.tree.value[0, 0] == 0.1


def test_bad_input():
    X = [[0.0], [1.0], [2.0]]
    for criterion, y, message in (
        ("poisson", [1, -2, 3], "y has -2; criterion='poisson'"),
        ("poisson", [0, 0, 0], "All targets are 0"),
        ("gamma", [1, 0, 3], "y has 0; criterion='gamma'"),
        ("huber", [1, 2, 3], "criterion='huber'; choose one of squared_error, poisson"),
        ("absolute_error", [1, np.inf, 3], "infinity"),
        ("quantile", [1, np.nan, 3], "NaN"),
        ("gamma", [1e-300, 1, 1e300], "differ by a factor of at most 1e\\+11"),
    ):
        with pytest.raises(InputError, match=message):
            OptimalTreeRegressor(criterion=criterion).fit(X, y)
    for quantile, message in (
        (0, "above 0 and below 1"),
        (True, "above 0"),
        (1 / 3, "at most four decimals"),
    ):
        with pytest.raises(InputError, match=message):
            OptimalTreeRegressor(criterion="quantile", quantile=quantile).fit(X, [1, 2, 3])
    with pytest.raises(InputError, match="sample_weight"):
        OptimalTreeRegressor(criterion="poisson").fit(X, [1, 2, 3], [0, 0, 0])


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("block", range(3))
def test_every_point_of_the_front_is_the_least_loss_of_its_leaves(criterion, block):
    rng = np.random.default_rng(1000 + block)
    for _ in range(12):
        X, y, weight, asked = random_case(rng, criterion)
        depth, most, least = asked["max_depth"], int(rng.integers(1, 6)), asked["min_samples_leaf"]
        if least > (weight > 0).sum():
            continue
        how = {name: asked[name] for name in ("criterion", "quantile", "min_samples_leaf")}
        how["max_depth"] = depth
        front = regression_frontier(X, y, max_leaves=most, sample_weight=weight, progress=False, **how)
        for leaves in range(1, most + 1):
            problem = make_regression_problem(
                table_from(X), y, sample_weight=weight, cost_complexity=0.0, max_leaf_nodes=leaves, **how
            )
            loss = loss_of(problem)
            one_leaf = loss(range(problem.table.n_rows))
            wanted, _ = best_tree(
                problem.table, loss, max_depth=depth, max_leaf_nodes=leaves, min_samples_leaf=least
            )
            point = front.at_most(leaves)
            open_to = point.loss - point.lower_bound
            assert point.status is (SolveStatus.OPTIMAL if open_to <= 1e-8 else SolveStatus.FEASIBLE)
            assert open_to < 1e-5  # of rounded weights and targets far apart
            share = float(wanted / one_leaf) if one_leaf > 0 else 0.0
            assert -1e-11 <= point.loss - share <= open_to + 1e-11
            assert point.lower_bound <= share + 1e-14
            report = verify_regression(problem, point)
            assert report.ok, str(report)
