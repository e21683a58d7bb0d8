"""Read a file like an earlier one: what a call does not specify is taken from the earlier reading."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from treewright.errors import InputError
from treewright.table._csv_text import read_text
from treewright.table._fields import FieldReader
from treewright.table._formats import MISSING_VALUES, DateFormat, Reading, joined_missing
from treewright.table._text_columns import CsvText

__all__ = ["field_reader", "read_with", "reading_of"]


def read_with(
    reading: Reading | None,
    path: str | Path,
    separator: str | None,
    encoding: str | None,
    names: Sequence[str],
    faults: list[InputError] | None = None,
) -> CsvText:
    """Read a file as text with the earlier separator if that gives the required columns; else detect it again."""
    if reading is None or separator is not None:
        known = encoding or (None if reading is None else reading.encoding)
        return read_text(path, separator, known, faults, names)
    try:
        text = read_text(path, reading.separator, encoding or reading.encoding, expected=names)
        if all(name in text.index for name in names):
            return text
    except InputError:
        pass
    try:
        return read_text(path, None, encoding or reading.encoding)
    except InputError:
        if names:
            raise
    return read_text(path, reading.separator, encoding or reading.encoding, expected=None)


def field_reader(
    text: CsvText,
    where: str,
    reading: Reading | None,
    *,
    missing_values: Sequence[str] | None,
    decimal_comma: bool | None,
    day_first: bool | None,
    words: Mapping[str, Mapping[str, str]] | None,
    missing_in: Mapping[str, Sequence[str]] | None,
    numeric: Collection[str],
    merged: Collection[str] = (),
    decimal_in: Mapping[str, str] | None = None,
    dates: Mapping[str, DateFormat] | None = None,
) -> FieldReader:
    """Return the reader of the columns of a file; arguments as in `load_csv` and `FieldReader`."""
    if missing_values is None:
        missing_values = MISSING_VALUES if reading is None else reading.missing_values
    return FieldReader(
        text,
        missing_values,
        where,
        decimal=None if decimal_comma is None else (",", ".")[not decimal_comma],
        day_first=day_first,
        known=reading,
        numeric=numeric,
        words={**({} if reading is None else reading.words), **(words or {})},
        merged=merged,
        missing_in=joined_missing({} if reading is None else reading.missing_in, missing_in or {}),
        decimal_in=decimal_in,
        dates=dates,
    )


def reading_of(text: CsvText, reader: FieldReader, before: Reading | None) -> Reading:
    decimal = next(iter(reader.decimals)) if len(reader.decimals) == 1 else None
    if before is not None:
        decimal = before.decimal
    kept = {} if before is None else dict(before.columns)
    labels = {} if before is None else before.labels
    words = {} if before is None else dict(before.words)
    words |= {name: names for name, names in reader.words_read.items() if names}
    return Reading(
        text.separator,
        text.encoding,
        reader.missing_values,
        decimal,
        {**kept, **reader.formats},
        labels,
        words,
        reader.missing_in,
    )
