"""What follows from splits in depth-first order alone: the children of each node, and the rows that reach it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.tree._split import Split
from treewright.tree._tree import LEAF

__all__ = ["children_of", "rows_of_nodes"]


def children_of(splits: Sequence[Split | None]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the left and the right child of each node; `LEAF`, which is -1, for a leaf.

    Parameters
    ----------
    splits : sequence of Split or None
        One entry per node, depth-first, left before right; None for a leaf.

    Returns
    -------
    left, right : ndarray of shape (n_nodes,), int32

    Examples
    --------
    >>> from treewright.tree import ThresholdSplit, children_of
    >>> left, right = children_of([ThresholdSplit(0, 2.0), None, ThresholdSplit(0, 3.0), None, None])
    >>> left.tolist(), right.tolist()
    ([1, -1, 3, -1, -1], [2, -1, 4, -1, -1])
    """
    left = np.full(len(splits), LEAF, dtype=np.int32)
    right = np.full(len(splits), LEAF, dtype=np.int32)
    pending = [LEAF]  # stack of parents whose next child is still to come; LEAF: the root has no parent
    for node, split in enumerate(splits):
        parent = pending.pop()
        if parent != LEAF:
            (left if left[parent] == LEAF else right)[parent] = node
        if split is not None:
            pending += [node, node]
    return left, right


def rows_of_nodes(splits: Sequence[Split | None], X: NDArray[np.float64]) -> Iterator[NDArray[np.int64]]:
    """Yield for each node, in depth-first order, the ascending indices of the rows that reach it.

    Parameters
    ----------
    splits : sequence of Split or None
        One entry per node, depth-first, left before right; None for a leaf.
    X : ndarray of shape (n_rows, n_columns)
        Encoded rows.

    Yields
    ------
    ndarray of shape (n_rows_of_node,), int64
    """
    pending = [np.arange(len(X))]
    for split in splits:
        rows = pending.pop()
        yield rows
        if split is not None:
            goes_left = split.goes_left(X, rows)
            pending += [rows[~goes_left], rows[goes_left]]
