"""Ranks of a column: the same gaps as `gaps_of` finds, and ranks that say the same as the values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright._native import core
from treewright.binarize._thresholds import gaps_of
from treewright.search._value_ranks import value_ranks

NUMBERS = st.sampled_from([np.nan, -0.0, 0.0, 1.0, 2.5, -3.0, 1e300, 5e-324])
# Columns long enough to be sorted by digits: the upper halves of the numbers all different, few, all equal; the lower
# halves different, equal; ties; missing values; numbers of both signs and of all sizes.
LONG = {
    "normal": lambda rng, n: rng.normal(size=n),
    "whole": lambda rng, n: rng.integers(-50, 50, n).astype(float),
    "of all sizes": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n),
    "alike in the upper half": lambda rng, n: 1.0 + rng.integers(0, 2**20, n) * 2.0**-50,
    "in clusters": lambda rng, n: rng.integers(-3, 3, n) + rng.integers(0, 2**16, n) * 2.0**-48,
    "few missing": lambda rng, n: np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(2)),
    "one value": lambda rng, n: np.full(n, -7.5),
    "zeros of both signs": lambda rng, n: rng.choice([0.0, -0.0, np.nan, 1.0], n),
}


@given(st.lists(NUMBERS, min_size=1, max_size=12))
def test_ranks_and_gaps_say_what_the_values_say(values: list[float]) -> None:
    x = np.array(values)
    ranks = value_ranks(x, np.empty(len(x), dtype=np.uint32))
    known = ~np.isnan(x)
    assert ranks.values.tolist() == sorted(set(x[known].tolist()))
    assert (ranks.values[ranks.rank[known]] == x[known]).all()
    assert (ranks.rank[~known] == len(ranks.values)).all()
    assert ranks.n_known == known.sum()
    expected, found = gaps_of(x), ranks.gaps
    for name in ("below", "above", "left", "known", "missing"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name


@pytest.mark.parametrize("ones", [0, 1, 3, 5])
def test_zeros_and_ones_need_no_sort(ones: int) -> None:
    x = np.array([1.0] * ones + [0.0] * (5 - ones))
    fast, plain = (value_ranks(x, np.empty(5, dtype=np.uint32), zero_one=fast) for fast in (True, False))
    assert fast.rank.tolist() == plain.rank.tolist()
    assert fast.values.tolist() == plain.values.tolist()
    assert fast.before.tolist() == plain.before.tolist()


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("n", [1, 1000, 1023, 1024, 5000])
def test_long_columns(kind: str, n: int) -> None:
    x = LONG[kind](np.random.default_rng(n), n)
    for column in (x, np.repeat(x, 2)[::2]):  # the second with steps in memory
        ranks = value_ranks(column, np.empty(n, dtype=np.uint32))
        known = ~np.isnan(x)
        values, rank, rows = np.unique(x[known] + 0.0, return_inverse=True, return_counts=True)
        assert ranks.values.tolist() == values.tolist()
        assert ranks.rank[known].tolist() == rank.tolist()
        assert (ranks.rank[~known] == len(values)).all()
        assert ranks.before.tolist() == (np.cumsum(rows) - rows).tolist()
        assert ranks.n_known == known.sum()


def test_the_core_refuses_arrays_that_do_not_fit() -> None:
    x = np.arange(4.0)
    with pytest.raises(ValueError, match="different lengths"):
        core.rank_values(x, np.empty(3, dtype=np.uint32))
    with pytest.raises(TypeError):
        core.rank_values(x, np.empty(4, dtype=np.int64))  # a copy would take the ranks
    with pytest.raises(TypeError):
        core.rank_values(x, np.empty(8, dtype=np.uint32)[::2])
