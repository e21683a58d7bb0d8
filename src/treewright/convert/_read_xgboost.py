"""XGBoost models as `Ensemble`, from the library's own JSON (`Booster.save_model`, `Booster.save_raw`).

XGBoost compares float32 values with ``x < t``, sums in single precision starting from the base score, and
decides by the single-precision sigmoid or softmax. ``x < t`` is ``x <= previous float32 below t``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.convert._ensemble import Ensemble, EnsembleTree, float32_threshold
from treewright.errors import InputError, ModelFileError

__all__ = ["read_xgboost"]


def read_xgboost(model: Any, *, route_missing: bool, float32_inputs: bool) -> Ensemble | None:
    """Read an `XGBClassifier`, a `Booster` or the path of a JSON model; None for another class."""
    classes: NDArray[Any] | None = None
    if isinstance(model, Path):
        try:
            text: str | bytes = model.read_bytes()
        except OSError as error:
            raise ModelFileError(f"{model.name} cannot be read: {error}.") from error
        source = f"XGBoost file {model.name}"
    else:
        source = type(model).__name__
        booster = model
        if hasattr(model, "get_booster"):
            from sklearn.exceptions import NotFittedError

            try:
                booster = model.get_booster()
            except NotFittedError as error:
                raise InputError(f"This {source} is not fitted; call fit first.") from error
            if not hasattr(model, "classes_"):
                raise InputError(f"{source} is no classifier; born-again trees need XGBClassifier.")
            classes = np.asarray(model.classes_)
            booster = _until_best(model, booster)
        if not hasattr(booster, "save_raw"):
            return None
        text = bytes(booster.save_raw(raw_format="json"))
    try:
        learner = json.loads(text)["learner"]
        return _read(learner, classes, source, route_missing, float32_inputs)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        if isinstance(error, InputError | ModelFileError):
            raise
        raise ModelFileError(
            f"{source} is no complete XGBoost JSON model ({error!r}); save it again with "
            "save_model('model.json')."
        ) from error


def _until_best(model: Any, booster: Any) -> Any:
    """Keep the trees that `XGBClassifier.predict` uses after early stopping."""
    try:
        best = model.best_iteration
    except AttributeError:
        return booster
    return booster[: best + 1]


def _read(
    learner: dict[str, Any],
    classes: NDArray[Any] | None,
    source: str,
    route_missing: bool,
    float32_inputs: bool,
) -> Ensemble:
    objective = learner["objective"]["name"]
    kind = learner["gradient_booster"]["name"]
    if kind != "gbtree":
        raise InputError(f"{source} uses booster {kind!r}; only 'gbtree' can be read.")
    if objective not in ("binary:logistic", "multi:softprob", "multi:softmax"):
        raise InputError(
            f"{source} has objective {objective!r}; accepted are binary:logistic, multi:softprob and "
            "multi:softmax."
        )
    param = learner["learner_model_param"]
    k = max(1, int(param["num_class"])) if objective.startswith("multi") else 1
    n_features = int(param["num_feature"])
    names = tuple(learner.get("feature_names") or [f"x{f}" for f in range(n_features)])
    base = np.array([float(b) for b in str(param["base_score"]).strip("[]").split(",")], dtype=np.float32)
    base = np.broadcast_to(base, (k,)).copy()
    if k == 1:
        # The base score is stored as a probability; single-precision logit.
        base = -np.log(np.float32(1.0) / base - np.float32(1.0))
    body = learner["gradient_booster"]["model"]
    groups = body["tree_info"]
    trees = []
    for t, tree in enumerate(body["trees"]):
        if any(int(s) != 0 for s in tree.get("split_type", [])) or tree.get("categories"):
            used = sorted(
                {
                    int(f)
                    for f, s, child in zip(
                        tree["split_indices"], tree["split_type"], tree["left_children"], strict=True
                    )
                    if int(s) != 0 and int(child) >= 0
                }
            )
            which = ", ".join(repr(names[f]) for f in used[:5])
            raise InputError(
                f"{source} has categorical splits on {which} (tree {t}), which threshold splits cannot "
                "express. One-hot encode these columns and fit again."
            )
        trees.append(_read_tree(tree, int(groups[t]), k, float32_inputs))
    if not trees:
        raise InputError(f"{source} has no trees; fit it with at least one boosting round.")
    labels = np.arange(max(k, 2)) if classes is None else classes
    rule: dict[str, Any] = {"link": "softmax32"}
    if k == 1:
        rule = {"link": "positive", "cut": _sigmoid_cut()}
    return Ensemble(
        tuple(trees),
        labels,
        names,
        base.astype(np.float64),
        single=True,
        missing=np.full(len(names), route_missing),
        inputs="float32" if float32_inputs else "float64",
        source=source,
        **rule,
    )


def _read_tree(tree: dict[str, Any], group: int, k: int, float32_inputs: bool) -> EnsembleTree:
    left = np.asarray(tree["left_children"], dtype=np.int32)
    right = np.asarray(tree["right_children"], dtype=np.int32)
    condition = np.asarray(tree["split_conditions"], dtype=np.float32)
    leaf = left < 0
    below = np.nextafter(condition, np.float32(-np.inf)).astype(np.float64)  # x < t is x <= below
    value = np.zeros((len(left), k))
    value[leaf, group] = condition[leaf]
    tree_ = EnsembleTree(
        np.where(leaf, -1, np.asarray(tree["split_indices"])).astype(np.int32),
        np.where(leaf, 0.0, below if float32_inputs else float32_threshold(below)),
        np.where(leaf, 0, left).astype(np.int32),
        np.where(leaf, 0, right).astype(np.int32),
        value,
        np.asarray(tree["default_left"]).astype(np.bool_),
    )
    return in_order(tree_)


def in_order(tree: EnsembleTree) -> EnsembleTree:
    """Renumber nodes so that children come after their parent, and drop deleted ones."""
    order = [0]
    for node in order:
        if tree.feature[node] >= 0:
            order += [int(tree.left[node]), int(tree.right[node])]
    if len(order) > len(tree.feature):
        raise ModelFileError("A tree of the model has a cycle; the file is damaged.")
    new = np.zeros(len(tree.feature), dtype=np.int32)
    new[order] = np.arange(len(order))
    return EnsembleTree(
        tree.feature[order],
        tree.threshold[order],
        new[tree.left[order]],
        new[tree.right[order]],
        tree.value[order],
        tree.missing_left[order],
    )


def _sigmoid_cut() -> float:
    """Largest single-precision score whose single-precision sigmoid is not above 0.5."""
    one = np.float32(1.0)
    low, high = np.float32(0.0).view(np.int32), np.float32(1e-3).view(np.int32)
    while high - low > 1:  # positive floats are ordered like their bits
        middle = np.int32((int(low) + int(high)) // 2)
        score = middle.view(np.float32)
        if one / (one + np.exp(-score)) > np.float32(0.5):
            high = middle
        else:
            low = middle
    return float(low.view(np.float32))
