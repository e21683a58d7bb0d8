"""Refuse numbers of a loss that are not one for each row of the table, or weights that are no weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError

__all__ = ["check_lengths", "check_positive"]


def check_lengths(n: int, **numbers: NDArray[np.generic]) -> None:
    """Refuse arrays that have not one number for each row; their names are those that the message has.

    Parameters
    ----------
    n : int
        Number of rows of the table.
    **numbers : ndarray of shape (n,)
        Two of them.

    Examples
    --------
    >>> check_lengths(2, targets=np.zeros(3), weights=np.ones(2))
    Traceback (most recent call last):
        ...
    treewright.errors.InputError: The loss has 3 targets and 2 weights; the table has 2 rows. Give one of each per row.
    """
    if any(values.shape != (n,) for values in numbers.values()):
        held = " and ".join(f"{len(values)} {name}" for name, values in numbers.items())
        raise InputError(f"The loss has {held}; the table has {n} rows. Give one of each per row.")


def check_positive(weight: NDArray[np.float64]) -> None:
    """Refuse weights that are infinite, unknown, or not above 0."""
    if not (np.isfinite(weight).all() and (weight > 0).all()):
        raise InputError("sample_weight must be finite and above 0; leave out the other rows.")
