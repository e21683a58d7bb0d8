"""The first tree of a size whose sums over rows lie within limits, by search over partial trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from treewright.near_optimal._counts import Cell, Counts
from treewright.near_optimal._extremes import Extremes
from treewright.near_optimal._order import Step, halves, leaves_of, splits_of
from treewright.near_optimal._watch import TimeOver, Watch

__all__ = ["Looked", "Within", "first_within"]


@dataclass(frozen=True, eq=False)
class Within:
    """A sum over rows that must lie from `low` to `high`.

    Parameters
    ----------
    most : Extremes
        Largest sums of subtrees.
    least : Extremes
        Largest sums of the negatives: the least sums, negated.
    low, high : int
    """

    most: Extremes
    least: Extremes
    low: int
    high: int

    def reach(self, node: int, cell: Cell) -> tuple[int, int]:
        """Return the least and the largest sum of a subtree of the node with the leaves and errors of `cell`."""
        return -self.least.cells(node)[cell], self.most.cells(node)[cell]

    def leaf(self, node: int, leaf: Step) -> int:
        """Return what a leaf at the node adds."""
        return int(self.most.leaf_value[node, -1 - leaf])


class _Open(NamedTuple):
    """A subtree that is still to be chosen."""

    node: int
    cell: Cell


class _Partial(NamedTuple):
    """A partial tree: its steps so far, depth-first, what is open behind them, and its sums so far."""

    steps: tuple[Step, ...]
    open: tuple[_Open, ...]
    sums: tuple[int, ...]


class Looked(NamedTuple):
    """What a search over partial trees came to.

    Parameters
    ----------
    steps : list or None
        Of the tree, if there is one.
    looked_at : int
        Partial trees.
    is_done : bool
        Whether the search ended by itself: without a tree, that is a proof that there is none.
    """

    steps: list[Step] | None
    looked_at: int
    is_done: bool


def first_within(
    counts: Counts, cell: Cell, limits: Sequence[Within], look_at: int, watch: Watch | None = None
) -> Looked:
    """Return a tree of the size `cell` that keeps all limits, unless `look_at` partial trees, or the time, end before.

    A partial tree is dropped only if the ranges of what is open, taken alone, cannot bring a sum within its limits:
    then no completion can.
    """
    nothing = _Partial((), (_Open(0, cell),), (0,) * len(limits))
    pending, looked = [nothing], 0
    watch = watch or Watch()
    try:
        while pending:
            if looked == look_at:
                return Looked(None, looked, False)
            watch.left()
            partial = pending.pop()
            looked += 1
            if not partial.open:
                return Looked(list(partial.steps), looked, True)
            if partial is nothing and not _can_be_within(partial, limits):
                break  # no tree of this size: its many beginnings need not be made
            pending += [
                more for more in reversed(_next(counts, partial, limits)) if _can_be_within(more, limits)
            ]
    except TimeOver:
        return Looked(None, looked, False)
    return Looked(None, looked, True)


def _next(counts: Counts, partial: _Partial, limits: Sequence[Within]) -> list[_Partial]:
    """Return the ways to choose the first open subtree's root."""
    here, rest_open = partial.open[0], partial.open[1:]
    out = []

    def add(steps: tuple[Step, ...], more: tuple[_Open, ...], leaves: tuple[tuple[int, Step], ...]) -> None:
        sums = tuple(
            total + sum(limit.leaf(node, leaf) for node, leaf in leaves)
            for total, limit in zip(partial.sums, limits, strict=True)
        )
        out.append(_Partial((*partial.steps, *steps), (*more, *rest_open), sums))

    for leaf in leaves_of(counts, here.node, here.cell):
        add((leaf,), (), ((here.node, leaf),))
    seen = set()
    for split, left, right in splits_of(counts, here.node):
        if (left, right) in seen:  # a twin: the same rows
            continue
        seen.add((left, right))
        for part, rest, label_pairs, _ in halves(counts, left, right, here.cell):
            if part[0] == rest[0] == 1:
                for a, b in label_pairs:
                    add((split, a, b), (), ((left, a), (right, b)))
            else:
                add((split,), (_Open(left, part), _Open(right, rest)), ())
    return out


def _can_be_within(partial: _Partial, limits: Sequence[Within]) -> bool:
    for total, limit in zip(partial.sums, limits, strict=True):
        low = high = total
        for node, cell in partial.open:
            least, most = limit.reach(node, cell)
            low, high = low + least, high + most
        if low > limit.high or high < limit.low:
            return False
    return True
