"""The one meaning of `n_jobs`, for everything that gives tasks to joblib."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from treewright.errors import InputError

__all__ = ["check_n_jobs"]


def check_n_jobs(n_jobs: Any) -> int | None:
    """Return how many tasks are done at once, as joblib takes it.

    Parameters
    ----------
    n_jobs : int or None
        None is 1, unless ``joblib.parallel_config`` says otherwise; -1 is all cores, -2 all but one.

    Raises
    ------
    InputError
        Zero, or no integer.
    """
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise InputError(
            f"n_jobs={n_jobs!r}; give an integer of at least 1, -1 for all cores, or None for one."
        )
    return int(n_jobs)
