"""A fitted tree of scikit-learn, or a member of a forest, as our `Tree`.

scikit-learn rounds rows to float32 before it compares; `float32_threshold` moves the thresholds so that the tree
decides the same on every float64 row within the range of float32. Its best-first trees number nodes in the order
in which they were split; ours are depth-first, so nodes are numbered again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments
from treewright.convert._ensemble_tree import float32_threshold
from treewright.errors import InputError
from treewright.tree import Column, ColumnKind, Split, ThresholdSplit, Tree

__all__ = ["from_sklearn"]


def from_sklearn(
    model: Any,
    *,
    classes: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    inputs: str = "float64",
) -> Tree:
    """Read a fitted tree of scikit-learn.

    Parameters
    ----------
    model : DecisionTreeClassifier, ExtraTreeClassifier, DecisionTreeRegressor or ExtraTreeRegressor
        Fitted, with one output; a member of a forest such as ``forest.estimators_[0]`` too.
    classes : array-like of shape (n_classes,), default=None
        Labels; None takes the model's own. Members of a forest know positions only: give ``forest.classes_``.
    feature_names : sequence of str, default=None
        Names of the columns; None takes those that the model was fitted with, or ``x0, x1, ...``.
    inputs : {"float64", "float32"}, default="float64"
        "float64" moves the thresholds slightly, so that every row gets scikit-learn's prediction without being rounded
        to float32 first; "float32" keeps them, for rows of float32 numbers.

    Returns
    -------
    Tree
        With scikit-learn's predictions, missing values included.

    Raises
    ------
    InputError
        The model is of another class, is not fitted, or has several outputs; or `classes` or `feature_names` have the
        wrong length.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = from_sklearn(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))
    >>> tree.n_leaves
    3
    """
    check_arguments(from_sklearn, locals(), "feature_names")
    if inputs not in ("float64", "float32"):
        raise InputError(f"inputs must be 'float64' or 'float32'; got {inputs!r}.")
    inner = _checked(model)
    order = _depth_first(inner.children_left, inner.children_right)
    number = np.full(inner.node_count, -1, dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    leaf = inner.children_left[order] < 0
    threshold = inner.threshold if inputs == "float32" else float32_threshold(inner.threshold)
    splits: tuple[Split | None, ...] = tuple(
        None
        if is_leaf
        else ThresholdSplit(
            int(inner.feature[node]), float(threshold[node]), bool(inner.missing_go_to_left[node])
        )
        for node, is_leaf in zip(order, leaf, strict=True)
    )
    value = np.array(inner.value[order, 0, :], dtype=np.float64)
    labels = _labels(model, classes)
    if labels is None:
        value = value[:, :1]
        prediction = np.zeros(len(order), dtype=np.int32)
    else:
        prediction = value.argmax(axis=1).astype(np.int32)  # before weights, which could round ties apart
        value = value * inner.weighted_n_node_samples[order, None]
    return Tree(
        columns=tuple(Column(name, ColumnKind.CONTINUOUS) for name in _names(model, feature_names)),
        classes=labels,
        splits=splits,
        children_left=np.where(leaf, -1, number[inner.children_left[order]]).astype(np.int32),
        children_right=np.where(leaf, -1, number[inner.children_right[order]]).astype(np.int32),
        prediction=prediction,
        value=value,
        n_node_samples=inner.n_node_samples[order].astype(np.int64),
    )


def _checked(model: Any) -> Any:
    """The compiled tree inside a fitted model of one output."""
    from sklearn.exceptions import NotFittedError
    from sklearn.tree import BaseDecisionTree
    from sklearn.utils.validation import check_is_fitted

    name = type(model).__name__
    if not isinstance(model, BaseDecisionTree):
        raise InputError(
            f"{name} is not a tree of scikit-learn. Accepted: DecisionTreeClassifier, ExtraTreeClassifier, "
            "DecisionTreeRegressor, ExtraTreeRegressor; of a forest, one of its estimators_."
        )
    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise InputError(f"This {name} is not fitted; call fit first.") from error
    if model.n_outputs_ != 1:
        raise InputError(f"This {name} has {model.n_outputs_} outputs; give one with a single output.")
    return model.tree_


def _depth_first(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    order, pending = [], [0]
    while pending:
        node = pending.pop()
        order.append(node)
        if left[node] >= 0:
            pending += [int(right[node]), int(left[node])]
    return np.array(order, dtype=np.int64)


def _labels(model: Any, classes: ArrayLike | None) -> NDArray[Any] | None:
    own = getattr(model, "classes_", None)
    if classes is None or own is None:
        if classes is not None:
            raise InputError(f"{type(model).__name__} predicts numbers; leave classes out.")
        return None if own is None else np.asarray(own)
    labels = np.asarray(classes)
    if labels.shape != (len(own),):
        raise InputError(f"classes has shape {labels.shape}, but the model has {len(own)} classes.")
    return labels


def _names(model: Any, feature_names: Sequence[str] | None) -> list[str]:
    n = int(model.n_features_in_)
    if feature_names is None:
        own = getattr(model, "feature_names_in_", None)
        return [f"x{j}" for j in range(n)] if own is None else [str(name) for name in own]
    if len(feature_names) != n or len(set(feature_names)) != n:
        raise InputError(
            f"feature_names has {len(feature_names)} names, {len(set(feature_names))} of them different; the "
            f"model has {n} columns."
        )
    return [str(name) for name in feature_names]
