"""The table as numbers for models of other libraries: the trees of scikit-learn, and the models in leaves.

Numbers stay as they are, and a missing one is NaN. A column of categories becomes one column for each
category of the schema: 0 where the row has it, 1 where it has another, NaN where it is missing. So every
``input <= t`` of such a model is a split of the table's own column, and no order of the categories is made
up. Cost: as many columns as there are categories; a table without categories is not copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.table import check_indicators
from treewright.tree import Column, ColumnKind

__all__ = ["Inputs"]


@dataclass(frozen=True)
class Inputs:
    """What each column of the matrix stands for.

    Parameters
    ----------
    column : tuple of int
        Position in the table.
    category : tuple of int or None
        The category that is 0 in this input; None for numbers and ordered categories.
    schema : tuple of Column
        The columns of the table.
    """

    column: tuple[int, ...]
    category: tuple[int | None, ...]
    schema: tuple[Column, ...]

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Inputs:
        """Return the inputs of a schema.

        Parameters
        ----------
        columns : sequence of Column
        """
        pairs: list[tuple[int, int | None]] = []
        for j, column in enumerate(columns):
            if column.kind is ColumnKind.CATEGORICAL and not column.ordered:
                pairs += [(j, code) for code in range(len(column.categories))]
            else:
                pairs.append((j, None))
        return cls(tuple(j for j, _ in pairs), tuple(code for _, code in pairs), tuple(columns))

    def matrix(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return encoded rows (n_rows, n_columns) as numbers (n_rows, n_inputs).

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns), float64
            In the encoding of `treewright.tree`.

        Raises
        ------
        InputError
            A column has so many categories that the numbers do not fit into memory.
        """
        if all(code is None for code in self.category):
            return X
        check_indicators(self.schema, len(X), X.itemsize)
        made = np.empty((len(X), len(self.column)), dtype=np.float64)
        for k, (j, code) in enumerate(zip(self.column, self.category, strict=True)):
            x = X[:, j]
            made[:, k] = x if code is None else np.where(np.isnan(x), np.nan, x != code)
        return made
