"""The side to which missing values go where the training rows do not decide it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.tree._routing import rows_of_nodes
from treewright.tree._split import CategorySplit, ThresholdSplit
from treewright.tree._tree import Tree

__all__ = ["settle_missing"]


def settle_missing(tree: Tree, X: NDArray[np.float64], sample_weight: NDArray[np.float64]) -> Tree:
    """Send missing values to the side with more training weight wherever no training row decides their side.

    If all training rows at a split have a value, a search may send missing values to either side at the same cost. They
    go to the side with more weight of these rows or, if the whole column is complete, of all rows; equal weights send
    them left.

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_rows, n_columns)
        Encoded training rows.
    sample_weight : ndarray of shape (n_rows,)

    Returns
    -------
    Tree
        `tree` itself if all its sides are settled. Every training row stays in its leaf.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit, grow, settle_missing
    >>> table, y = table_from([[1, 0], [2, 0], [3, 0], [None, 1]]), np.array([0, 1, 1, 0], dtype=np.int32)
    >>> splits = [ThresholdSplit(1, 0.5), ThresholdSplit(0, 1.5, missing_left=True), None, None, None]
    >>> tree = grow(table.columns, np.array(["no", "yes"]), splits, table.X, y, np.ones(4), 1.0 - np.eye(2))
    >>> settle_missing(tree, table.X, np.ones(4)).splits[1].missing_left  # here one row goes left, two right
    False
    """
    splits, in_part = list(tree.splits), {}
    for node, split in enumerate(tree.splits):
        if not isinstance(split, ThresholdSplit | CategorySplit):
            continue
        if tree.columns[split.column].has_missing:
            in_part[node] = split
        elif len(X) > 0:
            splits[node] = _settled(split, split.goes_left(X), sample_weight)
    if in_part:
        for node, rows in enumerate(rows_of_nodes(tree.splits, X)):
            split = in_part.get(node)
            if split is not None and len(rows) > 0 and not np.isnan(X[rows, split.column]).any():
                splits[node] = _settled(split, split.goes_left(X, rows), sample_weight[rows])
    is_settled = all(new is old for new, old in zip(splits, tree.splits, strict=True))
    return tree if is_settled else replace(tree, splits=tuple(splits))


def _settled(
    split: ThresholdSplit | CategorySplit, goes_left: NDArray[np.bool_], weight: NDArray[np.float64]
) -> ThresholdSplit | CategorySplit:
    missing_left = bool(2 * weight[goes_left].sum() >= weight.sum())
    return split if missing_left == split.missing_left else replace(split, missing_left=missing_left)
