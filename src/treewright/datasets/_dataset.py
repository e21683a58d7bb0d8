"""What a data set of this package is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from treewright.table import Table

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with labels and where it comes from.

    Parameters
    ----------
    name : str
    table : Table
    y : ndarray of shape (n_rows,)
        Labels, as text.
    description : str
        What a row is and what the label says, in a sentence or two.
    source : str
        Where the data come from, or by which rule they were made.

    Examples
    --------
    >>> from treewright.datasets import iris
    >>> data = iris()
    >>> data.name, data.table.names[0], len(data.y)
    ('iris', 'sepal length (cm)', 150)
    """

    name: str
    table: Table
    y: NDArray[Any]
    description: str
    source: str
