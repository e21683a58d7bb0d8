"""Regression models as `NumberEnsemble`: fitted objects by their class, files by their first bytes.

Only sums are read: a link (the exponential of Poisson, gamma and Tweedie losses, a root) makes other numbers of them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.convert._ensemble_tree import EnsembleTree
from treewright.convert._number_ensemble import NumberEnsemble
from treewright.convert._number_files import FORMAT, numbers_from_json
from treewright.convert._objectives import LIGHTGBM_NUMBERS, XGBOOST_NUMBERS
from treewright.convert._read import faults_of
from treewright.convert._read_bytes import bytes_of
from treewright.convert._read_lightgbm import lightgbm_text, lightgbm_trees
from treewright.convert._read_sklearn import column_names, histogram_nodes, refuse_categories, tree_nodes
from treewright.convert._read_xgboost import base_score, xgboost_json, xgboost_trees
from treewright.convert._unwrap import unwrapped
from treewright.errors import InputError, ModelFileError

__all__ = ["load_numbers", "read_numbers"]

ACCEPTED = (
    "RandomForestRegressor, ExtraTreesRegressor, GradientBoostingRegressor, HistGradientBoostingRegressor, "
    "DecisionTreeRegressor, ExtraTreeRegressor, xgboost.XGBRegressor or Booster, lightgbm.LGBMRegressor or Booster"
)
HISTOGRAM = ("squared_error", "absolute_error", "quantile")  # losses whose link is the identity
Parts = tuple[list[EnsembleTree], float]


def read_numbers(model: Any) -> NumberEnsemble:
    """Read a fitted model; see `NumberEnsemble.from_model`."""
    if isinstance(model, NumberEnsemble):
        return model
    model = unwrapped(model)
    home, name = type(model).__module__.partition(".")[0], type(model).__name__
    if home == "xgboost" and (content := xgboost_json(model)) is not None:
        return _from_xgboost(content, name)
    if home == "lightgbm" and (text := lightgbm_text(model)) is not None:
        return _from_lightgbm(text, name)
    reader = next((READERS[kind.__name__] for kind in type(model).__mro__ if kind.__name__ in READERS), None)
    if reader is None:
        raise InputError(f"{name} cannot be read as a sum of regression trees. Accepted: {ACCEPTED}.")
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise InputError(f"This {name} is not fitted; call fit first.") from error
    outputs = getattr(model, "n_outputs_", 1)
    if outputs != 1:
        raise InputError(f"This {name} has {outputs} outputs; give one with a single output.")
    trees, bias = reader(model)
    return NumberEnsemble(tuple(trees), column_names(model), bias, source=name)


def load_numbers(path: str | Path) -> NumberEnsemble:
    """Read a model file; see `NumberEnsemble.load`."""
    file = Path(path)
    content = bytes_of(file, "model file")
    start = content[:4096].lstrip()
    with faults_of(file):
        if start.startswith(b"{") and FORMAT.encode() in start[:200]:
            return numbers_from_json(content, f"file {file.name}")
        if start.startswith(b"{"):
            return _from_xgboost(content, f"XGBoost file {file.name}")
        if start.startswith((b"tree\n", b"tree\r\n")):
            return _from_lightgbm(content.decode("utf-8", errors="replace"), f"LightGBM file {file.name}")
    raise ModelFileError(
        f"{file.name} is no regression model that can be read: an XGBoost JSON model "
        "(Booster.save_model('model.json')), a LightGBM text model (Booster.save_model('model.txt')), or a file of "
        "treewright.convert.save_numbers."
    )


def _from_xgboost(content: bytes, source: str) -> NumberEnsemble:
    """XGBoost adds in single precision, from the base score on."""
    _, param, _, names, trees = xgboost_trees(content, source, XGBOOST_NUMBERS, float32_inputs=False)
    bias = base_score(param.field("base_score"), 1, of_probabilities=False)
    return NumberEnsemble(trees, names, float(bias[0]), single=True, source=source)


def _from_lightgbm(text: str, source: str) -> NumberEnsemble:
    _, options, _, names, trees = lightgbm_trees(text, source, LIGHTGBM_NUMBERS)
    if "sqrt" in options:
        raise InputError(f"{source} squares its sums (reg_sqrt=True); fit it with reg_sqrt=False.")
    return NumberEnsemble(trees, names, source=source)


def _member(estimator: Any, scale: float = 1.0) -> EnsembleTree:
    """A tree of scikit-learn whose leaves add `scale` times their number."""
    return tree_nodes(estimator.tree_, scale * estimator.tree_.value[:, 0, :1], float32_inputs=False)


def _one_tree(model: Any) -> Parts:
    return [_member(model)], 0.0


def _forest(model: Any) -> Parts:
    return [_member(member, 1.0 / len(model.estimators_)) for member in model.estimators_], 0.0


def _gradient_boosting(model: Any) -> Parts:
    start = model.init_
    if not isinstance(start, str) and type(start).__name__ != "DummyRegressor":
        raise InputError(
            f"This GradientBoostingRegressor starts from {type(start).__name__}, whose numbers are not a constant; fit "
            "it with init=None or init='zero'."
        )
    bias = 0.0 if isinstance(start, str) else float(np.ravel(start.constant_)[0])
    return [_member(stage[0], model.learning_rate) for stage in model.estimators_], bias


def _histogram_boosting(model: Any) -> Parts:
    if model.loss not in HISTOGRAM:
        raise InputError(
            f"This {type(model).__name__} has loss={model.loss!r}, whose numbers are no sum; accepted are "
            f"{', '.join(HISTOGRAM)}."
        )
    refuse_categories(model)
    bias = float(np.ravel(model._baseline_prediction)[0])
    return [histogram_nodes(own.nodes, _values(own.nodes)) for (own,) in model._predictors], bias


def _values(nodes: Any) -> NDArray[np.float64]:
    return np.array(nodes["value"], dtype=np.float64)[:, None]


READERS: dict[str, Callable[[Any], Parts]] = {
    "DecisionTreeRegressor": _one_tree,
    "ExtraTreeRegressor": _one_tree,
    "RandomForestRegressor": _forest,
    "ExtraTreesRegressor": _forest,
    "GradientBoostingRegressor": _gradient_boosting,
    "HistGradientBoostingRegressor": _histogram_boosting,
}
