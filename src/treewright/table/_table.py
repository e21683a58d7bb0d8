"""A table with typed columns: the schema and one encoded float64 matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Column

__all__ = ["Table"]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows in the encoding of `treewright.tree`: numbers as they are, categories as codes, NaN = missing.

    Parameters
    ----------
    columns : tuple of Column
    X : ndarray of shape (n_rows, n_columns), float64, Fortran order
        Each column is contiguous.
    """

    columns: tuple[Column, ...]
    X: NDArray[np.float64]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def names(self) -> tuple[str, ...]:
        """Column names."""
        return tuple(column.name for column in self.columns)
