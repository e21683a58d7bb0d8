"""Lines of a file that add up others: totals at the end, and subtotals between the rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from treewright._plural import count_of, some_of
from treewright.table._file_faults import FileFault, text_without
from treewright.table._title_lines import MOST_COLUMNS, MOST_NUMBERS

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["refuse_subtotals", "refuse_totals"]

FEWEST_ABOVE_A_TOTAL = 20  # fewest rows above a line of totals
GLANCE = 1000  # first fields to examine
MOST_LACKING = 0.1  # largest share of empty fields in a column that subtotals leave empty
MOST_REMARKS = 10  # most rows below a line of totals
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
FEW_ADDENDS = 5  # numbers above 0 that add up to the last one, in two columns
MANY_ADDENDS = 10  # the same in a single one
SUBTOTAL = (
    r"^(?:sub-?totals?|zwischensumme|teilsumme|sous-total|subtotaal|subtotale|suma częściowa)(?:[ :].*)?$"
)
OF_GROUP = re.compile(  # "Total North", and as spreadsheets write it: "North Total", "Nord Ergebnis"
    r"^(?:(?:total|summe)[ :]+(?:of |for |der |des )?(?P<after>.+)|(?P<before>.+) (?:total|ergebnis|summe))$",
    re.IGNORECASE,
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


def refuse_subtotals(where: str, columns: Sequence[pl.Series], lines: NDArray[np.int64]) -> None:
    """Raise an error for rows between the others that hold "Subtotal", or "North Total" in a column that holds "North".

    Parameters
    ----------
    where : str
        Name of the file.
    columns : sequence of polars.Series of strings
        Fields of the columns.
    lines : ndarray of shape (n_rows,)
        Line of the file on which each row starts.

    Raises
    ------
    InputError
        If there are subtotals; the message names the lines to delete.
    """
    for column in columns if len(columns) > 1 else ():
        if not _may_hold_subtotals(column):
            continue
        fields = column.str.strip_chars()
        known = dict(fields.str.to_lowercase().value_counts(name="rows").iter_rows())
        sums = {word: _sums_up(word, known) for word in fields.drop_nulls().unique().to_list()}
        found = fields.is_in([word for word, how in sums.items() if how]).fill_null(False).to_numpy()
        if not found.any() or 2 * found.sum() > len(found):
            continue
        sure = (
            fields.is_in([word for word, how in sums.items() if how == "group"]).fill_null(False).to_numpy()
        )
        own = lines[sure | (found & _lack_a_field(columns, found))].tolist()
        if own:
            first = fields[int(np.flatnonzero(lines == own[0])[0])]
            shown = ", ".join(map(str, own[:5])) + (", ..." if own[5:] else "")
            one = len(own) == 1
            like = "" if one else " and the like"
            seems = "it seems to be a line" if one else "they seem to be lines"
            raise FileFault(
                f"{where}: line{'' if one else 's'} {shown} hold{'s' if one else ''} {first!r}{like}: {seems} of "
                f"subtotals, not {'a row' if one else 'rows'}. Delete {'it' if one else 'them'}.",
                "subtotals",
                text_without(own),
            )


def _may_hold_subtotals(column: pl.Series) -> bool:
    """Whether some field has the form of a subtotal; numbers are passed over at a glance, because rows may be many."""
    head = column.head(GLANCE)
    if head.cast(float, strict=False).null_count() == head.null_count():
        return False
    words = column.unique()
    found = words.filter(words.str.contains(r"(?i)tota|summe|ergebnis|suma ")).str.strip_chars()
    return any(OF_GROUP.match(word) or re.match(SUBTOTAL, word, re.IGNORECASE) for word in found)


def _sums_up(word: str, known: Mapping[str | None, int]) -> str:
    """Return how a field says that its row sums up others: "group" (of a name that repeats), "word", or "" if not.

    `known` has the number of rows of each field of the column in small letters. A surgery can be "subtotal", and
    "Total Corn Flakes" are a product beside "Corn Flakes", so a word alone is no proof.
    """
    found = OF_GROUP.match(word)
    rows = 0 if found is None else known.get((found["after"] or found["before"]).lower(), 0)
    if rows > 1:
        return "group"
    return "word" if rows or re.match(SUBTOTAL, word, re.IGNORECASE) else ""


def _lack_a_field(columns: Sequence[pl.Series], rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the rows with an empty field in a column that nearly all rows outside of `rows` fill in."""
    lacking = np.zeros(len(rows), dtype=np.bool_)
    for column in columns:
        empty = (column.fill_null("").str.strip_chars() == "").to_numpy()
        if empty[rows].any() and empty[~rows].sum() <= MOST_LACKING * (~rows).sum():
            lacking |= empty
    return lacking
