"""CSV files read with the options of the command line, and what they hold said in a few lines."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from treewright._busy import busy
from treewright._plural import first_of, some_of
from treewright.cli._folders import refuse_folder
from treewright.cli._kept_settings import without_repeats
from treewright.cli._missing import blanked_in_words, missing_by_column
from treewright.cli._output import note
from treewright.cli._wording import as_options
from treewright.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.cli._csv_options import CsvOptions
    from treewright.table import CsvTable, Reading, Settings
    from treewright.tree import Column, Tree
    from treewright.verify import VerificationReport

__all__ = [
    "check_roles",
    "column_names",
    "labels_like",
    "note_left_out",
    "read_csv",
    "read_groups",
    "read_numbers",
    "reading_file",
    "say_what_was_read",
    "settings_with",
    "with_absent",
]

MOST_NAMED = 4  # columns that the data lack
MOST_LEFT_OUT = 20
MARKS = {"comma": ",", "point": "."}


def check_roles(roles: Mapping[str, Iterable[str | None]]) -> None:
    """Refuse a column that two options name: it would be left out for one of them, or be read as the other.

    Parameters
    ----------
    roles : mapping of str to iterable of str
        The columns that each option names; None is none.

    Raises
    ------
    InputError
    """
    found: dict[str, str] = {}
    for option, columns in roles.items():
        for column in columns:
            if column is not None and found.setdefault(column, option) != option:
                raise InputError(
                    f"{found[column]} and {option} name the same column, {column!r}; give each a column of its own."
                )


def read_csv(
    path: Path,
    *,
    target: str | None = None,
    weight: str | None = None,
    separator: str | None = None,
    missing: Sequence[str] | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    day_first: bool | None = None,
    decimal: Sequence[str] | None = None,
    columns: Sequence[Column] | None = None,
    needed: Iterable[int] | None = None,
    reading: Reading | None = None,
    ignore: Sequence[str] = (),
    categorical: Sequence[str] = (),
    settings: Path | None = None,
    merge_words: Sequence[str] = (),
    merge_labels: bool = False,
) -> CsvTable:
    """Read a CSV file with the options of the command line; those go before a file of settings."""
    from treewright.table import load_csv, rename_labels, spellings

    refuse_folder(path)
    check_roles({"--target": (target,), "--weight": (weight,)})
    kept = settings_with(
        settings, separator, missing, encoding, decimal_comma, day_first, decimal, reading=reading
    )
    if columns is None:  # otherwise the tree has settled which columns there are
        ignore, categorical = (*ignore, *kept.ignore), (*categorical, *kept.categorical)
    how: dict[str, Any] = {
        "target": target,
        "weight": weight,
        "ignore": ignore,
        "categorical": categorical,
        "merge_words": merge_words,
        "order": kept.order if columns is None else None,
        **kept.reading_options(reading),
    }
    try:
        with reading_file(path):
            csv = load_csv(
                path,
                columns=columns,
                needed=None if needed is None else set(needed),
                reading=reading,
                **how,
            )
    except InputError as error:
        if columns is None and reading is None:
            raise _with_all_faults(_told_where_named(error, kept, settings), path, how) from None
        raise
    csv = rename_labels(csv, kept.labels)
    return rename_labels(csv, spellings(csv.target)) if merge_labels and csv.target is not None else csv


def read_groups(
    path: Path,
    name: str,
    reading: Reading | None,
    settings: Path | None,
    **how: Unpack[CsvOptions],
) -> NDArray[Any]:
    """Read the column that says which group each row belongs to; rows without a value are a group, too."""
    from treewright.table import load_groups

    refuse_folder(path)
    options = settings_with(settings, **how, reading=reading).reading_options(reading)
    with reading_file(path):
        return load_groups(path, name, reading=reading, **options)


def read_numbers(
    path: Path,
    name: str,
    reading: Reading | None,
    settings: Path | None = None,
    *,
    negative: bool = True,
    **how: Unpack[CsvOptions],
) -> tuple[NDArray[np.float64], list[str]]:
    """Read a column that is no feature, as numbers; and what is to be said of the way in which they are written."""
    from treewright.table import load_numbers

    refuse_folder(path)
    options = settings_with(settings, **how, reading=reading).reading_options(reading)
    with reading_file(path):
        return load_numbers(path, name, reading=reading, negative=negative, **options)


def reading_file(path: Path) -> AbstractContextManager[None]:
    """Say that a file is read, while it is, with its size if that is large enough to tell something."""
    size = path.stat().st_size if path.is_file() else 0
    return busy(f"Reading {path.name}{f' ({size / 1e6:,.0f} MB)' if size >= 1e6 else ''}")


def settings_with(
    path: Path | None,
    separator: str | None,
    missing: Sequence[str] | None,
    encoding: str | None,
    decimal_comma: bool | None,
    day_first: bool | None,
    decimal: Sequence[str] | None = None,
    *,
    reading: Reading | None = None,
) -> Settings:
    """Return the settings of a file, if there is one; the options of the command line go before it.

    An earlier `reading` has settled the order of day and month: what the file of settings says of it was known then,
    and counted for columns only whose dates did not decide it.
    """
    from treewright.table import Settings, joined_missing, read_settings

    kept = Settings() if path is None else read_settings(path)
    if reading is not None:
        kept = replace(kept, day_first=None)
    everywhere, of_column = missing_by_column(missing)
    return replace(
        kept,
        separator=kept.separator if separator is None else _as_character(separator),
        missing=(*everywhere, *kept.missing),
        missing_in=joined_missing(of_column, kept.missing_in),
        encoding=kept.encoding if encoding is None else encoding,
        decimal_comma=kept.decimal_comma if decimal_comma is None else decimal_comma,
        day_first=kept.day_first if day_first is None else day_first,
        decimal_in={**kept.decimal_in, **dict(map(_mark_of_column, decimal or ()))},
    )


def _mark_of_column(entry: str) -> tuple[str, str]:
    """Read an entry of `--decimal`."""
    name, _, word = entry.rpartition("=")
    if not name or word not in MARKS:
        raise InputError(f"--decimal {entry!r}; give COLUMN=comma or COLUMN=point.")
    return name, MARKS[word]


def _told_where_named(error: InputError, kept: Settings, path: Path | None) -> InputError:
    """Return an error that says so if the column that is not there stands in the file of settings."""
    named = {*kept.ignore, *kept.categorical, *kept.missing_in, *kept.words, *kept.order, *kept.decimal_in}
    absent = next((name for name in named if f"has no column {name!r}." in str(error)), None)
    if absent is None or path is None:
        return error
    return InputError(f"{error} The name stands in {path.name}: correct it there, or take its entry out.")


def _with_all_faults(error: InputError, path: Path, how: dict[str, Any]) -> InputError:
    """Return an error that names every column that cannot be read, not the first alone."""
    from treewright.table import ColumnFault, load_leniently, together

    try:
        faults = load_leniently(path, **how)[1]
    except InputError:  # of the file as a whole
        return error
    if len(faults) < 2:
        return error
    if not all(isinstance(fault, ColumnFault) for fault in faults):
        return together(path.name, faults)
    listed = "".join(f"\n  {number}. {fault}" for number, fault in enumerate(faults, 1))
    return InputError(f"{len(faults)} columns of {path.name} cannot be read:{listed}")


def say_what_was_read(
    csv: CsvTable,
    data: Path,
    target: str | None,
    settings: Path | None,
    used: Collection[str] = (),
    roles: Mapping[str, Iterable[str | None]] | None = None,
    has_classes: bool = True,
) -> None:
    """Say in a few lines what a file holds, how it was read, and whether something needs a look.

    Parameters
    ----------
    csv : CsvTable
    data : Path
    target : str or None
    settings : Path or None
    used : collection of str, default=()
        Columns that are no features and serve the task in another way.
    roles : mapping of str to iterable of str, default=None
        What the options say of them, by option, so that they can be told to `look`.
    has_classes : bool, default=True
        Whether the target holds labels; otherwise it holds numbers or times.
    """
    from treewright.table import look_at

    with busy("Looking at the columns"):
        seen = look_at(
            csv.table,
            csv.target if has_classes else None,
            name=data.name,
            target=target,
            codes=csv.zero_led,
            reading=csv.reading,
            filler_dates=csv.filler_dates,
            outcome=None if csv.target is None or target is None else (target, csv.target),
        )
    if (roles or {}).get("--reward") or (roles or {}).get("--row-cost"):
        seen = without_repeats(seen)
    for line in seen.summary():
        note(line)
    for text in csv.table.notes:
        note(as_options(f"Note: {text}"))
    for text in blanked_in_words(csv):
        note(f"Note: {text}")
    note_left_out([name for name in csv.left_out if name not in used])
    count = len(seen.findings)
    if count:
        first = as_options(seen.findings[0].text)
        others = dict.fromkeys(one.column or "rows" for one in seen.findings[1:])
        more = f" And {count - 1} more: {some_of([*others])}." if count > 1 else ""
        named = "" if target is None else f" --target {shlex.quote(target)}"
        told = [(option, value) for option, values in (roles or {}).items() for value in values]
        named += "".join(f" {option} {shlex.quote(value)}" for option, value in told if value is not None)
        if settings is not None:
            named += f" --columns {shlex.quote(str(settings))}"
        elif csv.reading.encoding not in ("utf-8", "utf-16"):
            named += f" --encoding {csv.reading.encoding}"
        note(f"To look at: {first}{more} See: treewright look {shlex.quote(str(data))}{named}")


def note_left_out(names: Sequence[str]) -> None:
    """Name the columns that somebody took out; nothing is said of none."""
    if names:
        said = some_of(names, MOST_LEFT_OUT)
        note(f"Left out: {said}{'' if said.endswith('.') else '.'}")


def column_names(
    path: Path,
    separator: str | None,
    encoding: str | None,
    reading: Reading | None = None,
    expected: Collection[str] = (),
) -> tuple[str, ...]:
    """Return the header of a CSV file, which may be one like a file that was read before, with these columns."""
    from treewright.table import header_of

    return header_of(path, _as_character(separator), encoding, reading=reading, expected=expected)


def _as_character(separator: str | None) -> str | None:
    return "\t" if separator in ("\\t", "tab") else separator


def labels_like(labels: NDArray[Any], tree: Tree) -> NDArray[np.generic]:
    """Labels with the type of the tree's: a tree made in Python may call "1" what the file calls 1."""
    assert tree.classes is not None  # checked by the callers
    known = {str(label): k for k, label in enumerate(tree.classes.tolist())}
    positions = [known.get(str(label), -1) for label in labels.tolist()]
    return labels if -1 in positions else tree.classes[positions]


def with_absent(report: VerificationReport, csv: CsvTable) -> VerificationReport:
    """Say in the check of columns which ones the data lack; the tree does not ask about them, so none is needed."""
    if not csv.absent:
        return report
    found = f"all but {first_of([f'{name!r:.60}' for name in csv.absent], MOST_NAMED)}"
    return replace(
        report,
        checks=tuple(
            replace(each, found=found) if each.name == "columns" else each for each in report.checks
        ),
    )
