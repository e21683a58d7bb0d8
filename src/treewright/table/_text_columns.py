"""The columns of a file as text, before types are decided: the common form of all kinds of files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CsvText"]


@dataclass(frozen=True)
class CsvText:
    """Header and columns of a file, as text.

    Parameters
    ----------
    names : tuple of str
        Header fields, stripped.
    columns : tuple of polars.Series of strings
        Fields as written, not stripped; an empty field may be null.
    lines : ndarray of shape (n_rows,), int64
        Line of the file on which each row starts, counted from 1; for a file without lines the number of the row.
    separator : str
    encoding : str
    refused : mapping of str to str
        Columns that cannot be written as text, with the error message if one of them is read.
    order : mapping of str to tuple of str
        Order of the words, from the lowest to the highest, of columns for which the file defines one.
    """

    names: tuple[str, ...]
    columns: tuple[pl.Series, ...]
    lines: NDArray[np.int64]
    separator: str
    encoding: str = "utf-8"
    refused: Mapping[str, str] = field(default_factory=dict)
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def index(self) -> dict[str, int]:
        """Position of each name."""
        return {name: j for j, name in enumerate(self.names)}
