"""The best single split without ranks is the one that sorting the columns finds."""

import math
from fractions import Fraction

import numpy as np
import pytest

from treewright._native import core
from treewright.errors import InputError
from treewright.search._additive_losses import ActionLoss, SquaredErrorLoss, SurvivalLoss
from treewright.search._additive_units import squared_error_units
from treewright.search._gini import GiniLoss
from treewright.search._log_loss import LogLoss
from treewright.search._pinball import PinballLoss
from treewright.search._ratio_deviance import RatioDeviance
from treewright.search._single_split import COSTS, one_split, split_of_labels, split_of_targets
from treewright.table import table_from
from treewright.tree import ThresholdSplit


class Votes:
    """The cost of the cheapest label."""

    def __init__(self, y, n_classes, weight, costs):
        self.y, self.n_classes, self.weight, self.costs = y, n_classes, weight, costs

    def leaf_loss(self, rows=slice(None)):
        of_class = np.bincount(self.y[rows], self.weight[rows], self.n_classes)
        return float((of_class @ self.costs).min())

    def best_split(self, table, min_leaf, below=math.inf):
        asked = self.y, self.weight, self.n_classes, min_leaf, self.costs, below
        return one_split(split_of_labels(table, COSTS, *asked))


def losses(rng, n):
    k = int(rng.integers(2, 6))
    y = rng.integers(0, k, n).astype(np.int32)
    weight = [np.ones(n), rng.integers(1, 4, n).astype(float), rng.exponential(size=n) + 1e-3][
        rng.integers(3)
    ]
    costs = 1.0 - np.eye(k)
    if rng.integers(2):
        costs = rng.integers(0, 5, (k, k)) * (1 - np.eye(k))
    events = rng.integers(0, 2, n)
    target = rng.integers(0, 3, n).astype(float) if rng.integers(2) else rng.normal(size=n)
    rare = (rng.permutation(n) < n / 3) * rng.integers(1, 3, n)
    unequal = rng.exponential(size=n) * 10.0 ** rng.integers(0, 7, n)
    return {
        "votes": Votes(y, k, weight, costs),
        "gini": GiniLoss(y, k, weight),
        "log loss": LogLoss(y, k, weight),
        "squares": SquaredErrorLoss(target, weight),
        "squares of three": SquaredErrorLoss(rng.normal(size=(n, 3)), weight),
        "actions": ActionLoss(rng.normal(size=(n, 3))),
        "small costs": ActionLoss(rng.integers(0, 3, (n, 40)) * float(rng.choice([0.25, 1.0, 2.0**400]))),
        "survival": SurvivalLoss(events, events + rng.integers(1, 50, n)),
        "absolute error": PinballLoss(target, weight),
        "quantile": PinballLoss(target, weight, Fraction(int(rng.integers(1, 10)), 10)),
        "poisson": RatioDeviance(rng.poisson(1.0, n) + (np.arange(n) == 0.0), weight),
        # Sides without events, whose sums are what rounding leaves of larger ones.
        "rare events": RatioDeviance(rare * unequal, unequal),
    }


NAMES = sorted(losses(np.random.default_rng(0), 3))


def values(rng, n):
    """Return columns of numbers of many kinds: ties, tails, tiny differences, gaps."""
    kind = rng.integers(7)
    if kind == 0:
        x = rng.integers(0, rng.integers(2, 9), n).astype(float)
    elif kind == 1:
        x = rng.normal(size=n)
    elif kind == 2:
        x = np.exp(20 * rng.normal(size=n)) * rng.choice([-1.0, 1.0], n)
    elif kind == 3:
        x = 1.0 + np.spacing(1.0) * rng.integers(0, 50, n)
    elif kind == 4:
        x = np.float64(10) ** rng.integers(-300, 300, n)
    elif kind == 5:
        x = rng.choice([0.0, -0.0, 5e-324, -5e-324, 1.7e308, -1.7e308], n)
    else:
        x = np.where(rng.random(n) < 0.9, 0.0, rng.normal(size=n))
    if rng.integers(3) == 0:
        x[rng.random(n) < 0.3] = np.nan
    return x


def cost(loss, table, splits):
    if splits == [None]:
        return np.inf
    left = splits[0].goes_left(table.X, np.arange(table.n_rows))
    return loss.leaf_loss(np.flatnonzero(left)) + loss.leaf_loss(np.flatnonzero(~left))


