"""What bounds a set: numbers as they were written, compared exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

from treewright.errors import InputError

__all__ = ["as_written", "check_bound", "check_count", "in_errors", "up_to", "whole"]


def check_bound(**given: Any) -> None:
    """Check numbers that bound an objective; None is not given."""
    for name, value in given.items():
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < math.inf:
            raise InputError(f"{name}={value!r}; give a number of at least 0.")


def check_count(name: str, value: Any, least: int) -> None:
    """Check a whole number."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{name}={value!r}; give an integer of at least {least}.")


def as_written(value: float) -> Fraction:
    """Return the decimal number that a float was written as: .05 is one twentieth."""
    return Fraction(repr(float(value)))


def in_errors(value: float, unit: Fraction) -> Fraction:
    """Return a part of an objective in units of an error.

    A float that is the nearest to a whole number of errors is that number, such as 3 / n for three rows of n: its
    rounding, times the leaves of a tree, would move trees across the bound. Any other is the decimal it was written as.
    """
    exact = as_written(value) / unit
    nearest = round(exact)
    return Fraction(nearest) if float(nearest * unit) == float(value) else exact


def up_to(value: float) -> Fraction:
    """Return a bound that every objective keeps whose float64 is at most `value`.

    Objectives are exact fractions inside and floats outside. A bound that is copied from a table of objectives
    must keep the tree it was copied from, which may exceed the float by half a unit in the last place. So may
    the decimal number that was written.
    """
    exact = Fraction(float(value)) + (Fraction(1, 2) - Fraction(1, 2**30)) * Fraction(math.ulp(float(value)))
    return max(exact, as_written(value))


MOST_DENOMINATOR = 10**4  # of a unit that costs of a few decimals have in common, such as .48 and 1.065
FEW_LAST_PLACES = Fraction(1, 2**49)


def whole(value: float) -> Fraction:
    """Return a float as a fraction, without the rounding of a division where it is nearly whole, or nearly a fraction
    of a small denominator.
    """
    nearest = round(value)
    if nearest and abs(value - nearest) < 1e-9 * nearest:
        return Fraction(nearest)
    near = Fraction(value).limit_denominator(MOST_DENOMINATOR)
    return near if abs(near - Fraction(value)) < FEW_LAST_PLACES * near else Fraction(value)
