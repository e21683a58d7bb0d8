"""What bounds a set: numbers as they were written, compared exactly."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from treewright._numbers import as_written, is_real, is_whole
from treewright.errors import InputError

__all__ = ["LARGEST_BUDGET", "check_bound", "check_count", "in_errors", "up_to"]

LARGEST_BUDGET = 2**60  # errors that a tree of a set costs at the most, its leaves among them
FEW_DIGITS = 12  # of a number that somebody wrote; the quotient of two whole numbers has more, or is exact
LEAST_PLACES = 8  # of a float, between whole numbers of errors that it may stand for


def check_bound(**given: Any) -> None:
    """Check numbers that bound an objective; None is not given."""
    for name, value in given.items():
        if value is None:
            continue
        if not is_real(value) or not 0 <= float(value) < math.inf:
            raise InputError(f"{name}={value!r}; give a number of at least 0.")


def check_count(name: str, value: Any, least: int) -> None:
    """Check a whole number."""
    if not is_whole(value) or value < least:
        raise InputError(f"{name}={value!r}; give an integer of at least {least}.")


def in_errors(value: float, unit: Fraction) -> Fraction:
    """Return a part of an objective in units of an error.

    A decimal of a few digits is that decimal. A longer number that is the nearest float to a whole number of errors is
    that number, such as 3 / n for three rows of n: its rounding, times the leaves of a tree, would move trees across
    the bound. Where errors are so small that many of them are near every float, it tells nothing.
    """
    exact = as_written(value) / unit
    digits = Decimal(repr(float(value))).normalize().as_tuple().digits
    if len(digits) <= FEW_DIGITS or unit < LEAST_PLACES * Fraction(math.ulp(float(value))):
        return exact
    nearest = round(exact)
    return Fraction(nearest) if float(nearest * unit) == float(value) else exact


def up_to(value: float) -> Fraction:
    """Return a bound that every objective or gap keeps whose float64 is at most `value`.

    Objectives and gaps are exact fractions inside and floats outside. A bound that is copied from a table of them
    must keep the tree it was copied from, which may exceed the float by half a unit in the last place. So may
    the decimal number that was written.
    """
    exact = Fraction(float(value)) + (Fraction(1, 2) - Fraction(1, 2**30)) * Fraction(math.ulp(float(value)))
    return max(exact, as_written(value))
