"""Prunings of a tree with an additive loss: a leaf, or one of the two children, in the place of an inner node.

As in ``_prune.py``: no optimal tree has a better pruning, so one that is better refutes a false proof, and a stopped
run hands out the pruning. The compiled code (``cpp/include/treewright/tree/pruning.hpp``) sees the table, the splits
and sums of the rows' own numbers; not the integers of an engine, which are rounded otherwise.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.search._counted import native_splits
from treewright.table import Table
from treewright.tree import Split

__all__ = ["DEVIANCE", "ENTROPY", "LEAST", "SQUARES", "RowSums", "pruned_by_leaves", "pruned_splits"]

LEAST, SQUARES, DEVIANCE, ENTROPY = range(4)  # kinds of losses, for the core
UNITS = 2**46  # of cost, in the loss of one leaf; as in the core
SUM_BITS = 62
LARGEST_EXPONENT = 1000  # sums so small that more bits would overflow are 0 in effect


@dataclass(frozen=True, eq=False)
class RowSums:
    """Numbers of each row, of whose sums over a leaf the leaf's loss is a function.

    Parameters
    ----------
    kind : int
        LEAST: the least of the sums. SQUARES: of weights, weighted squares and weighted targets of each output,
        the squared error about the means. DEVIANCE: of events, hazards, and events times the logarithm of hazards by
        events, half the deviance of one hazard ratio. ENTROPY: of weights of classes, the log loss of their shares.
    numbers : ndarray of shape (n_rows, n_sums), float64
    """

    kind: int
    numbers: NDArray[np.float64]


def pruned_splits(
    table: Table,
    splits: Sequence[Split | None],
    rows: RowSums,
    *,
    one_leaf: float,
    cost_complexity: float,
    seconds: float,
) -> list[Split | None] | None:
    """Return the splits of the cheapest tree that repeated prunings make of these, or None where none is better.

    Parameters
    ----------
    table : Table
    splits : sequence of Split or None
        Depth-first, left before right, None for a leaf.
    rows : RowSums
    one_leaf : float
        Loss of a single leaf, above 0.
    cost_complexity : float
        Leaf penalty, as a share of `one_leaf`.
    seconds : float
        No round begins later. One round always runs.

    Notes
    -----
    Costs are told apart to about 1e-14 of `one_leaf`; of trees of equal cost the one with fewer leaves is returned. A
    round takes about rows x depth steps.
    """
    whole, unit = _whole(rows.numbers)
    source: Any
    source, _ = core.cheapest_loss_pruning(
        native_splits(splits),
        table.X,
        rows.kind,
        whole,
        unit,
        one_leaf,
        round(min(cost_complexity, 2.0) * UNITS),  # above 1: fewer leaves are cheaper, whatever they lose
        seconds,
    )
    if len(source) == len(splits):
        return None
    return [None if node < 0 else splits[node] for node in source.tolist()]


def pruned_by_leaves(
    table: Table,
    splits: Sequence[Split | None],
    leaf_cost: Callable[[NDArray[np.intp]], float],
    *,
    slack: float,
    seconds: float,
) -> list[Split | None] | None:
    """Do what `pruned_splits` does for a loss that is no function of few sums.

    Parameters
    ----------
    table : Table
    splits : sequence of Split or None
    leaf_cost : callable
        What a leaf with these rows adds to the objective.
    slack : float
        Costs that differ by less are the same: then fewer leaves are better.
    seconds : float
        No round begins later. One round always runs.
    """
    best, until = list(splits), time.monotonic() + seconds
    while True:
        found, _, end = _round(table, best, 0, np.arange(table.n_rows), leaf_cost, slack)
        assert end == len(best)  # every node was met
        if len(found) == len(best) or time.monotonic() > until:
            break
        best = found
    return None if len(found) == len(splits) else found


def _round(
    table: Table,
    splits: Sequence[Split | None],
    at: int,
    rows: NDArray[np.intp],
    leaf_cost: Callable[[NDArray[np.intp]], float],
    slack: float,
) -> tuple[list[Split | None], float, int]:
    """Return the pruned subtree at a node, what it costs with these rows, and where the next subtree begins."""
    split = splits[at]
    best: list[Split | None] = [None]
    cost = leaf_cost(rows)
    if split is None:
        return best, cost, at + 1
    goes_left = split.goes_left(table.X, rows)
    sides = rows[goes_left], rows[~goes_left]
    left, on_left, middle = _round(table, splits, at + 1, sides[0], leaf_cost, slack)
    right, on_right, end = _round(table, splits, middle, sides[1], leaf_cost, slack)
    others = [([split, *left, *right], on_left + on_right)]
    if min(map(len, sides)) == 0:
        others = []
    for side in (left, right):
        if len(side) > 1:
            others.append((side, _cost_of(table, side, rows, leaf_cost)))
    for other, paid in sorted(others, key=lambda one: len(one[0])):
        if paid < cost - slack:
            best, cost = other, paid
    return best, cost, end


def _cost_of(
    table: Table,
    splits: Sequence[Split | None],
    rows: NDArray[np.intp],
    leaf_cost: Callable[[NDArray[np.intp]], float],
) -> float:
    """Return what a tree costs with these rows."""
    total, pending = 0.0, [rows]
    for split in splits:
        here = pending.pop()
        if split is None:
            total += leaf_cost(here)
            continue
        goes_left = split.goes_left(table.X, here)
        pending += [here[~goes_left], here[goes_left]]
    return total


def _whole(numbers: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return columns of numbers as integers whose absolute values add up within 64 bits, and what one of each is."""
    size = np.abs(numbers).sum(axis=0).tolist()
    exponent = [min(SUM_BITS - math.frexp(total)[1], LARGEST_EXPONENT) for total in size]
    whole = numbers * np.ldexp(1.0, exponent)
    return np.rint(whole, out=whole).astype(np.int64, order="C"), np.ldexp(1.0, np.negative(exponent))
