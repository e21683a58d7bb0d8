"""The exactly rounded sum of an array: what `math.fsum` gives, without an object of Python for each number."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from treewright._native import core

__all__ = ["exact_sum"]


def exact_sum(numbers: NDArray[np.float64]) -> float:
    """Return the exactly rounded sum.

    Parameters
    ----------
    numbers : ndarray of shape (n,), float64

    Raises
    ------
    OverflowError
        As `math.fsum`: a sum on the way is too large.
    """
    total: float = core.exact_sum(np.ascontiguousarray(numbers, dtype=np.float64))
    return total if math.isfinite(total) else math.fsum(numbers.tolist())
