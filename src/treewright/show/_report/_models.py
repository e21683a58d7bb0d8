"""Models of scikit-learn that stand beside a tree: a greedy tree with as many leaves, and models that nobody can read.

All have their own defaults and seed 0 and are fitted on the training rows; they read numbers as they are and one 0/1
column per category. Numbers too large for single precision, which these models refuse, count as the largest of it. A
greedy tree of one leaf does not exist.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Column, ColumnKind

__all__ = ["LARGE", "fitted", "models_of_classes", "models_of_numbers"]

LARGEST = float(np.finfo(np.float32).max)  # number in a row
LARGE = 5_000_000  # cells; a larger table is compared with the greedy tree and boosting alone
HELD_OUT = 0.1  # share of the rows that boosting judges its rounds by
FEW = 5_000  # rows up to which greedy trees of absolute errors are grown: scikit-learn sorts at every split
CART, BOOSTING, FOREST = "CART with as many leaves", "Gradient boosting", "Random forest"
BOOSTED = {  # losses that boosting has, by the criterion of a tree
    "squared_error": {"loss": "squared_error"},
    "absolute_error": {"loss": "absolute_error"},
    "poisson": {"loss": "poisson"},
    "gamma": {"loss": "gamma"},
}


def models_of_classes(greedy: Mapping[str, Any], y: NDArray[np.int64], is_large: bool) -> dict[str, Any]:
    """Return unfitted classifiers for labels `y`; `greedy` are the limits of the greedy tree."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    models: dict[str, Any] = {}
    if greedy["max_leaf_nodes"] > 1:
        models[CART] = DecisionTreeClassifier(**greedy, random_state=0)
    models[BOOSTING] = HistGradientBoostingClassifier(random_state=0)
    counts = np.bincount(y)
    counts = counts[counts > 0]
    if counts.min() < 2 or len(counts) > HELD_OUT * len(
        y
    ):  # it cannot hold out rows of each class to judge by
        models[BOOSTING].set_params(early_stopping=False)
    if not is_large:
        models[FOREST] = RandomForestClassifier(random_state=0)
        models["Logistic regression"] = _scaled(LogisticRegression(max_iter=200))
    return models


def models_of_numbers(
    greedy: Mapping[str, Any], criterion: str, quantile: float, n_outputs: int, n_rows: int, is_large: bool
) -> dict[str, Any]:
    """Return unfitted regressors of the loss of a tree, or of squared errors where means are what it asks for."""
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.tree import DecisionTreeRegressor

    of_means = criterion in ("squared_error", "poisson", "gamma")
    grown = {"poisson": "poisson", "absolute_error": "absolute_error"}.get(criterion, "squared_error")
    models: dict[str, Any] = {}
    if greedy["max_leaf_nodes"] > 1 and (of_means or (grown == "absolute_error" and n_rows <= FEW)):
        models[CART] = DecisionTreeRegressor(**greedy, criterion=grown, random_state=0)
    if n_outputs == 1:
        loss = BOOSTED.get(criterion, {"loss": "quantile", "quantile": quantile})
        models[BOOSTING] = HistGradientBoostingRegressor(**loss, random_state=0)
    if of_means and not is_large:
        models[FOREST] = RandomForestRegressor(random_state=0)
        models["Linear regression"] = _scaled(LinearRegression())
    return models


def fitted(
    models: Mapping[str, Any],
    columns: tuple[Column, ...],
    X: NDArray[np.float64],
    y: NDArray[Any],
    T: NDArray[np.float64] | None,
    known: NDArray[np.bool_] | None = None,
) -> list[tuple[str, str, NDArray[Any], NDArray[Any]]]:
    """Fit models on the known rows of `X`; return names, sizes in words, and predictions on `X` and on `T`."""
    from threadpoolctl import (
        threadpool_limits,
    )  # comes with scikit-learn; on a busy machine threads only wait

    numbers, used = _as_numbers(columns, X)
    if not used.any():
        return []  # nothing is known of any row, and these models refuse a table without columns
    new = None if T is None else _as_numbers(columns, T, used)[0]
    here = slice(None) if known is None else known
    made = []
    for name, model in models.items():
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")  # a model that did not converge is still a comparison
            model.fit(numbers[here], y[here])
            on_train, on_test = (
                model.predict(numbers),
                np.empty(0, int) if new is None else model.predict(new),
            )
        made.append((name, _size(name, model), on_train, on_test))
    return made


def _scaled(linear: Any) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(SimpleImputer(), StandardScaler(), linear)


def _size(name: str, model: Any) -> str:
    if name == CART:
        return f"{model.get_n_leaves()} leaves"
    if name == BOOSTING:
        leaves = sum(tree.get_n_leaf_nodes() for stage in model._predictors for tree in stage)
        return f"{sum(map(len, model._predictors))} trees, {leaves:,} leaves"
    if name == FOREST:
        leaves = sum(tree.get_n_leaves() for tree in model.estimators_)
        return f"{len(model.estimators_)} trees, {leaves:,} leaves"
    return f"{model[-1].coef_.size:,} coefficients"


def _as_numbers(
    columns: tuple[Column, ...], X: NDArray[np.float64], used: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Numbers as they are, one 0/1 column per category; without columns that are unknown in all training rows."""
    parts = []
    for j, column in enumerate(columns):
        if column.kind is ColumnKind.CATEGORICAL:
            parts += [(X[:, j] == code).astype(np.float64) for code in range(len(column.categories))]
        else:
            parts.append(np.clip(X[:, j], -LARGEST, LARGEST))
    matrix = np.column_stack(parts)
    if used is None:
        used = ~np.isnan(matrix).all(axis=0)
    return matrix[:, used], used
