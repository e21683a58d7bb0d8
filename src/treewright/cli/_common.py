"""What the verbs share: options that read a CSV file, errors as exit codes, printing to any terminal."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, TypeVar

import typer

from treewright.errors import InputError, TreewrightError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.table import CsvTable
    from treewright.tree import Column, Tree

__all__ = [
    "ASCII",
    "BAD_INPUT",
    "CHECK_FAILED",
    "INTERRUPTED",
    "Csv",
    "DecimalComma",
    "Encoding",
    "Ignore",
    "KnownTarget",
    "Missing",
    "ModelOut",
    "ModelPath",
    "Separator",
    "column_names",
    "effort",
    "exits_by_code",
    "labels_like",
    "note",
    "pairs",
    "read_csv",
    "say",
    "tree_text",
]

CHECK_FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells report it

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
DecimalComma = Annotated[bool, typer.Option("--decimal-comma", help="Numbers are written as 2,5.")]
Encoding = Annotated[str, typer.Option(help="Text encoding of the CSV file.")]
ASCII = Annotated[bool, typer.Option("--ascii", help="Draw the tree in ASCII.")]


def exits_by_code(verb: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Turn errors that a user can mend into one line on standard error and an exit code."""

    @functools.wraps(verb)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        try:
            return verb(*args, **kwargs)
        except TreewrightError as error:
            note(f"Error: {_as_options(str(error))}")
            raise typer.Exit(BAD_INPUT) from None
        except BrokenPipeError:
            # The reader of our output left (such as `head`): say nothing, also not at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None
        except OSError as error:
            note(f"Error: {error.strerror or error}{f': {error.filename}' if error.filename else ''}.")
            raise typer.Exit(BAD_INPUT) from None
        except MemoryError:
            note("Error: the table does not fit into memory. Leave out columns with --ignore, or rows.")
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            note("Interrupted; nothing was written.")
            raise typer.Exit(INTERRUPTED) from None

    return run


def read_csv(
    path: Path,
    *,
    target: str | None = None,
    weight: str | None = None,
    separator: str | None = None,
    missing: Sequence[str] | None = None,
    encoding: str = "utf-8",
    decimal_comma: bool = False,
    columns: Sequence[Column] | None = None,
    ignore: Sequence[str] = (),
    categorical: Sequence[str] = (),
) -> CsvTable:
    """Read a CSV file with the options of the command line."""
    from treewright.table import load_csv
    from treewright.table._csv import MISSING_VALUES

    return load_csv(
        path,
        target=target,
        weight=weight,
        ignore=ignore,
        categorical=categorical,
        separator=_as_character(separator),
        missing_values=(*MISSING_VALUES, *(missing or ())),
        encoding=encoding,
        decimal_comma=decimal_comma,
        columns=columns,
    )


def column_names(path: Path, separator: str | None, encoding: str) -> tuple[str, ...]:
    """Return the header of a CSV file."""
    from treewright.table._csv_text import read_text

    return read_text(path, _as_character(separator), encoding).names


def say(text: str = "") -> None:
    """Print to standard output; what its encoding lacks is replaced."""
    _print(text, sys.stdout)


def note(text: str) -> None:
    """Print to standard error."""
    _print(text, sys.stderr)


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


def effort(stats: Mapping[str, Any]) -> str:
    """Say how long the search took, and how many subproblems it solved."""
    count = stats["subproblems"]
    return f"Search: {stats['seconds']:.3f} s, {count:,} subproblem{'' if count == 1 else 's'}."


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


def _as_options(message: str) -> str:
    """Name the options where a message of the library names its arguments."""
    for argument, option in (("decimal_comma=True", "--decimal-comma"), ("time_limit=", "--time-limit ")):
        message = message.replace(argument, option)
    return message


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _print(text: str, stream: Any) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    stream.flush()
