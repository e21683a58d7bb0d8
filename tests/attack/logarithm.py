"""Logarithms of fractions, correctly rounded to far more digits than float64 has."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

__all__ = ["logarithm"]

DIGITS = 50


@cache
def logarithm(number: Fraction) -> Fraction:
    """Return the natural logarithm."""
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction((Decimal(number.numerator) / Decimal(number.denominator)).ln())
