"""Lines of a file that are not rows of the table: titles above the header, units below it, totals at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from treewright._plural import count_of, some_of
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
    "are_units",
    "refuse_headers_below",
    "refuse_titles",
    "refuse_totals",
    "refuse_units",
]

MOST_TITLES = 20  # most lines of titles above the header
FEWEST_ABOVE_A_TOTAL = 20  # fewest rows above a line of totals
MOST_REMARKS = 10  # most rows below a line of totals
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
TOTALS = frozenset(  # in common languages; sums of the numbers above are found without a word
    word.strip()
    for word in """
    total, totals, grand total, grand totals, subtotal, subtotals, sum, sums, summe, summen, gesamt, gesamtsumme,
    gesamttotal, zwischensumme, insgesamt, totaux, total général, total general, total geral, totale, totale generale,
    somme, suma, soma, totaal, summa, totalt, i alt, razem, ogółem, łącznie, celkem, spolu, összesen, yhteensä, toplam,
    итого, всего, разом, усього, σύνολο, jumlah, tổng, tổng cộng, 合計, 総計, 小計, 合计, 总计, 總計, 합계, 총계
    """.casefold().split(",")
)
NO_AMOUNT = re.compile(r"[^0-9.,+\-\u2212]+")  # blanks, currencies and units
FEW_ADDENDS, MANY_ADDENDS = (
    5,
    10,
)  # numbers above 0 that add up to the last one, in two columns or in a single one
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
    where: str, columns: Sequence[pl.Series], lines: NDArray[np.int64], without_label: bool = False
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

    Raises
    ------
    InputError
        If the first row is a line of units; the message names the line to delete.
    """
    if len(lines) < 3:
        return
    asked = [fields for fields in columns if fields[0] is not None and not filler_words([fields[0]])]
    firsts = _are_read([fields[:1] for fields in asked])
    if all(read.all() for read in firsts):
        return
    belows = [fields[1:].drop_nulls() for fields in asked]
    words, others = [], 0
    for fields, first, below, read in zip(asked, firsts, belows, _are_read(belows), strict=True):
        if not len(below) or read.sum() < MOST_NUMBERS * len(below):
            continue
        if first.any() or fields[0] in below:
            others += 1
        else:
            words.append(fields[0])
    told = list(dict.fromkeys(words))
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


def refuse_totals(
    where: str, names: Sequence[str], columns: Sequence[pl.Series], lines: NDArray[np.int64]
) -> None:
    """Raise an error for a last row that holds totals: its numbers are the sums of those above, or a word says so.

    The word counts if a field of the row is empty and no row above has it in its column. Below the row there may be
    others with at most one field: blank ones, and remarks such as the source.

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
        If there is a line of totals; the message names the lines to delete.
    """
    n_rows = len(lines)
    for row in range(n_rows - 1, max(n_rows - 1 - MOST_REMARKS, FEWEST_ABOVE_A_TOTAL - 2), -1):
        last = [(column[row] or "").strip() for column in columns]
        for column, word in zip(columns, last, strict=True):
            if (
                word.rstrip(" :：").casefold() in TOTALS
                and "" in last
                and not (column[:row].str.strip_chars() == word).any()
            ):
                raise FileFault(
                    f"{where}: line {lines[row]} holds {word!r} and empty fields: it seems to be a line of totals, not "
                    f"a row. Delete it{_below(n_rows - 1 - row)}.",
                    "totals",
                    text_without(lines[row:].tolist()),
                )
        if sum(map(bool, last)) > 1:
            if sums := _sums(names, columns, row):
                raise FileFault(
                    f"{where}: line {lines[row]} holds the sum of all rows above it, in {some_of(sums)}: it seems to "
                    f"be a line of totals, not a row. Delete it{_below(n_rows - 1 - row)}.",
                    "totals",
                    text_without(lines[row:].tolist()),
                )
            return


def _below(n_rows: int) -> str:
    return f" and the {count_of(n_rows, 'line')} below it" if n_rows else ""


def _sums(names: Sequence[str], columns: Sequence[pl.Series], row: int) -> list[str]:
    """Return the columns whose number in a row is the sum of all above; none if that may be chance.

    No number above is negative, so the sum is that of all of them by chance only where nearly all are 0.
    """
    found = {
        name: max(_addends(column, row, decimal) for decimal in ".,")
        for name, column in zip(names[:MOST_COLUMNS], columns[:MOST_COLUMNS], strict=True)
    }
    sums = [name for name, addends in found.items() if addends >= FEW_ADDENDS]
    return sums if len(sums) > 1 or max(found.values()) >= MANY_ADDENDS else []


def _addends(column: pl.Series, row: int, decimal: str) -> int:
    """Return how many numbers above 0 add up to that of a row; 0 if they do not, or if the column holds something else.

    Read row by row: in nearly every column a few rows suffice.
    """
    total = _amount(column[row], decimal)
    if total is None or total <= 0:
        return 0
    places = len(str(column[row]).rpartition(decimal)[2]) if decimal in str(column[row]) else 0
    rounding = 0.5 * 10.0**-places + 1e-9 * total
    above, numbers, addends, others = 0.0, 0, 0, 0
    for part in (column[:FEWEST_ABOVE_A_TOTAL], column[FEWEST_ABOVE_A_TOTAL:row]):
        for field in part.to_list():
            amount = _amount(field, decimal)
            if amount is None:
                others += bool((field or "").strip())
                continue
            above += amount
            if amount < 0 or above > total + rounding:
                return 0
            numbers += 1
            addends += amount > 0
    return addends if abs(above - total) <= rounding and numbers >= MOST_NUMBERS * (numbers + others) else 0


def _amount(field: str | None, decimal: str) -> float | None:
    """Return a number with the given decimal mark, whatever its currency, its unit and its marks between thousands."""
    plain = NO_AMOUNT.sub("", field or "").replace("\u2212", "-").replace("," if decimal == "." else ".", "")
    try:
        return float(plain.replace(",", "."))
    except ValueError:
        return None


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
