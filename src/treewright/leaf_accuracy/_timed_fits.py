"""Fits of leaf models that end in time.

A boosted model can be had with fewer rounds. Where there is a limit, rounds are made in doubling steps, and no step
begins that would not end in time if each of its rounds took as long as those before: the overshoot is a round or two.
Without a limit, or with time enough, the model is the one that a single fit makes. A model without rounds is fitted
whole; it is not begun once the time is over.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.leaf_accuracy._leaf_models import family

__all__ = ["Clock", "expected_times", "fit_in_time", "fit_weighted", "most_rounds", "rounds_name"]

NAMES = {"boosting": "max_iter", "xgboost": "n_estimators"}
XGBOOST_ROUNDS = 100  # of a model that does not say
# Histogram boosting on one thread, measured: while its trees have not their full size, a fit takes time by its rows;
# from some thousand rows on it takes the same, and only many rows are felt again.
FULL_SIZE, MANY_ROWS = 1_000, 20_000


@dataclass(frozen=True)
class Clock:
    """When fits must end.

    Parameters
    ----------
    end : float or None, default=None
        Reading of `time.monotonic`, which is the same in all processes of a machine; None is no limit.
    """

    end: float | None = None

    @staticmethod
    def of(seconds: float | None) -> Clock:
        """Return a clock that runs from now."""
        return Clock(None if seconds is None else time.monotonic() + seconds)

    def left(self) -> float:
        """Return the seconds that are left, 0 or more; inf without a limit."""
        return np.inf if self.end is None else max(0.0, self.end - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.left() <= 0

    def share(self, part: float) -> Clock:
        """Return a clock for a part of the time that is left."""
        return self if self.end is None else Clock.of(part * self.left())

    def less(self, seconds: float) -> Clock:
        """Return a clock that ends so much earlier."""
        return self if self.end is None else Clock(self.end - seconds)


def fit_weighted(
    model: Any, X: NDArray[np.float64], y: NDArray[np.int64], sample_weight: NDArray[np.float64] | None
) -> Any:
    """Fit with weights if there are any; the fitted model is returned.

    A column without a number, in the rows of a leaf say, is 0 in all rows: it tells the model nothing either way, and
    histogram boosting has no bins for it. Boosting that stops by its own rule needs rows of every class to judge by;
    where a class has too few for that, all rounds are made. Weights below 1 on average are no counts of rows; they are
    scaled to 1, because boosting refuses splits of little weight.
    """
    empty = np.isnan(X).all(axis=0)
    if empty.any():
        X = np.where(empty, 0.0, X)
    if family(model) == "boosting" and not _can_hold_out(model, y):
        model.set_params(early_stopping=False)
    if sample_weight is not None and (mean := sample_weight.mean()) < 1:
        sample_weight = sample_weight / mean
    return model.fit(X, y) if sample_weight is None else model.fit(X, y, sample_weight=sample_weight)


def _can_hold_out(model: Any, y: NDArray[Any]) -> bool:
    """Whether histogram boosting can split off rows of all classes for early stopping, if it is to."""
    part = model.validation_fraction
    if part is None:  # judged by the training rows
        return True
    counts = np.unique(y, return_counts=True)[1]
    held_out = int(part) if isinstance(part, Integral) else math.ceil(part * len(y))
    return int(counts.min()) > 1 and len(counts) <= min(held_out, len(y) - held_out)


def expected_times(n_rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how long histogram boosting takes for so many rows, in a unit of its own."""
    return np.asarray(np.minimum(1, n_rows / FULL_SIZE) * (1 + n_rows / MANY_ROWS))


def rounds_name(model: Any) -> str | None:
    """Return the model's parameter for its number of rounds; None if it has none."""
    kind = family(model)
    return None if kind is None else NAMES[kind]


def most_rounds(model: Any) -> int:
    """Return how many rounds a model is to make; 1 is all of a model without rounds."""
    name = rounds_name(model)
    if name is None:
        return 1
    asked = model.get_params()[name]
    return XGBOOST_ROUNDS if asked is None else int(asked)


def fit_in_time(
    model: Any,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None,
    clock: Clock,
) -> bool:
    """Fit a model with as many of its rounds as there is time for, one at least.

    Parameters
    ----------
    model : classifier
        Its parameter for rounds is set to what was made.
    X : ndarray of shape (n_rows, n_inputs)
    y : ndarray of shape (n_rows,)
    sample_weight : ndarray of shape (n_rows,) or None
    clock : Clock

    Returns
    -------
    bool
        Whether all rounds were made.
    """
    name, most = rounds_name(model), most_rounds(model)
    if clock.end is None or name is None:
        fit_weighted(model, X, y, sample_weight)
        return True
    goes_on = family(model) == "boosting"  # the others begin anew in each step
    if goes_on:
        model.set_params(warm_start=True)
    made, rounds = 0, 1
    while True:
        began = time.monotonic()
        fit_weighted(model.set_params(**{name: rounds}), X, y, sample_weight)
        each = (time.monotonic() - began) / (rounds - made if goes_on else rounds)
        made = rounds
        rounds = min(most, 2 * made)
        if made == most or each * (rounds - made if goes_on else rounds) > clock.left():
            break
    if goes_on:
        model.set_params(warm_start=False)
    return made == most
