"""What the verbs share: options that read a CSV file, errors as exit codes, the trees that they print."""

from __future__ import annotations

import csv
import functools
import io
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, TypeVar

import typer

from treewright.cli._output import note, put, say, stdout_is_closed
from treewright.cli._stop import INTERRUPTED, finishing, listening, stop_code, stop_word, was_stopped
from treewright.errors import InputError, TreewrightError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.table import CsvTable, Reading, Settings, Table
    from treewright.tree import Column, Tree

__all__ = [
    "ASCII",
    "BAD_INPUT",
    "CHECK_FAILED",
    "INTERRUPTED",
    "Clock",
    "Csv",
    "DayFirst",
    "DecimalComma",
    "Encoding",
    "Ignore",
    "KnownTarget",
    "MergeLabels",
    "MergeWords",
    "Missing",
    "ModelOut",
    "ModelPath",
    "Separator",
    "SettingsFile",
    "SpreadsheetSafe",
    "as_options",
    "column_names",
    "csv_text",
    "effort",
    "exits_by_code",
    "finishing",
    "labels_like",
    "note",
    "pairs",
    "put",
    "read_csv",
    "say",
    "say_what_was_read",
    "settings_with",
    "size_of",
    "stop_code",
    "stop_word",
    "tree_text",
]

CHECK_FAILED = 1
BAD_INPUT = 2
LARGE_FILE = 20 << 20  # bytes; takes a second or more to read

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

Csv = Annotated[Path, typer.Argument(help="CSV file with a header line (plain or gzip).")]
ModelPath = Annotated[
    Path, typer.Argument(help="Model file that `treewright fit`, `frontier` or `reborn` wrote.")
]
ModelOut = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Model file to write; without it the tree is only shown."),
]
KnownTarget = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", help="Column of labels.", metavar="COLUMN", show_default="the one that fit used"
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", "-x", help="Column that is no feature. Repeatable.", metavar="COLUMN"),
]
Separator = Annotated[
    str | None,
    typer.Option(help="Column separator; found by itself if it is a comma, semicolon, tab or bar."),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        help="A field that means 'missing', besides ?, NA and the like. Repeatable.",
        metavar="TEXT",
    ),
]
DecimalComma = Annotated[
    bool | None,
    typer.Option(
        "--decimal-comma/--decimal-point",
        help="What 1,200 is where the file does not decide: 1.2, or 1200.",
        show_default="by the other numbers",
    ),
]
DayFirst = Annotated[
    bool | None,
    typer.Option(
        "--day-first/--month-first",
        help="What 03/04/2020 is where the file does not decide: in April, or in March.",
        show_default="by the other dates",
    ),
]
Encoding = Annotated[str | None, typer.Option(help="Text encoding of the CSV file.", show_default="utf-8")]
SettingsFile = Annotated[
    Path | None,
    typer.Option(
        "--columns",
        help="What was settled about the columns, as `treewright look --fix` writes it; options add to it.",
        metavar="YAML",
    ),
]
MergeLabels = Annotated[
    bool,
    typer.Option("--merge-labels", help="Labels that differ in capitals or blanks only are one class."),
]
MergeWords = Annotated[
    list[str] | None,
    typer.Option(
        help="Column whose words that differ in capitals or blanks only are one. Repeatable.",
        metavar="COLUMN",
    ),
]
ASCII = Annotated[bool, typer.Option("--ascii", help="Draw the tree in ASCII.")]
SpreadsheetSafe = Annotated[
    bool,
    typer.Option(
        "--spreadsheet-safe",
        help="Put ' before text that a spreadsheet would run as a formula (it begins with = + - @).",
    ),
]


