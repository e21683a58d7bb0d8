"""Harrell's concordance index: how often the row of larger risk has its event first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright._arguments import numbers_of
from treewright.binarize import value_ranks
from treewright.errors import InputError
from treewright.survival._observed import observed

__all__ = ["concordance_index", "concordance_with_error"]


def concordance_index(
    event: NDArray[np.bool_], time: NDArray[np.float64], risk: NDArray[np.float64]
) -> float:
    """Return the share of comparable pairs of rows that the risks put in the right order; equal risks count as half.

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
    Rows are counted by time once for each distinct risk: a million rows with the few risks of a tree take about a
    second, and so do ten thousand rows with a risk each.

    References
    ----------
    F. Harrell, R. Califf, D. Pryor, K. Lee, R. Rosati (1982). Evaluating the Yield of Medical Tests. JAMA 247.

    Examples
    --------
    >>> import numpy as np
    >>> concordance_index(np.array([True, True, False]), np.array([1.0, 2.0, 3.0]), np.array([3.0, 1.0, 2.0]))
    0.6666666666666666
    """
    event, time = observed(event, time)
    risk = numbers_of("risk", risk)
    if risk.shape != time.shape or np.isnan(risk).any():
        raise InputError(
            f"risk has shape {risk.shape}; give one number for each of {len(time)} rows, none missing."
        )
    moments = value_ranks(time, np.empty(len(time), dtype=np.uint32))
    risks = value_ranks(risk, np.empty(len(risk), dtype=np.uint32))
    place = 2 * moments.rank.astype(np.int64) + ~event  # of two rows of one time the event comes first
    n_places = 2 * len(moments.values)

    def later_than_each(places: NDArray[np.int64]) -> NDArray[np.int64]:
        return len(places) - np.cumsum(np.bincount(places, minlength=n_places))

    pairs = int(later_than_each(place)[place[event]].sum())
    of_risk = np.split(np.argsort(risks.rank, kind="stable"), np.cumsum(np.bincount(risks.rank))[:-1])
    halves, lower = 0, np.zeros(n_places, dtype=np.int64)  # later rows of lower risk
    for rows in of_risk:
        here, later = place[rows[event[rows]]], later_than_each(place[rows])
        halves += int((2 * lower[here] + later[here]).sum())
        lower += later
    if pairs == 0:
        raise InputError("No two rows can be compared: no event was seen before the time of another row.")
    return halves / (2 * pairs)


def concordance_with_error(
    event: NDArray[np.bool_], time: NDArray[np.float64], risk: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the concordance index of few different risks, such as those of leaves, and its standard error.

    Rows are counted by time and risk, so that no pair is looked at: memory and time grow with the number of different
    times multiplied by that of different risks.

    Parameters
    ----------
    event : ndarray of shape (n_rows,), bool
    time, risk : ndarray of shape (n_rows,), float64

    Returns
    -------
    index, standard_error : float

    Raises
    ------
    InputError
        No two rows are comparable.

    Notes
    -----
    The index is a ratio of two sums over pairs of rows. Row i is in pairs of which c_i are in the right order, of p_i
    that can be compared; by the projection of such sums (Hoeffding 1948) the standard error of the ratio C is the root
    of the sum of ``(c_i - C p_i)^2``, over half the sum of all p_i. It takes the risks as given.

    Examples
    --------
    >>> import numpy as np
    >>> event, time = np.array([True, True, True, False]), np.array([1.0, 2.0, 3.0, 4.0])
    >>> index, error = concordance_with_error(event, time, np.array([3.0, 2.0, 1.0, 3.0]))
    >>> round(index, 4), round(error, 4)
    (0.5833, 0.25)
    """
    moments, at = np.unique(time, return_inverse=True)
    risks, group = np.unique(risk, return_inverse=True)
    at, group = at.reshape(-1), group.reshape(-1)
    rows = np.zeros((len(moments), len(risks)))
    dying = np.zeros_like(rows)
    np.add.at(rows, (at, group), 1.0)
    np.add.at(dying, (at, group), event.astype(np.float64))
    until = dying.cumsum(axis=0)
    later = rows.sum(axis=0) - rows.cumsum(axis=0) + (rows - dying)  # of an event: they come after it
    before = np.where(event[:, None], (until - dying)[at], until[at])  # events before each row
    after = np.where(event[:, None], later[at], 0.0)
    of_risk = risks[group][:, None]
    right = (after * _order(of_risk - risks) + before * _order(risks - of_risk)).sum(axis=1)
    pairs = (after + before).sum(axis=1)
    if pairs.sum() == 0:
        raise InputError("No two rows can be compared: no event was seen before the time of another row.")
    index = float(right.sum() / pairs.sum())
    return index, float(2 * np.sqrt(((right - index * pairs) ** 2).sum()) / pairs.sum())


def _order(difference: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 where the difference is above 0, one half where it is 0, else 0."""
    return np.asarray((1 + np.sign(difference)) / 2)
