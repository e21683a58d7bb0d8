"""Means of rows, and a test whether two computations of the same mean agree.

A mean is computed as the first value plus the mean of the differences from it. The rounding error is therefore
proportional to these differences and to the mean itself, whatever the size of the values: 5e-151 and 6e-151 count as
different, and equal values are compared up to their last bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_mean_of", "mean_of"]

OF_DIFFERENCES = 1e-9  # allowed error as a share of the range of the values
OF_MEAN = 2.0**-48  # allowed error as a share of the mean
SMALLEST = 5e-324  # allowed error per row: close to 0, rounding is absolute
LARGE = float(np.finfo(np.float64).max) / 8  # differences of larger values may overflow


def mean_of(values: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    """Return the weighted mean."""
    by = _factor(values)
    origin = values[0] * by
    return float((origin + (weight / weight.sum() * (values * by - origin)).sum()) / by)


def is_mean_of(claimed: float, values: NDArray[np.float64], weight: NDArray[np.float64]) -> bool:
    """Return whether another computation of the weighted mean of these values could give this number."""
    by, mean = _factor(values), mean_of(values, weight)
    allowed = OF_DIFFERENCES * float(np.ptp(values * by)) + OF_MEAN * abs(mean * by) + SMALLEST * len(values)
    return bool(abs(claimed * by - mean * by) <= allowed)


def _factor(values: NDArray[np.float64]) -> float:
    return 0.25 if float(np.abs(values).max()) > LARGE else 1.0
