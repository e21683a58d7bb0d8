"""Numbers that stand for "unknown": -9, 99, -999 and their like, at the ends of a column and far from the rest.

A column may have several of them. Each is judged by the values that are no such numbers, so that none hides another by
making the others look near.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["codes_for_missing"]

FILLERS = (-1.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0)
FEWEST_VALUES = 5  # with those that mean missing
APART = 1 / 4  # of the span of the others


def codes_for_missing(distinct: NDArray[np.float64]) -> list[int]:
    """Return the positions of values that seem to mean missing, from the outermost inward, low ones first.

    Parameters
    ----------
    distinct : ndarray of shape (n_values,)
        Different values, ascending.
    """
    values = distinct.tolist()
    low, high = 0, len(values)  # those from low to before high are ordinary
    while low < high and values[low] in FILLERS:
        low += 1
    while low < high and values[high - 1] in FILLERS:
        high -= 1
    if len(values) < FEWEST_VALUES or high - low < 2:
        return []
    while True:  # what is not far from the ordinary values is one of them, and lies nearer to the next
        span = max(APART * (values[high - 1] - values[low]), 1.0)
        if low > 0 and values[low] - values[low - 1] <= span:
            low -= 1
        elif high < len(values) and values[high] - values[high - 1] <= span:
            high += 1
        else:
            return [*range(low), *reversed(range(high, len(values)))]
