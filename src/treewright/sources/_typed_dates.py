"""Columns of dates in Parquet files: the same numbers as those that are made of dates in a file that is read whole."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from treewright.errors import InputError
from treewright.table import DateFormat, DateSpan, expand_dates, note_on_dates

__all__ = ["formats_of_dates", "notes_on_dates", "with_parts_of_dates", "without_missing_dates"]


def formats_of_dates(
    files: Sequence[str],
    schemas: Sequence[Mapping[str, Any]],
    frames: Callable[[int, list[str]], Iterable[Any]],
    apart: Collection[str],
    categorical: Collection[str],
) -> dict[str, DateFormat]:
    """Return the format of each column of dates over all files: the parts that vary, and the latest date.

    Parameters
    ----------
    files : sequence of str
        Their names, for messages.
    schemas : sequence of polars.Schema
    frames : callable
        From the number of a file and names of its columns to its rows, in frames of polars.
    apart : collection of str
        Columns that are not read as dates.
    categorical : collection of str
        Columns that were declared categorical.

    Raises
    ------
    InputError
        A column holds dates in one file and something else in another, or was declared categorical.
    """
    dates_in: dict[str, str] = {}
    others_in: dict[str, str] = {}
    for file, schema in zip(files, schemas, strict=True):
        for name, dtype in schema.items():
            if name in categorical and name not in apart and _is_date(dtype):
                raise InputError(
                    f"{file}: Column {name!r} holds dates, and in typed files that are read in pieces these are no "
                    "categories. Save it as text; or do not declare it categorical, and it is read as year, month and "
                    "age in days."
                )
            if name not in apart and _is_date(dtype):
                dates_in.setdefault(name, file)
            elif name not in apart and not _is_empty(dtype):
                what = "numbers" if dtype.is_numeric() else f"cells of type {dtype}"
                others_in.setdefault(name, f"{what} in {file}")
    for name, file in dates_in.items():
        if name in others_in:
            raise InputError(
                f"Column {name!r} holds dates in {file}, but {others_in[name]}. Make it dates everywhere, or "
                "leave it out."
            )
    spans = {name: DateSpan() for name in dates_in}
    for k, schema in enumerate(schemas):
        own = [name for name in spans if name in schema and _is_date(schema[name])]
        for frame in frames(k, own) if own else ():
            for name in own:
                spans[name].add_frame(frame, name)
    return {name: span.format("ymd", "-") for name, span in spans.items()}


def with_parts_of_dates(frame: Any, formats: Mapping[str, DateFormat], origin: str) -> Any:
    """Return a frame with the parts of dates in the place of each column of dates.

    Parameters
    ----------
    frame : polars.DataFrame
    formats : mapping of str to DateFormat
        By column; columns of another type stay as they are.
    origin : str
        Where the rows come from, for messages.
    """
    import polars as pl

    if not formats:
        return frame
    columns = []
    for name, dtype in frame.schema.items():
        one = frame.select(name)
        if name in formats and (_is_date(dtype) or _is_empty(dtype)):
            dates = one.cast({name: pl.Date}) if _is_empty(dtype) else one
            one = expand_dates(dates, like=list(formats[name].names(name).values()))
        columns += one.get_columns()
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        raise InputError(
            f"{origin} has a column with the same name as a part of one of its dates; rename that column, so that a "
            "split can name its column."
        )
    return pl.DataFrame(columns)


def without_missing_dates(frame: Any, codes: Callable[[str], Iterable[str]]) -> Any:
    """Return a frame in which the dates that stand for a missing one, such as 9999-12-31, are missing.

    Parameters
    ----------
    frame : polars.DataFrame
    codes : callable
        From a column to the texts that mean missing in it; those that are no dates do not matter.
    """
    import polars as pl

    changed = []
    for name, dtype in frame.schema.items():
        moments = list(filter(None, map(_moment, codes(name)))) if _is_date(dtype) else []
        if moments:
            column = pl.col(name)
            local = column.dt.replace_time_zone(None) if dtype == pl.Datetime else column
            odd = local.cast(pl.Datetime("us")).is_in(moments)
            changed.append(pl.when(odd).then(None).otherwise(column).alias(name))
    return frame.with_columns(changed) if changed else frame


def notes_on_dates(formats: Mapping[str, DateFormat]) -> Iterator[str]:
    """Yield what is to be said about the columns of dates."""
    for name, written in formats.items():
        yield note_on_dates(name, written)


def _moment(text: str) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None


def _is_date(dtype: Any) -> bool:
    import polars as pl

    return dtype in (pl.Date, pl.Datetime)


def _is_empty(dtype: Any) -> bool:
    """Whether a column has no type, because its file holds no value of it."""
    import polars as pl

    return bool(dtype == pl.Null)
