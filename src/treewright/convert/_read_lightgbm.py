"""LightGBM models as `Ensemble`, from the library's own text (`Booster.save_model`, `model_to_string`).

LightGBM compares in double precision with ``x <= t`` and sums in double precision. A missing value goes to
the stored default side, or is read as 0 if the column had none in training.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.convert._ensemble import Ensemble, EnsembleTree
from treewright.convert._read_xgboost import in_order
from treewright.errors import InputError, ModelFileError

__all__ = ["read_lightgbm"]

CATEGORICAL, DEFAULT_LEFT = 1, 2  # bits of decision_type; bits 2 and 3 hold the kind of missing value:
MISSING_NONE, MISSING_ZERO = 0, 1


def read_lightgbm(model: Any, *, route_missing: bool, float32_inputs: bool) -> Ensemble | None:
    """Read an `LGBMClassifier`, a `Booster` or the path of a text model; None for another class."""
    classes: NDArray[Any] | None = None
    if isinstance(model, Path):
        text = model.read_text(encoding="utf-8", errors="replace")
        source = f"LightGBM file {model.name}"
    else:
        source = type(model).__name__
        booster = model
        if hasattr(model, "booster_") or hasattr(type(model), "booster_"):
            if not hasattr(model, "fitted_") or not model.fitted_:
                raise InputError(f"This {source} is not fitted; call fit first.")
            if not hasattr(model, "classes_"):
                raise InputError(f"{source} is no classifier; born-again trees need LGBMClassifier.")
            booster = model.booster_
            classes = np.asarray(model.classes_)
        if not hasattr(booster, "model_to_string"):
            return None
        text = booster.model_to_string()  # up to the best iteration, as predict does
    try:
        return _read(text, classes, source, route_missing, float32_inputs)
    except (KeyError, ValueError, IndexError) as error:
        if isinstance(error, InputError | ModelFileError):
            raise
        raise ModelFileError(
            f"{source} is no complete LightGBM text model ({error!r}); save it again with "
            "save_model('model.txt')."
        ) from error


def _read(
    text: str, classes: NDArray[Any] | None, source: str, route_missing: bool, float32_inputs: bool
) -> Ensemble:
    head, *blocks = text.split("\nTree=")
    header = dict(line.split("=", 1) for line in head.splitlines() if "=" in line)
    if "end of trees" not in text:
        raise ModelFileError(f"{source} ends before 'end of trees': the file is cut short. Save it again.")
    if "average_output" in head.splitlines():
        raise InputError(f"{source} was fitted with boosting='rf'; only 'gbdt' models can be read.")
    objective, *options = header.get("objective", "none").split()
    if objective not in ("binary", "multiclass"):
        raise InputError(f"{source} has objective {objective!r}; accepted are 'binary' and 'multiclass'.")
    names = tuple(header["feature_names"].split())
    k = int(header["num_tree_per_iteration"])
    trees = []
    for t, block in enumerate(blocks):
        fields = dict(line.split("=", 1) for line in block.split("\n\n")[0].splitlines() if "=" in line)
        if int(fields.get("is_linear", "0")):
            raise InputError(f"{source} has linear leaves (tree {t}); fit it with linear_tree=False.")
        trees.append(_read_tree(fields, t % k, k, names, source))
    if not trees:
        raise InputError(f"{source} has no trees; fit it with at least one boosting round.")
    rule: dict[str, Any] = {"link": "softmax64"}
    if objective == "binary":
        scale = next((float(o.split(":")[1]) for o in options if o.startswith("sigmoid:")), 1.0)
        rule = {"link": "positive", "cut": _sigmoid_cut(scale)}
    return Ensemble(
        tuple(trees),
        np.arange(max(k, 2)) if classes is None else classes,
        names,
        np.zeros(k),
        missing=np.full(len(names), route_missing),
        inputs="float32" if float32_inputs else "float64",
        source=source,
        **rule,
    )


def _read_tree(
    fields: dict[str, str], group: int, k: int, names: tuple[str, ...], source: str
) -> EnsembleTree:
    leaves = np.array(fields["leaf_value"].split(), dtype=np.float64)
    inner = len(leaves) - 1
    if int(fields["num_leaves"]) != len(leaves):
        raise ModelFileError(f"{source} has a tree with {len(leaves)} of {fields['num_leaves']} leaves.")
    value = np.zeros((inner + len(leaves), k))
    value[inner:, group] = leaves
    feature = np.full(inner + len(leaves), -1, dtype=np.int32)
    threshold = np.zeros(len(feature))
    left = np.zeros(len(feature), dtype=np.int32)
    right = np.zeros(len(feature), dtype=np.int32)
    missing_left = np.zeros(len(feature), dtype=np.bool_)
    if inner:
        kinds = np.array(fields["decision_type"].split(), dtype=np.int64)
        feature[:inner] = np.array(fields["split_feature"].split(), dtype=np.int32)
        threshold[:inner] = np.array(fields["threshold"].split(), dtype=np.float64)
        for side, name in ((left, "left_child"), (right, "right_child")):
            child = np.array(fields[name].split(), dtype=np.int64)
            side[:inner] = np.where(child >= 0, child, inner + ~child)
        categorical = np.flatnonzero(kinds & CATEGORICAL)
        if len(categorical):
            which = ", ".join(repr(names[f]) for f in np.unique(feature[categorical])[:5])
            raise InputError(
                f"{source} has categorical splits on {which}, which threshold splits cannot express. "
                "One-hot encode these columns and fit again."
            )
        missing = (kinds >> 2) & 3
        if np.any(missing == MISSING_ZERO):
            raise InputError(
                f"{source} was fitted with zero_as_missing=True, which cannot be read; fit without it."
            )
        default = (kinds & DEFAULT_LEFT) != 0
        missing_left[:inner] = np.where(missing == MISSING_NONE, threshold[:inner] >= 0.0, default)
    return in_order(EnsembleTree(feature, threshold, left, right, value, missing_left))


def _sigmoid_cut(scale: float) -> float:
    """Largest score whose probability p is not above 1 - p, as the library computes both."""

    def chooses_one(score: float) -> bool:
        p = 1.0 / (1.0 + math.exp(-scale * score))
        return p > 1.0 - p

    low, high = 0, int(np.float64(1.0 / scale).view(np.int64))
    while high - low > 1:  # positive floats are ordered like their bits
        middle = (low + high) // 2
        if chooses_one(float(np.int64(middle).view(np.float64))):
            high = middle
        else:
            low = middle
    return float(np.int64(low).view(np.float64))
