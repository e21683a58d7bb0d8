"""Sums and objectives in whole numbers and fractions, and their rounding to the safe side.

A float64 is a fraction, so a sum of weights has an exact value. Sums of whole weights below 2**53 are exact as they
are. Others are cut into digits of 26 bits, whose sums are whole numbers below 2**53 for up to 2**27 rows.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["exact_sums", "round_down"]

DIGIT = 26  # bits
LARGEST_EXACT = 2**53


def exact_sums(
    cell: NDArray[np.int64], weight: NDArray[np.float64] | None, n_cells: int
) -> list[int] | list[Fraction]:
    """Return the exact sum of the weights in each cell.

    Parameters
    ----------
    cell : ndarray of shape (n_rows,), int64
        The cell of each row, 0 to n_cells - 1.
    weight : ndarray of shape (n_rows,), float64, or None
        At least 0; None is 1 for each row.
    n_cells : int
    """
    if weight is None:
        return [int(n) for n in np.bincount(cell, minlength=n_cells)]
    if len(weight) == 0:
        return [0] * n_cells
    if (weight == np.floor(weight)).all() and weight.sum() < LARGEST_EXACT:
        return [int(w) for w in np.bincount(cell, weights=weight, minlength=n_cells)]
    exponent = math.frexp(float(weight.max()))[1]
    rest = np.ldexp(weight, -exponent)  # in [0, 1); exact, for no weight is near the smallest float64
    totals, scale = [0] * n_cells, 0
    while rest.any():
        rest = np.ldexp(rest, DIGIT)
        digit = np.floor(rest)
        rest -= digit
        scale += DIGIT
        sums = np.bincount(cell, weights=digit, minlength=n_cells)
        totals = [(total << DIGIT) + int(more) for total, more in zip(totals, sums, strict=True)]
    unit = Fraction(2) ** (exponent - scale)
    return [total * unit for total in totals]


def round_down(value: Fraction) -> float:
    """Return the largest float64 that is not above a fraction.

    Parameters
    ----------
    value : Fraction
    """
    number = float(value)  # the nearest
    return number if Fraction(number) <= value else math.nextafter(number, -math.inf)
