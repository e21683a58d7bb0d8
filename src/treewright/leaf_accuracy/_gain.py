"""Whether a hybrid tree is worth its two parts: held-out accuracy beside the tree and the model alone.

Leaf models and the model of all rows have been cross-validated when their rounds were chosen (`_rounds.py`,
`_shared.py`), so that nothing is fitted here.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from treewright.leaf_accuracy._hybrid import Extension
from treewright.leaf_accuracy._shared import Shared
from treewright.tree import Tree

__all__ = ["compare", "where_the_model_is_better"]


def compare(
    tree: Tree,
    extensions: Mapping[int, Extension],
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None,
    alone: Shared,
    by_tree: NDArray[np.bool_] | None = None,
) -> dict[str, float]:
    """Return the shares of weight that "tree", "hybrid" and "model" get right.

    Parameters
    ----------
    tree : Tree
    extensions : mapping from int to Extension
        With the accuracy of what was chosen.
    X : ndarray of shape (n_rows, n_columns), float64
        Encoded rows.
    y : ndarray of shape (n_rows,)
        Positions in ``tree.classes``.
    sample_weight : ndarray of shape (n_rows,), or None
    alone : Shared
        The model of all rows.
    by_tree : ndarray of shape (n_rows,), bool, or None
        Which rows the tree gets right; None counts its training rows.
    """
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    leaf = tree.apply(X)
    right = weight * (tree.prediction[leaf] == y if by_tree is None else by_tree)
    total = np.bincount(leaf, weights=weight, minlength=tree.node_count)
    in_leaf = np.bincount(leaf, weights=right, minlength=tree.node_count)
    hybrid = sum(
        float(in_leaf[node] if extension.cv_accuracy is None else extension.cv_accuracy * total[node])
        for node, extension in extensions.items()
    )
    everything = float(weight.sum())
    return {
        "tree": float(right.sum()) / everything,
        "hybrid": hybrid / everything,
        "model": alone.rounds.accuracy,
    }


def where_the_model_is_better(hybrid: float, alone: float, n_rows: int, rows: str) -> str:
    """Say that the model alone is right on more of these rows, by more than a standard error; else return ""."""
    if hybrid >= alone - np.sqrt(alone * (1 - alone) / n_rows):
        return ""
    return (
        f"The leaf model alone, fitted on all rows, is right on {100 * alone:.1f}% of {rows}, the hybrid tree on "
        f"{100 * hybrid:.1f}%. Use the model if accuracy counts, or a smaller tree on top."
    )
