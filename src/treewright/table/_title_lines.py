"""Titles above the header of a sheet, which spreadsheets fill up to the width of the table when they save it as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treewright.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["refuse_titles"]

MOST_TITLES = 20  # lines above the header that are looked at
MOST_EMPTY = 0.5  # of the fields of a header


def refuse_titles(
    where: str, names: Sequence[str], columns: Sequence[pl.Series], lines: NDArray[np.int64]
) -> None:
    """Refuse a first line that is mostly empty where a full one follows: it is a title, and the header is below it.

    Parameters
    ----------
    where : str
        Name of the file.
    names : sequence of str
        Fields of the first line; ``unnamed_3`` stands for an empty third one.
    columns : sequence of polars.Series of strings
        What stands below it.
    lines : ndarray of shape (n_rows,)
        Line of the file on which each row starts.

    Raises
    ------
    InputError
        With the lines to delete.
    """
    width = len(names)
    named = sum(name != f"unnamed_{j}" for j, name in enumerate(names, start=1))
    if width - named < max(2, MOST_EMPTY * width):
        return
    for row in range(min(MOST_TITLES, len(lines))):
        filled = sum(bool((column[row] or "").strip()) for column in columns)
        if filled >= width - 1:
            raise InputError(
                f"{where}: the first line fills {named} of its {width} fields, as a title above the header does; "
                f"line {lines[row]} fills {filled}. If that is the header, delete the lines above it; otherwise name "
                "all columns in the first line."
            )
