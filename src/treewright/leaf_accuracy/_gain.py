"""Whether a hybrid tree is worth its two parts: held-out accuracy beside the tree and the model alone.

The leaf models have been cross-validated below the tree when their rounds were chosen (`_rounds.py`); the model alone
is cross-validated in the same way, on all rows. Cost: folds fits of all rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from treewright.leaf_accuracy._hybrid import Extension
from treewright.leaf_accuracy._inputs import Inputs
from treewright.leaf_accuracy._leaf_models import seeded
from treewright.leaf_accuracy._rounds import NO_LIMIT, choose_rounds
from treewright.leaf_accuracy._timed_fits import Clock
from treewright.tree import Tree

__all__ = ["compare"]


def compare(
    tree: Tree,
    extensions: Mapping[int, Extension],
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None,
    model: Any,
    n_folds: int,
    random_state: np.random.RandomState,
    clock: Clock = NO_LIMIT,
) -> dict[str, float] | None:
    """Return the shares of weight that "tree", "hybrid" and "model" get right; None if there are too few rows.

    Parameters
    ----------
    tree : Tree
    extensions : mapping from int to Extension
        With the accuracy of their choice.
    X : ndarray of shape (n_rows, n_columns), float64
        Encoded rows.
    y : ndarray of shape (n_rows,)
        Positions in ``tree.classes``.
    sample_weight : ndarray of shape (n_rows,), or None
    model : classifier
        Not fitted.
    n_folds : int
    random_state : RandomState
    clock : Clock
        None is returned, too, if it does not give the model alone all of its rounds.
    """
    classes, own = np.unique(y, return_inverse=True)
    if len(y) < n_folds or len(classes) < 2:
        return None
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    leaf = tree.apply(X)
    right = weight * (tree.prediction[leaf] == y)
    total = np.bincount(leaf, weights=weight, minlength=tree.node_count)
    by_tree = np.bincount(leaf, weights=right, minlength=tree.node_count)
    hybrid = sum(
        float(by_tree[node] if extension.cv_accuracy is None else extension.cv_accuracy * total[node])
        for node, extension in extensions.items()
    )
    seed = int(random_state.randint(2**31 - 1))
    majority = int(np.bincount(own, weights=weight).argmax())
    with threadpool_limits(limits=1, user_api="openmp"):
        alone = choose_rounds(
            seeded(clone(model), seed), Inputs.of(tree.columns).matrix(X), own, sample_weight, majority,
            n_folds=n_folds, seed=seed, clock=clock,
        )  # fmt: skip
    if alone is None or not alone.whole:
        return None
    everything = float(weight.sum())
    return {"tree": float(right.sum()) / everything, "hybrid": hybrid / everything, "model": alone.accuracy}
