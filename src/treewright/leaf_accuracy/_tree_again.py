"""How often the tree on top is right on rows that it has not seen.

A tree is right on its own training rows more often than on others, while a model is asked about held-out rows.
Compared so, leaves keep their label where the model of all rows would do better. So a tree of scikit-learn is made
again for each fold of the rows, on the others. Other tops are not: an exact search takes seconds to minutes. Cost:
folds fits of the tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from treewright.leaf_accuracy._timed_fits import Clock, fit_weighted

__all__ = ["can_be_made_again", "right_when_held_out"]


def can_be_made_again(model: Any) -> bool:
    """Whether the tree is cheap to fit."""
    return isinstance(model, (DecisionTreeClassifier, ExtraTreeClassifier))


def right_when_held_out(
    model: Any,
    X: NDArray[np.float64],
    y: NDArray[Any],
    sample_weight: NDArray[np.float64] | None,
    *,
    n_folds: int,
    seed: int,
    clock: Clock,
    seconds_each: float,
) -> NDArray[np.bool_] | None:
    """Return for each row whether a tree of the other folds gives its label.

    Parameters
    ----------
    model : DecisionTreeClassifier or ExtraTreeClassifier
        Cloned.
    X : ndarray of shape (n_rows, n_inputs)
    y : ndarray of shape (n_rows,)
        Labels. Folds are stratified if each has at least `n_folds` rows.
    sample_weight : ndarray of shape (n_rows,) or None
    n_folds : int
        At most the number of rows.
    seed : int
        Of the folds.
    clock : Clock
    seconds_each : float
        What the fit of all rows took.

    Returns
    -------
    ndarray of shape (n_rows,), bool; or None
        None if there are too few rows, or if the time is too short.
    """
    if len(y) < n_folds or clock.left() < 2 * n_folds * seconds_each:
        return None
    few = np.unique(y, return_counts=True)[1].min() < n_folds
    split = (KFold if few else StratifiedKFold)(n_folds, shuffle=True, random_state=seed).split(X, y)
    right = np.zeros(len(y), dtype=np.bool_)
    for train, held_out in split:
        weight = None if sample_weight is None else sample_weight[train]
        made = fit_weighted(clone(model), X[train], y[train], weight)
        right[held_out] = made.predict(X[held_out]) == y[held_out]
    return right
