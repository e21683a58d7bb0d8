"""Write the table of a command to the file, or the folder of files, that the verbs read."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attack.case import Case, Value
from attack.command_line.command import Command

__all__ = ["columns_of", "csv_of", "settings_of", "write_table"]


def columns_of(command: Command) -> dict[str, Sequence[Value]]:
    """All columns of the file: features, the target and what else the task reads, weights."""
    case, form = command.case, command.form
    columns: dict[str, Sequence[Value]] = dict(case.columns)
    if case.method == "several outputs" or case.method == "policy":
        columns |= {name: [row[k] for row in case.y] for k, name in enumerate(form.others)}
    elif case.method == "survival":
        columns |= {form.others[0]: [int(event) for event, _ in case.y], form.target: [t for _, t in case.y]}
    elif case.method == "row costs":
        columns[form.target] = [label for label, _ in case.y]
        columns |= {name: [costs[k] for _, costs in case.y] for k, name in enumerate(form.others)}
    else:
        columns[form.target] = case.y
    if case.weight is not None:
        columns[form.weight] = case.weight
    if form.ignored is not None:
        columns[form.ignored] = [f"row {i}" for i in range(case.n_rows)]
    return columns


def write_table(command: Command, folder: Path) -> Path:
    """Write the table; returns the path that the verbs are given."""
    form, columns = command.form, columns_of(command)
    if form.kind in ("csv", "gz"):
        text = csv_of(command, columns)
        path = folder / ("data.csv" if form.kind == "csv" else "data.csv.gz")
        path.write_bytes(text.encode() if form.kind == "csv" else gzip.compress(text.encode()))
        return path
    if form.kind == "parquet":
        return _parquet(command, columns, folder / "data.parquet")
    path = folder / "data"
    path.mkdir()
    starts = (0, *form.parts, command.case.n_rows)
    for number, (start, end) in enumerate(itertools.pairwise(starts)):
        part = {name: values[start:end] for name, values in columns.items()}
        if form.kind == "folder":
            (path / f"part{number}.csv").write_bytes(csv_of(command, part).encode())
        else:
            _parquet(command, part, path / f"part{number}.parquet", columns)
    return path


def settings_of(case: Case) -> str | None:
    """The file of settings that a table needs: the order of its words, those that no row has with them."""
    ordered = [name for name in case.columns if case.is_ordered(name)]
    if not ordered:
        return None
    return json.dumps({"columns": {name: {"order": list(case.words)} for name in ordered}})


def csv_of(command: Command, columns: Mapping[str, Sequence[Value]]) -> str:
    """Columns as the text of a file."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=command.form.separator, lineterminator="\n")
    writer.writerow(columns)
    fields = [
        [_field(command, value, name, row) for row, value in enumerate(values)]
        for name, values in columns.items()
    ]
    writer.writerows(zip(*fields, strict=True))
    return text.getvalue()


def _field(command: Command, value: Value, column: str, row: int) -> str:
    form = command.form
    if value is None:
        return form.gap
    unit = form.units.get(column)
    if isinstance(value, str):
        return value
    text = f"{value:,}" if unit is not None and unit.grouped else repr(value)
    if isinstance(value, float) and form.decimal_comma:
        text = text.replace(".", ",")
    return text if unit is None or (unit.sparse and row % 2) else unit.before + text + unit.behind


def _parquet(
    command: Command,
    columns: Mapping[str, Sequence[Value]],
    path: Path,
    whole: Mapping[str, Sequence[Value]] | None = None,
) -> Path:
    """Write a Parquet file; the kinds of its columns are those of the whole table."""
    import polars as pl

    def kind(values: Sequence[Any]) -> Any:
        known = [value for value in values if value is not None]
        if any(isinstance(value, str) for value in known):
            return pl.String
        return pl.Int64 if known and all(isinstance(value, int) for value in known) else pl.Float64

    kinds = {name: kind(values) for name, values in (whole or columns).items()}
    pl.DataFrame(dict(columns), schema=kinds, strict=False).write_parquet(path)
    return path
