"""Options of the commands for near-optimal sets: the restrictions on the trees, and what is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["FewerLeaves", "Only", "Rank", "Root", "SetFile", "SizesFile", "Without"]

SetFile = Annotated[
    Path, typer.Argument(metavar="SET", help="File that `treewright near-optimal --out` wrote.")
]
Without = Annotated[
    list[str] | None,
    typer.Option(help="Only trees that do not split on this column. Repeatable.", metavar="COLUMN"),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        help="Only trees that split on no other column than this; if it is repeated, on no other than "
        "these. Repeatable.",
        metavar="COLUMN",
    ),
]
Root = Annotated[
    list[str] | None,
    typer.Option(
        help="Only trees whose first split is on this column; if it is repeated, on one of these. Repeatable.",
        metavar="COLUMN",
    ),
]
FewerLeaves = Annotated[
    int | None, typer.Option(help="Only trees with at most this many leaves.", show_default="any number")
]
Rank = Annotated[
    int | None,
    typer.Option(help="Show the tree at this rank (1 is the best); --out saves it.", metavar="K"),
]
SizesFile = Annotated[
    Path | None, typer.Option(help="CSV file to write the table of sizes to.", metavar="FILE")
]
