"""Columns of dates in typed sources, files and streams: the same numbers as in a file that is read whole."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.errors import InputError
from treewright.sources._source import Piece, Roles, piece_of_frame
from treewright.table import DateFormat, DateSpan, dates_of, expand_dates, note_on_dates

__all__ = ["formats_of_dates", "piece_with_dates", "without_missing_dates"]


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
        From the number of a file and names of its columns to its rows, in eager frames.
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


def piece_with_dates(
    frame: Any,
    roles: Roles,
    origin: str,
    formats: Mapping[str, DateFormat],
    missing: Callable[[str], Iterable[str]],
) -> Piece:
    """Read some rows of an eager frame, with the parts of dates in the place of each column of dates.

    Parameters
    ----------
    frame : frame of pandas, polars or pyarrow
    roles : Roles
    origin : str
        Where the rows come from, for messages.
    formats : mapping of str to DateFormat
        Of the columns of dates.
    missing : callable
        From a column to the texts that mean missing in it.
    """
    own = {name: written for name, written in formats.items() if name not in roles.apart}
    piece = piece_of_frame(
        _with_parts(without_missing_dates(frame, missing), own, origin) if own else frame, roles, origin
    )
    notes = () if roles.only is not None else tuple(note_on_dates(*item) for item in own.items())
    return replace(piece, notes=notes)


def _with_parts(frame: Any, formats: Mapping[str, DateFormat], origin: str) -> Any:
    """Return a frame with the parts of dates; columns of another type stay as they are."""
    import narwhals as nw

    given = nw.from_native(frame, eager_only=True)
    columns = []
    for name in given.columns:
        one = given.select(name)
        if name in formats:
            parts = list(formats[name].names(name).values())
            if dates_of(one[name]) is not None:
                one = nw.from_native(expand_dates(one.to_native(), like=parts), eager_only=True)
            elif one[name].is_null().all():  # and so without a type
                one = one.with_columns(nw.lit(np.nan, nw.Float64).alias(part) for part in parts).drop(name)
        columns += list(one.iter_columns())
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        raise InputError(
            f"{origin} has a column with the same name as a part of one of its dates; rename that column, so that a "
            "split can name its column."
        )
    return given.select(*columns).to_native()


def without_missing_dates(frame: Any, codes: Callable[[str], Iterable[str]]) -> Any:
    """Return a frame in which the dates that stand for a missing one, such as 9999-12-31, are missing.

    Parameters
    ----------
    frame : frame of pandas, polars or pyarrow
    codes : callable
        From a column to the texts that mean missing in it; those that are no dates do not matter.
    """
    import narwhals as nw

    given = nw.from_native(frame, eager_only=True)
    changed: list[Any] = []
    for name, dtype in given.schema.items():
        is_date = dtype in (nw.Date, nw.Datetime)
        moments = list(filter(None, map(_moment, codes(name)))) if is_date or dtype == nw.Object else []
        if moments and is_date:
            column = nw.col(name)
            local = column.dt.replace_time_zone(None) if dtype == nw.Datetime else column
            odd = local.cast(nw.Datetime("us")).is_in(moments)
            changed.append(nw.when(~odd).then(column).alias(name))
        elif moments:  # Python's dates perhaps, in a frame of pandas
            cells = [None if _moment(str(cell)) in moments else cell for cell in given[name].to_list()]
            backend, index = nw.get_native_namespace(given), nw.maybe_get_index(given)
            changed.append(
                nw.maybe_set_index(nw.new_series(name, cells, nw.Object, backend=backend), index=index)
            )
    return given.with_columns(*changed).to_native() if changed else frame


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
