"""What the leaves of a tree are worth, recomputed: accuracy, or Wilson's lower confidence bound of it.

The bound is found here as a root: the q < p with (p - q)^2 = z^2 q (1 - q) / n, where the score test with n
observations just fails to reject q. All leaves together have as many observations as the table has rows, shared out
by weight.
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
    """Return what each node is worth as a leaf.

    Parameters
    ----------
    weight : ndarray of shape (n_nodes, n_classes)
    criterion : "accuracy" or "lower_bound"
    confidence : float
        One-sided, of the bound.
    per_weight : float
        Observations of the bound in one unit of weight: the rows of the table over their weight.
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
    return np.where(n > 0, bound, 0.0)  # nothing is known of a leaf without rows


def worst_leaf(tree: Tree, values: NDArray[np.float64]) -> float:
    """Return the least value of a leaf."""
    return float(values[tree.is_leaf].min())


def best_worst_leaf(tree: Tree, values: NDArray[np.float64]) -> float:
    """Return the largest worst leaf of any pruning of the tree, by one pass from the leaves up."""
    best = values.copy()
    for node in reversed(range(len(best))):
        if tree.splits[node] is not None:
            best[node] = max(best[node], min(best[tree.children_left[node]], best[tree.children_right[node]]))
    return float(best[0])
