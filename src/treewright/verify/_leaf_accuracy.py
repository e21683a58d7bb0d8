"""The values of a tree's leaves, recomputed: the accuracy of a leaf, or its lower confidence bound (Wilson).

The bound is computed here as a root: the q < p with (p - q)^2 = z^2 q (1 - q) / n, where the score test with n
observations just fails to reject q. All leaves together have as many observations as the table has rows, distributed
in proportion to weight.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Tree

__all__ = ["best_worst_leaf", "leaf_values", "worst_leaf"]


def leaf_values(
    weight: NDArray[np.float64], criterion: Any = "accuracy", confidence: Any = None, per_weight: float = 1.0
) -> NDArray[np.float64]:
    """Return the value of each node as a leaf.

    Parameters
    ----------
    weight : ndarray of shape (n_nodes, n_classes)
        Weight of each class in each node.
    criterion : "accuracy" or "lower_bound"
    confidence : float
        One-sided level of the bound, between 0 and 1.
    per_weight : float
        Number of observations per unit of weight: the number of rows of the table divided by their total weight.

    Returns
    -------
    ndarray of shape (n_nodes,), float64
    """
    n = weight.sum(axis=1)
    p = weight.max(axis=1) / np.maximum(n, np.finfo(np.float64).tiny)
    if criterion != "lower_bound":
        return np.asarray(p, dtype=np.float64)
    n = n * per_weight
    z = NormalDist().inv_cdf(float(confidence))
    share = z * z / np.where(n > 0, n, 1.0)
    a, b, c = 1 + share, -(2 * p + share), p * p
    bound = (-b - np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))) / (2 * a)
    return np.where(n > 0, bound, 0.0)  # nothing is known about a leaf without rows


def worst_leaf(tree: Tree, values: NDArray[np.float64]) -> float:
    """Return the value of the worst leaf."""
    return float(values[tree.is_leaf].min())


def best_worst_leaf(tree: Tree, values: NDArray[np.float64]) -> float:
    """Return the largest value of the worst leaf over all prunings of the tree, by one pass from the leaves up."""
    best = values.copy()
    for node in reversed(range(len(best))):
        if tree.splits[node] is not None:
            best[node] = max(best[node], min(best[tree.children_left[node]], best[tree.children_right[node]]))
    return float(best[0])
