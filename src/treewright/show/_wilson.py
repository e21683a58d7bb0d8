"""How sure a share is: the score interval of E. B. Wilson (1927), Probable Inference, JASA 22, 209-212.

All p that a two-sided normal test with the variance of p itself would not reject. Unlike the textbook interval it
stays inside [0, 1], and is honest for a leaf of five rows that are all right.
"""

from __future__ import annotations

import math

__all__ = ["Z_95", "wilson_interval"]

Z_95 = 1.959963984540054  # 97.5 % quantile of the standard normal


def wilson_interval(right: int, rows: int, z: float = Z_95) -> tuple[float, float]:
    """Return the interval of shares that `right` of `rows` do not speak against.

    Parameters
    ----------
    right : int
        From 0 to `rows`.
    rows : int
        At least 1.
    z : float, default=1.96
        Quantile of the standard normal; the default gives 95 %.
    """
    share = right / rows
    shrink = 1 + z * z / rows
    middle = (share + z * z / (2 * rows)) / shrink
    half = z / shrink * math.sqrt(share * (1 - share) / rows + z * z / (4 * rows * rows))
    # With all or none right one end is exact; rounding must not move it past the share itself.
    low = 0.0 if right == 0 else max(0.0, middle - half)
    high = 1.0 if right == rows else min(1.0, middle + half)
    return low, high
