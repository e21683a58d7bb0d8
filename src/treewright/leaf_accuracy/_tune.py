"""Parameters of a leaf model by Bayesian search with cross-validation, as in Appendix A.6.

Table 6 of Nemecek et al. gives the ranges for XGBoost; histogram boosting gets the same ranges for the
parameters that it shares. Optuna's TPE sampler proposes, the weighted accuracy on the held-out rows of a
stratified cross-validation judges. Where we differ: the first trial is the model's own parameters, moved
into the ranges, so that tuning starts from a sensible place. Equal seeds give equal parameters, unless a
time limit ends the search. Cost: trials x folds fits.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from treewright._plural import kind_of
from treewright.errors import InputError, MissingDependencyError
from treewright.leaf_accuracy._leaf_models import family
from treewright.leaf_accuracy._timed_fits import XGBOOST_ROUNDS, fit_weighted

__all__ = ["RANGES", "Range", "Tuned", "check_tunable", "tune_model"]


@dataclass(frozen=True)
class Range:
    """A uniform distribution between two numbers, both included.

    Parameters
    ----------
    low, high : float
    whole : bool, default=False
        Integers only.
    log : bool, default=False
        Uniform in the logarithm.
    """

    low: float
    high: float
    whole: bool = False
    log: bool = False


RANGES: Mapping[str, Mapping[str, Range]] = {
    "xgboost": {  # Table 6
        "max_depth": Range(1, 7, whole=True),
        "n_estimators": Range(10, 500, whole=True),
        "min_child_weight": Range(1, 100, whole=True, log=True),
        "learning_rate": Range(1e-5, 0.7),
        "subsample": Range(0.5, 1),
        "colsample_bylevel": Range(0.5, 1),
        "colsample_bytree": Range(0.5, 1),
        "gamma": Range(1e-8, 7, log=True),
        "reg_alpha": Range(1e-8, 100, log=True),
        "reg_lambda": Range(1, 4, log=True),
    },
    "boosting": {  # the parameters of Table 6 that histogram boosting has under other names
        "max_depth": Range(1, 7, whole=True),
        "max_iter": Range(10, 500, whole=True),
        "min_samples_leaf": Range(1, 100, whole=True, log=True),
        "learning_rate": Range(1e-5, 0.7),
        "max_features": Range(0.5, 1),
        "l2_regularization": Range(1, 4, log=True),
    },
}

# What None means in XGBoost, for the first trial; histogram boosting has its own values in get_params.
XGBOOST_DEFAULTS = {
    "max_depth": 6,
    "n_estimators": XGBOOST_ROUNDS,
    "min_child_weight": 1,
    "learning_rate": 0.3,
    "subsample": 1.0,
    "colsample_bylevel": 1.0,
    "colsample_bytree": 1.0,
    "gamma": 0.0,
    "reg_alpha": 0.0,
    "reg_lambda": 1.0,
}


@dataclass(frozen=True)
class Tuned:
    """What a search found.

    Parameters
    ----------
    parameters : mapping
        For `set_params`.
    accuracy : float
        Mean weighted accuracy over the held-out folds; biased upwards, for it is the best of the trials.
    n_trials : int
        Trials that were completed.
    """

    parameters: Mapping[str, Any]
    accuracy: float
    n_trials: int


def check_tunable(model: Any) -> None:
    """Refuse to tune before any fit, if that cannot work.

    Raises
    ------
    InputError
        No ranges are known for the model.
    MissingDependencyError
        Optuna is not installed.
    """
    if family(model) is None:
        raise InputError(
            f'tune="optuna" knows ranges for HistGradientBoostingClassifier and XGBClassifier only; '
            f"leaf_estimator is {kind_of(model)}. Leave tune out, and give a search as leaf_estimator "
            "instead, for example GridSearchCV(model, grid, cv=3)."
        )
    _optuna()


def tune_model(
    model: Any,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None,
    *,
    n_trials: int = 50,
    n_folds: int = 3,
    seed: int = 0,
    time_limit: float | None = None,
) -> Tuned:
    """Search the parameters of `model` for the rows of one leaf.

    Parameters
    ----------
    model : classifier
        Not fitted, with its own seed set.
    X : ndarray of shape (n_rows, n_inputs)
    y : ndarray of shape (n_rows,)
        Whole numbers from 0; each class has at least `n_folds` rows.
    sample_weight : ndarray of shape (n_rows,) or None
    n_trials : int, default=50
    n_folds : int, default=3
        Folds.
    seed : int, default=0
    time_limit : float or None, default=None
        Seconds; no trial starts later. At least one is made.

    Returns
    -------
    Tuned
    """
    optuna = _optuna()
    kind = family(model)
    assert kind is not None  # check_tunable
    start = time.monotonic()
    folds = list(StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(X, y))
    weight = np.ones(len(y)) if sample_weight is None else sample_weight

    def accuracy(trial: Any) -> float:
        made = clone(model).set_params(**_suggest(trial, RANGES[kind]))
        shares = []
        for train, held_out in folds:
            fit_weighted(made, X[train], y[train], None if sample_weight is None else sample_weight[train])
            right = np.asarray(made.predict(X[held_out])) == y[held_out]
            shares.append(float(np.average(right, weights=weight[held_out])))
        return float(np.mean(shares))

    with _quiet(optuna):
        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        study.enqueue_trial(_own_parameters(model, kind))
        study.optimize(accuracy, n_trials=1)  # always, whatever the limit
        if n_trials > 1:
            left = None if time_limit is None else time_limit - (time.monotonic() - start)
            study.optimize(accuracy, n_trials=n_trials - 1, timeout=left)
    return Tuned(dict(study.best_params), float(study.best_value), len(study.trials))


def _suggest(trial: Any, ranges: Mapping[str, Range]) -> dict[str, Any]:
    return {
        name: trial.suggest_int(name, int(r.low), int(r.high), log=r.log)
        if r.whole
        else trial.suggest_float(name, r.low, r.high, log=r.log)
        for name, r in ranges.items()
    }


def _own_parameters(model: Any, kind: str) -> dict[str, Any]:
    """Return the model's own parameters, moved into the ranges."""
    own = model.get_params()
    start = {}
    for name, r in RANGES[kind].items():
        value = own.get(name)
        if value is None:  # no limit: the highest (depth of histogram boosting), or XGBoost's default
            value = XGBOOST_DEFAULTS[name] if kind == "xgboost" else r.high
        moved = min(max(value, r.low), r.high)
        start[name] = int(moved) if r.whole else float(moved)
    return start


@contextmanager
def _quiet(optuna: Any) -> Iterator[None]:
    """Keep Optuna from logging each trial; its own setting comes back afterwards."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)  # Ctrl-C is a trial that failed, with its traceback
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise MissingDependencyError(
            'tune="optuna" needs Optuna, which is not installed. Install the extra that brings it: '
            "pip install 'treewright[tune]'. Or leave tune out."
        ) from error
    return optuna
