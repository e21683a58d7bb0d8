"""A few gaps of a column that is not sorted are those of the sorted one, and so are the splits made of them."""

from __future__ import annotations

import numpy as np
import pytest

from gaps import gaps_of
from treewright._native import core
from treewright.binarize import auto_splits, candidates_of, quantiles
from treewright.binarize._candidates import FEW_ROWS
from treewright.binarize._thresholds import UnsortedGaps, spread
from treewright.problem import make_problem
from treewright.search import Limits, choose_engine
from treewright.table import table_from

# Of every kind that buckets of values or of bit patterns could get wrong: wide, skewed, in clusters, of two values, in
# buckets that are crowded, counted by hashes, or of a single value.
COLUMNS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "whole": lambda rng, n: rng.integers(0, rng.integers(1, 60), n).astype(float),
    "skewed": lambda rng, n: np.exp(20 * rng.normal(size=n)),
    "subnormal": lambda rng, n: rng.normal(size=n) * 8 * 5e-324,
    "outlier": lambda rng, n: np.append(rng.normal(size=n - 1), 1e300),
    "largest": lambda rng, n: 1e308 * np.clip(rng.normal(size=n), -1.7, 1.7),
    "two values": lambda rng, n: rng.choice([-1e300, 1.0], n),
    "zeros of both signs": lambda rng, n: rng.choice([0.0, -0.0, 1e-300], n),
    "of all sizes": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n),
    "rounded": lambda rng, n: rng.normal(size=n).round(2),
    "one value": lambda rng, n: np.full(n, 3.5),
    "missing": lambda rng, n: np.full(n, np.nan),
}


def column(kind, rng, n):
    x = COLUMNS[kind](rng, n)
    if rng.random() < 0.4:
        x[rng.random(n) < 0.3] = np.nan
    return x


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("n", [1, 2, 63, 64, 700, 5000, 40_000])
def test_gaps_are_those_of_the_sorted_column(kind, n):
    rng = np.random.default_rng(n)
    x = column(kind, rng, n)
    gaps, unsorted = gaps_of(x), UnsortedGaps(x)
    assert (len(unsorted), unsorted.known, unsorted.missing) == (len(gaps), gaps.known, gaps.missing)
    some = rng.permutation(len(gaps))[:60]
    for one, other in ((unsorted.keep(some), gaps.keep(some)), (unsorted.every(), gaps.every())):
        np.testing.assert_array_equal(one.below, other.below)
        np.testing.assert_array_equal(one.above, other.above)
        np.testing.assert_array_equal(one.left, other.left)
    for weight in (0.0, 1.0, *(rng.random(20) * n), gaps.known, gaps.known + 1):
        assert unsorted.first_with(weight) == gaps.first_with(weight) == np.searchsorted(gaps.left, weight)
    for n_cuts in (0, 1, 2, 7, 31):
        np.testing.assert_array_equal(spread(unsorted, n_cuts).below, spread(gaps, n_cuts).below)
        np.testing.assert_array_equal(spread(unsorted, n_cuts).left, spread(gaps, n_cuts).left)


def test_splits_are_the_same():
    rng = np.random.default_rng(0)
    X = np.column_stack([column(kind, rng, FEW_ROWS + 1) for kind in COLUMNS if kind != "missing"])
    table = table_from(X)
    few, all_of_them = candidates_of(table, few=True), candidates_of(table)
    assert sum(isinstance(offer.gaps, UnsortedGaps) for offer in few) >= 8
    assert not any(isinstance(offer.gaps, UnsortedGaps) for offer in all_of_them)

    def by_bins(offers):
        return quantiles(table, 9, candidates=offers)

    def by_budget(offers):
        return auto_splits(table, 60, candidates=offers)

    for make in (by_bins, by_budget):
        assert make(few).splits == make(all_of_them).splits
        assert make(few).notes == make(all_of_them).notes
        np.testing.assert_array_equal(make(few).packed, make(all_of_them).packed)


@pytest.mark.parametrize(("method", "thresholds"), [("tree", 8), ("frontier", 8), ("leaf accuracy", "auto")])
def test_a_large_table_is_not_sorted_for_quantiles(method, thresholds):
    rng = np.random.default_rng(1)
    table = table_from(rng.normal(size=(FEW_ROWS + 1, 3)))
    problem = make_problem(table, table.X[:, 0] > 0, max_depth=2)
    choose_engine(problem, thresholds, method=method, limits=Limits())
    assert not any(table.ranks.knows(j) for j in range(3))


def test_gaps_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match="not so many"):
        core.ValueBuckets(np.array([1.0, 2.0])).gap(1)
