"""Ranks of the values of each column, computed once for thresholds, searches over ranks and cross-validation folds.

The ranks are stored with the table; its folds derive theirs without a sort. `treewright.binarize` does the sorting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["ColumnRanks", "ValueRanks"]

Sort = Callable[[NDArray[np.float64], NDArray[np.uint32]], "ValueRanks"]


@dataclass(frozen=True, eq=False)
class ValueRanks:
    """The distinct known values of one column, and the position of each row's value among them.

    Parameters
    ----------
    values : ndarray of shape (n_values,), float64
        Distinct known values, ascending.
    rank : ndarray of shape (n_rows,), uint32
        Position of the row's value in `values`; ``n_values`` if it is missing.
    n_known : int
        Number of rows with a known value.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import ValueRanks
    >>> ranks = ValueRanks(np.array([20.0, 40.0]), np.array([1, 0, 1, 2], dtype=np.uint32), n_known=3)
    >>> ranks.values[ranks.rank[:3]]  # the fourth row's value is missing
    array([40., 20., 40.])
    """

    values: NDArray[np.float64]
    rank: NDArray[np.uint32]
    n_known: int

    @cached_property
    def before(self) -> NDArray[np.int64]:
        """Number of rows with a smaller value, for each value; counted on first use, because few searches need it."""
        if len(self.values) == self.n_known:  # all values are distinct, so nothing needs to be counted
            return np.arange(self.n_known, dtype=np.int64)
        counts = np.bincount(self.rank, minlength=len(self.values) + 1)[: len(self.values)]
        return np.asarray(np.cumsum(counts) - counts, dtype=np.int64)

    def take(self, rows: NDArray[np.int64], rank: NDArray[np.uint32]) -> ValueRanks:
        """Return the ranks of some of the rows, without a sort; they are written to `rank`.

        Parameters
        ----------
        rows : ndarray of shape (n_taken,), int64
            Positions of the rows.
        rank : ndarray of shape (n_taken,), uint32
            Array for the ranks; it is overwritten and becomes part of the result.

        Returns
        -------
        ValueRanks
        """
        n_values = len(self.values)
        there = self.rank[rows]
        counts = np.bincount(there, minlength=n_values + 1)[:n_values]
        kept = counts > 0
        place = np.zeros(n_values + 1, dtype=np.uint32)
        np.cumsum(kept, out=place[1:], dtype=np.uint32)  # kept values up to and including each one
        place[:-1] = place[1:]
        place[:-1] -= 1  # new rank of a kept value; values that are dropped do not occur
        np.take(place, there, out=rank)
        return ValueRanks(self.values[kept], rank, int(counts.sum()))


class ColumnRanks:
    """Ranks of a table's columns, each computed on first use; not for categorical columns.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns), float64
    whole : ColumnRanks, default=None
        Ranks of the table from which the rows of `X` were taken: columns ranked there are not sorted again.
    rows : ndarray of int64, default=None
        Positions of these rows in that table.
    """

    def __init__(
        self,
        X: NDArray[np.float64],
        whole: ColumnRanks | None = None,
        rows: NDArray[np.int64] | None = None,
    ) -> None:
        self._X, self._whole, self._rows = X, whole, rows
        self._made: dict[int, ValueRanks] = {}
        self._matrix: NDArray[np.uint32] | None = None

    def of(self, column: int, sort: Sort) -> ValueRanks:
        """Return the ranks of a column; the ranks of all columns are the rows of one matrix.

        Parameters
        ----------
        column : int
            Position of the column.
        sort : callable
            Computes the ranks of the values and writes them to an array.

        Returns
        -------
        ValueRanks
        """
        if column not in self._made:
            if self._matrix is None:
                self._matrix = np.empty(self._X.shape[::-1], dtype=np.uint32)
            x, rank = self._X[:, column], self._matrix[column]
            whole = self._whole
            if whole is None or self._rows is None or not whole.knows(column):
                self._made[column] = sort(x, rank)
            else:
                self._made[column] = whole.of(column, sort).take(self._rows, rank)
        return self._made[column]

    def knows(self, column: int) -> bool:
        """Whether the ranks of a column are available without a sort."""
        return column in self._made or (self._whole is not None and self._whole.knows(column))
