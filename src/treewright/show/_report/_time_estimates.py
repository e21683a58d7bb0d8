"""What the rows of a survival tree say about its hazards and the order of its times, each with its uncertainty."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.show._report._estimates import (
    NORMAL_975,
    Estimate,
)
from treewright.show._report._rows import Rows
from treewright.survival import (
    concordance_with_error,
    kaplan_meier,
)
from treewright.tree import Tree, wilson_interval

__all__ = [
    "EVENT",
    "TIME",
    "event_and_time",
    "half_deviance_of",
    "order_of_times",
    "ratio_of_events",
    "survival_at",
]

EVENT, TIME = 0, 1  # columns of `Rows.y`


def event_and_time(rows: Rows) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return whether the event of each row was seen, and its time."""
    return rows.y[:, EVENT] > 0, rows.y[:, TIME]


def ratio_of_events(event: NDArray[np.float64], expected: NDArray[np.float64]) -> Estimate:
    """Events for each expected one; the interval is that of its logarithm, whose variance is one over the events."""
    seen, foretold = int(event.sum()), float(expected.sum())
    if not len(event) or foretold <= 0:
        return Estimate(math.nan, math.nan, math.nan, len(event))
    ratio = seen / foretold
    if seen == 0:  # the exact upper end of a count of 0
        return Estimate(0.0, 0.0, -math.log(0.025) / foretold, len(event))
    reach = math.exp(NORMAL_975 / math.sqrt(seen))
    return Estimate(ratio, ratio / reach, ratio * reach, len(event))


def survival_at(rows: Rows, here: NDArray[np.int64], moment: float) -> Estimate:
    """The Kaplan-Meier share of some rows after a moment; not known where no row was followed so long."""
    event, time = event_and_time(Rows(rows.X[here], rows.y[here]))
    followed = int((time >= moment).sum())
    if not len(here):
        return Estimate(math.nan, math.nan, math.nan, 0)
    curve = kaplan_meier(event, time)
    share = float(curve(moment))
    if not followed and share > 0:
        return Estimate(math.nan, math.nan, math.nan, len(here))
    steps = int((curve.times <= moment).sum())
    error = float(curve.standard_error[steps - 1]) if steps else 0.0
    worth = share * (1 - share) / error**2 if error > 0 and 0 < share < 1 else max(followed, 1)
    return Estimate(share, *wilson_interval(share * worth, worth), len(here))


def order_of_times(tree: Tree, rows: Rows) -> Estimate:
    event, time = event_and_time(rows)
    try:
        index, error = concordance_with_error(event, time, tree.predict(rows.X))
    except InputError:
        reason = "no two rows can be compared" if event.any() else "not known without events"
        return Estimate(math.nan, math.nan, math.nan, len(rows), reason=reason)
    reach = NORMAL_975 * error
    return Estimate(index, max(0.0, index - reach), min(1.0, index + reach), len(rows))


def half_deviance_of(event: NDArray[np.float64], hazard: NDArray[np.float64]) -> float:
    """Twice less: the sum of hazard - event * log(hazard) - event; infinite where an event was held impossible."""
    with np.errstate(divide="ignore"):
        logs = np.where(event > 0, np.log(np.where(event > 0, hazard, 1.0)), 0.0)
    return float((hazard - event * logs - event).sum())
