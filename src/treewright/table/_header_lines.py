"""Further header lines of survey exports: the texts of the questions, and identifiers in JSON, below the names.

Qualtrics writes two such lines, LimeSurvey and others one. Read as rows, they give the target a label of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treewright.table._dates import looks_like_date
from treewright.table._file_faults import FileFault, text_without
from treewright.table._fillers import filler_words
from treewright.table._numbers import looks_like_number

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["HeaderLines", "refuse_header_lines"]

MOST_LINES = 3
FEWEST_ROWS = 10  # below the lines
MOST_NUMBERS = 0.8  # share of numbers among the fields of a numeric column
REPEATED = 0.5  # labels differ in at most this share of the rows
IDENTIFIER = '{"ImportId":'  # Qualtrics


class HeaderLines(FileFault):
    """The fault of a file whose first `n_rows` rows are header lines."""

    def __init__(self, message: str, lines: range, n_rows: int) -> None:
        super().__init__(message, "header lines", text_without(lines))
        self.n_rows = n_rows


def refuse_header_lines(
    where: str, columns: Sequence[pl.Series], labels: pl.Series | None, lines: NDArray[np.int64]
) -> None:
    """Raise an error for first rows that are the header in other words.

    Such a row has words in all columns of numbers and dates, and a label that no other row has. A row of identifiers,
    with all rows above it, needs no label.

    Parameters
    ----------
    where : str
        Name of the file.
    columns : sequence of polars.Series of strings
        First fields of the columns that may be read as numbers or dates, stripped; null is missing.
    labels : polars.Series of strings, default=None
        First fields of the target.
    lines : ndarray of shape (n_rows,)
        Line of the file on which each row starts.

    Raises
    ------
    HeaderLines
        The message names the lines to delete.
    """
    n_rows = _identifiers([*columns, *([] if labels is None else [labels])])
    if labels is not None:
        n_rows = max(n_rows, *(n for n in range(MOST_LINES + 1) if _are_headers(columns, labels, n)))
    if not n_rows or n_rows >= len(lines):
        return
    found = range(int(lines[0]), int(lines[n_rows]))
    shown = next((fields[0] for fields in [*columns, labels] if fields is not None and fields[0]), "")
    one = len(found) == 1
    these, them = (
        (f"line {found[0]} seems", "it") if one else (f"lines {found[0]} to {found[-1]} seem", "them")
    )
    raise HeaderLines(
        f"{where}: {these} to say in other words what the columns are ({shown[:40]!r}), as exports of surveys do: "
        f"below {them}, the same columns hold numbers, dates or other labels. "
        f"Delete {'this line' if one else 'these lines'}.",
        found,
        n_rows,
    )


def _identifiers(columns: Sequence[pl.Series]) -> int:
    """Return the number of first rows up to the one that holds identifiers; 0 if none does."""
    heads = [fields.head(MOST_LINES).to_list() for fields in columns]
    places = [
        row for head in heads for row, field in enumerate(head, start=1) if str(field).startswith(IDENTIFIER)
    ]
    return max(places, default=0)


def _are_headers(columns: Sequence[pl.Series], labels: pl.Series, n: int) -> bool:
    """Whether the first `n` rows have labels of their own, and words in all columns of numbers and dates."""
    if not n:
        return True
    first, below = labels[:n], labels[n:].drop_nulls()
    if first.null_count() or len(below) < FEWEST_ROWS or first.is_in(below.to_list()).any():
        return False
    numeric = _share_read(below) >= MOST_NUMBERS
    if (numeric and _read(first).any()) or not (numeric or below.n_unique() <= REPEATED * len(below)):
        return False
    asked = 0
    for fields in columns:
        known = fields[n:].drop_nulls()
        if len(known) < FEWEST_ROWS or _share_read(known) < MOST_NUMBERS:
            continue
        own = fields[:n]
        if (
            own.null_count()
            or _read(own).any()
            or own.is_in(known.to_list()).any()
            or filler_words(own.to_list())
        ):
            return False
        asked += 1
    return asked > 0


def _read(fields: pl.Series) -> pl.Series:
    return looks_like_number(fields) | looks_like_date(fields)


def _share_read(known: pl.Series) -> float:
    return float(_read(known).sum()) / len(known)
