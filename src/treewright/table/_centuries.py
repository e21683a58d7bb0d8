"""Dates whose year has two digits: those from 69 to 99 are in the 20th century, all others in the 21st, as in POSIX.

Dates of birth from 1940 on would so be from 1969 to 2068: 1945 would be later than 1975. Such a column spans nearly
a century and reaches into the future, which no other one does that is written so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright.table._faults import ColumnFault

if TYPE_CHECKING:
    import polars as pl

__all__ = ["are_two_centuries", "refuse_two_centuries", "short_years", "two_centuries"]

SHORT = r"[^0-9:][0-9]{2}(?:[ T][0-9].*)?$"  # 3/4/45, 04-MAR-45, 3/4/45 10:30
LONG = r"[0-9]{4}"
TURN, LATE = 2000, 2030  # years
WIDE = 60  # years: contracts of 1998 that end in 2045 are not as wide


def short_years(fields: pl.Series) -> pl.Series:
    """Return for each field, which is a date or null, whether its year has two digits.

    Examples
    --------
    >>> import polars
    >>> short_years(polars.Series(["3/4/45", "04-MAR-45", "3/4/45 10:30", "2045-03-04", None])).to_list()
    [True, True, True, False, False]
    """
    return (fields.str.contains(SHORT) & ~fields.str.contains(LONG)).fill_null(False)


def refuse_two_centuries(name: str, subject: str, fields: pl.Series, days: NDArray[np.datetime64]) -> None:
    """Raise an error if years of two digits are most likely of the 20th century, but are read as of the 21st.

    Parameters
    ----------
    name : str
        Name of the column.
    subject : str
        The column and its file, as the subject of the message.
    fields : Series
        Fields as the file writes them; null is missing.
    days : ndarray of shape (n_rows,), datetime64[D]
        The dates that they are read as.

    Raises
    ------
    ColumnFault
        The message names the first and the last of these dates.

    Examples
    --------
    >>> import polars
    >>> born = np.array(["1975-03-04", "2045-03-04"], dtype="datetime64[D]")
    >>> refuse_two_centuries("born", "Column 'born'", polars.Series(["3/4/75", "3/4/45"]), born)
    Traceback (most recent call last):
    treewright.table._faults.ColumnFault: Column 'born' writes years with two digits, ...
    """
    rows = np.flatnonzero(short_years(fields).to_numpy() & ~np.isnat(days))
    if not len(rows):
        return
    ends = [int(rows[days[rows].argmin()]), int(rows[days[rows].argmax()])]
    if are_two_centuries(*(days[row].astype("datetime64[Y]").astype(int) + 1970 for row in ends)):
        first, last = (f"{fields[row]!r} would be {days[row]}" for row in ends)
        raise two_centuries(name, subject, f"{first}, and {last}")


def are_two_centuries(first: float, last: float) -> bool:
    """Whether the first and the last year of a column with two-digit years are most likely of one century.

    Examples
    --------
    >>> are_two_centuries(1969, 2068), are_two_centuries(1998, 2045), are_two_centuries(1969, 2026)
    (True, False, False)
    """
    return first < TURN and last >= LATE and last - first >= WIDE


def two_centuries(name: str, subject: str, read: str) -> ColumnFault:
    """Return the error about such a column; `read` says how its fields would be read."""
    return ColumnFault(
        f"{subject} writes years with two digits, which are read as 1969 to 2068: {read}. If all are of one century, "
        "as dates of birth are, this is wrong: write the years with four digits in the file, or leave the column out. "
        "If one of these dates means 'unknown' or 'for ever', add it to the missing values.",
        name,
        "ignore",
    )
