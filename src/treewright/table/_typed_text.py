"""Convert Parquet and Arrow files to columns of text, so that every command reads them by the rules of CSV files.

One set of rules for all files is worth the detour: percentages, dates and codes that were saved as text are recognized
in a Parquet file as in a CSV file. Information in the types is kept: numbers are written with a decimal point and
without thousands separators, whole numbers without decimals, dates with the year first, and ordered categories keep
their order. Numbers are unchanged to the last bit, because the shortest text of a double is read as that double.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from treewright.errors import InputError
from treewright.table._text_columns import CsvText

if TYPE_CHECKING:
    import polars as pl

__all__ = ["is_typed_file", "text_of_typed_file"]

PARQUET, ARROW = b"PAR1", b"ARROW1"
# Three digits after a point could be thousands; with a fourth digit, a zero, the number has only one reading.
THREE_DECIMALS, FOUR_DECIMALS = r"^(-?\d+\.\d{3})$", "${1}0"
MOST_CELLS = 1 << 27  # most cells to read at once: a small file may repeat a value billions of times


def is_typed_file(data: bytes) -> bool:
    """Whether the bytes are those of a Parquet or an Arrow (Feather) file."""
    return data[:4] == PARQUET or data[:6] == ARROW


def text_of_typed_file(data: bytes, where: str) -> CsvText:
    """Read a Parquet or Arrow file; columns that cannot be written as text, such as lists, are listed in `refused`.

    Parameters
    ----------
    data : bytes
    where : str
        Name of the file, for messages.

    Returns
    -------
    CsvText

    Raises
    ------
    InputError
        If the file is damaged, has no rows or no columns, or too many cells to be read at once.
    """
    import polars as pl

    scan, kind = (pl.scan_parquet, "Parquet") if data[:4] == PARQUET else (pl.scan_ipc, "Arrow")
    try:
        content = scan(io.BytesIO(data))
        n_rows, n_columns = content.select(pl.len()).collect().item(), len(content.collect_schema())
        if n_rows * n_columns > MOST_CELLS:
            raise InputError(
                f"{where} holds {n_rows:,} rows of {n_columns} columns, too many to read at once. Save a sample of its "
                "rows; `fit --shard-rows 100000` reads a Parquet file in pieces."
            )
        frame = content.collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{where} cannot be read as {kind}: {error}.") from None
    if 0 in frame.shape:
        raise InputError(f"{where} has no {'columns' if frame.width == 0 else 'rows'}.")
    columns, refused, order = [], {}, {}
    for name, series in zip(frame.columns, frame.get_columns(), strict=True):
        fields = _as_text(series)
        if fields is None:
            refused[name] = _refusal(name, where, series.dtype)
        if isinstance(series.dtype, pl.Enum) and len(series.dtype.categories) > 1:
            order[name] = tuple(series.dtype.categories.to_list())
        columns.append(
            pl.Series(name, [None], dtype=pl.String).new_from_index(0, len(series))
            if fields is None
            else fields
        )
    lines = np.arange(1, len(frame) + 1, dtype=np.int64)
    return CsvText(tuple(frame.columns), tuple(columns), lines, ",", refused=refused, order=order)


def _as_text(series: pl.Series) -> pl.Series | None:
    """Return a column as the text that a CSV file would contain; None if it cannot be written as text."""
    import polars as pl

    dtype = series.dtype
    if dtype.is_float() or dtype.is_decimal():
        return _numbers_as_text(series.cast(pl.Float64))
    if dtype == pl.Datetime:
        return _times_as_text(series.dt.replace_time_zone(None))
    if dtype.is_nested() or dtype in (pl.Duration, pl.Binary, pl.Object):
        return None
    return series.cast(pl.String)


def _numbers_as_text(numbers: pl.Series) -> pl.Series:
    import polars as pl

    numbers = numbers.fill_nan(None)
    known = numbers.drop_nulls()
    if len(known) and (known == known.floor()).all() and known.abs().max() < 2**53:  # type: ignore[operator]
        return numbers.cast(pl.Int64).cast(pl.String)
    return numbers.cast(pl.String).str.replace(THREE_DECIMALS, FOUR_DECIMALS)


def _times_as_text(moments: pl.Series) -> pl.Series:
    """Return dates without time if all times are midnight, because programs save dates in this way."""
    known = moments.drop_nulls()
    midnights = bool((known.dt.truncate("1d") == known).all())
    return moments.dt.to_string("%Y-%m-%d" if midnights else "%Y-%m-%d %H:%M:%S")


def _refusal(name: str, where: str, dtype: pl.DataType) -> str:
    import polars as pl

    if dtype == pl.Duration:
        what = "durations. Save them as numbers of one unit, such as days"
    elif dtype in (pl.List, pl.Array):
        what = "lists. Save a yes/no column of each answer"
    elif dtype == pl.Struct:
        what = "several fields in one. Save each as a column of its own"
    else:
        what = f"cells of type {dtype}. Save them as text or numbers"
    return f"Column {name!r} of {where} holds {what}, or ignore the column."
