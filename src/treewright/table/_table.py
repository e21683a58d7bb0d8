"""A table with typed columns: the schema and one encoded float64 matrix."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table._value_ranks import ColumnRanks
from treewright.tree import Column

__all__ = ["Table"]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows in the encoding of `treewright.tree`: numbers unchanged, categories as codes, missing values as NaN.

    Build one with `table_from` or `load_csv`; the constructor trusts its arguments.

    Parameters
    ----------
    columns : tuple of Column
    X : ndarray of shape (n_rows, n_columns), float64, Fortran order
        Each column is contiguous. Known values are finite.
    notes : tuple of str
        Sentences about unusual columns (all values missing, numbers stored as text).
    numbers_as_text : tuple of str
        Categorical columns whose words are many numbers stored as text, and that were not declared categorical.

    Examples
    --------
    >>> from treewright.table import table_from
    >>> table = table_from([[20, "red"], [30, "blue"], [None, "red"]])
    >>> table.n_rows, [column.kind.value for column in table.columns]
    (3, ['continuous', 'categorical'])
    >>> table.X[:, 1]  # codes of the words in sorted order
    array([1., 0., 1.])
    """

    columns: tuple[Column, ...]
    X: NDArray[np.float64]
    notes: tuple[str, ...] = ()
    numbers_as_text: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def names(self) -> tuple[str, ...]:
        """Column names."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def ranks(self) -> ColumnRanks:
        """Ranks of the values of its numeric columns; each column is ranked on first use, and the ranks are kept."""
        return ColumnRanks(self.X)

    def take(self, rows: NDArray[np.int64]) -> Table:
        """Return the table with the given rows, in the given order.

        Parameters
        ----------
        rows : ndarray of shape (n_chosen,), int64
            Positions of rows; a position may occur several times.

        Returns
        -------
        Table
            `Column.has_missing` is computed for these rows; kinds, categories and notes are kept, so that the encoding
            does not change.
        """
        X = np.asfortranarray(self.X[rows])
        columns = tuple(
            replace(column, has_missing=bool(np.isnan(X[:, j]).any()))
            for j, column in enumerate(self.columns)
        )
        table = Table(columns, X, self.notes)
        if "ranks" in self.__dict__:
            table.__dict__["ranks"] = ColumnRanks(X, self.ranks, rows)
        return table

    def __getstate__(self) -> dict[str, Any]:
        """Return only the fields, without ranks: another process that unpickles the table ranks what it needs."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