def exits_by_code(verb: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Turn errors that a user can mend into one line on standard error and an exit code; see `_stop` for signals."""

    @functools.wraps(verb)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        with listening():
            try:
                answer = verb(*args, **kwargs)
            except TreewrightError as error:
                if was_stopped():  # and there was no tree yet
                    note(f"{stop_word()}; nothing was written. {as_options(str(error))}")
                    raise typer.Exit(stop_code()) from None
                note(f"Error: {as_options(str(error))}")
                raise typer.Exit(BAD_INPUT) from None
            except OSError as error:
                note(f"Error: {error.strerror or error}{f': {error.filename}' if error.filename else ''}.")
                raise typer.Exit(BAD_INPUT) from None
            except MemoryError:
                note("Error: the table does not fit into memory. Leave out columns with --ignore, or rows.")
                raise typer.Exit(BAD_INPUT) from None
            except KeyboardInterrupt:
                note(f"{stop_word()}; nothing was written.")
                raise typer.Exit(stop_code()) from None
            except typer.Exit:
                raise
            except Exception:
                if not was_stopped():
                    raise
                note(f"{stop_word()}; nothing was written.")  # a library made its own error of it
                raise typer.Exit(stop_code()) from None
            if stdout_is_closed() and kwargs.get("out") is None:
                note("Error: standard output is closed, so nothing could be shown. Name a file with --out.")
                raise typer.Exit(BAD_INPUT)
            return answer

    return run


@dataclass(frozen=True)
class Clock:
    """The time limit of a verb, which reading the file uses up as well.

    Parameters
    ----------
    time_limit : float or None
        Seconds from the making of the clock; None is unlimited.
    """

    time_limit: float | None
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def left(self) -> float | None:
        """Return the seconds that are left, at least a hundredth: enough for a tree of a few leaves."""
        return None if self.time_limit is None else max(self.time_limit - self.seconds, 0.01)


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
    from treewright.table import Reading, load_csv, rename_labels, spellings

    kept = settings_with(settings, separator, missing, encoding, decimal_comma, day_first)
    if columns is None:  # otherwise the tree has settled which columns there are
        ignore, categorical = (*ignore, *kept.ignore), (*categorical, *kept.categorical)
    if sys.stderr.isatty() and path.is_file() and path.stat().st_size > LARGE_FILE:
        note(f"Reading {path.name} ({path.stat().st_size >> 20:,} MiB) ...")
    known = (reading or Reading()).missing_values
    how: dict[str, Any] = {
        "target": target,
        "weight": weight,
        "ignore": ignore,
        "categorical": categorical,
        "separator": kept.separator,
        "missing_values": (*known, *kept.missing) if kept.missing else None,
        "encoding": kept.encoding,
        "decimal_comma": kept.decimal_comma,
        "day_first": kept.day_first,
        "words": kept.words,
        "merge_words": merge_words,
    }
    try:
        csv = load_csv(
            path,
            columns=columns,
            needed=None if needed is None else set(needed),
            reading=reading,
            **how,
        )
    except InputError as error:
        if columns is None and reading is None:
            raise _with_all_faults(error, path, how) from None
        raise
    csv = rename_labels(csv, kept.labels)
    return rename_labels(csv, spellings(csv.target)) if merge_labels and csv.target is not None else csv


def settings_with(
    path: Path | None,
    separator: str | None,
    missing: Sequence[str] | None,
    encoding: str | None,
    decimal_comma: bool | None,
    day_first: bool | None,
) -> Settings:
    """Return the settings of a file, if there is one; the options of the command line go before it."""
    from treewright.table import Settings, read_settings

    kept = Settings() if path is None else read_settings(path)
    return replace(
        kept,
        separator=kept.separator if separator is None else _as_character(separator),
        missing=(*(missing or ()), *kept.missing),
        encoding=kept.encoding if encoding is None else encoding,
        decimal_comma=kept.decimal_comma if decimal_comma is None else decimal_comma,
        day_first=kept.day_first if day_first is None else day_first,
    )


def _with_all_faults(error: InputError, path: Path, how: dict[str, Any]) -> InputError:
    """Return an error that names every column that cannot be read, not the first alone."""
    from treewright.table import load_leniently

    try:
        faults = load_leniently(path, **how)[1]
    except InputError:  # of the file as a whole
        return error
    if len(faults) < 2:
        return error
    listed = "".join(f"\n  {number}. {fault}" for number, fault in enumerate(faults, 1))
    return InputError(f"{len(faults)} columns of {path.name} cannot be read:{listed}")


def say_what_was_read(csv: CsvTable, data: Path, target: str | None) -> None:
    """Say in a few lines what a file holds, how it was read, and whether something needs a look."""
    from treewright.table import look_at

    seen = look_at(csv.table, csv.target, name=data.name, target=target)
    for line in seen.summary():
        note(line)
    for text in csv.table.notes:
        note(as_options(f"Note: {text}"))
    count = len(seen.findings)
    if count:
        first = as_options(seen.findings[0].text)
        more = f" And {count - 1} more." if count > 1 else ""
        named = "" if target is None else f" --target {shlex.quote(target)}"
        if csv.reading.encoding not in ("utf-8", "utf-16"):
            named += f" --encoding {csv.reading.encoding}"
        note(f"To look at: {first}{more} See: treewright look {shlex.quote(str(data))}{named}")


def column_names(path: Path, separator: str | None, encoding: str | None) -> tuple[str, ...]:
    """Return the header of a CSV file."""
    from treewright.table import header_of

    return header_of(path, _as_character(separator), encoding)


def csv_text(rows: Iterable[Sequence[Any]], spreadsheet_safe: bool = False) -> str:
    """Return rows as CSV; with `spreadsheet_safe` no cell of text begins as a formula does."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([list(map(_harmless, row)) for row in rows] if spreadsheet_safe else rows)
    return text.getvalue()


def _harmless(cell: Any) -> Any:
    """Text that a spreadsheet takes for a formula gets an apostrophe; numbers stay numbers."""
    if not isinstance(cell, str) or not cell.lstrip().startswith(FORMULA_STARTS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def labels_like(labels: NDArray[Any], tree: Tree) -> NDArray[np.generic]:
    """Labels with the type of the tree's: a tree made in Python may call "1" what the file calls 1."""
    assert tree.classes is not None  # checked by the callers
    known = {str(label): k for k, label in enumerate(tree.classes.tolist())}
    positions = [known.get(str(label), -1) for label in labels.tolist()]
    return labels if -1 in positions else tree.classes[positions]


def tree_text(tree: Tree, ascii_only: bool = False, **options: Any) -> str:
    """Return the tree as text, in ASCII if the terminal cannot do better."""
    from treewright.show import to_text

    return to_text(tree, ascii_only=ascii_only or not _can_print("├─│└→"), **options)


def effort(stats: Mapping[str, Any], reading: float | None = None, time_limit: float | None = None) -> str:
    """Say how long reading and the search took, and how many subproblems it solved."""
    count = stats["subproblems"]
    search = f"Search: {stats['seconds']:.3f} s, {count:,} subproblem{'' if count == 1 else 's'}."
    if reading is None:
        return search
    both = "" if time_limit is None else f" --time-limit {time_limit:g} counts both."
    return f"Reading: {reading:.3f} s. {search}{both}"


def size_of(table: Table) -> str:
    """Return "200 rows, 1 column" for a table of that size."""
    rows, columns = table.n_rows, len(table.columns)
    return f"{rows:,} row{'' if rows == 1 else 's'}, {columns:,} column{'' if columns == 1 else 's'}"


def pairs(entries: Sequence[str], option: str) -> list[tuple[str, float]]:
    """Read options of the form NAME=NUMBER."""
    read = []
    for entry in entries:
        name, equals, number = entry.rpartition("=")
        try:
            read.append((name, float(number)))
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(f"{option} {entry!r}; give NAME=NUMBER, for example {option} sick=5.")
    return read


def _as_character(separator: str | None) -> str | None:
    return "\t" if separator in ("\\t", "tab") else separator


def as_options(message: str) -> str:
    """Name the options where a message of the library names its arguments."""
    for argument, option in IN_OTHER_WORDS:
        message = message.replace(argument, option)
    message = re.sub(r"""\b(encoding|separator)=(["'])(.*?)\2""", r"--\1 \2\3\2", message)
    return re.sub(
        rf"\b({'|'.join(ARGUMENTS)})=", lambda found: f"--{found.group(1).replace('_', '-')} ", message
    )


IN_OTHER_WORDS = (
    ("decimal_comma=True", "--decimal-comma"),
    ("decimal_comma=False", "--decimal-point"),
    ("day_first=True", "--day-first"),
    ("day_first=False", "--month-first"),
    ("the missing values", "the missing values (--missing TEXT)"),
    ("declare the column categorical", "declare the column categorical (--categorical NAME)"),
    ("declare it categorical", "declare it categorical (--categorical NAME)"),
    ("ignore the column", "leave the column out (--ignore NAME)"),
    ("ignore it.", "leave it out (--ignore NAME)."),
    ("(prune='active')", "(--prune active)"),
    ('(faithful="rows")', "(--faithful rows)"),
    ("action_costs names", "--action-cost names"),
    (" (None builds whatever it takes)", ""),
    ("use OptimalTreeRegressor", "fit a regression tree (treewright fit --task regression)"),
    ("Unknown label type: continuous. y holds", "The target holds"),
    ("Cut y into classes first", "Make it two or a few classes in the file"),
)
ARGUMENTS = (
    "class_weight", "confidence", "cost_complexity", "criterion", "epsilon", "guess_tolerance", "max_depth",
    "max_leaf_nodes", "max_leaves", "memory_limit", "min_samples_leaf", "n_estimators", "objective", "only", "root",
    "sample_weight", "step_limit", "thresholds", "time_limit", "tolerance", "without",
)  # fmt: skip


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
