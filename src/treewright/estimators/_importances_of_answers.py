"""Importances of trees that no penalty per leaf was searched for: worst leaves, and trees that answer for a model.

As in `_importances`, the splits on a column become leaves, and the rest of the tree stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treewright.estimators._importances import collapse_importances, leaves_without
from treewright.tree import Tree

__all__ = ["decision_importances", "nearness_importances", "worst_leaf_importances"]


def worst_leaf_importances(
    tree: Tree, observations: float, value_of: Callable[[float, float], float]
) -> NDArray[np.float64]:
    """Return for each column by how much the worst leaf gets worse when all splits on it become leaves.

    Parameters
    ----------
    tree : Tree
        Of classes.
    observations : float
        Those of a weight of 1.
    value_of : callable
        The value of a leaf, from its observations that are right and all of them.

    Returns
    -------
    ndarray of shape (n_columns,)
    """
    right, every = (tree.value.max(axis=1) * observations, tree.value.sum(axis=1) * observations)
    value = np.array([value_of(float(good), float(all_)) for good, all_ in zip(right, every, strict=True)])
    worth = np.zeros(len(tree.columns))
    own = value[tree.is_leaf].min()
    for column in tree.asked:
        worth[column] = max(0.0, float(own - value[leaves_without(tree, column)].min()))
    return worth


def decision_importances(tree: Tree) -> NDArray[np.float64]:
    """Return for each column the share of the rows that are decided otherwise when all splits on it become leaves.

    Parameters
    ----------
    tree : Tree
        Of classes, with the model's decisions for some rows as the values of its nodes.

    Returns
    -------
    ndarray of shape (n_columns,)
    """
    counted = np.where(
        tree.n_node_samples[:, None] > 0, tree.value, 0.0
    )  # leaves without rows have a value, too
    loss = counted.sum(axis=1) - counted.max(axis=1)
    return collapse_importances(tree, loss / counted[0].sum(), 0.0)


def nearness_importances(
    tree: Tree, leaf: NDArray[np.int64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return for each column the share of the rows that is no longer near when all splits on it become leaves.

    Parameters
    ----------
    tree : Tree
    leaf : ndarray of shape (n_rows,)
        The leaf of each row.
    low, high : ndarray of shape (n_rows,)
        Ends of the numbers that are near that of the row.

    Returns
    -------
    ndarray of shape (n_columns,)
    """
    rows = [np.flatnonzero(leaf == node) for node in range(tree.node_count)]
    for node in reversed(range(tree.node_count)):  # children come after parents
        if tree.splits[node] is not None:
            rows[node] = np.concatenate([rows[tree.children_left[node]], rows[tree.children_right[node]]])
    loss = np.array([len(here) - _most_near(low[here], high[here]) for here in rows], dtype=np.float64)
    return collapse_importances(tree, loss / len(leaf), 0.0)


def _most_near(low: NDArray[np.float64], high: NDArray[np.float64]) -> int:
    """Return how many ranges one number can lie in; the end of one of them is such a number."""
    begun = np.searchsorted(np.sort(low), low, side="right")
    ended = np.searchsorted(np.sort(high), low, side="left")
    return int((begun - ended).max(initial=0))
