"""Binary columns for the exact search: each one *is* a split of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.tree import Split

__all__ = ["SplitMatrix"]


@dataclass(frozen=True, eq=False)
class SplitMatrix:
    """The splits that a tree may use, and to which side each split sends each row.

    Parameters
    ----------
    splits : tuple of Split
    bits : ndarray of shape (n_splits, ceil(n_rows / 8)), uint8, or callable
        What `packed` is, or a function that makes it at its first use: the search over ranked columns reads the splits
        alone.
    n_rows : int
    scope : str
        Which splits these are, in words that complete "optimal over ...":
        "all thresholds", "the given splits (at most 16 quantiles a column)".
    notes : tuple of str
        Plain sentences about what was left out (columns binned, categories grouped).

    Examples
    --------
    >>> from treewright.binarize import midpoints
    >>> from treewright.table import table_from
    >>> splits = midpoints(table_from([[20], [30], [40]]))
    >>> [split.threshold for split in splits.splits], splits.n_rows, splits.scope
    ([25.0, 35.0], 3, 'all thresholds')
    """

    splits: tuple[Split, ...]
    bits: NDArray[np.uint8] | Callable[[], NDArray[np.uint8]]
    n_rows: int
    scope: str
    notes: tuple[str, ...] = ()

    @classmethod
    def from_matrix(
        cls, splits: Sequence[Split], goes_right: ArrayLike, scope: str, notes: Sequence[str] = ()
    ) -> SplitMatrix:
        """Make splits of a matrix of zeros and ones, shape (n_splits, n_rows).

        Parameters
        ----------
        splits : sequence of Split, length n_splits
        goes_right : array-like of shape (n_splits, n_rows)
            1 where the row goes right.
        scope : str
            Which splits these are, in words that complete "optimal over ...".
        notes : sequence of str, default: none
            What a reader of the result has to know about the splits.

        Returns
        -------
        SplitMatrix
        """
        matrix = np.asarray(goes_right).astype(np.bool_)
        packed = np.packbits(matrix, axis=1, bitorder="little")
        return cls(tuple(splits), packed, matrix.shape[1], scope, tuple(notes))

    @cached_property
    def packed(self) -> NDArray[np.uint8]:
        """One bit per row, shape (n_splits, ceil(n_rows / 8)): 1 if the row goes right.

        Row r is bit ``r % 8`` of byte ``r // 8``. The bits after the last row are 0.
        """
        return self.bits() if callable(self.bits) else self.bits

    @property
    def goes_right(self) -> NDArray[np.uint8]:
        """The same as bytes, shape (n_splits, n_rows). It is made at each call and takes eight times the memory."""
        return np.unpackbits(self.packed, axis=1, count=self.n_rows, bitorder="little")

    def of_rows(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return where each split sends the given rows.

        Parameters
        ----------
        rows : ndarray of shape (n_chosen,), int64
            Positions of rows.

        Returns
        -------
        ndarray of shape (n_splits, n_chosen), uint8
            1 where the row goes right.
        """
        return (self.packed[:, rows >> 3] >> (rows & 7).astype(np.uint8)) & np.uint8(1)
