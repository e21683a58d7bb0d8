"""Dates as people write them, and the numeric columns that are made from them.

As text, a date would be a category with one word per day, which no tree can use. As a date it gives its year, month,
weekday and hour (those that are not the same in all rows) and its age in days, which keeps the order of all dates.
`03/04/2020` has two readings, so the order of day and month needs evidence: a field with a number above 12, or another
column. `2020-04-03` has only one reading, so such fields may be mixed with others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright._plural import list_of
from treewright.table._faults import OpenQuestion
from treewright.table._formats import DATE_PARTS, DateFormat

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Dates",
    "begins_with_year",
    "choose_order",
    "looks_like_date",
    "note_on_dates",
    "offered_parts",
    "order_of",
    "parts_of",
    "read_dates",
]

CLOCK = r"(?:[ T]([0-9]{1,2}):[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
YEAR_FIRST = rf"^([0-9]{{4}})([-/.])([0-9]{{1,2}})[-/.]([0-9]{{1,2}}){CLOCK}"
YEAR_LAST = rf"^([0-9]{{1,2}})([-/.])([0-9]{{1,2}})[-/.]([0-9]{{4}}|[0-9]{{2}}){CLOCK}"
EITHER = rf"(?:{YEAR_FIRST}|{YEAR_LAST})"
PIVOT = 69  # two-digit years from 69 are in the 20th century, as in POSIX
WORDS = {"age": "age in days"}
EPOCH = np.datetime64("1970-01-01", "D")


@dataclass(frozen=True)
class Dates:
    """Days and hours of the fields of a column.

    Parameters
    ----------
    days : ndarray of shape (n_rows,), datetime64[D]
        NaT if the field is missing or not a date.
    hours : ndarray of shape (n_rows,), float64
        NaN if the field has no time of day.
    """

    days: NDArray[np.datetime64]
    hours: NDArray[np.float64]


def looks_like_date(fields: pl.Series) -> pl.Series:
    """Return for each field whether it has the form of a date."""
    return fields.str.contains(EITHER).fill_null(False)


def begins_with_year(fields: pl.Series) -> pl.Series:
    """Return for each field whether it is a date that begins with the year."""
    return fields.str.contains(YEAR_FIRST).fill_null(False)


def order_of(fields: pl.Series) -> tuple[str | None, str]:
    """Return the only order of year, month and day that the known fields allow, and the mark between these.

    A field that begins with the year has only one reading, so it says nothing about the order of the others. The order
    is None if day and month can be read either way, and "" if the fields contradict each other.
    """
    distinct = fields.drop_nulls().unique(maintain_order=True)
    first = distinct.str.contains(YEAR_FIRST)
    if first.all():
        return "ymd", (distinct.str.extract(YEAR_FIRST, 2).drop_nulls().to_list() or [""])[0]
    distinct = distinct.filter(~first)
    marks = set(distinct.str.extract(YEAR_LAST, 2).drop_nulls())
    if len(marks) != 1:
        return "", ""
    mark = marks.pop()
    numbers = [_integers(distinct.str.extract(YEAR_LAST, group)) for group in (1, 3)]
    day_first, month_first = (numbers[1] <= 12).all(), (numbers[0] <= 12).all()
    if not day_first and not month_first:
        return "", mark
    if day_first and month_first:
        return ("dmy" if mark == "." else None), mark  # dates with points have the day first
    return ("dmy" if day_first else "mdy"), mark


def choose_order(
    column: str, example: str, *, told: str | None, elsewhere: str | None, where: str = "the file"
) -> str:
    """Return the order of day and month for a column whose fields allow both.

    Raises
    ------
    OpenQuestion
        If neither the user nor another column decides.
    """
    order = told or elsewhere
    if order is None:
        raise OpenQuestion(
            f"{column} holds dates such as {example!r}, whose day and month could be swapped, and nothing in "
            f"{where} decides. Give day_first=True or day_first=False."
        )
    return order


def read_dates(fields: pl.Series, written: DateFormat) -> Dates:
    """Return days and hours of fields that have this format or begin with the year; other fields become NaT."""
    distinct = fields.drop_nulls().unique(maintain_order=True)
    year, month, day, hour = (_integers(distinct.str.extract(YEAR_FIRST, group)) for group in (1, 3, 4, 5))
    if written.order != "ymd":
        same_mark = (distinct.str.extract(YEAR_LAST, 2) == written.mark).fill_null(False).to_numpy()
        groups = (4, 3, 1, 5) if written.order == "dmy" else (4, 1, 3, 5)
        last = [_integers(distinct.str.extract(YEAR_LAST, group)) for group in groups]
        short = distinct.str.extract(YEAR_LAST, 4).str.len_chars().fill_null(4).to_numpy() == 2
        last[0] = np.where(short, last[0] + np.where(last[0] >= PIVOT, 1900, 2000), last[0])
        year, month, day, hour = (
            np.where(same_mark, own, other) for own, other in zip(last, (year, month, day, hour), strict=True)
        )
    known = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    months = (np.where(known, year - 1970, 0) * 12 + np.where(known, month - 1, 0)).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + np.where(known, day - 1, 0).astype("timedelta64[D]")
    known &= days.astype("datetime64[M]") == months  # 31 April does not exist
    values = np.where(known, (days - EPOCH).astype(np.float64), np.nan)
    hours = np.where(known & (hour >= 0) & (hour < 24), hour.astype(np.float64), np.nan)
    position = fields.replace_strict(distinct, np.arange(len(distinct)), default=None).fill_null(
        len(distinct)
    )
    rows = position.cast(int).to_numpy() if len(distinct) else np.zeros(len(fields), dtype=np.int64)
    of_row = np.append(values, np.nan)[rows]
    missing = np.isnan(of_row)
    day_of_row = EPOCH + np.where(missing, 0, of_row).astype(np.int64).astype("timedelta64[D]")
    day_of_row[missing] = np.datetime64("NaT")
    return Dates(day_of_row, np.append(hours, np.nan)[rows])


def parts_of(dates: Dates, written: DateFormat) -> dict[str, NDArray[np.float64]]:
    """Return the numbers of each part of the dates, NaN for a missing date."""
    days, missing = dates.days, np.isnat(dates.days)
    plain = np.where(missing, EPOCH, days)
    months = plain.astype("datetime64[M]").astype(np.int64)
    number = (plain - EPOCH).astype(np.int64)
    values = {
        "year": months // 12 + 1970,
        "month": months % 12 + 1,
        "weekday": (number + 3) % 7 + 1,  # 1970-01-01 was a Thursday
    }
    if "age" in written.offered:
        values["age"] = (np.datetime64(written.reference, "D") - EPOCH).astype(np.int64) - number
    found = {part: np.where(missing, np.nan, whole.astype(np.float64)) for part, whole in values.items()}
    found["hour"] = np.where(missing, np.nan, dates.hours)
    return {part: found[part] for part in written.offered}


def offered_parts(dates: Dates, order: str, mark: str) -> DateFormat:
    """Return the date format with all parts that are not the same in all rows."""
    known = ~np.isnat(dates.days)
    latest = str(dates.days[known].max()) if known.any() else "1970-01-01"
    every = DateFormat(order, mark, DATE_PARTS, latest)
    offered = tuple(
        part
        for part, values in parts_of(dates, every).items()
        if len(np.unique(values[~np.isnan(values)])) > 1 or part == "age"
    )
    return DateFormat(order, mark, offered, latest)


def note_on_dates(column: str, written: DateFormat, form: str = "") -> str:
    """Return the sentence about a column that was read as dates; `form` says how they are written, if they are text."""
    offered = list_of(WORDS.get(part, part) for part in written.offered)
    read = f"Column {column!r} holds dates{f' ({form})' if form else ''}; splits can use {offered}."
    return f"{read} To keep it as text, declare it categorical." if form else read


def _integers(texts: pl.Series) -> NDArray[np.int64]:
    return texts.cast(int, strict=False).fill_null(-1).to_numpy()
