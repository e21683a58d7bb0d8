"""Leaf accuracy (Nemecek et al. 2023, equation 1) on any rows, and what each leaf knows about itself.

A leaf into which no row falls has no accuracy. It does not count in the minimum: the rows given say nothing
about it. `leaf_table` still lists it, with accuracy NaN and the interval [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor

from treewright._arguments import refuse_lossy
from treewright._plural import kind_of
from treewright.errors import InputError, InputTypeError
from treewright.problem import check_sample_weight
from treewright.table import Table, encode_like
from treewright.tree import Tree, check_confidence, wilson_interval

__all__ = ["LeafRecord", "leaf_accuracy_score", "leaf_table"]


@dataclass(frozen=True, slots=True)
class LeafRecord:
    """What the given rows say about one leaf.

    Parameters
    ----------
    leaf : int
        Number of the node.
    prediction : object
        Label that the leaf predicts.
    n_rows : int
        Rows that fall into the leaf.
    weight : float
        Their weight.
    correct : float
        Weight of those that have the predicted label.
    accuracy : float
        ``correct / weight``; NaN for a leaf without weight.
    lower, upper : float
        Wilson interval of the accuracy; 0 and 1 for a leaf without weight.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.leaf_accuracy import leaf_table
    >>> X, y = [[20], [30], [40]], [0, 0, 1]
    >>> record = leaf_table(OptimalTreeClassifier().fit(X, y).tree_, X, y)[0]
    >>> float(record.accuracy), round(float(record.lower), 3)
    (1.0, 0.342)
    """

    leaf: int
    prediction: Any
    n_rows: int
    weight: float
    correct: float
    accuracy: float
    lower: float
    upper: float


def leaf_accuracy_score(tree: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the smallest accuracy over the leaves that hold any of the rows.

    Parameters
    ----------
    tree : Tree or fitted estimator
        A `Tree`, an estimator of treewright, or any classifier with ``apply`` and ``predict`` (scikit-learn's
        trees). Of a `HybridTreeClassifier` it is the tree on top.
    X : array-like, frame or Table of shape (n_rows, n_columns)
        Rows of any origin: training or held back.
    y : array-like of shape (n_rows,)
        Their labels. A label that the tree does not know is counted as wrong.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights >= 0; None is 1 for each row.

    Returns
    -------
    float
        Between 0 and 1. Leaves without weight are left out (see `leaf_table` for them).

    Raises
    ------
    InputError
        Lengths differ, there are no rows, or the weights cannot be used.

    References
    ----------
    J. Nemecek, T. Pevny, J. Marecek (2023). Improving the Validity of Decision Trees as Explanations.
    Equation 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treewright.leaf_accuracy import leaf_accuracy_score
    >>> X, y = load_iris(return_X_y=True)
    >>> stump = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    >>> leaf_accuracy_score(stump, X, y)
    0.5
    """
    leaf, predicted, weight = _routed(tree, X, y, sample_weight)
    right = np.asarray(predicted == np.asarray(y).ravel(), dtype=np.float64)
    total = np.bincount(leaf, weights=weight)
    correct = np.bincount(leaf, weights=weight * right)
    used = total > 0
    return float((correct[used] / total[used]).min())


