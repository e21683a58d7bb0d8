"""Kaplan-Meier curves and their medians against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from treewright.errors import InputError
from treewright.survival import censoring_curve, kaplan_meier


def by_fractions(event, time, weight):
    """The exact share after each time of an event, and the exact median."""
    share, shares, median = Fraction(1), {}, float("inf")
    for moment in np.unique(time):
        here = time == moment
        dying = sum(Fraction(w) for w in weight[here & event])
        at_risk = sum(Fraction(w) for w in weight[time >= moment])
        if dying:
            share *= 1 - dying / at_risk
            shares[float(moment)] = share
            median = min(median, float(moment)) if 2 * share <= 1 else median
    return shares, median


def test_half_of_an_even_number_of_rows_is_half():
    """The product of 1 - 1/n, ..., 1 - 1/(n/2 + 1) is one half; as floats it was above that for every second n."""
    for n in range(2, 400, 2):
        curve = kaplan_meier(np.ones(n, bool), np.arange(1.0, n + 1))
        assert curve.median == n / 2
        assert curve(n / 2) == 0.5
        assert curve.survival.tolist() == [float(Fraction(n - k, n)) for k in range(1, n + 1)]


@pytest.mark.parametrize("seed", range(400))
def test_shares_and_medians_are_those_of_fractions(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    event, time = rng.random(n) < rng.choice([0.3, 0.7, 1.0]), rng.integers(1, 40, n).astype(float)
    weight = rng.integers(0, 4, n).astype(float) * float(rng.choice([1, 3, 2**40]))
    if not weight.any():
        weight[0] = 1.0
    shares, median = by_fractions(event, time, weight)
    curve = kaplan_meier(event, time, weight)
    assert curve.times.tolist() == list(shares)
    assert curve.median == median
    np.testing.assert_allclose(curve.survival, [float(share) for share in shares.values()], rtol=1e-14)
    for found, share in zip(curve.survival, shares.values(), strict=True):
        assert (found > 0.5, found < 0.5) == (2 * share > 1, 2 * share < 1)
    assert (np.diff(curve.survival) <= 0).all()


@pytest.mark.parametrize("k", range(1, 60))
def test_a_half_after_censored_rows(k):
    """2/3 of the weight is left; some is censored; 3/4 of what remains is left: one half."""
    weight = np.array([4 * k, 4 * k, k, 3 * k], dtype=float)  # 12 k; 8 k; 4 k after the censored row; 3 k
    curve = kaplan_meier(np.array([True, False, True, True]), np.arange(1.0, 5.0), weight)
    assert curve.survival[1] == 0.5
    assert curve.median == 3.0


def test_real_weights_are_compared_within_their_rounding():
    for n in range(2, 200, 2):
        for unit in (0.1, 1 / 3, 1e-7, 1e12 / 7):
            assert kaplan_meier(np.ones(n, bool), np.arange(1.0, n + 1), np.full(n, unit)).median == n / 2
    almost = np.array([1.0, 1.0 + 1e-6])  # further than rounding from one half
    assert kaplan_meier(np.ones(2, bool), np.array([1.0, 2.0]), almost).median == 2.0


def test_whole_weights_beside_one_half_are_told_apart():
    large = 2.0**52
    curve = kaplan_meier(np.ones(2, bool), np.array([1.0, 2.0]), np.array([large - 2, large - 1]))
    assert curve.median == 2.0
    assert curve.survival[0] > 0.5
    curve = kaplan_meier(np.ones(2, bool), np.array([1.0, 2.0]), np.array([large - 1, large - 2]))
    assert curve.median == 1.0


def test_the_curve_of_censoring_is_exact_as_well():
    for n in range(2, 200, 2):
        curve = censoring_curve(np.zeros(n, bool), np.arange(1.0, n + 1))
        assert curve.median == n / 2
        assert curve.survival[-1] == 0.0


def test_no_share_after_no_time():
    curve = kaplan_meier([True, False, True], [1.0, 2.0, 3.0])
    for times in (np.nan, [1.0, np.nan]):
        with pytest.raises(InputError, match="times contains NaN"):
            curve(times)
    assert curve([-np.inf, np.inf]).tolist() == [1.0, 0.0]
