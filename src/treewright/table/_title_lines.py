"""Lines of a file that are not rows of the table: titles above the header, units and a second header below it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from treewright.table._dates import looks_like_date
from treewright.table._file_faults import FileFault, text_without
from treewright.table._fillers import filler_words
from treewright.table._formats import CURRENCIES
from treewright.table._measures import MEASURES, parts_of_unit
from treewright.table._numbers import looks_like_number

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = [
    "MOST_COLUMNS",
    "MOST_NUMBERS",
    "are_units",
    "refuse_headers_below",
    "refuse_titles",
    "refuse_units",
]

MOST_TITLES = 20  # most lines of titles above the header
MOST_EMPTY = 0.5  # largest share of empty fields in a header
MOST_NUMBERS = 0.8  # share of numbers among the fields of a numeric column
MOST_COLUMNS = 500  # number of columns that are examined for a line of units
TYPES = frozenset(
    """
    int integer float double real decimal numeric numerical text string str char varchar bool boolean date datetime
    timestamp datum zahl continuous discrete nominal ordinal quantity
    dd.mm.yyyy tt.mm.jjjj yyyy-mm-dd dd-mm-yyyy mm-dd-yyyy dd/mm/yyyy mm/dd/yyyy
    """.casefold().split()
)
UNITS = MEASURES | TYPES | {"%"} | {currency.casefold() for currency in CURRENCIES}
BRACKETED = re.compile(
    r"^(?:\[[1-]?\]|[\[(][^\[\]()]*[^\W\d_%][^\[\]()]*[\])]|[\[(][^\w\s\[\]()]{1,2}[\])])$"
)


def refuse_titles(
    where: str, names: Sequence[str], columns: Sequence[pl.Series], lines: NDArray[np.int64]
) -> None:
    """Raise an error for a first line that is mostly empty if a full one follows: it is a title above the header.

    Parameters
    ----------
    where : str
        Name of the file.
    names : sequence of str
        Fields of the first line; ``unnamed_3`` stands for an empty third one.
    columns : sequence of polars.Series of strings
        Columns of the fields below the first line.
    lines : ndarray of shape (n_rows,)
        Line of the file on which each row starts.

    Raises
    ------
    InputError
        If the first line is a title; the message names the lines to delete.
    """
    named = sum(name != f"unnamed_{j}" for j, name in enumerate(names, start=1))
    if len(names) - named < max(2, MOST_EMPTY * len(names)):
        return
    looked_at = range(min(MOST_TITLES, len(lines)))
    filled_fields = [sum(bool((column[row] or "").strip()) for column in columns) for row in looked_at]
    width = max(filled_fields, default=0)  # columns at the right may be empty throughout
    if width - named < max(2, MOST_EMPTY * width):
        return
    for row, filled in zip(looked_at, filled_fields, strict=True):
        if filled >= width - 1:
            raise FileFault(
                f"{where}: the first line fills {named} of its {len(names)} fields, as a title above the header does; "
                f"line {lines[row]} fills {filled}. If that is the header, delete the lines above it; otherwise name "
                "all columns in the first line.",
                "title",
                text_without(range(1, int(lines[row]))),
            )


def refuse_units(
    where: str,
    columns: Sequence[pl.Series],
    lines: NDArray[np.int64],
    without_label: bool = False,
    names: Sequence[str] = (),
) -> None:
    """Raise an error for a first row of units or types above columns of numbers and dates: a second header line.

    A first row of other words may be a row of the table: the reader of each column decides.

    Parameters
    ----------
    where : str
        Name of the file.
    columns : sequence of polars.Series of strings
        First fields of the columns that may be read as numbers or dates, stripped; null is missing.
    lines : ndarray of shape (n_rows,)
        Line of the file on which each row starts.
    without_label : bool, default=False
        Whether the first row has no label, although other rows have one.
    names : sequence of str, default=()
        Names of the columns: under a header of merged cells, with columns that have no name, words are a second header.

    Raises
    ------
    InputError
        If the first row is a line of units, or a second header line; the message names the line to delete.
    """
    if len(lines) < 3:
        return
    places = [
        j for j, fields in enumerate(columns) if fields[0] is not None and not filler_words([fields[0]])
    ]
    asked = [columns[j] for j in places]
    firsts = _are_read([fields[:1] for fields in asked])
    if all(read.all() for read in firsts):
        return
    belows = [fields[1:].drop_nulls() for fields in asked]
    words, others, nameless = [], 0, 0
    for j, fields, first, below, read in zip(places, asked, firsts, belows, _are_read(belows), strict=True):
        if not len(below) or read.sum() < MOST_NUMBERS * len(below):
            continue
        if first.any() or fields[0] in below:
            others += 1
        else:
            words.append(fields[0])
            nameless += bool(names) and names[j].startswith("unnamed_")
    told = list(dict.fromkeys(words))
    if nameless and len(words) > max(1, others) and not are_units(told):
        shown = ", ".join(f"{word[:20]!r}" for word in told[:4])
        raise FileFault(
            f"{where}: line {lines[0]} holds {shown} in columns that hold numbers or dates below it, and some of these "
            "columns have no name in the line above: it seems to be a second header line. Write one header line that "
            "names every column, and delete this one.",
            "units",
        )
    if len(words) <= others or not (are_units(told) or (without_label and len(words) > max(1, others))):
        return
    shown = ", ".join(f"{word[:20]!r}" for word in told[:4])
    them, which = ("it", "the column") if len(words) == 1 else ("them", "these columns")
    raise FileFault(
        f"{where}: line {lines[0]} holds {shown} in columns that hold numbers or dates below it. If it is a line of "
        f"units, delete it; if it is a row, add {them} to the missing values, or declare {which} categorical.",
        "units",
    )


def _are_read(columns: Sequence[pl.Series]) -> list[pl.Series]:
    """Return for each field of each column whether it is a number or a date, in one pass because columns are many."""
    import polars as pl

    if not columns:
        return []
    fields = pl.concat(columns)
    read = looks_like_number(fields) | looks_like_date(fields)
    ends = list(accumulate((len(column) for column in columns), initial=0))
    return [read[begin:end] for begin, end in pairwise(ends)]


def refuse_headers_below(
    where: str, names: Sequence[str], columns: Sequence[pl.Series], lines: NDArray[np.int64]
) -> None:
    """Raise an error for rows that repeat the header, as in files that were concatenated.

    Parameters
    ----------
    where : str
        Name of the file.
    names : sequence of str
        Names of the columns.
    columns : sequence of polars.Series of strings
        Fields of the columns.
    lines : ndarray of shape (n_rows,)
        Line of the file on which each row starts.

    Raises
    ------
    InputError
        If rows repeat the header; the message names the lines to delete.
    """
    if len(names) < 2:  # in a single column, a word may be equal to its name
        return
    found = columns[0].str.strip_chars() == names[0]
    for name, column in zip(names[1:], columns[1:], strict=True):
        if not found.any():
            return
        if name.startswith("unnamed_"):
            continue
        found &= column.str.strip_chars() == name
    again = lines[found.fill_null(False).to_numpy()].tolist()
    if again:
        shown = ", ".join(map(str, again[:5])) + (", ..." if again[5:] else "")
        raise FileFault(
            f"{where}: line{'' if len(again) == 1 else 's'} {shown} repeat{'s' if len(again) == 1 else ''} the header. "
            f"Delete {'it' if len(again) == 1 else 'them'}.",
            "header below",
            text_without(again),
        )


def are_units(words: Sequence[str]) -> bool:
    """Whether all words are units or types, and at least one has several letters: single ones have other meanings.

    Examples
    --------
    >>> are_units(["[years]", "mmHg", "kg/m²", "h"]), are_units(["kg", "ICU"]), are_units(["m", "h"])
    (True, False, False)
    """
    return all(map(_is_unit, words)) and any(len(word) > 1 or not word.isalpha() for word in words)


def _is_unit(word: str) -> bool:
    if BRACKETED.match(word):
        return True
    plain = word.casefold()
    if plain[0].isdigit() and not plain.startswith(("1/", "10^")):  # "12 m" is a value
        return False
    return parts_of_unit(plain, UNITS)
