"""Reading tree ensembles: which thresholds they use, how they compare, and how important each column is.

scikit-learn's trees compare the float32 value with a float64 threshold (`<=`), HistGradientBoosting and
LightGBM the float64 value (`<=`), XGBoost the float32 value strictly (`<`). XGBoost and LightGBM are read
only if the caller hands in one of their models; nothing is imported for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import kind_of
from treewright.errors import InputError

__all__ = ["ModelThreshold", "check_model", "depths_of_boosted", "importances", "is_fitted", "thresholds_of"]

KNOWN = (
    "a scikit-learn decision tree, forest, GradientBoosting, HistGradientBoosting, AdaBoost or Bagging "
    "classifier of trees, an XGBClassifier or an LGBMClassifier"
)
CATEGORIES = "The reference splits on categories; its thresholds cannot be read. Code them as 0/1 columns."


@dataclass(frozen=True, slots=True)
class ModelThreshold:
    """A comparison that some tree of the model makes.

    Parameters
    ----------
    position : int
        Column of the model's input.
    threshold : float
    single : bool
        Whether the value is rounded to float32 first.
    strict : bool
        Whether ``x < threshold`` goes left, instead of ``x <= threshold``.
    gain : float
        Decrease of the model's impurity or loss by this split.
    """

    position: int
    threshold: float
    single: bool
    strict: bool
    gain: float

    def goes_left(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which of the known values the model sends left."""
        x = values.astype(np.float32).astype(np.float64) if self.single else values
        return np.asarray(x < self.threshold if self.strict else x <= self.threshold)


def check_model(model: Any) -> None:
    """Refuse what is not a classifier.

    Raises
    ------
    InputError
        A regressor, or something without `fit` and `predict`.
    """
    from sklearn.base import is_classifier, is_regressor

    if isinstance(model, type):
        raise InputError(f"reference is the class {model.__name__}; give an object: {model.__name__}().")
    if not hasattr(model, "fit") or not hasattr(model, "predict"):
        raise InputError(f"reference={model!r}; give {KNOWN}, or an array with its predictions.")
    if is_regressor(model):
        raise InputError(
            f"reference is {kind_of(model)}, a regressor; guessing needs the classes that a "
            f"classifier predicts. Give {KNOWN}."
        )
    if not is_classifier(model):
        raise InputError(f"reference is {kind_of(model)}, which is not a classifier; give {KNOWN}.")


