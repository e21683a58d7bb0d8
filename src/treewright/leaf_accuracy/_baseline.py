"""CART with tuned parameters: what the paper compares with (Table 7).

The paper draws 100 settings by Bayesian search; here 100 settings stand on a grid over the same ranges, so that the
baseline is the same on every run. Two of the table's parameters are not on the grid: depth and minimum leaf size
have one value there, and `min_samples_split` (2 to 100) cannot matter, for a node with fewer than twice 50 rows
has no split into leaves of 50. The ranges of the two penalties begin at 0; most of their useful values are small, so
the grid is finer there.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from treewright._arguments import check_arguments, refuse_lossy

__all__ = ["TABLE_7", "tuned_cart"]

TABLE_7 = {
    "max_leaf_nodes": [3, 5, 8, 12, 16],
    "min_impurity_decrease": [0.0, 0.002, 0.01, 0.05, 0.2],
    "ccp_alpha": [0.0, 0.003, 0.03, 0.3],
}


def tuned_cart(
    X: Any,
    y: ArrayLike,
    *,
    max_depth: int = 4,
    min_samples_leaf: int = 50,
    cv: int = 5,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> Any:
    """Fit CART with the parameters that are best in cross-validation.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Numbers, as scikit-learn's trees take them.
    y : array-like of shape (n_rows,)
    max_depth : int, default=4
    min_samples_leaf : int, default=50
    cv : int, default=5
        Number of folds; each parameter setting of `TABLE_7` is fitted this many times.
    n_jobs : int or None, default=None
        Fits at a time.
    random_state : int, default=0
        Of the trees.

    Returns
    -------
    sklearn.model_selection.GridSearchCV
        Fitted; ``best_estimator_`` is the tree, refitted on all rows.

    Notes
    -----
    Cost: 100 x `cv` fits of a shallow tree.

    Examples
    --------
    >>> from treewright.datasets import iris
    >>> from treewright.leaf_accuracy import tuned_cart
    >>> data = iris()
    >>> tuned_cart(data.table.X, data.y, max_depth=2).best_estimator_.get_depth()
    1
    """
    check_arguments(tuned_cart, locals(), "max_depth", "min_samples_leaf", "cv", "n_jobs", "random_state")
    refuse_lossy("X", X)
    refuse_lossy("y", y)
    tree = DecisionTreeClassifier(
        max_depth=max_depth, min_samples_leaf=min_samples_leaf, random_state=random_state
    )
    return GridSearchCV(tree, TABLE_7, cv=cv, n_jobs=n_jobs).fit(X, y)
