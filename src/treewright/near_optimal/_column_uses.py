"""What each column is worth among the trees of a set: counts without it, several columns a pass and in threads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from treewright.errors import SolverError
from treewright.near_optimal._answers import ColumnUse
from treewright.near_optimal._counts import COLUMNS_AT_ONCE, Counts
from treewright.near_optimal._watch import LittleMemory, TimeOver, Watch, in_threads

if TYPE_CHECKING:
    from treewright.near_optimal._trees import NearOptimalTrees

__all__ = ["column_uses"]

SMALL_SHARE = 1e-6


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
    trees._count_within(watch)
    counts, n_trees = trees.counts, trees.n_trees_
    by_first, at_root = trees._by_first_split(), dict.fromkeys(range(len(names)), 0)
    for split, count in by_first.items():
        at_root[trees._column(split)] += count
    leaf = sum(count for _, cell, count in trees._cells if cell[0] == 1)
    graph.twins, counts.copies, counts.on_columns, graph.rows, graph.paid  # noqa: B018  # once, before the threads
    try:
        least_with = counts.least_with(watch)
    except TimeOver:
        raise SolverError(_so_far([], len(names))) from None

    def use(number: int, n_split_trees: float, without: Mapping[int, int], watch: Watch) -> ColumnUse:
        share = 1.0 if least_with[number] else 0.0
        if least_with[number] and without:
            share = 1 - (leaf + n_split_trees) / n_trees
            if share < SMALL_SHARE:  # a difference of numbers of twelve digits has few of its own
                share = _exact_share(trees, number, watch)
        return ColumnUse(
            names[number],
            share,
            at_root[number] / n_trees if n_trees else 0.0,
            _least(trees, least_with[number]),
            _least(trees, without),
            None,
        )

    def uses(numbers: range, watch: Watch) -> list[ColumnUse]:
        try:
            found = counts.without(numbers[0], numbers[-1] + 1, watch)
        except LittleMemory:
            if len(numbers) == 1:
                raise
            return [own for number in numbers for own in uses(range(number, number + 1), watch)]
        return [use(number, *worth, watch) for number, worth in zip(numbers, found, strict=True)]

    columns = range(len(names))
    at_once = COLUMNS_AT_ONCE if threads == 1 else COLUMNS_AT_ONCE // 2  # so that none waits long for another
    batches = [columns[first : first + at_once] for first in range(0, len(names), at_once)]
    found = in_threads(uses, batches, watch, threads)
    known = [use for batch in found if batch is not None for use in batch]
    if len(known) < len(names):
        raise SolverError(_so_far(known, len(names)))
    if not reliance or n_trees == 0:
        return known
    asked = [number for number in columns if known[number].best_with is not None]
    ranges = dict.fromkeys(columns, (0.0, 0.0)) | dict(
        zip(asked, _reliance(trees, asked, watch, threads), strict=True)
    )
    return [use._replace(reliance=ranges[number]) for number, use in enumerate(known)]


def _exact_share(trees: NearOptimalTrees, column: int, watch: Watch) -> float:
    """Return the share of the trees that use a column, by counting these."""
    found = Counts(trees._graph_that_asks([column], watch), trees.membership)
    found.make_within(watch)
    return sum(found.cells(0).values()) / trees.n_trees_


def _reliance(
    trees: NearOptimalTrees, columns: list[int], watch: Watch, threads: int
) -> list[tuple[float, float] | None]:
    """Return the reliance on some columns, None where the time was over."""
    try:
        shared = trees.counts.shared_reliance(watch)
    except TimeOver:
        return [None] * len(columns)
    return in_threads(
        lambda number, watch: trees.counts.reliance(shared, number, watch), columns, watch, threads
    )


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
