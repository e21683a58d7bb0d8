"""What a tree of largest F1 loses where its splits on a column become leaves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.estimators._importances import leaves_without
from treewright.problem import F1Problem
from treewright.tree import Tree

__all__ = ["f1_importances"]


def f1_importances(tree: Tree, problem: F1Problem) -> NDArray[np.float64]:
    """Return for each column by how much the objective grows when all splits on it become leaves.

    Labels of leaves are chosen anew: the best ones for F1 are those of the leaves with the largest shares of positive
    rows, up to some leaf (positive where it pays at the costs of the best ratio, which is a threshold on the share).

    Parameters
    ----------
    tree : Tree
    problem : F1Problem

    Returns
    -------
    ndarray of shape (n_columns,)
    """
    worth = np.zeros(len(tree.columns))
    own = _least_objective(tree.value[tree.is_leaf], problem)
    for column in tree.asked:
        worth[column] = max(0.0, _least_objective(tree.value[leaves_without(tree, column)], problem) - own)
    return worth


def _least_objective(value: NDArray[np.float64], problem: F1Problem) -> float:
    """Return the least objective that labels can give leaves of these class weights."""
    share = value[:, 1] / value.sum(axis=1)
    negative, right = np.cumsum(value[np.argsort(-share, kind="stable")], axis=0).T
    wrong = problem.positive_weight - right + negative + problem.leaf_weight * len(value)
    total = 2 * right + wrong
    return float((wrong / total)[right > 0].min()) if (right > 0).any() else 1.0
