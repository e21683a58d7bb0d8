"""What `treewright near-optimal` and `treewright query` say about a set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.cli._wording import as_options
from treewright.cli._write_csv import csv_text
from treewright.errors import InputError, SolverError

if TYPE_CHECKING:
    from pathlib import Path

    from treewright.near_optimal import NearOptimalTrees
    from treewright.result import SolveResult

__all__ = ["as_csv", "chosen_tree", "lines_of_columns", "lines_of_sizes"]

MOST_LINES = 20  # of a table on the screen
LEAST_SHARE = 0.001  # that is told as a number


def chosen_tree(found: NearOptimalTrees, place: int, larger: str) -> SolveResult:
    """Return the tree at a place, 1 is the best; of a search that was stopped too early, the best tree it had.

    `larger` says how to get a set that has more trees.
    """
    if place <= found.n_trees_:
        return found.result(place - 1)
    if place == 1 and found.stop_reason is not None and not found.rules:
        return found.best
    raise InputError(f"--tree {place}: {found.sentence()} Give a smaller rank, or {larger}.")


def lines_of_sizes(found: NearOptimalTrees) -> list[str]:
    """How many trees there are of each size and loss."""
    lines = [f"{'leaves':>6}  {'loss':>8}  {'objective':>9}  trees"]
    sizes = found.table()
    for size in sizes[:MOST_LINES]:
        lines.append(f"{size.n_leaves:>6}  {size.loss:>8.5f}  {size.objective:>9.6f}  {size.n_trees:,}")
    if len(sizes) > MOST_LINES:
        rest = sum(size.n_trees for size in sizes[MOST_LINES:])
        lines.append(f"and {len(sizes) - MOST_LINES} more lines with {rest:,} trees; all are in --table FILE")
    return lines


def lines_of_columns(
    found: NearOptimalTrees, titles: Path | None = None, time_limit: float | None = None
) -> list[str]:
    """What each column is worth, the most used first, by its title; those that no tree uses are one line.

    Where that is not found within the time limit, the line that says so.
    """
    from treewright.show import with_titles

    said = with_titles(found.best.tree, titles).columns
    names = {own.name: column.name for own, column in zip(found.best.tree.columns, said, strict=True)}
    try:
        worth = found.columns(reliance=False, time_limit=time_limit)
    except SolverError as error:
        return [f"The table of columns is left out: {as_options(str(error))}"]
    uses = [use._replace(name=names[use.name]) for use in worth]
    width = max(len("column"), *(len(use.name) for use in uses))
    lines = [f"{'column':<{width}}  {'in trees':>8}  {'first in':>8}  best without it"]
    asked = sorted((use for use in uses if use.best_with is not None), key=lambda use: -use.share)
    for use in asked:
        other = "none: the column is needed" if use.best_without is None else f"{use.best_without:.6f}"
        lines.append(
            f"{use.name:<{width}}  {_percent(use.share):>8}  {_percent(use.share_at_root):>8}  {other}"
        )
    if len(asked) < len(uses):
        count = len(uses) - len(asked)
        lines.append(f"{count} other column{' is' if count == 1 else 's are'} in none of the trees.")
    return lines


def _percent(share: float) -> str:
    """A share in percent; one that is not 0 does not look like 0, nor one that is not 1 like 1."""
    if 0 < share < LEAST_SHARE:
        return f"<{LEAST_SHARE:.1%}"
    return f">{1 - LEAST_SHARE:.1%}" if 1 - LEAST_SHARE < share < 1 else f"{share:.1%}"


def as_csv(found: NearOptimalTrees) -> str:
    return csv_text([["leaves", "loss", "objective", "trees"], *found.table()])
