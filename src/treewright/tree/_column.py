"""A column of a table: its name, its kind and, if it is categorical, its categories.

Every tree stores the columns that it was trained on (its schema). A node can therefore be described in terms of the
original column, and new tables can be checked against the schema of a model file.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Column", "ColumnKind"]


class ColumnKind(StrEnum):
    """Kind of a column; it decides which splits are possible on the column.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import table_from
    >>> table_from(pd.DataFrame({"age": [20.5, 31.0], "ill": [0, 1], "town": ["Bern", "Ulm"]})).columns[1].kind
    <ColumnKind.BINARY: 'binary'>
    """

    CONTINUOUS = "continuous"  # numbers; splits `x <= t`
    BINARY = "binary"  # two values, false/0 and true/1; the split is `x <= 0.5`
    CATEGORICAL = "categorical"  # text; splits `x in {...}`: one category, or the first few if ordered


@dataclass(frozen=True, slots=True)
class Column:
    """Name, kind and categories of one column.

    Parameters
    ----------
    name : str
    kind : ColumnKind
    categories : tuple of str, default=()
        Values of a categorical column, in their own order if it is ordered, otherwise sorted; ``categories[k]`` is
        encoded as ``k``.
    has_missing : bool, default=False
        Whether the column had missing values in the training table.
    ordered : bool, default=False
        Whether the categories are ordered from the lowest to the highest: a split then sends the first few of them to
        one side.
    unit : str, default=""
        Unit of measurement, shown after the numbers of the column; `treewright.show.with_titles` sets it from
        `columns.yaml`.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import table_from
    >>> town = table_from(pd.DataFrame({"town": ["Bern", None, "Ulm"]})).columns[0]
    >>> town.categories, town.has_missing, town.ordered
    (('Bern', 'Ulm'), True, False)
    """

    name: str
    kind: ColumnKind
    categories: tuple[str, ...] = ()
    has_missing: bool = False
    ordered: bool = False
    unit: str = ""
