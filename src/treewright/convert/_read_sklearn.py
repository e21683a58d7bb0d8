"""scikit-learn's tree ensembles as `Ensemble`, in the order and precision of their own `predict`.

Forests add the class shares of the leaves and divide by the number of trees (a soft vote); bagging does the
same with column subsets and trees that may lack a class; AdaBoost adds signed weights; gradient boosting adds
scaled leaf values to the prior. The trees of `sklearn.tree` compare float32 features, those of histogram
boosting float64 ones. Forests with ``n_jobs > 1`` may add the trees in another order than ours (their own
race), which can move exact ties.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.convert._ensemble import Ensemble
from treewright.convert._ensemble_tree import EnsembleTree, float32_threshold
from treewright.errors import InputError

__all__ = ["column_names", "histogram_nodes", "read_sklearn", "refuse_categories", "tree_nodes"]


def read_sklearn(model: Any, *, route_missing: bool, float32_inputs: bool) -> Ensemble | None:
    """Return the ensemble of a fitted scikit-learn classifier, or None if the class is not known.

    Parameters
    ----------
    model : fitted classifier
    route_missing : bool
        Whether the model's own rule for missing values is part of the ensemble.
    float32_inputs : bool
        Keep the thresholds as they are, and promise only float32 rows.
    """
    reader = _READERS.get(type(model).__name__)
    if reader is None:
        bases = [base.__name__ for base in type(model).__mro__]
        reader = next((_READERS[name] for name in bases if name in _READERS), None)
    if reader is None:
        return None
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise InputError(f"This {type(model).__name__} is not fitted; call fit first.") from error
    if isinstance(model.classes_, list):
        raise InputError(
            f"This {type(model).__name__} has {len(model.classes_)} outputs; born-again trees need one."
        )
    if len(model.classes_) < 2:
        raise InputError(f"This {type(model).__name__} saw one class only; there is nothing to decide.")
    return reader(model, route_missing, float32_inputs)


def column_names(model: Any) -> tuple[str, ...]:
    """Return the names of a fitted model's columns; x0, x1, ... if it saw none."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        return tuple(str(name) for name in names)
    return tuple(f"x{f}" for f in range(model.n_features_in_))


def tree_nodes(
    tree: Any,
    value: NDArray[np.float64],
    float32_inputs: bool,
    columns: NDArray[np.int64] | None = None,
) -> EnsembleTree:
    """Nodes of a `sklearn.tree._tree.Tree` with the leaf scores `value` (n_nodes, n_outputs)."""
    leaf = tree.children_left < 0
    feature = tree.feature if columns is None else columns[np.maximum(tree.feature, 0)]
    threshold = tree.threshold if float32_inputs else float32_threshold(tree.threshold)
    return EnsembleTree(
        np.where(leaf, -1, feature).astype(np.int32),
        np.where(leaf, 0.0, threshold),
        np.where(leaf, 0, tree.children_left).astype(np.int32),
        np.where(leaf, 0, tree.children_right).astype(np.int32),
        np.ascontiguousarray(value, dtype=np.float64),
        tree.missing_go_to_left.astype(np.bool_),
    )


def _finish(
    model: Any,
    trees: list[EnsembleTree],
    bias: NDArray[np.float64],
    route_missing: bool,
    float32_inputs: bool,
    **rule: Any,
) -> Ensemble:
    names = column_names(model)
    return Ensemble(
        tuple(trees),
        np.asarray(model.classes_),
        names,
        bias,
        missing=np.full(len(names), route_missing),
        inputs="float32" if float32_inputs else "float64",
        source=type(model).__name__,
        **rule,
    )


def _one_tree(model: Any, route_missing: bool, float32_inputs: bool) -> Ensemble:
    trees = [tree_nodes(model.tree_, model.tree_.value[:, 0, : model.n_classes_], float32_inputs)]
    return _finish(model, trees, np.zeros(model.n_classes_), route_missing, float32_inputs)


def _forest(model: Any, route_missing: bool, float32_inputs: bool) -> Ensemble:
    k = len(model.classes_)
    trees = [tree_nodes(e.tree_, e.tree_.value[:, 0, :k], float32_inputs) for e in model.estimators_]
    return _finish(model, trees, np.zeros(k), route_missing, float32_inputs, divisor=float(len(trees)))


def _bagging(model: Any, route_missing: bool, float32_inputs: bool) -> Ensemble:
    k = len(model.classes_)
    trees = []
    for estimator, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        _check_is_tree(estimator, model)
        value = np.zeros((estimator.tree_.node_count, k))
        # A bootstrap sample may lack a class: the tree's columns are the classes that it saw.
        value[:, estimator.classes_.astype(np.int64)] = estimator.tree_.value[:, 0, : len(estimator.classes_)]
        trees.append(tree_nodes(estimator.tree_, value, float32_inputs, np.asarray(columns, dtype=np.int64)))
    return _finish(
        model, trees, np.zeros(k), route_missing, float32_inputs, divisor=float(model.n_estimators)
    )


