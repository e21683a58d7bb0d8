"""LightGBM models as `Ensemble`, from the library's own text (`Booster.save_model`, `model_to_string`).

LightGBM compares in double precision with ``x <= t`` and sums in double precision. Its prediction drops every value
of at most `ZERO` in size from a row, which then counts as 0. All these values lie on one side of every threshold,
so a threshold among them is moved to the end of the interval on its side of 0. A missing value goes to the stored
default side, or is read as 0 if the column had none in training. What the file says twice (sizes, numbers of trees,
columns and classes) must agree.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.convert._check_ensemble import EnsembleFault, check_sizes, nodes_from_root
from treewright.convert._ensemble import Ensemble
from treewright.convert._ensemble_tree import EnsembleTree
from treewright.convert._objectives import LIGHTGBM_CLASSES, accepted_instead
from treewright.convert._text_numbers import number_in_text, whole_in_text
from treewright.errors import InputError, ModelFileError

__all__ = ["lightgbm_text", "lightgbm_trees", "read_lightgbm", "read_lightgbm_text"]

CATEGORICAL, DEFAULT_LEFT = 1, 2  # bits of decision_type; bits 2 and 3 hold the kind of missing value:
MISSING_NONE, MISSING_ZERO, MISSING_NAN = 0, 1, 2
LARGEST = float(np.finfo(np.float64).max)
ZERO = float(np.float32(1e-35))  # the library's kZeroThreshold, a float32 constant


def read_lightgbm(model: Any, *, route_missing: bool, float32_inputs: bool) -> Ensemble | None:
    """Read an `LGBMClassifier` or a `Booster`; None for another class."""
    classes: NDArray[Any] | None = None
    source = type(model).__name__
    text = lightgbm_text(model)
    if text is None:
        return None
    if hasattr(model, "booster_"):
        if not hasattr(model, "classes_"):
            raise InputError(f"{source} is not a classifier; born-again trees need LGBMClassifier.")
        if model.get_params().get("pred_early_stop"):
            raise InputError(
                f"This {source} has pred_early_stop=True: it leaves trees out of the sums of some rows, which cannot "
                "be read. Set it off, model.set_params(pred_early_stop=False)."
            )
        classes = np.asarray(model.classes_)
    return read_lightgbm_text(
        text, source, classes=classes, route_missing=route_missing, float32_inputs=float32_inputs
    )


def lightgbm_text(model: Any) -> str | None:
    """Return the text of a fitted model or a `Booster`; None for another class."""
    booster = model
    if hasattr(model, "booster_") or hasattr(type(model), "booster_"):
        if not hasattr(model, "fitted_") or not model.fitted_:
            raise InputError(f"This {type(model).__name__} is not fitted; call fit first.")
        booster = model.booster_
    if not hasattr(booster, "model_to_string"):
        return None
    return str(booster.model_to_string())  # up to the best iteration, as predict does


def read_lightgbm_text(
    text: str,
    source: str,
    *,
    classes: NDArray[Any] | None = None,
    route_missing: bool,
    float32_inputs: bool,
) -> Ensemble:
    """Read the content of a text model.

    Parameters
    ----------
    text : str
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
    objective, options, k, names, trees = lightgbm_trees(text, source, LIGHTGBM_CLASSES)
    if classes is not None and len(classes) != max(k, 2):
        raise EnsembleFault(f"The model decides {max(k, 2)} classes, and {len(classes)} labels are given.")
    rule: dict[str, Any] = {"link": "softmax64"}
    if objective == "binary":
        rule = {"link": "positive", "cut": _sigmoid_cut(_sigmoid_scale(options))}
    return Ensemble(
        trees,
        np.arange(max(k, 2)) if classes is None else classes,
        names,
        np.zeros(k),
        missing=np.full(len(names), route_missing),
        inputs="float32" if float32_inputs else "float64",
        source=source,
        **rule,
    )


