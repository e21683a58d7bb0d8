"""What a column of a table is: its name, its kind and, for categories, their values.

The schema travels with every tree, so that a node can speak of the original column and a model file can be
checked against the table that it meets.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Column", "ColumnKind"]


class ColumnKind(StrEnum):
    """Kind of a column; decides which splits it may take part in.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import table_from
    >>> table_from(pd.DataFrame({"age": [20.5, 31.0], "ill": [0, 1], "town": ["Bern", "Ulm"]})).columns[1].kind
    <ColumnKind.BINARY: 'binary'>
    """

    CONTINUOUS = "continuous"  # numbers; splits `x <= t`
    BINARY = "binary"  # two values, false/0 and true/1; split `x <= 0.5`
    CATEGORICAL = "categorical"  # words; splits `x in {...}`: one word, or of ordered ones the first


@dataclass(frozen=True, slots=True)
class Column:
    """Name, kind and categories of one column.

    Parameters
    ----------
    name : str
    kind : ColumnKind
    categories : tuple of str, default=()
        Values of a categorical column, sorted, or in their own order; value ``categories[k]`` is encoded as ``k``.
    has_missing : bool, default=False
        Whether the training table had missing values here.
    ordered : bool, default=False
        Whether the categories go from the least to the most: a split then sends the first of them to one side.
    unit : str, default=""
        What people read behind the numbers of the column; `treewright.show.with_titles` sets it from `columns.yaml`.

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
