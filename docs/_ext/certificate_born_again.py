"""The sentences of born-again trees: made for `certificate_cases.py`."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeRegressor

from treewright.bornagain import (
    Domain,
    Ensemble,
    NumberEnsemble,
    agreement,
    distil,
    distil_labels,
    distil_values,
    near_everywhere,
    solve_active,
    value_agreement,
)
from treewright.bornagain import solve as reborn
from treewright.datasets import iris
from treewright.result import (
    BornAgainResult,
    SolveStatus,
    StopReason,
)
from treewright.verify import check_faithful


@cache
def small_ensemble() -> Ensemble:
    """Return a forest of two small trees."""
    data = iris()
    forest = RandomForestClassifier(2, max_depth=2, random_state=0).fit(data.table.X[:, 2:], data.y)
    return Ensemble.from_model(forest)


@cache
def faithful(objective: str) -> BornAgainResult:
    """Return one tree that decides like the forest."""
    return reborn(small_ensemble(), objective=objective)


def faithful_otherwise() -> str:
    """Say what a file says whose objective this release does not know."""
    found = faithful("leaves")
    return replace(found, options={**found.options, "objective": "unknown"}).sentence()


def faithful_stopped(leaves: int) -> str:
    """Say what a born-again run says that ended early."""
    found = faithful("leaves")
    bounds = {"depth_lower_bound": 2, "leaves_lower_bound": leaves}
    return replace(
        found,
        status=SolveStatus.FEASIBLE,
        stop_reason=StopReason.TIME_LIMIT,
        stats={**found.stats, **bounds},
    ).sentence()


def pruned() -> str:
    """Say what is said of the fewest leaves that survive pruning."""
    data = iris()
    return solve_active(small_ensemble(), data.table.X[:, 2:]).sentence()


def agreeing(**changes: Any) -> BornAgainResult:
    """Return the smallest tree that agrees with the small ensemble on nearly all rows."""
    return distil(small_ensemble(), iris().table.X[:, 2:], **changes)


def agreeing_stopped() -> str:
    """Say what such a run says that ended early."""
    found = agreeing(tolerance=0.02)
    stats = {**found.stats, "leaves_lower_bound": found.tree.n_leaves - 1}
    reason = StopReason.TIME_LIMIT
    return replace(found, status=SolveStatus.FEASIBLE, stop_reason=reason, stats=stats).sentence()


def agreement_on_rows() -> str:
    """Say on how many rows a tree and an ensemble decide alike."""
    return agreement(agreeing(tolerance=0.02).tree, small_ensemble(), iris().table.X[:, 2:]).sentence()


def agreeing_with_answers() -> str:
    """Say what is said of the smallest tree that agrees with the answers of any classifier."""
    data = iris()
    return distil_labels(
        small_ensemble().predict(data.table.X[:, 2:]), data.table.X[:, 2:], tolerance=0.02
    ).sentence()


@cache
def near_values() -> tuple[BornAgainResult, NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest tree near a regression model, what the model predicts, and the rows."""
    X, y = load_diabetes(return_X_y=True)
    X = X[:60, 2:4]
    predicted = DecisionTreeRegressor(max_leaf_nodes=3, random_state=0).fit(X, y[:60]).predict(X)
    return distil_values(predicted, X, tolerance=10.0, max_depth=2), predicted, X


def values_open() -> str:
    """Say what a run says that proved the number of leaves, and not that none of as many is near on more rows."""
    return replace(
        near_values()[0], status=SolveStatus.FEASIBLE, stop_reason=StopReason.TIME_LIMIT
    ).sentence()


def values_on_rows() -> str:
    """Say on how many rows a tree is near a regression model."""
    found, predicted, X = near_values()
    return value_agreement(found.tree, predicted, X, tolerance=10.0).sentence()


def near_on_every_row(max_leaves: int) -> str:
    """Say how near a tree is to a regression model on every row there can be."""
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_leaf_nodes=12, random_state=0).fit(X, y)
    return near_everywhere(model, tolerance=20.0, max_leaves=max_leaves).sentence()


def near_on_a_domain() -> str:
    """Say the same of the rows of a domain."""
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_leaf_nodes=12, random_state=0).fit(X, y)
    ensemble = NumberEnsemble.from_model(model)
    positive = Domain.of(ensemble.feature_names, dict.fromkeys(ensemble.feature_names, (0, 1)))
    return near_everywhere(ensemble.within(positive), tolerance=20.0).sentence()


def unfaithful() -> str:
    """Say what the checker says where it finds a difference."""
    other = RandomForestClassifier(2, max_depth=2, random_state=1)
    data = iris()
    other.fit(data.table.X[:, 2:], data.y)
    return check_faithful(faithful("leaves").tree, Ensemble.from_model(other)).sentence()
