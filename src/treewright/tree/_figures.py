"""Proven numbers with few digits: rounded so that the text never claims more than was proven."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal

__all__ = ["at_least", "at_most", "exactly", "percent_at_least", "percent_at_most", "power_at_most"]

NOISE = 1e-6  # rounding error in units of the last decimal: 0.30000000000000004 still counts as 0.3
HAIR = 1e-9  # relative error of a difference of two sums: it may be 3.0000000001e-07 where 3e-07 is exact
SMALL_PERCENT = 1e-4  # smaller percentages are easier to read as a power of ten


def at_least(bound: float, decimals: int = 6) -> str:
    """Return a lower bound as text, rounded down.

    Parameters
    ----------
    bound : float
    decimals : int, default=6
        Largest number of digits after the decimal point.

    Returns
    -------
    str

    Examples
    --------
    >>> from treewright.tree import at_least
    >>> at_least(0.0199999, 3)
    '0.019'
    """
    scaled = bound * 10**decimals  # infinite for a bound above 1e302
    if not math.isfinite(scaled):
        return str(bound)
    return f"{math.floor(scaled + NOISE) / 10**decimals:.{decimals}f}"


def at_most(amount: float, decimals: int = 6) -> str:
    """Return an upper bound as text, rounded up.

    Parameters
    ----------
    amount : float
    decimals : int, default=6
        Largest number of digits after the decimal point.

    Returns
    -------
    str

    Examples
    --------
    >>> from treewright.tree import at_most
    >>> at_most(0.0101, 3)
    '0.011'
    """
    scaled = amount * 10**decimals
    if not math.isfinite(scaled):
        return str(amount)
    return f"{math.ceil(scaled - NOISE) / 10**decimals:.{decimals}f}"


def exactly(number: float) -> str:
    """Return a number as text: with six significant digits if they are exact, otherwise with as many as it needs.

    Parameters
    ----------
    number : float

    Returns
    -------
    str

    Examples
    --------
    >>> from treewright.tree import exactly
    >>> exactly(0.25), exactly(1 / 3)
    ('0.25', '0.3333333333333333')
    """
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def power_at_most(amount: float, digits: int = 1) -> str:
    """Return a number above 0 in scientific notation, such as 4e-15, rounded up.

    Parameters
    ----------
    amount : float
    digits : int, default=1
        Number of significant digits.

    Returns
    -------
    str

    Examples
    --------
    >>> from treewright.tree import power_at_most
    >>> power_at_most(3.1e-15)
    '4e-15'
    """
    if not math.isfinite(amount):
        return str(amount)
    rounded = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(amount * (1 - HAIR)))
    return f"{float(rounded):.{digits - 1}e}"


def percent_at_most(share: float) -> str:
    """Return a share in percent, rounded up: with one decimal, or with two significant digits if it is small.

    Parameters
    ----------
    share : float
        Between 0 and 1.

    Returns
    -------
    str

    Examples
    --------
    >>> from treewright.tree import percent_at_most
    >>> percent_at_most(0.5001), percent_at_most(0.00012)
    ('50.1%', '0.012%')
    """
    percent = 100 * share
    if 0 < percent < SMALL_PERCENT:
        return f"{power_at_most(percent, 2)}%"
    decimals = 1 - math.floor(math.log10(percent)) if 0 < percent < 1 else 1
    return f"{at_most(percent, decimals)}%"


def percent_at_least(share: float) -> str:
    """Return a share in percent with one decimal, rounded down: 100.0% means all.

    Parameters
    ----------
    share : float
        Between 0 and 1.

    Returns
    -------
    str

    Examples
    --------
    >>> from treewright.tree import percent_at_least
    >>> percent_at_least(0.99999)
    '99.9%'
    """
    return f"{at_least(100 * share, 1)}%"
