"""Limits, options and progress: checked where they are given."""

import math

import pytest

from treewright.errors import InputError
from treewright.search import BinaryOptions, Limits, Progress


@pytest.mark.parametrize("name", ["time_limit", "step_limit", "memory_limit"])
@pytest.mark.parametrize("value", [0, -1, "1", True, math.nan, [1]], ids=repr)
def test_a_limit_that_is_none(name: str, value: object) -> None:
    with pytest.raises(InputError, match=rf"{name}=.*above 0, or None for no limit"):
        Limits(**{name: value})


@pytest.mark.parametrize("name", ["step_limit", "memory_limit"])
def test_a_broken_count(name: str) -> None:
    with pytest.raises(InputError, match="give an integer"):
        Limits(**{name: 1.5})


def test_limits_as_the_core_takes_them() -> None:
    assert Limits().native()["time_limit"] == math.inf
    assert Limits().native()["memory_limit"] >= 2**28
    assert Limits(1, 10**30, 10**30).native() == {
        "time_limit": 1.0,
        "step_limit": 2**62,
        "memory_limit": 2**62,
    }


def test_unknown_kernel() -> None:
    with pytest.raises(InputError, match=r"kernel='fast'; choose one of automatic, rows, columns"):
        BinaryOptions(kernel="fast")


def test_gap_and_rate() -> None:
    assert Progress(2.0, 0.5, 0.25, 100, 0).gap == 0.5
    assert Progress(2.0, 0.5, 0.25, 100, 0).subproblems_per_second == 50
    assert Progress(0.0, math.inf, 0.0, 0, 0).gap == 1
    assert Progress(0.0, math.inf, 0.0, 0, 0).subproblems_per_second == 0
    assert Progress(1.0, 0.0, 0.0, 1, 0).gap == 0
