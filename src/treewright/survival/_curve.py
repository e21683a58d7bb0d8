"""The Kaplan-Meier estimate of a survival curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import numbers_of
from treewright.binarize import value_ranks
from treewright.errors import InputError
from treewright.survival._observed import observed, weights_of
from treewright.survival._product_limit import product_limit

__all__ = ["SurvivalCurve", "kaplan_meier"]


@dataclass(frozen=True, eq=False)
class SurvivalCurve:
    """A step function: the share that is still without the event after each time.

    Parameters
    ----------
    times : ndarray of shape (n_steps,), float64
        Times at which events were seen, ascending.
    survival : ndarray of shape (n_steps,), float64
        Share after each of them.
    at_risk : ndarray of shape (n_steps,), float64
        Weight of the rows that were under observation just before.

    Examples
    --------
    >>> from treewright.survival import kaplan_meier
    >>> curve = kaplan_meier([True, False, True], [1.0, 2.0, 3.0])
    >>> curve.times, curve.survival.round(3)
    (array([1., 3.]), array([0.667, 0.   ]))
    """

    times: NDArray[np.float64]
    survival: NDArray[np.float64]
    at_risk: NDArray[np.float64]

    def __call__(self, times: ArrayLike) -> NDArray[np.float64]:
        """Return the share after each time; 1 before the first event.

        Raises
        ------
        InputError
            A time is NaN, or no number.
        """
        at = numbers_of("times", times)
        if np.isnan(at).any():
            raise InputError("times contains NaN; give the times that are asked about.")
        position = np.searchsorted(self.times, at, side="right")
        return np.concatenate(([1.0], self.survival))[position]

    @property
    def median(self) -> float:
        """Time after which no more than half are left; infinity if more always are.

        Exact for curves of whole weights; of real weights, half means within 1e-9 (see `kaplan_meier`).
        """
        below = np.flatnonzero(self.survival <= 0.5)
        return float(self.times[below[0]]) if len(below) else float("inf")

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """Greenwood's standard error of each share, shape (n_steps,); of rows without weights, nan at share 0."""
        before = np.concatenate(([1.0], self.survival[:-1]))
        with np.errstate(divide="ignore", invalid="ignore"):
            dying = 1.0 - self.survival / before  # share of those at risk
            return np.asarray(
                self.survival * np.sqrt(np.cumsum(dying / ((1.0 - dying) * self.at_risk))), dtype=np.float64
            )


def kaplan_meier(
    event: NDArray[np.bool_], time: NDArray[np.float64], sample_weight: NDArray[np.float64] | None = None
) -> SurvivalCurve:
    """Return the Kaplan-Meier curve of the given rows.

    Parameters
    ----------
    event : ndarray of shape (n_rows,), bool
        Whether the event was seen; False is right-censored.
    time : ndarray of shape (n_rows,), float64
    sample_weight : ndarray of shape (n_rows,), default=None
        None is 1 for each row.

    Returns
    -------
    SurvivalCurve

    Notes
    -----
    With whole weights a share is below, at or above one half exactly where the product of fractions is. Real weights
    are rounded when they are added: a share that differs from one half by no more than 1e-9 of it is given as 0.5.

    References
    ----------
    E. L. Kaplan, P. Meier (1958). Nonparametric Estimation from Incomplete Observations. JASA 53.

    Examples
    --------
    >>> import numpy as np
    >>> curve = kaplan_meier(np.array([True, False, True]), np.array([1.0, 2.0, 3.0]))
    >>> curve.survival.round(3).tolist(), curve.median
    ([0.667, 0.0], 3.0)
    """
    event, time = observed(event, time)
    weight = weights_of(sample_weight, len(time))
    ranks = value_ranks(time, np.empty(len(time), dtype=np.uint32))
    moments, at = ranks.values, ranks.rank
    dying = np.bincount(at, weights=weight * event, minlength=len(moments))
    at_risk = np.bincount(at, weights=weight, minlength=len(moments))[::-1].cumsum()[::-1]
    seen = dying > 0
    whole = bool((weight == np.floor(weight)).all())
    survival = product_limit(at_risk[seen], at_risk[seen] - dying[seen], whole)
    return SurvivalCurve(moments[seen], survival, at_risk[seen])