def least(loss, table, min_leaf):
    """Return the least loss of a split, from every set of rows that a threshold makes."""
    best = np.inf
    for x in table.X.T:
        missing = np.isnan(x)
        known = np.unique(x[~missing])
        for low in known:  # the last one asks whether the value is known
            for left in (x <= low, (x <= low) | missing):
                if min_leaf <= left.sum() <= len(x) - min_leaf:
                    sides = np.flatnonzero(left), np.flatnonzero(~left)
                    best = min(best, sum(loss.leaf_loss(side) for side in sides))
    return best


@pytest.mark.parametrize("name", NAMES)
def test_small_tables(name):
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n, min_leaf = int(rng.integers(2, 60)), int(rng.integers(1, 4))
        table = table_from(np.column_stack([values(rng, n) for _ in range(rng.integers(1, 4))]))
        loss = losses(rng, n)[name]
        found = cost(loss, table, loss.best_split(table, min_leaf))
        assert found == pytest.approx(least(loss, table, min_leaf), rel=1e-9, abs=1e-9), seed


@pytest.mark.parametrize("name", NAMES)
def test_buckets_within_buckets(name):
    # Enough rows for several levels; the loss of a split from running sums over the sorted rows.
    for seed in range(14):
        rng = np.random.default_rng(1000 + seed)
        n = int(rng.integers(500, 3000))
        x = values(rng, n)
        table = table_from(x[:, None])
        loss = losses(rng, n)[name]
        known = np.unique(x[~np.isnan(x)])
        tried = rng.choice(len(known), min(len(known), 60), replace=False)
        found = cost(loss, table, loss.best_split(table, 1))
        for low in known[tried]:
            left = x <= low
            if 0 < left.sum() < n:
                there = loss.leaf_loss(np.flatnonzero(left)) + loss.leaf_loss(np.flatnonzero(~left))
                assert found <= there + 1e-9 * abs(there), (seed, low)


def test_planted_split_among_a_hundred_thousand_rows():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(100_000, 3))
    y = (X[:, 1] > 0.123).astype(np.int32)
    split = split_of_labels(table_from(X), COSTS, y, np.ones(len(y)), 2, 1, 1.0 - np.eye(2))
    assert split.column == 1
    assert np.array_equal(split.goes_left(X, np.arange(len(y))), y == 0)


@pytest.mark.parametrize("largest", [32767, 32768, 65536])
def test_small_costs_are_added_up_without_overflow(largest):
    """All rows together cost `largest` units at most: up to 2^15 - 1 sums are of 16 bits, beyond they are not."""
    n = 128
    cost = np.full((n, 40), largest // n, dtype=float)
    cost[0] += largest % n
    cost[: n // 2, 7] = 0.0
    cost[n // 2 :, 33] = 0.0
    table = table_from(np.column_stack([np.random.default_rng(0).normal(size=n), np.arange(n, dtype=float)]))
    (root, _, _) = ActionLoss(cost).best_split(table, 1)
    assert (root.column, root.threshold) == (1, n / 2 - 0.5)


def test_columns_that_hold_no_better_split_are_not_ranked_for_quantiles():
    rng = np.random.default_rng(6)
    X, weight = rng.normal(size=(20_000, 10)), rng.exponential(size=20_000) + 0.1
    y = 3.0 * (X[:, 4] > 0.5) + rng.normal(size=20_000)
    found, n_ranked = core.best_split_of_targets(X, y, weight, 1.0, 1.0, 1, math.inf)
    assert found[0] == 4
    assert n_ranked == 1
    noise = rng.normal(size=20_000)  # here no split is worth a hundredth of the loss, so none is looked for
    assert core.best_split_of_targets(X, noise, weight, 1.0, 2.0, 1, 0.99) == (None, 0)
    assert core.best_split_of_targets(X, noise, weight, 1.0, 2.0, 1, math.inf)[1] > 1


def test_a_leaf_of_as_few_rows_as_allowed_inside_a_bucket_of_quantiles():
    """The first bucket of a column with a tail has one row more than a leaf needs, and the best split divides it."""
    rows = np.arange(40)
    y = np.where(rows < 10, 100.0, 0.0)
    y[[9, 20]] = 55.0, 48.0
    tail = np.where(rows < 11, rows * 1e-9, 0.5 + 0.01 * rows)
    second = np.where((rows < 9) | (rows == 20), 0.0, 1.0)  # nearly as good, and better than all other splits
    found, _ = core.best_split_of_targets(
        np.column_stack([second, tail]), y, np.ones(40), 1.0, 1.0, 10, math.inf
    )
    assert found[0] == 1
    assert (tail <= found[1]).sum() == 10


@pytest.mark.parametrize("name", NAMES)
def test_a_split_that_does_not_pay_is_not_found(name):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 60))
        table = table_from(np.column_stack([values(rng, n) for _ in range(rng.integers(1, 4))]))
        loss = losses(rng, n)[name]
        best, one_leaf = least(loss, table, 1), loss.leaf_loss()
        if best < np.inf and one_leaf > 1e-6:
            share = best / one_leaf
            assert loss.best_split(table, 1, share - 1e-6) == [None]
            assert loss.best_split(table, 1, share + 1e-6) != [None]


@pytest.mark.parametrize(
    ("far", "n_far", "effect"), [(1e7, 7, 1.0), (1e9, 3, 1.0), (1e7, 7, 0.01), (1e12, 3, 1.0)]
)
def test_few_targets_far_away_hide_no_split_of_targets(far: float, n_far: int, effect: float) -> None:
    """Sums about the middle of the distinct targets, which may be one of them, lost the digits of all others."""
    n = 200_000
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 4))
    y = 0.1 + effect * ((X[:, 3] > 0) & (rng.random(n) < 0.9))
    y[:n_far] = far * (1 + rng.random(n_far))
    split = split_of_targets(table_from(X), y, np.ones(n), (1, 1), 100)
    assert isinstance(split, ThresholdSplit)
    loss = PinballLoss(y, np.ones(n))
    at_zero = X[:, 3] <= 0
    by_hand = loss.leaf_loss(np.flatnonzero(at_zero)) + loss.leaf_loss(np.flatnonzero(~at_zero))
    left = split.goes_left(X)
    found = loss.leaf_loss(np.flatnonzero(left)) + loss.leaf_loss(np.flatnonzero(~left))
    assert found <= by_hand * (1 + 1e-12)