def lightgbm_trees(
    text: str, source: str, objectives: tuple[str, ...]
) -> tuple[str, list[str], int, tuple[str, ...], tuple[EnsembleTree, ...]]:
    """Read what models of all objectives have: objective, its options, number of scores, column names and trees.

    Raises
    ------
    InputError, ModelFileError, EnsembleFault
        As `read_lightgbm_text`.
    """
    model, end, _ = text.partition("\nend of trees")
    if not end:
        raise ModelFileError("It ends before 'end of trees': the file is cut short. Save it again.")
    head, *blocks = model.split("\nTree=")
    header = _fields(head, "the header")
    if "average_output" in head.split():
        raise InputError(f"{source} was fitted with boosting='rf'; only 'gbdt' models can be read.")
    objective, *options = header.get("objective", "none").split() or ["none"]
    if objective not in objectives:
        raise InputError(f"{source} has objective {objective!r}; {accepted_instead(objective, objectives)}")
    names = tuple(_get(header, "feature_names", "the header").split())
    k = _n_scores(header, objective, options)
    check_sizes(len(names), max(k, 2), max(len(blocks), 1))
    if _count(header, "max_feature_idx", "the header") != len(names) - 1 or len(set(names)) < len(names):
        raise ModelFileError(
            f"feature_names lists {len(set(names))} different columns, max_feature_idx={header['max_feature_idx']}."
        )
    if not blocks:
        raise InputError(f"{source} has no trees; fit it with at least one boosting round.")
    _check_number_of_trees(header, len(blocks), k)
    trees = tuple(_read_tree(block, t, t % k, k, names, source) for t, block in enumerate(blocks))
    return objective, options, k, names, trees


def _fields(block: str, where: str) -> dict[str, str]:
    """The lines ``key=value`` of a block, none of them twice."""
    fields: dict[str, str] = {}
    for line in block.splitlines():
        key, equals, value = line.partition("=")
        if equals:
            if key in fields:
                raise ModelFileError(f"It names {key[:60]!r} twice in {where}.")
            fields[key] = value
    return fields


def _get(fields: dict[str, str], name: str, where: str) -> str:
    if name not in fields:
        raise ModelFileError(f"It lacks {name!r} in {where}; save it again with save_model('model.txt').")
    return fields[name]


def _count(fields: dict[str, str], name: str, where: str) -> int:
    """A whole number of at most nine digits."""
    text = _get(fields, name, where).strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise ModelFileError(f"{name}={text[:60]!r} in {where} is not a whole number.")
    return int(text)


def _numbers(
    fields: dict[str, str], name: str, length: int, where: str, *, whole: bool = False, most: float = LARGEST
) -> NDArray[Any]:
    """A list of exactly `length` numbers from -`LARGEST` to `most`."""
    tokens = _get(fields, name, where).split()
    try:
        read = whole_in_text if whole else number_in_text
        array = np.array([read(token) for token in tokens], dtype=np.int64 if whole else float)
    except (ValueError, OverflowError):
        raise ModelFileError(f"{name} in {where} holds what is not a number.") from None
    if len(array) != length or not ((array >= -LARGEST) & (array <= most)).all():
        raise ModelFileError(f"{name} in {where} holds {len(array)} numbers; {length} finite ones are due.")
    return array


def _n_scores(header: dict[str, str], objective: str, options: list[str]) -> int:
    """Number of scores: 1 for two classes by one score, else the number of classes."""
    n_classes = _count(header, "num_class", "the header")
    k = _count(header, "num_tree_per_iteration", "the header")
    stated = [option.partition(":")[2] for option in options if option.startswith("num_class:")]
    if k != n_classes or (k == 1) == (objective == "multiclass") or any(s != str(k) for s in stated):
        raise ModelFileError(
            f"objective {header['objective'][:60]!r}, num_class={n_classes} and num_tree_per_iteration={k} do "
            "not fit together."
        )
    return k


def _check_number_of_trees(header: dict[str, str], n_trees: int, k: int) -> None:
    sizes = header.get("tree_sizes")
    if n_trees % k or (sizes is not None and len(sizes.split()) != n_trees):
        told = "" if sizes is None else f", tree_sizes tells {len(sizes.split())}"
        raise ModelFileError(
            f"It has {n_trees} trees{told}, {k} an iteration; trees are lost or too many. Save it again."
        )


