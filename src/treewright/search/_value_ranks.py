"""The ranks of a column of numbers, made in the compiled core."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.binarize import Gaps

__all__ = ["ValueRanks", "value_ranks"]


@dataclass(frozen=True, eq=False)
class ValueRanks:
    """The distinct known values of one column, and which of them each row has.

    Parameters
    ----------
    values : ndarray of shape (n_values,), float64
        Ascending.
    before : ndarray of shape (n_values,), int64
        Rows with a smaller value.
    rank : ndarray of shape (n_rows,), uint32
        Position of the row's value among `values`; their number where it is missing.
    n_known : int
        Rows with a known value.
    """

    values: NDArray[np.float64]
    before: NDArray[np.int64]
    rank: NDArray[np.uint32]
    n_known: int

    @property
    def gaps(self) -> Gaps:
        """The gaps between the values, each row of weight 1; as `treewright.binarize` finds them."""
        left = self.before[1:].astype(np.float64)
        n_missing = len(self.rank) - self.n_known
        return Gaps(self.values[:-1], self.values[1:], left, float(self.n_known), float(n_missing))


def value_ranks(x: NDArray[np.float64], rank: NDArray[np.uint32], *, zero_one: bool = False) -> ValueRanks:
    """Rank the rows of a column (NaN = missing) by value. Cost: one sort by digits.

    Parameters
    ----------
    x : ndarray of shape (n_rows,), float64
    rank : ndarray of shape (n_rows,), uint32
        Where the ranks are written; contiguous.
    zero_one : bool, default=False
        Whether the values are zeros and ones, none missing: then nothing is sorted.

    Returns
    -------
    ValueRanks
    """
    n = len(x)
    if zero_one:
        ones = int(np.count_nonzero(x))
        if 0 < ones < n:
            rank[:] = x
            return ValueRanks(np.array([0.0, 1.0]), np.array([0, n - ones]), rank, n)
        rank.fill(0)
        return ValueRanks(x[:1], np.zeros(min(n, 1), dtype=np.int64), rank, n)
    values, before, n_known = core.rank_values(np.ascontiguousarray(x), rank)
    return ValueRanks(values, before, rank, n_known)
