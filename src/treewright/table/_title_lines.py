"""Lines beside the header of a sheet: titles above it, as wide as the table once it is saved as CSV; units below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treewright.errors import InputError
from treewright.table._dates import looks_like_date
from treewright.table._fillers import filler_words
from treewright.table._formats import MISSING_VALUES
from treewright.table._numbers import looks_like_number

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["refuse_titles", "refuse_units"]

MOST_TITLES = 20  # lines above the header that are looked at
MOST_EMPTY = 0.5  # of the fields of a header
GLANCE = 200  # rows that show what a column holds
MOST_NUMBERS = 0.8  # of the fields of a column of numbers
MOST_COLUMNS = 500  # that are looked at


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


def refuse_units(where: str, columns: Sequence[pl.Series], lines: NDArray[np.int64]) -> None:
    """Refuse a first row of words above columns of numbers and dates: a second header line, such as units in brackets.

    Parameters
    ----------
    where : str
        Name of the file.
    columns : sequence of polars.Series of strings
        What stands below the header.
    lines : ndarray of shape (n_rows,)
        Line of the file on which each row starts.

    Raises
    ------
    InputError
        With the line to delete.
    """
    import polars as pl

    if len(lines) < 3:
        return
    words, others = [], 0
    for column in columns[:MOST_COLUMNS]:
        first = (column[0] or "").strip()
        fields = column[:GLANCE].cast(pl.String).str.strip_chars()
        below = fields[1:]
        below = below.filter((below != "").fill_null(False))
        if not first or first in MISSING_VALUES or not len(below):
            continue
        read = looks_like_number(below) | looks_like_date(below)
        if read.sum() < MOST_NUMBERS * len(below):
            continue
        if (looks_like_number(fields[:1]) | looks_like_date(fields[:1])).any():
            others += 1
        else:
            words.append(first)
    told = [word for word in dict.fromkeys(words) if not filler_words([word])]
    if len(told) > max(1, others):
        shown = ", ".join(f"{word[:20]!r}" for word in told[:4])
        raise InputError(
            f"{where}: line {lines[0]} holds {shown} in columns that hold numbers or dates below it, as a second "
            "header line does. Delete that line."
        )
