"""Ranks of a column: the same gaps as `gaps_of` finds, and ranks that say the same as the values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.binarize import value_ranks
from treewright.binarize._thresholds import gaps_of

NUMBERS = st.sampled_from([np.nan, -0.0, 0.0, 1.0, 2.5, -3.0, 1e300, 5e-324])


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