def _read_tree(block: str, t: int, group: int, k: int, names: tuple[str, ...], source: str) -> EnsembleTree:
    where = f"tree {t}"
    number, _, body = block.partition("\n")
    if number.strip() != str(t):
        raise ModelFileError(f"Tree={number[:20]} stands where tree {t} is due.")
    fields = _fields(body, where)
    if "is_linear" in fields and _count(fields, "is_linear", where):
        raise InputError(f"{source} has linear leaves (tree {t}); fit it with linear_tree=False.")
    n_leaves = _count(fields, "num_leaves", where)
    leaves = _numbers(fields, "leaf_value", n_leaves, where)
    inner = n_leaves - 1
    n = inner + n_leaves
    check_sizes(len(names), max(k, 2), 1, n, k)
    feature = np.full(n, -1, dtype=np.int32)
    threshold = np.zeros(n)
    left = np.zeros(n, dtype=np.int64)
    right = np.zeros(n, dtype=np.int64)
    missing_left = np.zeros(n, dtype=np.bool_)
    if inner < 0:
        raise ModelFileError(f"num_leaves is 0 in {where}.")
    if inner:
        asked = _numbers(fields, "split_feature", inner, where, whole=True)
        if not ((asked >= 0) & (asked < len(names))).all():
            raise ModelFileError(f"split_feature in {where} names a column outside 0..{len(names) - 1}.")
        feature[:inner] = asked
        # inf is the library's own threshold where it asks whether the value is known
        cut = _numbers(fields, "threshold", inner, where, most=math.inf)
        missing_left[:inner] = _missing_left(fields, cut, asked, names, where, source)
        threshold[:inner] = _without_small(cut)
        for side, name in ((left, "left_child"), (right, "right_child")):
            child = _numbers(fields, name, inner, where, whole=True)
            if not ((child >= -n_leaves) & (child < inner)).all():
                raise ModelFileError(f"{name} in {where} names a node that does not exist.")
            side[:inner] = np.where(child >= 0, child, inner + ~child)
    if "num_cat" in fields and (n_categorical := _count(fields, "num_cat", where)):
        raise ModelFileError(
            f"num_cat is {n_categorical} in {where}, and none of its decisions asks for a category."
        )
    value = np.zeros((n, k))
    value[inner:, group] = leaves
    return _in_order(feature, threshold, left, right, value, missing_left, where)


def _missing_left(
    fields: dict[str, str],
    threshold: NDArray[np.float64],
    asked: NDArray[np.int64],
    names: tuple[str, ...],
    where: str,
    source: str,
) -> NDArray[np.bool_]:
    """Where a missing value goes; other kinds of decision than ``x <= t`` are refused."""
    kinds = _numbers(fields, "decision_type", len(threshold), where, whole=True)
    if not ((kinds >= 0) & (kinds < 16)).all():
        raise ModelFileError(f"decision_type in {where} is outside 0..15.")
    categorical = (kinds & CATEGORICAL) != 0
    if categorical.any():
        which = ", ".join(repr(names[f]) for f in np.unique(asked[categorical])[:5])
        raise InputError(
            f"{source} has categorical splits on {which}, which threshold splits cannot express. "
            "One-hot encode these columns and fit again."
        )
    missing = kinds >> 2
    if np.any(missing == MISSING_ZERO):
        raise InputError(
            f"{source} was fitted with zero_as_missing=True, which cannot be read; fit without it."
        )
    if np.any(missing > MISSING_NAN):
        raise ModelFileError(f"decision_type in {where} has a kind of missing value that is not known.")
    return np.where(missing == MISSING_NONE, threshold >= 0.0, (kinds & DEFAULT_LEFT) != 0)


def _without_small(threshold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Thresholds that send every value of at most `ZERO` in size where the threshold itself sends 0."""
    small = np.abs(threshold) <= ZERO
    return np.where(small, np.where(threshold >= 0, ZERO, np.nextafter(-ZERO, -np.inf)), threshold)


def _in_order(
    feature: NDArray[np.int32],
    threshold: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    value: NDArray[np.float64],
    missing_left: NDArray[np.bool_],
    where: str,
) -> EnsembleTree:
    """Number the nodes so that children come after their parent."""
    order = nodes_from_root(left, right, feature < 0, where)
    if len(order) < len(feature):
        raise ModelFileError(f"In {where}: {len(feature) - len(order)} nodes are not reached from the root.")
    new = np.zeros(len(feature), dtype=np.int32)
    new[order] = np.arange(len(order))
    return EnsembleTree(
        feature[order],
        threshold[order],
        new[left[order]],
        new[right[order]],
        value[order],
        missing_left[order],
    )


def _sigmoid_scale(options: list[str]) -> float:
    """The factor of the score in the sigmoid; 1 if the file names none."""
    stated = [option.partition(":")[2] for option in options if option.startswith("sigmoid:")]
    try:
        scale = number_in_text(stated[0]) if stated else 1.0
    except ValueError:
        scale = math.nan
    if not (0 < scale < math.inf and 1.0 / scale < math.inf) or len(stated) > 1:
        raise ModelFileError(f"sigmoid:{', '.join(stated)[:60]} is not a positive number.")
    return scale


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
