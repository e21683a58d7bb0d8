"""Confidence interval of a share: the score interval of E. B. Wilson.

The interval contains all shares that a two-sided normal test, with the variance of the tested share, would not reject.
Unlike the textbook interval it stays inside [0, 1], and it is not too narrow for a leaf with five rows, all correct.

The interval counts observations, and weights of rows are not counts. Divide weights by their mean first, so that all
rows together count as many observations as there are rows. Otherwise a common factor, or the large whole numbers that
balance classes, would make the interval as narrow as one likes.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from treewright._arguments import check_arguments
from treewright._numbers import is_real
from treewright.errors import InputError

__all__ = ["check_confidence", "wilson_interval"]


def wilson_interval(correct: float, total: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the Wilson score interval of a share.

    Parameters
    ----------
    correct : float
        Number of successes, 0 to `total`.
    total : float
        Number of trials, >= 0, not necessarily whole; with 0 the interval is all of [0, 1].
    confidence : float, default=0.95
        Two-sided level, strictly between 0 and 1.

    Returns
    -------
    lower, upper : float

    Raises
    ------
    InputError
        If `confidence` is not strictly between 0 and 1, or `correct` is not between 0 and `total`.

    References
    ----------
    E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference. JASA 22.

    Examples
    --------
    >>> from treewright.tree import wilson_interval
    >>> low, high = wilson_interval(90, 100)
    >>> round(low, 3), round(high, 3)
    (0.826, 0.945)
    """
    check_arguments(wilson_interval, locals(), "correct", "total")
    check_confidence(confidence)
    if not 0 <= correct <= total:
        raise InputError(f"correct={correct!r} of total={total!r}; give 0 <= correct <= total.")
    if total == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, spread = correct / total, z * z / total
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    lower = 0.0 if correct == 0 else max(0.0, middle - half)
    return lower, 1.0 if correct == total else min(1.0, middle + half)


def check_confidence(confidence: float) -> None:
    """Raise InputError unless `confidence` is a number strictly between 0 and 1."""
    if not is_real(confidence) or not 0 < confidence < 1:
        raise InputError(f"confidence={confidence!r}; give a number strictly between 0 and 1.")
