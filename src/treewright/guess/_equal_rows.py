"""Which rows of 0/1 columns are equal: 64 columns at a time, as whole numbers, which sort faster than bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["number_equal_rows"]


def number_equal_rows(columns: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return for each row the number of its set of equal rows, from 0.

    Parameters
    ----------
    columns : ndarray of shape (n_columns, n_rows), uint8

    Returns
    -------
    ndarray of shape (n_rows,), int64

    Notes
    -----
    Cost: two sorts of n_rows integers for every 64 columns.
    """
    group = np.zeros(columns.shape[1], dtype=np.int64)
    for first in range(0, len(columns), 64):
        packed = np.zeros((columns.shape[1], 8), dtype=np.uint8)
        bits = np.packbits(columns[first : first + 64], axis=0)
        packed[:, : len(bits)] = bits.T
        _, word = np.unique(packed.view(np.uint64).ravel(), return_inverse=True)
        # Both numbers are below n_rows, so the product stays far below 2 ** 63.
        _, joint = np.unique(group * len(group) + word, return_inverse=True)
        group = joint.astype(np.int64)
    return group
