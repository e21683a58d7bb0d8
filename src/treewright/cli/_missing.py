"""`--missing`: fields that mean "missing", everywhere or in one column, and what they were found to blank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treewright._plural import count_of, first_of
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.table import CsvTable

__all__ = ["blanked_in_words", "missing_by_column"]

MOST_TOLD = 4  # columns


def missing_by_column(entries: Sequence[str] | None) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Read `--missing`: the fields that mean "missing" in all columns, and those of single columns.

    An entry that begins with ``=`` has no column.
    """
    everywhere: list[str] = []
    of_column: dict[str, tuple[str, ...]] = {}
    for entry in entries or ():
        name, equals, text = entry.rpartition("=")
        if not equals or entry.startswith("="):
            everywhere.append(entry)
        elif not text:
            raise InputError(
                f"--missing {entry!r}; an empty field is missing anyhow. Give TEXT, or COLUMN=TEXT for one column."
            )
        else:
            of_column[name] = (*of_column.get(name, ()), text)
    return tuple(everywhere), of_column


def blanked_in_words(csv: CsvTable) -> list[str]:
    """Say in how many rows each field stood that was declared missing; one that is nowhere is most likely a slip."""
    from treewright.table import Reading

    known, said = Reading().missing_values, []
    for field in (field for field in csv.reading.missing_values if field not in known):
        rows = {name: counted[field] for name, counted in csv.blanked.items() if counted.get(field)}
        where = ", ".join(f"{name} ({count_of(count, 'row')})" for name, count in rows.items())
        advice = (
            f" If it is a value in one of them, name the others: --missing COLUMN={field}."
            if len(rows) > 1
            else ""
        )
        said.append(
            f"{field!r} is taken as missing in {where}.{advice}" if rows else f"No column holds {field!r}."
        )
    alike: dict[str, list[str]] = {}
    for name, fields in csv.reading.missing_in.items():
        for field in fields if name in csv.blanked else ():  # of the columns that were read
            count = csv.blanked[name].get(field, 0)
            if count:
                alike.setdefault(field, []).append(f"{name} ({count_of(count, 'row')})")
            else:
                said.append(f"{name} holds no {field!r}, which was to mean missing.")
    for field, columns in alike.items():
        said.append(f"{field!r} is taken as missing in {first_of(columns, MOST_TOLD, 'column')}.")
    return said
