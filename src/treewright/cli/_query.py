"""`treewright query`: ask a saved set of near-optimal trees, without its data and without a search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli._exits import exits_by_code
from treewright.cli._near_optimal_output import as_csv, chosen_tree, lines_of_columns, lines_of_sizes
from treewright.cli._options import ASCII, TitlesFile
from treewright.cli._output import say
from treewright.cli._set_options import FewerLeaves, Only, Rank, Root, SetFile, SizesFile, Without
from treewright.cli._wording import tree_text
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert import Model
    from treewright.near_optimal import NearOptimalTrees

__all__ = ["query", "read_set"]


@exits_by_code
def query(
    file: SetFile,
    without: Without = None,
    only: Only = None,
    root: Root = None,
    uses: Annotated[
        list[str] | None,
        typer.Option(help="Only trees that split on this column. Repeatable.", metavar="COLUMN"),
    ] = None,
    max_leaves: FewerLeaves = None,
    max_objective: Annotated[
        float | None, typer.Option(help="Only trees with at most this objective.", show_default="all")
    ] = None,
    tree: Rank = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="File to write: the tree that --tree shows; without --tree, the smaller set."
        ),
    ] = None,
    table: SizesFile = None,
    columns: TitlesFile = None,
    ascii_only: ASCII = False,
) -> None:
    """Query a saved set of near-optimal trees: how many satisfy your rules, and what they have in common.

    --tree shows one of them. A tree has to satisfy all rules. If none does, this is proven up to the bound to which
    the set is complete.

    \b
    Examples:
      treewright query set.json --without age
      treewright query set.json --uses income --max-leaves 5 --tree 1 --out model.json

    Exit codes: 0 done, 2 bad input.
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import Model, check_writable, save_model, write_bytes
    from treewright.near_optimal import save_near_optimal

    if tree is not None and tree < 1:
        raise InputError(f"--tree {tree}; give a rank of at least 1; 1 is the best tree.")
    for path in (out, table):
        if path is not None:
            check_writable(path)
    found, best = read_set(file)
    terms = None if best.certificate is None else best.certificate.terms
    found = found.where(
        without=without or None,
        only=only or None,
        root=root or None,
        uses=uses or None,
        max_leaves=max_leaves,
        max_objective=max_objective,
    )
    chosen = (
        None
        if tree is None
        else chosen_tree(found, tree, "make a larger set: treewright near-optimal --epsilon")
    )
    if table is not None:
        write_bytes(table, as_csv(found).encode("utf-8"))
    if out is not None and chosen is not None:
        save_model(out, Model.of(chosen, terms, best.reading))
    elif out is not None:
        save_near_optimal(out, found, terms, best.reading)
    if found:
        for line in (*lines_of_sizes(found), "", *lines_of_columns(found, columns), ""):
            say(line)
    if chosen is not None:
        say(tree_text(chosen.tree, ascii_only, columns))
        say()
    say(found.sentence())
    for path in (table, out):
        if path is not None:
            say(f"Saved to {path}.")


def read_set(path: Path) -> tuple[NearOptimalTrees, Model]:
    """Return the set of a file, and its best tree with the question that the set answers."""
    from treewright.convert import from_json
    from treewright.near_optimal import load_near_optimal

    found = load_near_optimal(path)  # checks the best tree as well
    return found, from_json(json.dumps(json.loads(path.read_text(encoding="utf-8-sig"))["best"]))
