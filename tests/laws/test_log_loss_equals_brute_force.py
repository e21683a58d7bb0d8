"""Probability trees for log loss against a list of all trees, and what verify says of them.

The oracle adds up terms ``n log n`` of 60 digits.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.special import xlogy
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier

from additive_laws import LIMITS, TAMPERED, assert_bounds_of_stopped, assert_kept, random_limits, tied_table
from brute_force_additive import best_tree
from treewright import OptimalProbabilityTree
from treewright.errors import InputError
from treewright.problem import make_probability_problem
from treewright.result import SolveStatus
from treewright.search import RankedOptions, solve_probability
from treewright.table import table_from
from treewright.verify import verify_probability

TABLES_A_BLOCK = 40
OPTIONS = (
    None,
    RankedOptions(plain_work=1),
    RankedOptions(lanes=1),  # the kernel of many cuts, in the smallest nodes too
    RankedOptions(lanes=1, monotone=False),
    RankedOptions(monotone=False),
    RankedOptions(between=False, neighbours=False),
    RankedOptions(leaf_count=False, shallower=False, fair_shares=False),
)


@cache
def term(weight: Fraction) -> Fraction:
    """``n log n``, to 60 digits."""
    if weight == 0:
        return Fraction(0)
    with localcontext() as context:
        context.prec = 60
        n = Decimal(weight.numerator) / Decimal(weight.denominator)
        return Fraction(n * n.ln())


def entropy(problem):
    """Return the log loss of one leaf as a function of its rows."""
    weight = [Fraction(float(w)) for w in problem.sample_weight]
    y = problem.y.tolist()

    def loss(rows):
        of = [sum((weight[i] for i in rows if y[i] == k), Fraction(0)) for k in sorted(set(y))]
        return max(Fraction(0), term(sum(of, Fraction(0))) - sum(map(term, of), Fraction(0)))

    return loss


def random_case(rng: np.random.Generator):
    """A table with ties, missing values and text; labels of two to four classes; weights whole, broken or none."""
    n, n_columns, n_classes = int(rng.integers(2, 9)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    X = tied_table(rng, n, n_columns)
    weight = [np.ones(n), rng.integers(0, 4, n).astype(float), rng.random(n), rng.random(n) * 1e9][
        rng.integers(4)
    ]
    weight[0] = max(weight[0], 1)
    return X, rng.integers(0, n_classes, n), weight, {
        **random_limits(rng),
    }  # fmt: skip


@pytest.mark.parametrize("block", range(30))
def test_optimum_and_certificate(block):
    rng = np.random.default_rng(block)
    for k in range(TABLES_A_BLOCK):
        X, y, weight, asked = random_case(rng)
        if asked["min_samples_leaf"] > (weight > 0).sum():
            continue
        problem = make_probability_problem(
            table_from(X), y, sample_weight=weight, criterion="log_loss", **asked
        )
        loss = entropy(problem)
        one_leaf = loss(list(range(problem.table.n_rows)))
        limits = {name: asked[name] for name in LIMITS}
        result = solve_probability(problem, options=OPTIONS[k % len(OPTIONS)])
        if one_leaf == 0:
            assert (result.loss, result.tree.n_leaves) == (0, 1)
            continue
        wanted, leaves = best_tree(
            problem.table, loss, price=Fraction(asked["cost_complexity"]) * one_leaf, **limits
        )
        assert result.status is SolveStatus.OPTIMAL
        assert result.objective == pytest.approx(float(wanted / one_leaf), abs=1e-10)
        assert result.lower_bound <= float(wanted / one_leaf) + 1e-15
        assert result.stats["tolerance"] < 1e-8
        assert result.stats["log_loss"] == pytest.approx(
            result.loss * float(one_leaf) / weight.sum(), abs=1e-12
        )
        if (weight == np.rint(weight)).all():
            assert result.tree.n_leaves <= leaves
        if k % 5:
            continue
        assert_kept(problem, result, verify_probability)


@pytest.mark.parametrize("seed", range(20))
def test_stopped_searches_hold_their_bound(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)).round(1), rng.integers(0, 3, 60)
    about = {"cost_complexity": 0.01, "max_depth": 3, "criterion": "log_loss"}
    problem = make_probability_problem(table_from(X), y, **about)
    assert_bounds_of_stopped(problem, solve_probability, verify_probability)


CHANGED = TAMPERED | {
    "criterion": lambda r: replace(r, options={**r.options, "criterion": "brier"}),
}


@pytest.mark.parametrize("what", CHANGED)
def test_tampered_certificates_are_refused(what):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(61, 3)), rng.integers(0, 2, 61)
    about = {"cost_complexity": 0.01, "max_depth": 2}
    problem = make_probability_problem(table_from(X), y, criterion="log_loss", **about)
    result = OptimalProbabilityTree(criterion="log_loss", **about).fit(X, y).result_
    assert verify_probability(problem, result).ok
    assert not verify_probability(problem, CHANGED[what](result)).ok
    assert not verify_probability(make_probability_problem(table_from(X), y, **about), result).ok


def test_it_is_no_worse_than_cart_and_says_so():
    X, y = load_iris(return_X_y=True)
    for depth in (1, 2, 3):
        ours = OptimalProbabilityTree(0, max_depth=depth, criterion="log_loss").fit(X, y)
        cart = DecisionTreeClassifier(criterion="entropy", max_depth=depth, random_state=0).fit(X, y)
        assert ours.result_.stats["log_loss"] <= log_loss(y, cart.predict_proba(X)) + 1e-12
        assert ours.result_.stats["log_loss"] == pytest.approx(log_loss(y, ours.predict_proba(X)))
        assert "% of the log loss of a single leaf left" in ours.result_.sentence()


def test_weights_that_are_rounded_stand_in_the_tolerance():
    rng = np.random.default_rng(1)
    X, y, weight = rng.integers(0, 3, (3000, 2)), rng.integers(0, 2, 3000), rng.random(3000)
    exact = OptimalProbabilityTree(criterion="log_loss").fit(X, y).result_
    rounded = OptimalProbabilityTree(criterion="log_loss").fit(X, y, weight).result_
    assert exact.stats["tolerance"] < rounded.stats["tolerance"] < 1e-8
    assert rounded.status is SolveStatus.OPTIMAL


def test_one_class_and_bad_parameters():
    result = OptimalProbabilityTree(criterion="log_loss").fit([[0.0], [1.0]], [1, 1]).result_
    assert (result.tree.n_leaves, result.loss, result.stats["log_loss"]) == (1, 0.0, 0.0)
    with pytest.raises(InputError, match='criterion=\'gini\'; choose "brier" or "log_loss"'):
        OptimalProbabilityTree(criterion="gini").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(InputError, match="fraction of the log loss of a single leaf"):
        OptimalProbabilityTree(2, criterion="log_loss").fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("n_classes", [2, 3, 5, 7, 8])
def test_nodes_of_many_rows_are_searched_by_the_kernel_of_many_splits(n_classes):
    """Depth two over 900 rows, above the fewest rows of a pass; eight classes have no kernel."""
    rng = np.random.default_rng(n_classes)
    X = rng.integers(0, 7, (900, 3))
    y = (X[:, 0] * (X[:, 1] > 2) + rng.integers(0, 4, 900)) % n_classes
    weight = rng.integers(1, 4, 900)
    sides = np.stack([X[:, j] <= cut for j in range(3) for cut in range(6)])
    own = np.eye(n_classes)[y] * weight[:, None]

    def loss(counts):  # of the last axis
        total = counts.sum(axis=-1)
        return xlogy(total, total) - xlogy(counts, counts).sum(axis=-1)

    def least(rows):
        left = (sides & rows) @ own
        counts = own[rows].sum(axis=0)
        return min(loss(counts), (loss(left) + loss(counts - left)).min())

    wanted = min(least(side) + least(~side) for side in sides) / loss(own.sum(axis=0))
    problem = make_probability_problem(
        table_from(X.astype(float)),
        y,
        sample_weight=weight,
        criterion="log_loss",
        cost_complexity=0.0,
        max_depth=2,
    )
    for options in (None, RankedOptions(lanes=1), RankedOptions(lanes=9, monotone=False)):
        result = solve_probability(problem, options=options)
        assert result.status is SolveStatus.OPTIMAL
        assert result.loss == pytest.approx(wanted, abs=1e-11)
