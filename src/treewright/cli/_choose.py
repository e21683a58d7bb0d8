"""`treewright choose`: a saved set of near-optimal trees as a web page on which people choose one."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.cli._exits import exits_by_code
from treewright.cli._options import Html, TitlesFile
from treewright.cli._output import note
from treewright.cli._query import read_set
from treewright.cli._set_options import SetFile
from treewright.errors import InputError

__all__ = ["choose"]


@exits_by_code
def choose(
    file: SetFile,
    out: Html,
    title: Annotated[str | None, typer.Option(help="Heading of the page.", show_default="general")] = None,
    group: Annotated[
        str | None,
        typer.Option(help="Column with two groups: a slider shows what a smaller gap between them costs."),
    ] = None,
    columns: TitlesFile = None,
    label: Annotated[
        str | None,
        typer.Option(
            help="--group: the label whose share is compared between the groups.", show_default="last of two"
        ),
    ] = None,
) -> None:
    """Write one HTML file for choosing among near-optimal trees.

    It shows their sizes and columns, a tree builder, and two trees side by side. The page needs no network. It
    contains which splits each kind of training row passes, so protect it like the data.

    \b
    Examples:
      treewright choose set.json --out choose.html
      treewright choose set.json --group sex --out choose.html

    Exit codes: 0 done, 2 bad input.
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import check_writable
    from treewright.near_optimal import gap_frontier
    from treewright.show import choose_page

    check_writable(out)
    found, best = read_set(file)
    if label is not None and group is None:
        raise InputError("--label needs --group, the column of the two groups.")
    gaps, between = None, None
    if group is not None:
        classes = found.graph.problem.classes
        named = {str(value): value for value in classes.tolist()}
        if label is not None and label not in named:
            raise InputError(f"--label {label!r}: the labels are {', '.join(named)}.")
        gaps = gap_frontier(found, group, label=None if label is None else named[label])
        between = f"the groups of {group!r}"
    terms = None if best.certificate is None else best.certificate.terms
    choose_page(
        found, out, title=title, gaps=gaps, gap_between=between, settings=columns,
        terms=terms, reading=best.reading,
    )  # fmt: skip
    note(f"Wrote {out}.")
