"""A tree as a fitted tree of scikit-learn, so that SHAP, dtreeviz and scikit-learn's own tools can read it.

What differs, and how it is met: scikit-learn rounds rows to float32 (`treewright.convert._float32`); it predicts
the most frequent class, we may predict another under a cost matrix (`shares`); it has threshold splits only
(`treewright.convert._split_encoder` makes columns for the others). Missing values go where they went:
scikit-learn keeps a direction with each split, as we do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright._arguments import check_arguments
from treewright.convert._float32 import Float32Conflict, choose_thresholds
from treewright.convert._source import refuse_lines
from treewright.convert._tree_of import TreeLike, answering_tree
from treewright.errors import InputError
from treewright.table import encode_like
from treewright.tree import ColumnKind, LinearSplit, Split, Tree

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["float32_conflicts", "has_other_splits", "sklearn_tree", "to_sklearn", "to_sklearn_pipeline"]

ABOVE = 1e-9  # relative lead of the predicted class: far above rounding, far below what is read


def to_sklearn(tree: TreeLike, X: Any = None) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Return a tree as a fitted scikit-learn tree with the same decisions.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
        With threshold splits of numbers and truth values only.
    X : array-like or frame of shape (n_rows, n_columns), default=None
        Rows on which the predictions must be equal although scikit-learn rounds them to float32. With None, predictions
        are equal on rows that are already float32 numbers (for example integers up to 2**24).

    Returns
    -------
    DecisionTreeClassifier or DecisionTreeRegressor
        A regressor for a regression or survival tree. Nodes have the same numbers. ``predict_proba`` is that of the
        tree, except in a leaf that a cost matrix decides against its most frequent class: there the predicted
        class is raised just above the others. A tree that has seen no rows (`n_node_samples` is 0
        throughout) counts one row per leaf, for tools that divide by them.

    Raises
    ------
    InputError
        The tree has category or linear splits (use `to_sklearn_pipeline`), lines in its leaves, or float32 cannot keep
        the rows of `X` apart; the message names the column and two values.

    See Also
    --------
    float32_conflicts : the same check by itself.
    to_sklearn_pipeline : for every tree, equal on every row.
    from_sklearn : the way back.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.convert import to_sklearn
    >>> to_sklearn(OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).tree_).predict([[25], [60]])
    array([0, 1])
    """
    tree = answering_tree(tree)
    refuse_lines(tree, "scikit-learn's trees hold")
    _refuse_other_splits(tree)
    thresholds, conflicts = choose_thresholds(tree, None if X is None else encode_like(X, tree.columns))
    if conflicts:
        first = conflicts[0]
        raise InputError(
            f"scikit-learn rounds to float32, where {first.left!r} and {first.right!r} of column "
            f"{first.column!r} are both {first.rounded!r}, but the tree splits between them (node {first.node}; "
            f"{len(conflicts)} such thresholds in all). Use to_sklearn_pipeline, whose encoder keeps them apart, "
            "or leave X out and accept other predictions on such rows."
        )
    names = [column.name for column in tree.columns]
    return sklearn_tree(tree, names, tree.feature, thresholds)


def to_sklearn_pipeline(tree: TreeLike) -> Pipeline:
    """Return a tree as a scikit-learn pipeline with the same predictions on every row, whatever its splits.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
        An estimator whose predictions are not those of its tree is refused.

    Returns
    -------
    Pipeline
        ``encode`` turns the original columns into float32 numbers (a category split becomes a column of 0 and 1, a
        linear split the column of its sum; numbers are moved within float32 only where rounding would carry them over a
        threshold), ``tree`` is a fitted scikit-learn tree over them. SHAP, dtreeviz and plots take ``pipeline["tree"]``
        with ``pipeline["encode"].transform(X)`` and ``pipeline["encode"].get_feature_names_out()``. To load a pickle of
        the pipeline, treewright must be installed.

    Raises
    ------
    InputError
        The tree has lines in its leaves.

    See Also
    --------
    to_sklearn : only a tree, if scikit-learn can express it.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.convert import to_sklearn_pipeline
    >>> to_sklearn_pipeline(OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).tree_).predict([[25], [60]])
    array([0, 1])
    """
    tree = answering_tree(tree)
    refuse_lines(tree, "scikit-learn's trees hold")
    from sklearn.pipeline import Pipeline

    from treewright.convert._split_encoder import SplitEncoder

    encoder = SplitEncoder(tree).fit()
    fitted = sklearn_tree(tree, encoder.names_, encoder.feature_, encoder.threshold_)
    if hasattr(fitted, "feature_names_in_"):
        del fitted.feature_names_in_  # the encoder hands on an array, which has no names
    return Pipeline([("encode", encoder), ("tree", fitted)])


