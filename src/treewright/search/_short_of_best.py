"""By how much the tree of the second pass falls short of the best worst leaf, which the first pass found.

Of weights that are real numbers, and of the Wilson bound, the second pass takes worst leaves within a relative 2^-40 as
equally good (``cpp/include/treewright/leaf_accuracy/target.hpp``). Mostly they are equal, and float64 told them apart;
where the tree's own is smaller indeed, its certificate says by how much.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from treewright.problem import Problem
from treewright.search._full_weights import FullWeights
from treewright.search._leaf_accuracy_result import Criterion, leaf_value
from treewright.tree import Tree

__all__ = ["short_of_best"]

SAME = 2.0**-48  # of two values, which are at most 1: this is what float64 makes of one
BITS = 22  # of the parts of a weight: float64 adds up so many rows of them exactly
HALF = 64


def short_of_best(
    problem: Problem, tree: Tree, weights: FullWeights, best: float, criterion: Criterion, confidence: float
) -> float:
    """Return by how much the worst leaf of a tree is below the best one, rounded upwards; 0 if they are the same.

    Parameters
    ----------
    problem : Problem
    tree : Tree
    weights : FullWeights
        Those of the search.
    best : float
        Value of the best worst leaf.
    criterion : {"accuracy", "lower_bound"}
    confidence : float
        Of the lower bound.
    """
    if criterion == "accuracy" and not weights.real:
        return 0.0
    leaf = np.unique(tree.apply(problem.table.X), return_inverse=True)[1]
    cell = leaf * problem.n_classes + problem.y
    sums = np.array(_sums(cell, weights, (int(leaf.max()) + 1) * problem.n_classes), dtype=object)
    observed = problem.table.n_rows / weights.total
    worst = min(
        leaf_value(max(row) * observed, sum(row) * observed, criterion, confidence)
        for row in sums.reshape(-1, problem.n_classes).tolist()
    )
    short = best - worst
    return math.nextafter(short + SAME, 1.0) if short > SAME else 0.0


def _sums(cell: NDArray[np.intp], weights: FullWeights, n_cells: int) -> list[int]:
    """Return the exact sum of the weights in full of each cell."""
    if weights.full is None:
        return [int(total) for total in np.bincount(cell, weights=weights.weight, minlength=n_cells)]
    sums = [0] * n_cells
    for place, half in ((HALF, weights.full[:, 0]), (0, weights.full[:, 1])):
        for shift in range(0, HALF, BITS):
            part = (half >> np.uint64(shift)) & np.uint64(2**BITS - 1)
            added = np.bincount(cell, weights=part.astype(np.float64), minlength=n_cells)
            sums = [total + (int(more) << (place + shift)) for total, more in zip(sums, added, strict=True)]
    return sums
