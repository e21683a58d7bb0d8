"""Whole and real numbers of any kind, as arguments: Python's and numpy's, but no truth values; decimals as written."""

from __future__ import annotations

from fractions import Fraction
from numbers import Integral, Real
from typing import TypeGuard

__all__ = ["as_written", "is_real", "is_whole"]


def as_written(value: float) -> Fraction:
    """Return the decimal number that a float was written as: .05 is one twentieth."""
    return Fraction(repr(float(value)))


def is_whole(value: object) -> TypeGuard[int]:
    """Whether something is an integer; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: object) -> TypeGuard[float]:
    """Whether something can be compared as a number; NaN can."""
    return isinstance(value, Real) and not isinstance(value, bool)
