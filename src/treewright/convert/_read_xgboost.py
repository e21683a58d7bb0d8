"""XGBoost models as `Ensemble`, from the library's own JSON (`Booster.save_model`, `Booster.save_raw`).

XGBoost compares float32 values with ``x < t``, sums in single precision starting from the base score, and
decides by the single-precision sigmoid or softmax, or with multi:softmax by the sums themselves. ``x < t`` is
``x <= previous float32 below t``. What the file says twice (sizes, parents, classes) must agree.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.convert._check_ensemble import EnsembleFault, check_sizes, nodes_from_root
from treewright.convert._checked import Checked, parse
from treewright.convert._ensemble import Ensemble
from treewright.convert._ensemble_tree import EnsembleTree, float32_threshold
from treewright.convert._exponential import exp32, log32
from treewright.convert._objectives import XGBOOST_CLASSES, accepted_instead
from treewright.convert._text_numbers import number_in_text
from treewright.errors import InputError

__all__ = ["base_score", "read_xgboost", "read_xgboost_json", "xgboost_json", "xgboost_trees"]

LARGEST = 2**31 - 1
NEAR_0 = np.float32(1e-6)  # the library's kRtEps


def read_xgboost(model: Any, *, route_missing: bool, float32_inputs: bool) -> Ensemble | None:
    """Read an `XGBClassifier` or a `Booster`; None for another class."""
    classes: NDArray[Any] | None = None
    source = type(model).__name__
    text = xgboost_json(model)
    if text is None:
        return None
    if hasattr(model, "get_booster"):
        if not hasattr(model, "classes_"):
            raise InputError(f"{source} is not a classifier; born-again trees need XGBClassifier.")
        classes = np.asarray(model.classes_)
    return read_xgboost_json(
        text, source, classes=classes, route_missing=route_missing, float32_inputs=float32_inputs
    )


def xgboost_json(model: Any) -> bytes | None:
    """Return the JSON of a fitted model or a `Booster`, up to its best iteration; None for another class."""
    booster = model
    if hasattr(model, "get_booster"):
        from sklearn.exceptions import NotFittedError

        try:
            booster = _until_best(model, model.get_booster())
        except NotFittedError as error:
            raise InputError(f"This {type(model).__name__} is not fitted; call fit first.") from error
        _refuse_other_missing(model)
    return bytes(booster.save_raw(raw_format="json")) if hasattr(booster, "save_raw") else None


def _refuse_other_missing(model: Any) -> None:
    """Refuse a model to which another value than NaN is missing: it does not compare that value with thresholds."""
    value = getattr(model, "missing", None)
    if value is not None and not np.isnan(value):
        raise InputError(
            f"This {type(model).__name__} was fitted with missing={value!r}: it takes that value for a missing one, "
            "which thresholds cannot express. Write missing values as NaN and fit again without missing=."
        )


def _until_best(model: Any, booster: Any) -> Any:
    """Keep the trees that `XGBClassifier.predict` uses after early stopping."""
    try:
        best = model.best_iteration
    except AttributeError:
        return booster
    return booster[: best + 1]


def read_xgboost_json(
    content: bytes,
    source: str,
    *,
    classes: NDArray[Any] | None = None,
    route_missing: bool,
    float32_inputs: bool,
) -> Ensemble:
    """Read the content of a JSON model.

    Parameters
    ----------
    content : bytes
    source : str
        What is read, for messages.
    classes : ndarray, optional
        Labels; None numbers them from 0.
    route_missing, float32_inputs : bool
        As in `read_sklearn`.

    Raises
    ------
    InputError
        The model has a part that threshold splits cannot express.
    ModelFileError, EnsembleFault
        The file is damaged.
    """
    objective, param, k, names, trees = xgboost_trees(content, source, XGBOOST_CLASSES, float32_inputs)
    if classes is not None and len(classes) != max(k, 2):
        raise EnsembleFault(f"The model decides {max(k, 2)} classes, and {len(classes)} labels are given.")
    # multi:softmax takes the largest sum; sums that differ in the last bit may have the same probability.
    rule: dict[str, Any] = {"link": "softmax32" if objective == "multi:softprob" else "argmax"}
    if k == 1:
        rule = {"link": "positive", "cut": _sigmoid_cut()}
    return Ensemble(
        trees,
        np.arange(max(k, 2)) if classes is None else classes,
        names,
        base_score(param.field("base_score"), k, of_probabilities=k == 1),
        single=True,
        missing=np.full(len(names), route_missing),
        inputs="float32" if float32_inputs else "float64",
        source=source,
        **rule,
    )


def xgboost_trees(
    content: bytes, source: str, objectives: tuple[str, ...], float32_inputs: bool
) -> tuple[str, Checked, int, tuple[str, ...], tuple[EnsembleTree, ...]]:
    """Read what models of all objectives have: objective, parameters, number of scores, column names and trees.

    Raises
    ------
    InputError, ModelFileError, EnsembleFault
        As `read_xgboost_json`.
    """
    learner = parse(content).field("learner")
    objective = learner.field("objective").field("name").text()
    booster = learner.field("gradient_booster")
    kind = booster.field("name").text()
    if kind != "gbtree":
        raise InputError(f"{source} uses booster {kind!r}; only 'gbtree' can be read.")
    if objective not in objectives:
        raise InputError(f"{source} has objective {objective!r}; {accepted_instead(objective, objectives)}")
    param = learner.field("learner_model_param")
    k = _n_scores(learner, objective)
    names = _names(learner, _count(param.field("num_feature")))
    body = booster.field("model")
    entries = list(body.field("trees").entries())
    check_sizes(len(names), max(k, 2), max(len(entries), 1))
    if not entries:
        raise InputError(f"{source} has no trees; fit it with at least one boosting round.")
    groups = _groups(body, len(entries), k)
    trees = tuple(
        _read_tree(entry, int(group), k, names, float32_inputs, source)
        for entry, group in zip(entries, groups, strict=True)
    )
    return objective, param, k, names, trees


def _count(value: Checked, most: int = LARGEST) -> int:
    """A whole number, which XGBoost writes as text."""
    if (
        isinstance(value.value, str)
        and re.fullmatch(r"[0-9]{1,10}", value.value)
        and int(value.value) <= most
    ):
        return int(value.value)
    return value.integer(0, most)


def _n_scores(learner: Checked, objective: str) -> int:
    """Number of scores: 1 for two classes by one score, else the number of classes."""
    param = learner.field("learner_model_param")
    n_classes = _count(param.field("num_class"))
    if "num_target" in param and _count(param.field("num_target")) > 1:
        param.field("num_target").fail('"1": one target')
    if not objective.startswith("multi"):
        if n_classes > 1:
            param.field("num_class").fail(f'"0" for {objective}')
        return 1
    own = learner.field("objective")
    if "softmax_multiclass_param" in own:
        stated = own.field("softmax_multiclass_param").field("num_class")
        if _count(stated) != n_classes:
            stated.fail(f"the number of classes, {n_classes}, of learner_model_param")
    return n_classes


def _names(learner: Checked, n_features: int) -> tuple[str, ...]:
    """Names of the columns; a model without names numbers them."""
    check_sizes(n_features, 2, 1)
    names: list[str] = []
    if "feature_names" in learner:
        entries = learner.field("feature_names")
        names = [name.text() for name in entries.entries()]
        if names and (len(names) != n_features or len(set(names)) != n_features):
            entries.fail(f"empty, or {n_features} different names (num_feature)")
    return tuple(names or [f"x{f}" for f in range(n_features)])


def base_score(value: Checked, k: int, *, of_probabilities: bool) -> NDArray[np.float64]:
    """The bias: for two classes the single-precision logit of a probability, else one score or k of them."""
    text = str(value.value) if isinstance(value.value, (int, float)) else value.text()
    try:
        numbers = np.array([number_in_text(part) for part in text.strip().strip("[]").split(",")])
    except (ValueError, OverflowError):
        value.fail("a number, or a list of numbers as text")
    if len(numbers) not in (1, k) or not (np.abs(numbers) < np.finfo(np.float32).max).all():
        value.fail(f"one finite number, or {k}")
    base = numbers.astype(np.float32)
    if of_probabilities:
        if not np.finfo(np.float32).tiny < base[0] < 1:
            value.fail("a probability between 0 and 1")
        base = np.clip(base, NEAR_0, np.float32(1.0) - NEAR_0)  # as the library does
        base = -log32(np.float32(1.0) / base - np.float32(1.0))
    return np.broadcast_to(base, (k,)).astype(np.float64)


def _groups(body: Checked, n_trees: int, k: int) -> NDArray[np.int64]:
    """The score that each tree adds to."""
    param = body.field("gbtree_model_param")
    if _count(param.field("num_trees")) != n_trees:
        param.field("num_trees").fail(f"{n_trees}, the number of trees that follow")
    if "iteration_indptr" in body and body.field("iteration_indptr").value:
        steps = body.field("iteration_indptr")
        starts = steps.integers(len(list(steps.entries())), 0, n_trees)
        if starts[0] != 0 or starts[-1] != n_trees or (np.diff(starts) < 0).any():
            steps.fail(f"ascending from 0 to {n_trees}, the number of trees")
    return body.field("tree_info").integers(n_trees, 0, k - 1)


def _read_tree(
    tree: Checked, group: int, k: int, names: tuple[str, ...], float32_inputs: bool, source: str
) -> EnsembleTree:
    param = tree.field("tree_param")
    n = _count(param.field("num_nodes"))
    check_sizes(len(names), max(k, 2), 1, n, k)
    if n < 1 or n != len(list(tree.field("left_children").entries())):
        param.field("num_nodes").fail("the number of nodes that follow, and not 0")
    if _count(param.field("num_feature")) not in (0, len(names)):
        param.field("num_feature").fail(f"the number of columns, {len(names)}")
    if "size_leaf_vector" in param and _count(param.field("size_leaf_vector")) > 1:
        raise InputError(
            f"{source} has vectors in its leaves; fit it with multi_strategy='one_output_per_tree'."
        )
    left = tree.field("left_children").integers(n, -1, n - 1)
    right = tree.field("right_children").integers(n, -1, n - 1)
    leaf = left < 0
    if (leaf != (right < 0)).any():
        tree.field("right_children").fail("-1 exactly where left_children is")
    feature = tree.field("split_indices").integers(n, 0, LARGEST)
    if (feature[~leaf] >= len(names)).any():
        tree.field("split_indices").fail(f"a list of columns from 0 to {len(names) - 1}")
    _refuse_categories(tree, feature, leaf, names, source)
    condition = _single(tree.field("split_conditions"), n)
    default_left = tree.field("default_left").integers(n, 0, 1)
    order = nodes_from_root(left, right, leaf, tree.path)
    _check_deleted(tree, left, right, leaf, order)
    with np.errstate(over="ignore"):
        below = np.nextafter(condition, np.float32(-np.inf)).astype(np.float64)  # x < t is x <= below
    value = np.zeros((n, k))
    value[leaf, group] = condition[leaf]
    new = np.zeros(n, dtype=np.int32)
    new[order] = np.arange(len(order))
    leaf = leaf[order]
    return EnsembleTree(
        np.where(leaf, -1, feature[order]).astype(np.int32),
        np.where(leaf, 0.0, (below if float32_inputs else float32_threshold(below))[order]),
        np.where(leaf, 0, new[left[order]]).astype(np.int32),
        np.where(leaf, 0, new[right[order]]).astype(np.int32),
        value[order],
        default_left[order].astype(np.bool_),
    )


def _single(value: Checked, n: int) -> NDArray[np.float32]:
    """Numbers in the single precision that they are used in."""
    numbers = value.numbers(n)
    if not (np.abs(numbers) < np.finfo(np.float32).max).all():
        value.fail("a list of numbers within the range of float32")
    return numbers.astype(np.float32)


def _refuse_categories(
    tree: Checked,
    feature: NDArray[np.int64],
    leaf: NDArray[np.bool_],
    names: tuple[str, ...],
    source: str,
) -> None:
    """Refuse splits of categories, by the names of their columns."""
    if "split_type" not in tree or not tree.field("split_type").value:
        return
    categorical = (tree.field("split_type").integers(len(leaf), 0, 1) != 0) & ~leaf
    if categorical.any():
        which = ", ".join(repr(names[f]) for f in np.unique(feature[categorical])[:5])
        raise InputError(
            f"{source} has categorical splits on {which} ({tree.path}), which threshold splits cannot "
            "express. One-hot encode these columns and fit again."
        )


def _check_deleted(
    tree: Checked,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    leaf: NDArray[np.bool_],
    order: NDArray[np.int64],
) -> None:
    """Nodes that are not reached were deleted by pruning, and the others know their parents."""
    param = tree.field("tree_param")
    deleted = _count(param.field("num_deleted")) if "num_deleted" in param else 0
    if len(leaf) - len(order) != deleted:
        raise EnsembleFault(
            f"{tree.path}: {len(leaf) - len(order)} nodes are not reached from the root; the file says {deleted}."
        )
    if "parents" in tree:
        parents = tree.field("parents").integers(len(leaf), -1, LARGEST)
        inner = order[~leaf[order]]
        if (parents[left[inner]] != inner).any() or (parents[right[inner]] != inner).any():
            tree.field("parents").fail("the parents that left_children and right_children tell")


def _sigmoid_cut() -> float:
    """Largest single-precision score whose single-precision sigmoid is not above 0.5."""
    one = np.float32(1.0)
    low, high = np.float32(0.0).view(np.int32), np.float32(1e-3).view(np.int32)
    while high - low > 1:  # positive floats are ordered like their bits
        middle = np.int32((int(low) + int(high)) // 2)
        score = middle.view(np.float32)
        if one / (one + exp32(-score)) > np.float32(0.5):
            high = middle
        else:
            low = middle
    return float(low.view(np.float32))
