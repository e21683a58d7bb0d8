"""Options and arguments that several commands share: the file, the model, and what is printed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from treewright.errors import InputError

__all__ = [
    "ASCII", "Csv", "Digits", "Html", "Ignore", "KnownTarget", "MergeLabels", "MergeWords", "ModelOut", "ModelPath",
    "Rows", "SettingsFile", "SpreadsheetSafe", "TitlesFile", "pairs",
]  # fmt: skip

Csv = Annotated[
    Path, typer.Argument(help="CSV file with a header line (plain or gzip), or Parquet or Arrow file.")
]
Rows = Annotated[
    Path,
    typer.Argument(
        help="CSV file with a header line (plain or gzip), Parquet or Arrow file; or a folder of CSV or Parquet files."
    ),
]
ModelPath = Annotated[
    Path, typer.Argument(help="Model file that `treewright fit`, another command or save_model wrote.")
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
    typer.Option("--ignore", "-x", help="Column that is not a feature. Repeatable.", metavar="COLUMN"),
]
SettingsFile = Annotated[
    Path | None,
    typer.Option(
        "--columns",
        help="Settings of the columns, as `treewright look --fix` writes them; options add to them.",
        metavar="YAML",
    ),
]
TitlesFile = Annotated[
    Path | None,
    typer.Option(
        "--columns",
        help="Settings of the columns: their names for people, units, and the names of codes and labels.",
        metavar="YAML",
    ),
]
MergeLabels = Annotated[
    bool,
    typer.Option(
        "--merge-labels",
        help="Treat labels that differ only in capitals, blanks, hyphens or accents as one class.",
    ),
]
MergeWords = Annotated[
    list[str] | None,
    typer.Option(
        help="Column in which words count as one if they differ only in capitals, blanks, hyphens or accents. "
        "Repeatable.",
        metavar="COLUMN",
    ),
]
Html = Annotated[Path, typer.Option("--out", "-o", help="HTML file to write.")]
Digits = Annotated[int, typer.Option(help="Significant digits of numbers; 0 for all.", min=0)]
ASCII = Annotated[bool, typer.Option("--ascii", help="Draw the tree in ASCII.")]
SpreadsheetSafe = Annotated[
    bool,
    typer.Option(
        "--spreadsheet-safe",
        help="Put ' before text that a spreadsheet would run as a formula (text that begins with = + - @).",
    ),
]


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
