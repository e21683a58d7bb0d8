"""Route rows through a tree; on purpose this uses neither `Tree.apply` nor `Split.goes_left`.

Nodes are visited one after the other without recursion, and the rule of `treewright.tree._split` is implemented a
second time: ``x <= t`` goes left, and a missing value (NaN, also as a linear sum) goes to the side that the split
defines. The cost is rows times nodes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.tree import CategorySplit, LinearSplit, Split, Tree

__all__ = ["goes_right", "rows_of_nodes"]


def rows_of_nodes(tree: Tree, X: NDArray[np.float64]) -> list[NDArray[np.int64]]:
    """Return for each node the rows that pass it; the structure of the tree must have been checked before."""
    standing = np.zeros(len(X), dtype=np.int64)
    passed = []
    for node, split in enumerate(tree.splits):  # depth-first: parents come before their children
        rows = np.flatnonzero(standing == node)
        passed.append(rows)
        if split is None:
            continue
        right = goes_right(split, X, rows)
        standing[rows[right]] = tree.children_right[node]
        standing[rows[~right]] = tree.children_left[node]
    for node in reversed(range(tree.node_count)):  # the rows of children have passed their parent, too
        if tree.splits[node] is not None:
            below = (passed[tree.children_left[node]], passed[tree.children_right[node]])
            passed[node] = np.concatenate(below)
    return passed


def goes_right(split: Split, X: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    if isinstance(split, LinearSplit):
        x = np.zeros(len(rows))
        for column, weight in zip(split.columns, split.weights, strict=True):
            x = x + weight * X[rows, column]
    else:
        x = X[rows, split.column]
    known = x == x
    if isinstance(split, CategorySplit):
        right = np.ones(len(rows), dtype=np.bool_)
        for code in split.left:
            right &= x != code
    else:
        right = x > split.threshold
    return np.where(known, right, not split.missing_left)
