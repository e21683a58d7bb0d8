"""Events, times and weights as a caller gave them, checked once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import numbers_of, refuse_lossy
from treewright.errors import InputError

__all__ = ["observed", "weights_of"]


def observed(event: ArrayLike, time: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return whether the event was seen, and the time, of each row.

    Raises
    ------
    InputError
        Not one of each for every row, an event that is neither true nor false, or a time that is no number.
    """
    refuse_lossy("event", event)
    seen, at_time = np.asarray(event), numbers_of("time", time)
    if seen.ndim != 1 or seen.shape != at_time.shape:
        raise InputError(
            f"event has shape {seen.shape} and time {at_time.shape}; give one of each for every row."
        )
    if seen.dtype != np.bool_:
        numbers = numbers_of("event", seen)
        if not np.isin(numbers, (0.0, 1.0)).all():
            raise InputError(
                "event holds values besides 0 and 1; give truth values: whether the event was seen."
            )
        seen = numbers == 1.0
    if np.isnan(at_time).any():
        raise InputError(f"time is missing in {int(np.isnan(at_time).sum())} rows; leave them out.")
    return seen, at_time


def weights_of(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
    """Return the weight of each row, 1 by default.

    Raises
    ------
    InputError
        Not one number for every row.
    """
    if sample_weight is None:
        return np.ones(n_rows)
    weight = numbers_of("sample_weight", sample_weight)
    if weight.shape != (n_rows,):
        raise InputError(
            f"sample_weight has shape {weight.shape}; give one number for each of {n_rows} rows."
        )
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise InputError(
            "sample_weight holds negative, missing or infinite numbers; give finite ones of 0 or more."
        )
    return weight
