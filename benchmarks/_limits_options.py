"""What `benchmarks.limits` measures beside the defaults: each option, or kind of table, that has code of its own.

A row says what the table of noise becomes before the clock starts: frames with gaps or with text, columns of zeros and
ones, other labels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw

Table = tuple[Any, Any]
BIT_COLUMNS = 40  # of a table of zeros and ones on a million rows: ten would leave a thousand different rows
TEXTS = 2_000  # different values of a column of text, such as dates


def options() -> dict[str, tuple[Any, dict[str, Any]]]:
    """Return how each is made, by name: as `benchmarks.limits.estimators`."""
    classifier, regressor = tw.OptimalTreeClassifier, tw.OptimalTreeRegressor
    return {
        "OptimalTreeClassifier, largest F1": (_on(classifier, of_two), {"objective": "f1", "max_depth": 3}),
        "OptimalTreeClassifier, row costs": (_on(RowCosts, with_costs), {"max_depth": 3}),
        "OptimalTreeClassifier, least leaf accuracy": (
            classifier,
            {"min_leaf_accuracy": 0.1, "max_depth": 3},
        ),
        "OptimalTreeClassifier, leaves": (classifier, {"max_leaf_nodes": 8}),
        "OptimalTreeClassifier, zeros and ones": (_on(classifier, bits), {}),
        "OptimalTreeClassifier, gaps": (_on(classifier, gaps), {"max_depth": 3}),
        "OptimalTreeClassifier, text": (_on(classifier, text), {"max_depth": 3}),
        "OptimalTreeRegressor, quantile": (regressor, {"criterion": "quantile", "quantile": 0.8}),
        "OptimalTreeRegressor, poisson": (regressor, {"criterion": "poisson"}),
        "OptimalTreeRegressor, gamma": (_on(regressor, positive), {"criterion": "gamma"}),
        "OptimalTreeRegressor, real targets": (_on(regressor, real), {"criterion": "absolute_error"}),
        "OptimalTreeRegressor, several outputs": (_on(regressor, outputs), {}),
        "OptimalTreeRegressor, zeros and ones": (_on(regressor, bits), {}),
        "OptimalTreeRegressor, gaps": (_on(regressor, gaps), {}),
        "OptimalProbabilityTree, log loss": (tw.OptimalProbabilityTree, {"criterion": "log_loss"}),
        "LeafAccuracyTreeClassifier, all thresholds": (tw.LeafAccuracyTreeClassifier, {"thresholds": "all"}),
        "LeafAccuracyTreeClassifier, accuracy": (tw.LeafAccuracyTreeClassifier, {"criterion": "accuracy"}),
        "near_optimal_trees, zeros and ones": (
            _on(front(tw.near_optimal_trees), bits),
            {"cost_complexity": 0.01, "max_depth": 3},
        ),
        "roc_frontier, zeros and ones": (_on(front(tw.roc_frontier), bits_of_two), {}),
    }


def front(function: Any) -> Any:
    """Return a function of the library with the face of an estimator."""
    import inspect

    class Front:
        __signature__ = inspect.signature(function)

        def __init__(self, **parameters: Any) -> None:
            self.parameters = parameters

        def fit(self, X: Any, y: Any) -> None:
            function(X, y, **self.parameters)

    return Front


class RowCosts(tw.OptimalTreeClassifier):
    """A tree of classes whose labels come with the costs of each row."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, row_costs: Any = None) -> RowCosts:
        labels, costs = y
        super().fit(X, labels, row_costs=costs)
        return self


def _on(kind: Any, table: Callable[[Any, Any], Table]) -> Any:
    """Return the kind of estimator with its table, see `table_for`."""

    class OnTable(kind):  # type: ignore[misc]
        table_of_noise = staticmethod(table)

    return OnTable


def table_for(kind: Any, X: Any, y: Any) -> Table:
    """Return what the estimator is fitted to, made of a table of noise."""
    made: Table = getattr(kind, "table_of_noise", lambda X, y: (X, y))(X, y)
    return made


def of_two(X: Any, y: Any) -> Table:
    return X, y % 2


def with_costs(X: Any, y: Any) -> Table:
    return X, (y % 3, np.random.default_rng(1).random((len(y), 3)))


def positive(X: Any, y: Any) -> Table:
    return X, y + 0.5


def real(X: Any, y: Any) -> Table:
    return X, np.random.default_rng(1).normal(size=len(y))


def outputs(X: Any, y: Any) -> Table:
    return X, np.random.default_rng(1).normal(size=(len(y), 3))


def bits(X: Any, y: Any) -> Table:
    n_columns = max(X.shape[1], BIT_COLUMNS)
    return np.random.default_rng(1).integers(0, 2, (len(y), n_columns)).astype(float), y


def bits_of_two(X: Any, y: Any) -> Table:
    return of_two(*bits(X, y))


def gaps(X: Any, y: Any) -> Table:
    """Return a frame of which a tenth is missing."""
    some = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    return pd.DataFrame(some, columns=[f"x{j}" for j in range(X.shape[1])]), y


def text(X: Any, y: Any) -> Table:
    """Return a frame of which a third of the columns, ten at most, are text of many values."""
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    words = np.array([f"2026-{i}" for i in range(TEXTS)], dtype=object)
    drawn = np.random.default_rng(1)
    texts = {name: words[drawn.integers(0, TEXTS, len(y))] for name in frame.columns[::3][:10]}
    return frame.assign(**texts), y
