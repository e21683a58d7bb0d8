"""Figures of proofs never say more than was proven."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from treewright.tree import at_least, at_most, exactly, percent_at_least, percent_at_most, power_at_most

HAIR = Fraction(1, 10**11)  # what 0.1 + 0.2 is off by
TINY = Fraction(2, 10**9)


def test_bounds_are_rounded_the_safe_way() -> None:
    rng = np.random.default_rng(0)
    for value in [*(10.0 ** rng.uniform(-9, 2, 500)).tolist(), *rng.random(500).tolist(), 0.0]:
        exact = Fraction(value)
        assert Fraction(at_least(value)) <= exact + HAIR
        assert Fraction(at_most(value)) >= exact - HAIR
        assert Fraction(percent_at_most(value).rstrip("%")) >= 100 * exact * (1 - HAIR) - HAIR
        assert abs(Fraction(at_least(value)) - exact) <= Fraction(1, 10**6)
        assert abs(Fraction(at_most(value)) - exact) <= Fraction(1, 10**6)
        if value:
            assert exact * (1 - TINY) <= Fraction(power_at_most(value)) <= 2 * exact
            assert exact * (1 - TINY) <= Fraction(power_at_most(value, 2)) <= exact * Fraction(11, 10)


def test_shares_that_are_at_least_so_much_are_all_only_if_they_are() -> None:
    for n in range(1, 3000):
        assert (percent_at_least((n - 1) / n) == "100.0%") is False
        assert Fraction(percent_at_least((n - 1) / n).rstrip("%")) <= Fraction(100 * (n - 1), n)
    assert percent_at_least(1.0) == "100.0%"
    assert percent_at_least(0.98765) == "98.7%"


def test_what_is_exact_is_written_so() -> None:
    rng = np.random.default_rng(1)
    for value in [*rng.random(500).tolist(), *(rng.random(500) * 1e9).tolist()]:
        assert float(exactly(value)) == value
    assert [exactly(value) for value in (0.9, 1.0, 0.0, 0.9876543, 1e-7)] == [
        "0.9",
        "1",
        "0",
        "0.9876543",
        "1e-07",
    ]


def test_what_decimals_were_meant_stays() -> None:
    assert at_least(0.1 + 0.2) == at_most(0.1 + 0.2) == at_least(0.3) == "0.300000"
    assert percent_at_most(0.1 + 0.2) == "30.0%"


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0.0%"), (1.0, "100.0%"), (0.12345, "12.4%"), (0.0004, "0.040%"), (1.2e-9, "1.2e-07%")],
)
def test_shares(share: float, said: str) -> None:
    assert percent_at_most(share) == said


def test_numbers_from_a_file() -> None:
    """A sentence is made of whatever a file holds."""
    for odd in (float("nan"), float("inf"), -float("inf")):
        assert at_least(odd) == at_most(odd) == power_at_most(odd) == str(odd)
        assert percent_at_most(odd) == f"{odd}%"