def _adaboost(model: Any, route_missing: bool, float32_inputs: bool) -> Ensemble:
    k = len(model.classes_)
    trees = []
    for estimator, weight in zip(model.estimators_, model.estimator_weights_, strict=False):
        _check_is_tree(estimator, model)
        label = estimator.classes_[np.argmax(estimator.tree_.value[:, 0, :], axis=1)]
        value = np.where(label[:, None] == model.classes_[None, :], weight, -1 / (k - 1) * weight)
        trees.append(tree_nodes(estimator.tree_, value[:, 1:] if k == 2 else value, float32_inputs))
    if k == 2:  # the score of class 0 is the exact negative, so the sign of the score of class 1 decides
        return _finish(model, trees, np.zeros(1), route_missing, float32_inputs, link="positive")
    total = float(model.estimator_weights_.sum())
    return _finish(model, trees, np.zeros(k), route_missing, float32_inputs, divisor=total)


def _check_is_tree(estimator: Any, model: Any) -> None:
    from sklearn.tree import BaseDecisionTree

    if not isinstance(estimator, BaseDecisionTree) or not hasattr(estimator, "classes_"):
        raise InputError(
            f"This {type(model).__name__} is made of {type(estimator).__name__}; only DecisionTreeClassifier and "
            "ExtraTreeClassifier can be read."
        )


def _gradient_boosting(model: Any, route_missing: bool, float32_inputs: bool) -> Ensemble:
    if route_missing:
        raise InputError("GradientBoostingClassifier has no rule for missing values; use missing='refuse'.")
    if model.init is not None and model.init != "zero" and type(model.init_).__name__ != "DummyClassifier":
        raise InputError(
            f"This GradientBoostingClassifier starts from {type(model.init_).__name__}, whose scores are "
            "not a constant; fit it with init=None or init='zero'."
        )
    bias = np.asarray(model._raw_predict_init(np.zeros((1, model.n_features_in_))), dtype=np.float64)[0]
    k = len(bias)
    trees = []
    for stage in model.estimators_:
        for output, estimator in enumerate(stage):
            value = np.zeros((estimator.tree_.node_count, k))
            value[:, output] = model.learning_rate * estimator.tree_.value[:, 0, 0]
            trees.append(tree_nodes(estimator.tree_, value, float32_inputs))
    if k == 1:  # class 1 if score >= 0, that is if it is above the largest number below zero
        return _finish(model, trees, bias, False, float32_inputs, link="positive", cut=-5e-324)
    return _finish(model, trees, bias, False, float32_inputs)


def refuse_categories(model: Any) -> None:
    """Raise an error if a histogram boosting model splits sets of categories."""
    names, categorical = column_names(model), model.is_categorical_
    if categorical is not None and np.any(categorical):
        which = ", ".join(repr(names[f]) for f in np.flatnonzero(categorical)[:5])
        raise InputError(
            f"This {type(model).__name__} splits the categorical columns {which}, which threshold splits "
            "cannot express. One-hot encode them and fit again."
        )


def histogram_nodes(nodes: Any, value: NDArray[np.float64]) -> EnsembleTree:
    """Nodes of a histogram boosting model's tree with the leaf scores `value` (n_nodes, n_outputs)."""
    leaf = nodes["is_leaf"].astype(np.bool_)
    return EnsembleTree(
        np.where(leaf, -1, nodes["feature_idx"]).astype(np.int32),
        np.where(leaf, 0.0, nodes["num_threshold"]).astype(np.float64),
        np.where(leaf, 0, nodes["left"]).astype(np.int32),
        np.where(leaf, 0, nodes["right"]).astype(np.int32),
        value,
        nodes["missing_go_to_left"].astype(np.bool_),
    )


def _hist_gradient_boosting(model: Any, route_missing: bool, float32_inputs: bool) -> Ensemble:
    refuse_categories(model)
    bias = np.asarray(model._baseline_prediction, dtype=np.float64).ravel()
    k = len(bias)
    trees = []
    for stage in model._predictors:
        for output, predictor in enumerate(stage):
            value = np.zeros((len(predictor.nodes), k))
            value[:, output] = predictor.nodes["value"]
            trees.append(histogram_nodes(predictor.nodes, value))
    link = "positive" if k == 1 else "argmax"
    return _finish(model, trees, bias, route_missing, float32_inputs, link=link)


_READERS: dict[str, Callable[[Any, bool, bool], Ensemble]] = {
    "DecisionTreeClassifier": _one_tree,
    "ExtraTreeClassifier": _one_tree,
    "RandomForestClassifier": _forest,
    "ExtraTreesClassifier": _forest,
    "BaggingClassifier": _bagging,
    "AdaBoostClassifier": _adaboost,
    "GradientBoostingClassifier": _gradient_boosting,
    "HistGradientBoostingClassifier": _hist_gradient_boosting,
}
