"""Prunings of a tree with an additive loss: a leaf, or one of the two children, in the place of an inner node.

As in ``_prune.py``: no optimal tree has a better pruning, so one that is better refutes a false proof, and a stopped
run hands out the pruning. The compiled code (``cpp/include/treewright/tree/pruning.hpp``) sees the table, the splits
and sums of the rows' own numbers; not the integers of an engine, which are rounded otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.search._counted import native_splits
from treewright.table import Table
from treewright.tree import Split

__all__ = ["DEVIANCE", "LEAST", "SQUARES", "RowSums", "pruned_splits"]

LEAST, SQUARES, DEVIANCE = range(3)  # kinds of losses, for the core
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
        events, half the deviance of one hazard ratio.
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


def _whole(numbers: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return columns of numbers as integers whose absolute values add up within 64 bits, and what one of each is."""
    size = np.abs(numbers).sum(axis=0).tolist()
    exponent = [min(SUM_BITS - math.frexp(total)[1], LARGEST_EXPONENT) for total in size]
    whole = numbers * np.ldexp(1.0, exponent)
    return np.rint(whole, out=whole).astype(np.int64, order="C"), np.ldexp(1.0, np.negative(exponent))
