"""What each column is worth among the trees of a set: one restricted count for each, several at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from treewright.errors import SolverError
from treewright.near_optimal._answers import ColumnUse
from treewright.near_optimal._counts import Counts
from treewright.near_optimal._watch import Watch, in_threads

if TYPE_CHECKING:
    from treewright.near_optimal._trees import NearOptimalTrees

__all__ = ["column_uses"]


def column_uses(trees: NearOptimalTrees, reliance: bool, watch: Watch, threads: int) -> list[ColumnUse]:
    """Return the use of each column, in the order of the table.

    Parameters
    ----------
    trees : NearOptimalTrees
    reliance : bool
        Whether reliance is asked for; it is found last, and is None where the time was over.
    watch : Watch
    threads : int

    Raises
    ------
    SolverError
        The time was over before all shares were known; the message has those that are.
    """
    graph, names = trees.graph, trees.graph.problem.table.names
    columns = range(len(names))
    trees._count_within(watch)
    first, n_trees = trees._by_first_split(), trees.n_trees_
    leaf = sum(count for _, cell, count in trees._cells if cell[0] == 1)
    others = [Counts(graph, trees._without({number})) for number in columns]
    graph.twins, trees.counts.copies, graph.rows, graph.paid  # noqa: B018  # once, before the threads

    def worth(number: int, watch: Watch) -> ColumnUse:
        with_it, without = trees.counts.least_errors(others[number], watch)
        share = 1.0 if with_it else 0.0
        if with_it and without:
            share = max(0.0, 1 - (leaf + others[number].n_split_trees(watch)) / n_trees)
        at_root = sum(first[split] for split in first if trees._column(split) == number)
        return ColumnUse(
            names[number],
            share,
            at_root / n_trees if n_trees else 0.0,
            _least(trees, with_it),
            _least(trees, without),
            None,
        )

    def reliance_of(number: int, watch: Watch) -> tuple[float, float] | None:
        return trees.counts.reliance(others[number], watch)

    found = in_threads(worth, columns, watch, threads)
    known = [use for use in found if use is not None]
    if len(known) < len(names):
        raise SolverError(_so_far(known, len(names)))
    if not reliance or n_trees == 0:
        return known
    asked = [number for number in columns if known[number].best_with is not None]
    ranges = dict.fromkeys(columns, (0.0, 0.0)) | dict(
        zip(asked, in_threads(reliance_of, asked, watch, threads), strict=True)
    )
    return [use._replace(reliance=ranges[number]) for number, use in enumerate(known)]


def _least(trees: NearOptimalTrees, errors: Mapping[int, int]) -> float | None:
    """Return the least objective of trees whose fewest errors are given by their leaves; None if there are none."""
    costs = trees.graph.costs(errors.items())
    return float(min(costs) * trees.graph.unit) if costs else None


def _so_far(known: list[ColumnUse], n_columns: int) -> str:
    told = "; ".join(
        f"{use.name!r} in {use.share:.0%} of the trees"
        + (", needed" if use.best_with is not None and use.best_without is None else "")
        for use in known[:10]
    )
    return (
        f"time_limit ended when {len(known)} of {n_columns} columns were known"
        + (f" ({told})" if known else "")
        + "; give more time, or a smaller set."
    )