def is_fitted(model: Any) -> bool:
    """Whether the model has been fitted."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def depths_of_boosted(model: Any) -> list[int]:
    """Return the depth of each tree of a fitted model of XGBoost or LightGBM; nothing for other models."""
    if hasattr(model, "get_booster") and is_fitted(model):
        return [1 + max(_inner_nodes(tree).values(), default=-1) for tree in _xgboost_trees(model)]
    if hasattr(type(model), "booster_") and is_fitted(model):
        trees = model.booster_.dump_model()["tree_info"]
        return [_lightgbm_depth(tree["tree_structure"]) for tree in trees]
    return []


def _lightgbm_depth(node: dict[str, Any]) -> int:
    children = [node[side] for side in ("left_child", "right_child") if side in node]
    return 1 + max(map(_lightgbm_depth, children)) if children else 0


def thresholds_of(model: Any) -> list[ModelThreshold]:
    """Return every comparison of a fitted tree ensemble, in no particular order, repeated ones included.

    Raises
    ------
    InputError
        The model is of a kind that cannot be read, or splits on categories.
    """
    return list(_read(model))


def importances(model: Any, n_columns: int) -> NDArray[np.float64]:
    """Return the Gini importance (total gain where the model has no such attribute) of each input column."""
    if hasattr(model, "feature_importances_") and not hasattr(model, "booster_"):
        return np.asarray(model.feature_importances_, dtype=np.float64)
    total = np.zeros(n_columns)
    if hasattr(model, "estimators_features_"):  # bagging: the mean over its trees
        for tree, features in zip(model.estimators_, model.estimators_features_, strict=True):
            total[features] += tree.feature_importances_
        return total
    for split in _read(model):
        total[split.position] += split.gain
    return total


def _read(model: Any) -> Iterator[ModelThreshold]:
    if hasattr(model, "tree_"):
        yield from _read_tree(model.tree_)
    elif hasattr(model, "_predictors"):
        yield from _read_histogram(model)
    elif hasattr(model, "get_booster"):
        yield from _read_xgboost(model)
    elif hasattr(model, "booster_"):
        for tree in model.booster_.dump_model()["tree_info"]:
            yield from _read_lightgbm(tree["tree_structure"])
    elif hasattr(model, "estimators_features_"):
        for estimator, features in zip(model.estimators_, model.estimators_features_, strict=True):
            for split in _read(estimator):
                yield ModelThreshold(
                    int(features[split.position]), split.threshold, split.single, split.strict, split.gain
                )
    elif hasattr(model, "estimators_"):
        for estimator in np.asarray(model.estimators_, dtype=object).ravel():
            yield from _read(estimator)
    else:
        raise InputError(
            f"A {type(model).__name__} has no trees whose thresholds could be read; give {KNOWN}."
        )


def _read_tree(tree: Any) -> Iterator[ModelThreshold]:
    for node in np.flatnonzero(tree.children_left >= 0):
        left, right = tree.children_left[node], tree.children_right[node]
        weight = tree.weighted_n_node_samples
        gain = (
            weight[node] * tree.impurity[node]
            - weight[left] * tree.impurity[left]
            - weight[right] * tree.impurity[right]
        )
        yield ModelThreshold(int(tree.feature[node]), float(tree.threshold[node]), True, False, float(gain))


def _read_histogram(model: Any) -> Iterator[ModelThreshold]:
    for stage in model._predictors:
        for tree in stage:
            inner = tree.nodes[tree.nodes["is_leaf"] == 0]
            if inner["is_categorical"].any():
                raise InputError(
                    "The reference splits on categories; its thresholds cannot be read. Fit it without "
                    "categorical_features (code the categories as 0/1 columns)."
                )
            for node in inner:
                yield ModelThreshold(
                    int(node["feature_idx"]), float(node["num_threshold"]), False, False, float(node["gain"])
                )


def _read_xgboost(model: Any) -> Iterator[ModelThreshold]:
    for tree in _xgboost_trees(model):
        for node in _inner_nodes(tree):
            if tree["split_type"] and tree["split_type"][node]:
                raise InputError(CATEGORIES)
            # The file writes a float32 number in few digits, which as float64 are another number.
            threshold = float(np.float32(tree["split_conditions"][node]))
            gain = float(tree["loss_changes"][node])
            yield ModelThreshold(int(tree["split_indices"][node]), threshold, True, True, gain)


def _xgboost_trees(model: Any) -> list[dict[str, Any]]:
    """Return the trees of a fitted model as its file has them; the text that it prints for people has other thresholds.

    Raises
    ------
    InputError
        It has no trees.
    """
    booster = json.loads(bytes(model.get_booster().save_raw(raw_format="json")))["learner"][
        "gradient_booster"
    ]
    body = booster.get("gbtree", booster).get("model", {})  # booster="dart" has a gbtree inside
    if "trees" not in body:
        raise InputError(
            f"This {type(model).__name__} has no trees whose thresholds could be read; give {KNOWN}."
        )
    trees: list[dict[str, Any]] = body["trees"]
    return trees


def _inner_nodes(tree: dict[str, Any]) -> dict[int, int]:
    """Return the nodes of a tree of XGBoost that split, pruned ones left out, each with its depth."""
    depth: dict[int, int] = {}
    stack = [(0, 0)]
    while stack:
        node, level = stack.pop()
        if tree["left_children"][node] >= 0:
            depth[node] = level
            stack += [(tree[side][node], level + 1) for side in ("right_children", "left_children")]
    return depth


def _read_lightgbm(node: dict[str, Any]) -> Iterator[ModelThreshold]:
    if "split_feature" not in node:
        return
    if node["decision_type"] != "<=":
        raise InputError(CATEGORIES)
    yield ModelThreshold(
        int(node["split_feature"]), float(node["threshold"]), False, False, float(node["split_gain"])
    )
    yield from _read_lightgbm(node["left_child"])
    yield from _read_lightgbm(node["right_child"])
