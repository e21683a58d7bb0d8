"""A table with typed columns: the schema and one encoded float64 matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Column

__all__ = ["Table"]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows in the encoding of `treewright.tree`: numbers as they are, categories as codes, NaN = missing.

    Build one with `table_from` or `load_csv`; the constructor trusts its arguments.

    Parameters
    ----------
    columns : tuple of Column
    X : ndarray of shape (n_rows, n_columns), float64, Fortran order
        Each column is contiguous. Known values are finite.
    notes : tuple of str
        Plain sentences about columns that were not what they seemed (all missing, numbers stored as text).
    """

    columns: tuple[Column, ...]
    X: NDArray[np.float64]
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def names(self) -> tuple[str, ...]:
        """Column names."""
        return tuple(column.name for column in self.columns)

    def take(self, rows: NDArray[np.int64]) -> Table:
        """Return the table of the given rows, in the given order.

        `Column.has_missing` is found again for these rows; kinds and categories stay, so that the encoding
        stays. Notes stay as well.
        """
        X = np.asfortranarray(self.X[rows])
        columns = tuple(
            replace(column, has_missing=bool(np.isnan(X[:, j]).any()))
            for j, column in enumerate(self.columns)
        )
        return Table(columns, X, self.notes)
