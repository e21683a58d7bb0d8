"""Exactly rounded sums are those of `math.fsum`, few numbers or many."""

from __future__ import annotations

import math

import numpy as np
import pytest

from treewright.search._exact_sum import exact_sum

NUMBERS = {
    "alike": lambda rng, n: rng.normal(size=n),
    "of many sizes": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-20, 20, n),
    "of all sizes": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-320, 250, n),
    "subnormal": lambda rng, n: rng.integers(-9, 9, n) * 5e-324,
    "cancelling": lambda rng, n: np.concatenate([x := rng.normal(size=n // 2), -x, [1e-300]]),
    "half a last place": lambda rng, n: np.concatenate([[1.0, 2.0**-53], np.zeros(n), [1e-300]]),
    "negative": lambda rng, n: -rng.exponential(size=n) * 1e200,
    "large": lambda rng, n: rng.choice([1e300, -1e300], n),
    "zero": lambda rng, n: np.zeros(n),
}


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("n", [2, 100, 2048, 5001])
def test_sums_are_those_of_fsum(kind, n):
    rng = np.random.default_rng(n)
    for _ in range(5):
        numbers = NUMBERS[kind](rng, n)
        assert exact_sum(numbers) == math.fsum(numbers)


@pytest.mark.parametrize("n", [2, 5000])
def test_what_overflows_is_refused_as_by_fsum(n):
    with pytest.raises(OverflowError):
        exact_sum(np.full(n, 1.7e308))
    assert math.isnan(exact_sum(np.append(np.ones(n), np.nan)))
    assert exact_sum(np.append(np.ones(n), np.inf)) == math.inf
