"""Which model answers in the leaves of a hybrid tree, and what is asked of one.

The default is scikit-learn's histogram boosting, which needs no extra install; "xgboost" is the model of
Nemecek et al. (section 3); any classifier of scikit-learn's kind with `predict_proba` can be given. A leaf too
small to be cross-validated gets a single tree of depth at most 5 (Appendix A.6): one boosting round of the
same library, or `DecisionTreeClassifier` where the given model is of another kind.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from treewright._plural import kind_of
from treewright.errors import InputError, MissingDependencyError

__all__ = ["family", "make_leaf_model", "readable", "seeded", "simple_model"]

SIMPLE_DEPTH = 5  # Appendix A.6
LARGEST = float(np.finfo(np.float32).max)


def make_leaf_model(choice: Any, *, weighted: bool = False, missing: bool = False) -> Any:
    """Return an unfitted leaf model.

    Parameters
    ----------
    choice : classifier, "xgboost" or None
        None is `HistGradientBoostingClassifier`. A classifier is cloned.
    weighted : bool, default=False
        Whether it must take `sample_weight`.
    missing : bool, default=False
        Whether the rows have missing values.

    Returns
    -------
    classifier

    Raises
    ------
    InputError
        It is not a classifier, cannot predict probabilities, or cannot take weights or missing values that are
        there.
    MissingDependencyError
        XGBoost is asked for and not installed.
    """
    if choice is None:
        return HistGradientBoostingClassifier()
    if isinstance(choice, str):
        if choice != "xgboost":
            raise InputError(f'leaf_estimator={choice!r}; give a classifier, "xgboost" or None.')
        return _xgboost()
    if isinstance(choice, type) or not hasattr(choice, "get_params") or not hasattr(choice, "fit"):
        made = f"the class {choice.__name__}" if isinstance(choice, type) else repr(choice)
        raise InputError(f'leaf_estimator is {made}; give a classifier, "xgboost" or None.')
    name = type(choice).__name__
    if not is_classifier(choice):
        raise InputError(f"leaf_estimator is {kind_of(choice)}, which is not a classifier.")
    model = clone(choice)
    if not hasattr(model, "predict_proba"):
        raise InputError(
            f"leaf_estimator is {kind_of(choice)}, which cannot predict probabilities. Wrap it: "
            f"sklearn.calibration.CalibratedClassifierCV({name}(...)), or give another classifier."
        )
    if weighted and not has_fit_parameter(model, "sample_weight"):
        raise InputError(
            f"sample_weight was given, but leaf_estimator, {kind_of(choice)}, takes none in fit. Leave the weights "
            "out, or give a classifier that takes them."
        )
    if missing and family(model) is None and not get_tags(model).input_tags.allow_nan:
        raise InputError(
            f"The table has missing values, which leaf_estimator, {kind_of(choice)}, does not take. Put a "
            "SimpleImputer before it in a pipeline, or leave leaf_estimator out: the default takes them."
        )
    return model


def family(model: Any) -> str | None:
    """Return "boosting" (scikit-learn's histogram boosting), "xgboost", or None for any other model."""
    if isinstance(model, HistGradientBoostingClassifier):
        return "boosting"
    kinds = [(kind.__module__.partition(".")[0], kind.__name__) for kind in type(model).__mro__]
    return "xgboost" if ("xgboost", "XGBClassifier") in kinds else None


def readable(model: Any, inputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inputs as a model takes them: most refuse numbers beyond single precision, which become the largest of it."""
    return inputs if family(model) == "boosting" else np.clip(inputs, -LARGEST, LARGEST)


def simple_model(model: Any) -> Any:
    """Return an unfitted single tree of depth at most 5, made by the library of `model`."""
    kind = family(model)
    if kind == "boosting":  # a full step, so that the one tree can say more than the leaf's majority
        return clone(model).set_params(
            max_iter=1, max_depth=SIMPLE_DEPTH, learning_rate=1.0, early_stopping=False
        )
    if kind == "xgboost":
        return clone(model).set_params(n_estimators=1, max_depth=SIMPLE_DEPTH, num_parallel_tree=1)
    return DecisionTreeClassifier(max_depth=SIMPLE_DEPTH)


def seeded(model: Any, seed: int) -> Any:
    """Set the seeds that are not set, of the model and of models inside it; the model itself is returned."""
    unset = [
        name
        for name, value in model.get_params().items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    return model.set_params(**dict.fromkeys(unset, seed))


def _xgboost() -> Any:
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise MissingDependencyError(
            'leaf_estimator="xgboost" needs XGBoost, which is not installed. Install the extra that brings '
            "it: pip install 'treewright[xgboost]'. Or leave leaf_estimator out: the default needs nothing."
        ) from error
    return XGBClassifier(n_jobs=1)  # the leaves are what runs in parallel
