"""How large the numbers of a table are: scikit-learn's trees read float32."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["largest_magnitude"]


def largest_magnitude(X: NDArray[np.float64]) -> float:
    """Return the largest absolute value, 0.0 if there is none; missing values (NaN) are ignored, and nothing is copied.

    Parameters
    ----------
    X : ndarray, float64
        Without infinities.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import largest_magnitude
    >>> largest_magnitude(np.array([[1.0, -3.0], [np.nan, 2.0]]))
    3.0
    """
    if X.size == 0:
        return 0.0
    largest = float(max(np.fmax.reduce(X, axis=None), -np.fmin.reduce(X, axis=None)))
    return 0.0 if np.isnan(largest) else largest
