"""Pairs that are counted by risks are those that are compared one by one."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.errors import InputError
from treewright.survival import concordance_index


@pytest.mark.parametrize("seed", range(60))
def test_counted_pairs_are_the_compared_ones(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 80))
    event, time = rng.random(n) < 0.6, rng.integers(0, 12, n).astype(float)
    risk = rng.integers(0, rng.integers(1, 30), n) / 7 - 1
    later = (time[None] > time[:, None]) | ((time[None] == time[:, None]) & ~event[None])
    later &= event[:, None]
    if not later.any():
        with pytest.raises(InputError, match="No two rows"):
            concordance_index(event, time, risk)
        return
    difference = risk[:, None] - risk[None]
    right = (later & (difference > 0)).sum() + 0.5 * (later & (difference == 0)).sum()
    assert concordance_index(event, time, risk) == pytest.approx(right / later.sum(), abs=1e-12)