@pytest.mark.parametrize("n", [3, 60, 2047, 4500])
def test_columns_of_zeros_and_ones(n):
    """Summed together, block by block; a column with anything else, at its end even, is not taken for one of them."""
    rng = np.random.default_rng(n)
    X = rng.integers(0, 2, (n, 9)).astype(float)
    X[:, 3], X[-1, 4], X[-1, 5], X[:, 6] = 1.0, np.nan, 7.0, rng.normal(size=n)
    table, least = table_from(X), int(rng.integers(1, 3))
    masks = [X[:, j] <= t for j in range(9) for t in np.unique(X[~np.isnan(X[:, j]), j])[:-1][:20]]
    masks = [left for left in masks if least <= left.sum() <= n - least]
    for name, loss in losses(rng, n).items():
        (split, *_) = loss.best_split(table, least)
        found = (
            np.inf
            if split is None
            else sum(loss.leaf_loss(rows) for rows in _sides(split.goes_left(table.X)))
        )
        best = min((sum(map(loss.leaf_loss, _sides(left))) for left in masks), default=np.inf)
        assert found <= best + 1e-9 * abs(best), name


def _sides(left):
    return np.flatnonzero(left), np.flatnonzero(~left)


def test_codes_that_are_no_categories_are_left_with_the_rest():
    X = np.array([[0.0], [1.0], [-3.0], [99.0], [np.nan]])
    y, weight, costs = np.array([1, 0, 0, 0, 0], dtype=np.int32), np.ones(5), (1 - np.eye(2)).ravel()
    column, low, _, missing_left = core.best_split_of_labels(
        X, np.array([2], dtype=np.uint32), COSTS, y, weight, 2, costs, 1, math.inf
    )
    assert (column, low, missing_left) == (0, 0.0, False)
    with pytest.raises(ValueError, match="n_codes"):
        core.best_split_of_labels(X, np.zeros(2, np.uint32), COSTS, y, weight, 2, costs, 1, math.inf)


@pytest.mark.parametrize("small", [1e-200, 5e-308])
def test_targets_that_differ_by_nothing_beside_their_size(small):
    with pytest.raises(InputError, match="Subtract its mean"):
        squared_error_units(
            np.array([[1.0, small], [1.0, 0.0]]),
            np.ones(2),
            leaf_penalty=0.0,
            max_leaves=2,
            needs_spans=False,
        )
