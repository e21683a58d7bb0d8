"""Replace the date columns of a data frame by numeric columns, the same that the command line makes of dates in files.

The names of the new columns contain all that is needed to treat later rows in the same way: the parts of the date, and
the day from which ages are counted. The argument `like` therefore needs only the names that a tree was fitted on.

A time zone is dropped, not converted: the parts are those of the local time in the column.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import kind_of
from treewright.errors import InputError, InputTypeError
from treewright.table._dates import Dates, offered_parts, parts_of
from treewright.table._formats import DATE_PARTS, DateFormat
from treewright.table._raw import quoted

__all__ = ["dates_of", "expand_dates"]


def expand_dates(frame: Any, *, like: Any = None) -> Any:
    """Replace each column of dates by numbers: year, month, weekday, hour, and age in days.

    Parameters
    ----------
    frame : pandas, polars or pyarrow frame of shape (n_rows, n_columns)
        Date columns are those of type datetime (with or without a time zone) or date, pandas periods, and columns of
        Python ``date`` or ``datetime`` objects. All other columns stay unchanged.
    like : frame, Tree, fitted estimator or sequence of str, default=None
        For new rows, the column names that the tree was fitted on, or an object that has them. The same parts are made,
        with ages counted from the same day. None chooses the parts from this frame: every part that is not the same in
        all rows, and always the age, in days before the latest date.

    Returns
    -------
    frame of the same library
        The new columns take the place of each date column, as float64; they are NaN for a missing date. Months count
        from 1, hours from 0, and weekdays from Monday = 1.

    Raises
    ------
    InputError
        If `frame` is not a data frame, a new column would have the name of an existing one, or no name in `like` is a
        part of one of the date columns.

    Notes
    -----
    Without `like`, the day from which ages are counted depends on the rows. A tree therefore refuses new rows that were
    expanded without `like`, because the names of their columns differ. The cost is one pass over each date column.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"opened": pd.to_datetime(["2023-05-01", "2024-02-29", None]), "amount": [3, 1, 2]})
    >>> expanded = expand_dates(X)
    >>> list(expanded.columns)[:3]
    ['opened (year)', 'opened (month)', 'opened (weekday, Monday = 1)']
    >>> expanded["opened (age in days on 2024-02-29)"].tolist()
    [304.0, 0.0, nan]
    >>> new = pd.DataFrame({"opened": pd.to_datetime(["2024-03-01"]), "amount": [5]})
    >>> expand_dates(new, like=expanded)["opened (age in days on 2024-02-29)"].tolist()
    [-1.0]
    """
    import narwhals as nw  # imported only here, because arrays do not need it

    try:
        given = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise InputError(f"frame is {kind_of(frame)}; give a pandas, polars or pyarrow frame.") from None
    known = None if like is None else _names_of(like)
    columns: list[Any] = []
    for j, name in enumerate(given.columns):
        series = given[:, j]
        dates = dates_of(series)
        if dates is None:
            columns.append(series)
            continue
        written = offered_parts(dates, "ymd", "-") if known is None else _format_in(name, known)
        names, backend = written.names(str(name)), nw.get_native_namespace(given)
        for part, values in parts_of(dates, written).items():
            columns.append(nw.new_series(names[part], values, nw.Float64, backend=backend))
    made = [str(series.name) for series in columns]
    twice = sorted({name for name in made if made.count(name) > 1})
    if twice:
        raise InputError(f"Two columns would be called {quoted(twice)}; rename the existing one.")
    if made == [str(name) for name in given.columns]:
        return frame
    index = nw.maybe_get_index(given)
    aligned = [column if index is None else nw.maybe_set_index(column, index=index) for column in columns]
    return given.select(*aligned).to_native()


def dates_of(series: Any) -> Dates | None:
    """Return the dates of a column of a frame, a series of narwhals; None if it does not hold dates."""
    times = _times(series)
    return None if times is None else _dates(times)


def _times(series: Any) -> NDArray[np.datetime64] | None:
    """Return the local date and time of each row, NaT if it is missing; None if the column does not hold dates."""
    import narwhals as nw

    dtype = series.dtype
    if dtype in (nw.Datetime, nw.Date):
        local = series.dt.replace_time_zone(None) if dtype == nw.Datetime else series
        times = np.asarray(local.to_numpy())
        if times.dtype.kind == "M":
            return times.astype("datetime64[s]")
        of_cells = _of_objects(local.to_list())  # columns of Arrow in a pandas frame
        return np.full(len(times), np.datetime64("NaT", "s")) if of_cells is None else of_cells
    native = series.to_native()
    if type(getattr(native, "dtype", None)).__name__ == "PeriodDtype":
        return np.asarray(native.dt.to_timestamp().to_numpy()).astype("datetime64[s]")
    if dtype == nw.Object:
        return _of_objects(series.to_list())
    return None


def _of_objects(cells: Sequence[Any]) -> NDArray[np.datetime64] | None:
    """Return the dates of cells that are all dates or missing; None if another cell occurs, or no date."""
    missing = np.array([_is_missing(cell) for cell in cells])
    known = [cell for cell, absent in zip(cells, missing, strict=True) if not absent]
    if not known or not all(isinstance(cell, datetime.date) for cell in known):
        return None
    times = np.full(len(cells), np.datetime64("NaT"), dtype="datetime64[s]")
    times[~missing] = [
        np.datetime64(cell.replace(tzinfo=None) if isinstance(cell, datetime.datetime) else cell, "s")
        for cell in known
    ]
    return times


def _is_missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ in ("NaTType", "NAType") or cell != cell  # the last one: NaN


def _dates(times: NDArray[np.datetime64]) -> Dates:
    days = times.astype("datetime64[D]")
    hours = (times.astype("datetime64[h]") - days).astype(np.float64)
    return Dates(days, np.where(np.isnat(times), np.nan, hours))


def _names_of(like: Any) -> tuple[str, ...]:
    """Return the column names of a frame, a tree, a fitted estimator or a list."""
    for attribute in ("column_names", "feature_names_in_", "columns"):
        if hasattr(like, attribute):
            like = getattr(like, attribute)
            break
    if isinstance(like, str) or not isinstance(like, Iterable):
        raise InputTypeError(
            f"like is {kind_of(like)}; give a frame, a tree, an estimator or a list of names."
        )
    return tuple(str(getattr(name, "name", name)) for name in like)


def _format_in(column: str, known: Sequence[str]) -> DateFormat:
    """Return the format with the parts of a date column that are among the known names."""
    ages = [re.fullmatch(rf"{re.escape(str(column))} \(age in days on (.*)\)", name) for name in known]
    reference = next((age.group(1) for age in ages if age), "")
    every = DateFormat("ymd", "-", DATE_PARTS, reference).names(str(column))
    offered = tuple(part for part, name in every.items() if name in known)
    if not offered:
        raise InputError(
            f"Column {str(column)!r} holds dates, but none of the columns in like was made from it "
            f"({quoted(known, 20)}). Leave the column out, or pass as like the columns that the tree was fitted on."
        )
    return DateFormat("ymd", "-", offered, reference)
