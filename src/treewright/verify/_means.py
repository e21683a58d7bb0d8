"""Means of rows, and when two computations of one mean may be said to agree.

A mean is the first value plus the mean of the differences to it. So rounding is a share of these differences and of the
mean itself, whatever the size of the values: 5e-151 is told from 6e-151, and equal values are compared to their last
bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_mean_of", "mean_of"]

OF_DIFFERENCES = 1e-9  # share of the span of the values
OF_MEAN = 2.0**-48  # share of the mean
SMALLEST = 5e-324  # next to 0 there are no shares; for each row
LARGE = float(np.finfo(np.float64).max) / 8  # differences of larger values may overflow


def mean_of(values: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    """Return the weighted mean."""
    by = _factor(values)
    origin = values[0] * by
    return float((origin + (weight / weight.sum() * (values * by - origin)).sum()) / by)


def is_mean_of(claimed: float, values: NDArray[np.float64], weight: NDArray[np.float64]) -> bool:
    """Return whether another computation of the weighted mean of these values could end with this number."""
    by, mean = _factor(values), mean_of(values, weight)
    allowed = OF_DIFFERENCES * float(np.ptp(values * by)) + OF_MEAN * abs(mean * by) + SMALLEST * len(values)
    return bool(abs(claimed * by - mean * by) <= allowed)


def _factor(values: NDArray[np.float64]) -> float:
    return 0.25 if float(np.abs(values).max()) > LARGE else 1.0
