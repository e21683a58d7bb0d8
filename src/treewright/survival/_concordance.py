"""Harrell's concordance index: how often the row of larger risk has its event first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError

__all__ = ["concordance_index"]

MOST_PAIRS = 1 << 22  # compared at once


def concordance_index(
    event: NDArray[np.bool_], time: NDArray[np.float64], risk: NDArray[np.float64]
) -> float:
    """Return the share of comparable pairs of rows that the risks order right; equal risks count as half.

    A pair is comparable if the earlier of its times is that of an event, or both times are equal and one of the two is
    an event, which is then the earlier (as in scikit-survival).

    Parameters
    ----------
    event : ndarray of shape (n_rows,), bool
        Whether the event was seen; False is right-censored.
    time : ndarray of shape (n_rows,), float64
    risk : ndarray of shape (n_rows,), float64
        Larger for rows that are expected to have the event sooner.

    Returns
    -------
    float
        1 is a perfect order, 0.5 that of chance.

    Raises
    ------
    InputError
        No two rows are comparable.

    Notes
    -----
    All pairs are compared: seconds for some ten thousand rows.

    References
    ----------
    F. Harrell, R. Califf, D. Pryor, K. Lee, R. Rosati (1982). Evaluating the Yield of Medical Tests. JAMA 247.

    Examples
    --------
    >>> import numpy as np
    >>> concordance_index(np.array([True, True, False]), np.array([1.0, 2.0, 3.0]), np.array([3.0, 1.0, 2.0]))
    0.6666666666666666
    """
    right = pairs = 0.0
    first = np.flatnonzero(event)
    rows = max(1, MOST_PAIRS // max(1, len(time)))
    for begin in range(0, len(first), rows):
        here = first[begin : begin + rows, None]
        later = (time[None, :] > time[here]) | ((time[None, :] == time[here]) & ~event[None, :])
        difference = risk[here] - risk[None, :]
        pairs += float(later.sum())
        right += float((later & (difference > 0)).sum()) + 0.5 * float((later & (difference == 0)).sum())
    if pairs == 0:
        raise InputError("No two rows can be compared: no event was seen before the time of another row.")
    return right / pairs
