"""The exponential function and the logarithm as the C library rounds them, which is what boosted models call.

numpy has vector code of its own, which is up to two units in the last place away, and by how much depends on the
processor. That moves the classes of rows whose best scores are nearly equal.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["exp32", "exp64", "log32"]

_exp = np.frompyfunc(math.exp, 1, 1)


def exp32(x: Any) -> Any:
    """Return the exponential in single precision; next to 0, where classes are decided, it is rounded correctly.

    Parameters
    ----------
    x : ndarray or scalar of float32
    """
    return np.exp(x.astype(np.float64)).astype(np.float32)


def exp64(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the exponential in double precision.

    Parameters
    ----------
    x : ndarray of float64
        Numbers of at most 0.
    """
    return np.asarray(_exp(x), dtype=np.float64)


def log32(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the logarithm in single precision.

    Parameters
    ----------
    x : ndarray of float32
        Positive numbers.
    """
    return np.log(x.astype(np.float64)).astype(np.float32)
