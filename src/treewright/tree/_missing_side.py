"""The side to which missing values go where the training rows do not decide it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.tree._routing import rows_of_nodes
from treewright.tree._split import CategorySplit, ThresholdSplit
from treewright.tree._tree import Tree

__all__ = ["settle_missing", "weigh_complete_columns"]


def settle_missing(tree: Tree, X: NDArray[np.float64], sample_weight: NDArray[np.float64]) -> Tree:
    """Send missing values to the side with more training weight wherever no training row decides their side.

    If all training rows at a split have a value, a search may send missing values to either side at the same cost.
    Splits on columns that have no missing value in training send them to the side with more weight of the whole table.

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_rows, n_columns)
        Encoded training rows.
    sample_weight : ndarray of shape (n_rows,)

    Returns
    -------
    Tree
        `tree` itself if the columns of its splits have no missing values. Every training row stays in its leaf.

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
    open_sides = {
        node: split
        for node, split in enumerate(tree.splits)
        if isinstance(split, ThresholdSplit | CategorySplit) and tree.columns[split.column].has_missing
    }
    if not open_sides:
        return tree
    splits = list(tree.splits)
    for node, rows in enumerate(rows_of_nodes(tree.splits, X)):
        split = open_sides.get(node)
        if split is None or len(rows) == 0 or np.isnan(X[rows, split.column]).any():
            continue
        left = sample_weight[rows[split.goes_left(X, rows)]].sum()
        splits[node] = replace(split, missing_left=bool(2 * left >= sample_weight[rows].sum()))
    return replace(tree, splits=tuple(splits))


def weigh_complete_columns(
    tree: Tree, X: NDArray[np.float64], sample_weight: NDArray[np.float64], *, counted: bool = True
) -> Tree:
    """Send missing values to the side with more training weight where the column had none in the whole table.

    For trees of a search that counts rows there, or that has other weights.

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_rows, n_columns)
        Encoded training rows.
    sample_weight : ndarray of shape (n_rows,)
    counted : bool, default=True
        Whether the search counted rows.

    Returns
    -------
    Tree
        `tree` itself if rows were counted and all weights are equal. Every training row stays in its leaf.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit, grow_regression, weigh_complete_columns
    >>> table, weight = table_from([[1], [2], [3]]), np.array([1.0, 1.0, 5.0])
    >>> splits = [ThresholdSplit(0, 2.5, missing_left=True), None, None]
    >>> tree = grow_regression(table.columns, splits, table.X, np.array([0.0, 0.0, 1.0]), weight)
    >>> weigh_complete_columns(tree, table.X, weight).splits[0].missing_left
    False
    """
    if len(sample_weight) == 0 or (counted and (sample_weight == sample_weight[0]).all()):
        return tree
    splits = list(tree.splits)
    for node, split in enumerate(tree.splits):
        if isinstance(split, ThresholdSplit | CategorySplit) and not tree.columns[split.column].has_missing:
            left = sample_weight[split.goes_left(X)].sum()
            splits[node] = replace(split, missing_left=bool(2 * left >= sample_weight.sum()))
    return replace(tree, splits=tuple(splits))
