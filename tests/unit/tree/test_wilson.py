"""The interval against the test it inverts, and published values."""

import math

import pytest

from treewright.errors import InputError
from treewright.tree import wilson_interval

Z_95 = 1.959963984540054  # 97.5 % quantile of the standard normal


@pytest.mark.parametrize("rows", [1, 2, 7, 30, 1000])
def test_ends_are_where_the_score_test_changes_its_mind(rows: int) -> None:
    for right in range(rows + 1) if rows < 100 else (0, 1, 500, 999, 1000):
        low, high = wilson_interval(right, rows)
        share = right / rows
        assert 0 <= low <= share <= high <= 1
        for end in (low, high):
            if 0 < end < 1:
                assert abs(share - end) == pytest.approx(Z_95 * math.sqrt(end * (1 - end) / rows), rel=1e-9)
        assert (low == 0) == (right == 0)
        assert (high == 1) == (right == rows)


def test_values_of_newcombe() -> None:
    """R. G. Newcombe (1998), Statistics in Medicine 17, 857-872, Table I, method 3."""
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson_interval(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)


def test_ends_of_the_scale() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(10, 10)[1] == 1.0
    assert wilson_interval(50, 100, 0.99)[0] < wilson_interval(50, 100, 0.9)[0]


def test_bad_input() -> None:
    with pytest.raises(InputError, match="correct=3"):
        wilson_interval(3, 2)
    with pytest.raises(InputError, match="confidence=1"):
        wilson_interval(1, 2, 1.0)
