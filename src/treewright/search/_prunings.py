"""The best trees of each number of leaves that can be cut out of one tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Split, Tree

__all__ = ["best_prunings"]

Pruned = tuple[float, tuple[Split | None, ...]]  # loss, splits in depth-first order


def best_prunings(
    tree: Tree, X: NDArray[np.float64], leaf_loss: Callable[[NDArray[np.intp]], float], max_leaves: int
) -> list[tuple[list[Split | None], float]]:
    """Return for each number of leaves the tree of least loss that keeps the root of another and splits back the rest.

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_rows, n_columns)
        Encoded rows.
    leaf_loss : callable
        Loss of one leaf with these rows; losses add up over leaves.
    max_leaves : int
        Trees of more are not returned.

    Returns
    -------
    list of (splits, loss)
        Splits in depth-first order, None for a leaf; one entry for 1, 2, ... leaves.

    Notes
    -----
    Bottom up, by the best sums over how many leaves each side has: exact among the prunings.
    """
    rows_of: list[NDArray[np.intp]] = [np.zeros(0, dtype=np.intp)] * tree.node_count
    rows_of[0] = np.arange(len(X))
    for node, split in enumerate(tree.splits):
        if split is not None:
            left = split.goes_left(X, rows_of[node])
            rows_of[tree.children_left[node]] = rows_of[node][left]
            rows_of[tree.children_right[node]] = rows_of[node][~left]
    best: list[list[Pruned]] = [[] for _ in tree.splits]
    for node in range(tree.node_count - 1, -1, -1):  # children come after their parents
        best[node] = [(leaf_loss(rows_of[node]), (None,))]
        split = tree.splits[node]
        if split is None:
            continue
        lefts, rights = best[tree.children_left[node]], best[tree.children_right[node]]
        for size in range(2, min(max_leaves, len(lefts) + len(rights)) + 1):
            pairs = [
                (lefts[k - 1], rights[size - k - 1])
                for k in range(max(1, size - len(rights)), min(len(lefts), size - 1) + 1)
            ]
            a, b = min(pairs, key=lambda pair: pair[0][0] + pair[1][0])
            best[node].append((a[0] + b[0], (split, *a[1], *b[1])))
    return [(list(splits), loss) for loss, splits in best[0]]