def leaf_table(
    tree: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, confidence: float = 0.95
) -> tuple[LeafRecord, ...]:
    """Return one record per leaf: rows, accuracy and its Wilson interval.

    Parameters
    ----------
    tree : Tree or fitted estimator
        As in `leaf_accuracy_score`. For a classifier of another library, only the leaves that hold rows are known.
    X : array-like, frame or Table of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
    sample_weight : array-like of shape (n_rows,), default=None
        Weights >= 0. For the intervals, the number of observations in a leaf is the number of rows with positive
        weight, times the leaf's share of the weight. So a common factor of the weights changes nothing.
    confidence : float, default=0.95
        Level of the two-sided interval, strictly between 0 and 1; its lower end alone has the one-sided level ``(1 +
        confidence) / 2``, which is the level that `LeafAccuracyTreeClassifier` uses.

    Returns
    -------
    tuple of LeafRecord
        In the order of the leaves. ``pandas.DataFrame(records)`` and ``polars.DataFrame(records)`` make a frame.

    Raises
    ------
    InputError
        As `leaf_accuracy_score`, or `confidence` out of range.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.leaf_accuracy import leaf_table
    >>> X, y = [[20], [30], [40]], [0, 0, 1]
    >>> [(leaf.n_rows, float(leaf.accuracy)) for leaf in leaf_table(OptimalTreeClassifier().fit(X, y).tree_, X, y)]
    [(2, 1.0), (1, 1.0)]
    """
    leaf, predicted, weight = _routed(tree, X, y, sample_weight)
    check_confidence(confidence)
    right = np.asarray(predicted == np.asarray(y).ravel(), dtype=np.bool_)
    own = tree if isinstance(tree, Tree) else getattr(tree, "tree_", None)
    labels = {
        int(node): predicted[row] for node, row in zip(*np.unique(leaf, return_index=True), strict=True)
    }
    if isinstance(own, Tree) and own.classes is not None:  # then empty leaves are known too
        labels = {int(node): own.classes[own.prediction[node]] for node in np.flatnonzero(own.is_leaf)}
    records = []
    observations, whole = np.count_nonzero(weight), float(weight.sum())
    for node, label in labels.items():
        rows = np.flatnonzero(leaf == node)
        # Both are added in the same order, so that rounding leaves correct <= total, and equal if every row is right.
        total, correct = float(weight[rows].sum()), float((weight[rows] * right[rows]).sum())
        counted = observations * (correct / whole), observations * (total / whole)
        lower, upper = wilson_interval(*counted, confidence)
        records.append(
            LeafRecord(
                leaf=node,
                prediction=label.item() if isinstance(label, np.generic) else label,
                n_rows=len(rows),
                weight=total,
                correct=correct,
                accuracy=correct / total if total > 0 else float("nan"),
                lower=lower,
                upper=upper,
            )
        )
    return tuple(records)


def _routed(
    tree: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.float64]]:
    """Return the leaf, the prediction and the weight of each row."""
    if isinstance(tree, Tree):
        rows = (
            X.X
            if isinstance(X, Table)
            else encode_like(X, tree.columns, expected_by="the tree", needed=tree.asked)
        )
        leaf = tree.apply(rows)
        if not tree.predicts_classes or tree.classes is None:
            raise InputError(
                f"The tree predicts {tree.kind.answers}; leaf accuracy is of classification trees."
            )
        predicted = tree.classes[tree.prediction[leaf]]
    elif isinstance(X, Table):
        return _routed(getattr(tree, "tree_", tree), X, y, sample_weight)
    elif hasattr(tree, "apply") and hasattr(tree, "predict"):
        if hasattr(tree, "__sklearn_tags__") and is_regressor(tree):
            raise InputError(
                f"tree is {kind_of(tree)}, which predicts numbers; leaf accuracy is of classification trees."
            )
        leaf, predicted = np.asarray(tree.apply(X)), np.asarray(tree.predict(X))
        own = getattr(tree, "tree_", None)
        if isinstance(own, Tree) and own.classes is not None:  # the models of a hybrid may overrule it
            predicted = own.classes[own.prediction[leaf]]
    else:
        raise InputTypeError(
            f"tree is {kind_of(tree)}; give a Tree or a fitted classifier with apply and predict."
        )
    if leaf.ndim != 1:
        raise InputTypeError(
            f"{type(tree).__name__}.apply returns {leaf.ndim} numbers a row; leaf accuracy is of a single tree."
        )
    refuse_lossy("y", y)
    labels = np.asarray(y)
    if labels.size != len(leaf):
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: {[len(leaf), labels.size]} (X, y)."
        )
    if len(leaf) == 0:
        raise InputError("X has no rows; give at least one.")
    return leaf.astype(np.int64), predicted, check_sample_weight(sample_weight, len(leaf), smallest=0.0)
