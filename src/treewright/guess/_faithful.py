"""The tree t' of Theorem 4.1: one that answers as the reduced ensemble does on every training row.

Theorem 4.1 of McTavish et al. 2022: a tree that is optimal on the guessed thresholds has
R(tree) <= loss(T') + cost_complexity * leaves(t') for EVERY such t', since t' is one of the trees it was
compared with. The fewer leaves t' has, the more the theorem says; the smallest t' is hard to find. Here t'
is grown greedily (CART on the ensemble's predictions, until every leaf is pure), so the number is a promise,
not the best one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["FaithfulTree", "faithful_tree"]


@dataclass(frozen=True, slots=True)
class FaithfulTree:
    """Size of a tree with the ensemble's predictions on all training rows.

    Parameters
    ----------
    n_leaves : int
    depth : int
    fewest_rows : int
        Rows in its smallest leaf.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import faithful_tree
    >>> goes_left = np.array([[1, 1, 0]], dtype=np.uint8)  # of one split, for each row
    >>> faithful_tree(goes_left, np.array([0, 0, 1], dtype=np.int32)).depth
    1
    """

    n_leaves: int
    depth: int
    fewest_rows: int

    def is_allowed(self, max_depth: int | None, max_leaf_nodes: int | None, min_samples_leaf: int) -> bool:
        """Whether the tree is within the constraints, which the theorem needs.

        Parameters
        ----------
        max_depth, max_leaf_nodes : int or None
            None is no limit.
        min_samples_leaf : int
            Fewest rows of a leaf.

        Returns
        -------
        bool
        """
        return (
            (max_depth is None or self.depth <= max_depth)
            and (max_leaf_nodes is None or self.n_leaves <= max_leaf_nodes)
            and self.fewest_rows >= min_samples_leaf
        )


def faithful_tree(goes_left: NDArray[np.uint8], predictions: NDArray[np.int32]) -> FaithfulTree | None:
    """Grow a tree that repeats the predictions on every row.

    Parameters
    ----------
    goes_left : ndarray of shape (n_splits, n_rows), uint8
    predictions : ndarray of shape (n_rows,), int32

    Returns
    -------
    FaithfulTree or None
        None if two rows with equal columns have different predictions: no such tree exists.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import faithful_tree
    >>> goes_left = np.array([[1, 1, 0]], dtype=np.uint8)  # of one split, for each row
    >>> faithful_tree(goes_left, np.array([0, 0, 1], dtype=np.int32))
    FaithfulTree(n_leaves=2, depth=1, fewest_rows=1)
    """
    from sklearn.tree import DecisionTreeClassifier

    X = np.ascontiguousarray(goes_left.T, dtype=np.float32)
    if X.shape[1] == 0:
        return None
    cart = DecisionTreeClassifier(random_state=0).fit(X, predictions)
    if (cart.predict(X) != predictions).any():
        return None
    leaf = cart.tree_.children_left < 0
    return FaithfulTree(
        int(cart.get_n_leaves()), int(cart.get_depth()), int(cart.tree_.n_node_samples[leaf].min())
    )
