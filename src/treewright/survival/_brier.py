"""The Brier score of survival curves with censored rows, and its integral over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments, numbers_of
from treewright.binarize import value_ranks
from treewright.errors import InputError
from treewright.survival._curve import SurvivalCurve
from treewright.survival._observed import observed, weights_of
from treewright.survival._product_limit import product_limit

__all__ = ["brier_score", "censoring_curve", "integrated_brier_score"]


def censoring_curve(
    event: ArrayLike, time: ArrayLike, sample_weight: ArrayLike | None = None
) -> SurvivalCurve:
    """Return the share of rows that is not yet censored after each time: the Kaplan-Meier curve of censoring.

    A row whose event comes at the time at which others are censored is no longer at risk of that (as in
    scikit-survival).

    Parameters
    ----------
    event : array-like of shape (n_rows,), bool
        Whether the event was seen; False is right-censored.
    time : array-like of shape (n_rows,)
    sample_weight : array-like of shape (n_rows,), default=None
        None is 1 for each row.

    Returns
    -------
    SurvivalCurve
        Its times are those of censored rows.

    Examples
    --------
    >>> censoring_curve([True, False, True], [1.0, 2.0, 3.0]).survival.tolist()
    [0.5]
    """
    seen, at_time = observed(event, time)
    weight = weights_of(sample_weight, len(at_time))
    ranks = value_ranks(at_time, np.empty(len(at_time), dtype=np.uint32))
    moments, at = ranks.values, ranks.rank
    leaving = np.bincount(at, weights=weight, minlength=len(moments))
    censored = np.bincount(at, weights=weight * ~seen, minlength=len(moments))
    # What is left is the sum over later times itself: a difference may leave some 1e-16 where nobody is.
    left = np.append(leaving[::-1].cumsum()[::-1][1:], 0.0)
    at_risk = np.asarray(left + censored, dtype=np.float64)
    some = np.asarray(censored > 0)
    share = product_limit(at_risk[some], left[some], bool((weight == np.floor(weight)).all()))
    return SurvivalCurve(moments[some], share, at_risk[some])


def brier_score(
    event: ArrayLike,
    time: ArrayLike,
    survival: ArrayLike,
    times: ArrayLike,
    censoring: SurvivalCurve,
    sample_weight: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the mean squared error of predicted shares without the event, at given times.

    A row whose event was seen by time t counts ``S(t)^2 / G(its time)``, a row whose time is later ``(1 - S(t))^2 /
    G(t)``, and a row censored by t counts nothing; G is the curve of censoring. So known rows represent the censored
    ones, and the mean is that without censoring if censoring does not depend on the rows.

    Parameters
    ----------
    event : array-like of shape (n_rows,), bool
    time : array-like of shape (n_rows,)
    survival : array-like of shape (n_rows, n_times)
        Predicted share without the event after each of `times`.
    times : array-like of shape (n_times,)
    censoring : SurvivalCurve
        `censoring_curve` of the training rows.
    sample_weight : array-like of shape (n_rows,), default=None

    Returns
    -------
    ndarray of shape (n_times,)
        0 is perfect; predicting one half for all rows gives about 0.25.

    Raises
    ------
    InputError
        The shapes do not fit, or from one of the times on all training rows were censored, so that nothing is known.

    References
    ----------
    E. Graf, C. Schmoor, W. Sauerbrei, M. Schumacher (1999). Assessment and comparison of prognostic classification
    schemes for survival data. Statistics in Medicine 18. (the score; G is read at the time of the event as in
    scikit-survival, where Graf et al. read it just before, which differs for ties of events and censoring only)

    Examples
    --------
    >>> import numpy as np
    >>> event, time = np.array([True, True, False]), np.array([1.0, 2.0, 3.0])
    >>> brier_score(event, time, np.full((3, 1), 0.5), [1.5], censoring_curve(event, time)).tolist()
    [0.25]
    """
    check_arguments(brier_score, locals(), "censoring")
    seen, at_time = observed(event, time)
    at = np.atleast_1d(numbers_of("times", times))
    share = numbers_of("survival", survival)
    if share.shape != (len(at_time), len(at)):
        raise InputError(
            f"survival has shape {share.shape}; give ({len(at_time)}, {len(at)}): a share for each row and time."
        )
    weight = weights_of(sample_weight, len(at_time))
    known = censoring(at)
    if (known <= 0).any():
        raise InputError(
            f"times has {at[known <= 0][0]:g}, after which every row of the training table was censored; give "
            "earlier times."
        )
    own = censoring(at_time)
    # Where G is 0 at the time of an event, that time is after all of `times`, and the row counts as one still there.
    over = seen[:, None] & (at_time[:, None] <= at[None, :])
    there = at_time[:, None] > at[None, :]
    parts = np.where(over, share**2 / np.where(own > 0, own, 1.0)[:, None], 0.0)
    parts += np.where(there, (1 - share) ** 2 / known[None, :], 0.0)
    return np.asarray((weight[:, None] * parts).sum(axis=0) / weight.sum(), dtype=np.float64)


def integrated_brier_score(
    event: ArrayLike,
    time: ArrayLike,
    survival: ArrayLike,
    times: ArrayLike,
    censoring: SurvivalCurve,
    sample_weight: ArrayLike | None = None,
    *,
    steps: bool = False,
) -> float:
    """Return the mean of the Brier score between the first and the last of the given times.

    Parameters
    ----------
    event, time, survival
        As in `brier_score`.
    times : array-like of shape (n_times,)
        Ascending, two at least.
    censoring, sample_weight
        As in `brier_score`.
    steps : bool, default=False
        False interpolates linearly between the scores (the trapezoidal rule, as scikit-survival does). True uses each
        score up to the next time, which is exact if nothing changes between two times.

    Returns
    -------
    float

    Raises
    ------
    InputError
        As for `brier_score`; or there are fewer than two times, or they do not ascend.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.survival import integrated_brier_score, kaplan_meier
    >>> event, time = np.array([True, True, True]), np.array([1.0, 2.0, 3.0])
    >>> censoring = kaplan_meier(~event, time)  # nobody was censored
    >>> times = np.array([1.5, 2.5])
    >>> said = (time[:, None] > times).astype(float)  # right each time
    >>> integrated_brier_score(event, time, said, times, censoring)
    0.0
    """
    check_arguments(integrated_brier_score, locals(), "censoring")
    at = np.atleast_1d(numbers_of("times", times))
    if len(at) < 2 or not (np.diff(at) > 0).all():
        raise InputError("times must be two at least, each larger than the one before.")
    scores = brier_score(event, time, survival, at, censoring, sample_weight)
    width = np.diff(at)
    heights = scores[:-1] if steps else (scores[:-1] + scores[1:]) / 2
    return float((heights * width).sum() / (at[-1] - at[0]))