def float32_conflicts(tree: Tree, X: Any) -> tuple[Float32Conflict, ...]:
    """Return the thresholds of a tree that float32 numbers cannot represent for given rows.

    Parameters
    ----------
    tree : Tree
        With threshold splits only.
    X : array-like or frame of shape (n_rows, n_columns)

    Returns
    -------
    tuple of Float32Conflict
        Empty if `to_sklearn` can give equal predictions on all rows of `X`. Otherwise no tree over float32 numbers can:
        each entry names two values that are the same number in float32.

    Raises
    ------
    InputError
        The tree has category or linear splits.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.convert import float32_conflicts
    >>> X = [[1.0], [1.0 + 1e-12]]  # one number in float32
    >>> [conflict.n_rows for conflict in float32_conflicts(OptimalTreeClassifier().fit(X, [0, 1]).tree_, X)]
    [1]
    """
    check_arguments(float32_conflicts, locals(), "tree")
    _refuse_other_splits(tree)
    return choose_thresholds(tree, encode_like(X, tree.columns))[1]


def shares(tree: Tree) -> NDArray[np.float64]:
    """Return class shares of each node whose largest, the first on ties, is the class that the node predicts."""
    value = tree.node_shares.copy()
    other = np.flatnonzero(value.argmax(axis=1) != tree.prediction)
    value[other, tree.prediction[other]] = value[other].max(axis=1) * (1 + ABOVE)
    value[other] /= value[other].sum(axis=1, keepdims=True)
    return value


def sklearn_tree(
    tree: Tree, names: list[str], feature: NDArray[np.int32], threshold: NDArray[np.float64]
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Make a fitted scikit-learn tree with the nodes of `tree` over other columns and thresholds.

    Parameters
    ----------
    tree : Tree
    names : list of str
        Of the columns of the fitted tree.
    feature, threshold : ndarray of shape (node_count,)
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
    from sklearn.tree import _tree as internals

    # Fitted on one row per class, the estimator has all attributes of its version; then it gets our nodes.
    if tree.classes is None:
        values = tree.value if tree.n_outputs > 1 else tree.value[:, :1]
        fitted = DecisionTreeRegressor().fit(np.zeros((1, len(names))), np.zeros((1, values.shape[1])))
        impurity = np.zeros(tree.node_count)
    else:
        n_classes = len(tree.classes)
        fitted = DecisionTreeClassifier().fit(np.zeros((n_classes, len(names))), np.arange(n_classes))
        fitted.classes_ = tree.classes.copy()
        values = shares(tree)
        impurity = 1.0 - (values**2).sum(axis=1)
    count, weight = _support(tree)
    nodes = np.zeros(tree.node_count, dtype=fitted.tree_.__getstate__()["nodes"].dtype)
    nodes["left_child"], nodes["right_child"] = tree.children_left, tree.children_right
    nodes["feature"], nodes["threshold"] = feature, threshold
    nodes["missing_go_to_left"] = tree.missing_go_to_left
    nodes["impurity"] = impurity
    nodes["n_node_samples"], nodes["weighted_n_node_samples"] = count, weight
    width, n_outputs = values.shape[1], 1 if tree.classes is not None else values.shape[1]
    n_classes_of = np.array([width] if tree.classes is not None else [1] * n_outputs, dtype=np.intp)
    inner = internals.Tree(len(names), n_classes_of, n_outputs)
    inner.__setstate__(
        {
            "max_depth": tree.depth,
            "node_count": tree.node_count,
            "nodes": nodes,
            "values": values.reshape(tree.node_count, n_outputs, -1).copy(),
        }
    )
    fitted.tree_ = inner
    if names != [f"x{j}" for j in range(len(names))]:  # the names of a table that had none
        fitted.feature_names_in_ = np.array(names, dtype=object)
    return fitted


def _support(tree: Tree) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows and weight of each node; one row per leaf where the tree has seen none at all."""
    if tree.n_node_samples[0] > 0 and tree.weighted_n_node_samples[0] > 0:
        return tree.n_node_samples, tree.weighted_n_node_samples
    count = tree.is_leaf.astype(np.int64)
    for node in reversed(range(tree.node_count)):  # children come after parents
        if not tree.is_leaf[node]:
            count[node] = count[tree.children_left[node]] + count[tree.children_right[node]]
    return count, count.astype(np.float64)


def has_other_splits(tree: Tree) -> bool:
    """Whether a tree has splits that scikit-learn's trees lack."""
    return any(_other_kind(tree, split) for split in tree.splits)


def _refuse_other_splits(tree: Tree) -> None:
    for node, split in enumerate(tree.splits):
        kind = _other_kind(tree, split)
        if split is not None and kind:
            raise InputError(
                f"Node {node} has {kind} on {tree.columns[split.column].name!r}, which scikit-learn's trees do "
                "not have. Use to_sklearn_pipeline, which brings an encoder for it."
            )


def _other_kind(tree: Tree, split: Split | None) -> str:
    """What scikit-learn's trees lack about a split, in words; empty if nothing."""
    if isinstance(split, LinearSplit):
        return "a linear split"
    if split is not None and tree.columns[split.column].kind is ColumnKind.CATEGORICAL:
        return "a split of categories"
    return ""
