"""Route rows through a tree, written apart from `Tree.apply` and `Split.goes_left` on purpose.

`Tree` gives each split its rows; here each node is asked in turn which rows stand on it, and the rule of
`treewright.tree._split` is written out a second time: ``x <= t`` goes left, a missing value (NaN, also of a
linear sum) goes where the split says. Cost: rows times nodes, without any recursion.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.tree import CategorySplit, LinearSplit, Split, Tree

__all__ = ["goes_right", "rows_of_nodes"]


def rows_of_nodes(tree: Tree, X: NDArray[np.float64]) -> list[NDArray[np.int64]]:
    """Return for each node the rows that pass it; the structure must have been checked before."""
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
    for node in reversed(range(tree.node_count)):  # rows that went on have passed the parent as well
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
