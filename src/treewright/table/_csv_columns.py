"""Choose the columns of a CSV file to read, for a fit or for the schema of a tree; errors about their names."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from treewright._plural import list_of
from treewright.errors import InputError
from treewright.table._encode import encode_column
from treewright.table._faults import ColumnFault, OpenQuestion, all_or_faults
from treewright.table._fields import FieldReader
from treewright.table._formats import DateFormat, Reading
from treewright.table._from_data import assemble
from treewright.table._raw import RawColumn, quoted
from treewright.table._table import Table
from treewright.table._text_columns import CsvText
from treewright.tree import Column, ColumnKind

__all__ = ["asked_columns", "check_name", "for_fit", "for_schema", "known_names", "parts_by_name"]


def for_fit(
    reader: FieldReader,
    text: CsvText,
    where: str,
    features: Sequence[str],
    categories: set[str],
    order: Mapping[str, tuple[str, ...]],
    faults: list[InputError] | None,
) -> Table:
    """Type all features; all faults are reported together."""

    def read(name: str) -> list[RawColumn]:
        try:
            if name in order:
                return [replace(reader.words(name), order=order[name])]
            return [reader.words(name)] if name in categories else reader.typed(name)
        except ColumnFault:
            raise
        except InputError as error:
            action = "" if isinstance(error, OpenQuestion) else "ignore"
            raise ColumnFault(str(error), name, action) from error

    found = all_or_faults((partial(read, name) for name in features), faults)
    raws = [raw for columns in found for raw in columns]
    if len({raw.name for raw in raws}) < len(raws):
        raise InputError(
            f"{where} has a column with the same name as a part of one of its dates; rename that column, so that a "
            "split can name its column."
        )
    table = assemble(raws) if raws else Table((), np.empty((len(text.lines), 0)))  # all columns have faults
    own = set(features)
    unnamed = tuple(
        f"Column {j} of {where} has no name in the header and is called 'unnamed_{j}'; if it numbers the "
        "rows, ignore it."
        for j, name in enumerate(text.names, start=1)
        if name == f"unnamed_{j}" and name in own
    )
    return Table(table.columns, table.X, (*reader.notes, *table.notes, *unnamed))


def for_schema(
    reader: FieldReader,
    text: CsvText,
    where: str,
    columns: Sequence[Column],
    asked: dict[str, int],
    dated: dict[str, tuple[str, str]],
) -> NDArray[np.float64]:
    """Read the columns that a tree splits on; the other columns of its schema are missing in the table."""
    absent = [name for name in asked if name not in text.index]
    absent = [name for name in absent if dated.get(name, (name, ""))[0] not in text.index]
    if absent:
        bases = list(dict.fromkeys(dated.get(name, (name, ""))[0] for name in absent))
        near = {name: found[0] for name in bases if (found := _near(name, text))}
        pairs = ", ".join(f"{own!r} for {name!r}" for name, own in near.items())
        hint = (
            f" If the file has them under other names ({pairs}), rename them in its header." if near else ""
        )
        raise InputError(
            f"{where} lacks columns that the tree needs: {quoted(bases)}.{hint} It has {known_names(text)}."
        )
    X = np.full((len(text.lines), len(columns)), np.nan, order="F")

    def read(name: str) -> RawColumn:
        if name not in text.index:
            base, part = dated[name]
            assert reader.known is not None  # parts of dates are only known from an earlier reading
            written = reader.known.columns[base]
            assert isinstance(written, DateFormat)  # likewise
            return reader.part_of_date(base, part, written)
        if columns[asked[name]].kind is ColumnKind.CATEGORICAL:
            return reader.words(name)
        return reader.numbers(name)

    def encode(name: str) -> NDArray[np.float64]:
        return encode_column(read(name), columns[asked[name]])

    encoded = all_or_faults(partial(encode, name) for name in asked)
    for place, values in zip(asked.values(), encoded, strict=True):
        X[:, place] = values
    return X


def asked_columns(columns: Sequence[Column] | None, needed: Collection[int] | None) -> dict[str, int]:
    """Return the names of the columns to read, with their positions in the schema."""
    if columns is None:
        return {}
    places = range(len(columns)) if needed is None else sorted(needed)
    return {columns[place].name: place for place in places}


def parts_by_name(reading: Reading | None) -> dict[str, tuple[str, str]]:
    """Return for each column derived from a date its column of dates and its part of the date."""
    if reading is None:
        return {}
    return {
        name: (base, part)
        for base, written in reading.columns.items()
        if isinstance(written, DateFormat)
        for part, name in written.names(base).items()
    }


def check_name(name: str, text: CsvText, where: str) -> None:
    if name in text.index:
        return
    near = _near(name, text)
    hint = f" Did you mean {list_of(map(repr, near), 'or')}?" if near else ""
    single = len(text.names) == 1
    more = (
        f" With separator {text.separator!r} there is a single column; is it another separator?"
        if single
        else ""
    )
    if single and "  " in text.names[0].strip():
        more = (
            " Its columns seem to be aligned with blanks: write them with commas (pandas: "
            f"pandas.read_fwf({where!r}).to_csv('rows.csv', index=False))."
        )
    raise InputError(f"{where} has no column {name!r}.{hint} Its columns are {known_names(text)}.{more}")


def _near(name: str, text: CsvText) -> list[str]:
    """Return the names in the file that are most similar to a name."""
    folded = {known.casefold(): known for known in text.names}
    return [
        folded[match] for match in difflib.get_close_matches(name.casefold(), list(folded), n=3, cutoff=0.5)
    ]


def known_names(text: CsvText) -> str:
    return quoted([name[:60] for name in text.names], 20)
