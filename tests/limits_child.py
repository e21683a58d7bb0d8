"""Runs in a process of its own (of the nursery) for `test_limits_hold_everywhere.py`: one estimator, limit after limit.

Reads lines "TABLE LIMIT" and answers each with "begin", then with one JSON line: processor seconds at the start and at
the end of `fit`, how it ended, and by how much the process grew at its largest.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

import treewright as tw
from treewright.bornagain import Domain
from treewright.estimators import _interrupt
from treewright.result import StopReason

TIME, MEMORY = 0.05, 50 << 20
ENOUGH = 1.0  # seconds in which a search without a limit would fill more memory than that
NO_LIMIT = {"time_limit": None}
SIGNALS = {"ctrl-c": signal.SIGINT, "sigterm": signal.SIGTERM}  # the second as the command line handles it


def heed(handler: Any) -> None:
    """Let `handler` take both signals."""
    for number in SIGNALS.values():
        signal.signal(number, handler)


@cache
def tables() -> dict[str, tuple[Any, Any]]:
    """About 10^5 cells each but where said, without any pattern, so that nothing ends soon."""
    rng = np.random.default_rng(0)
    return {
        "classes": (rng.integers(0, 2, (5000, 20)).astype(float), rng.integers(0, 10, 5000)),
        "continuous": (rng.normal(size=(5000, 20)), rng.integers(0, 10, 5000)),
        "wide": (rng.integers(0, 2, (60, 2000)).astype(float), np.arange(60) % 2),
        "few": (rng.normal(size=(16, 2)), np.arange(16) % 2),
        # Of 3 10^6 cells.
        "large": (rng.normal(size=(30_000, 100)), np.arange(30_000) % 10),
        "tiny": (rng.normal(size=(120, 3)), np.arange(120) % 2),
    }


class NearOptimal:
    """`near_optimal_trees` with the face of an estimator."""

    def __init__(self, **parameters: Any) -> None:
        self.parameters = parameters

    def fit(self, X: Any, y: Any) -> NearOptimal:
        progress = self.parameters.get("progress") or None  # it has no bar
        self.result_ = tw.near_optimal_trees(X, y, **(self.parameters | {"progress": progress}))
        return self


@cache
def in_pipeline(kind: Any) -> Any:
    """An estimator as the last step of a pipeline, with the parameters of the estimator."""

    class InPipeline:
        stands_for = kind

        def __init__(self, **parameters: Any) -> None:
            from sklearn.pipeline import make_pipeline
            from sklearn.preprocessing import StandardScaler

            self.model = make_pipeline(StandardScaler(), kind(**parameters))

        def fit(self, X: Any, y: Any) -> InPipeline:
            self.model.fit(X, y)
            self.result_ = self.model[-1].result_
            return self

    return InPipeline


@cache
def in_grid_search(kind: Any, parameter: str, values: tuple[Any, Any]) -> Any:
    """An estimator in a grid search over two values of a parameter: five fits."""

    class InGridSearch:
        stands_for = kind

        def __init__(self, **parameters: Any) -> None:
            from sklearn.model_selection import GridSearchCV

            grid = {parameter: list(values)}
            self.search = GridSearchCV(kind(**parameters), grid, cv=2, error_score="raise")

        def fit(self, X: Any, y: Any) -> InGridSearch:
            self.search.fit(X, y)
            self.result_ = self.search.best_estimator_.result_
            return self

    return InGridSearch


class Front:
    """`accuracy_frontier` with the face of an estimator."""

    def __init__(self, **parameters: Any) -> None:
        self.parameters = parameters

    def fit(self, X: Any, y: Any) -> Front:
        self.result_ = tw.accuracy_frontier(X, y, **self.parameters)
        return self


class RegressionFront(Front):
    """`regression_frontier` likewise."""

    def fit(self, X: Any, y: Any) -> RegressionFront:
        self.result_ = tw.regression_frontier(X, y, **self.parameters)
        return self


class RocFront(Front):
    """`roc_frontier` likewise, of half of the classes against the others."""

    def fit(self, X: Any, y: Any) -> RocFront:
        self.result_ = tw.roc_frontier(X, np.asarray(y) % 2, **self.parameters)
        return self


class Shards(Front):
    """`fit_shards` likewise."""

    def fit(self, X: Any, y: Any) -> Shards:
        self.result_ = tw.fit_shards(X, y, **self.parameters).result_
        return self


class ComparedWithCart(Front):
    """`compare_with_cart` likewise."""

    def fit(self, X: Any, y: Any) -> ComparedWithCart:
        self.result_ = tw.compare_with_cart(X, y, **self.parameters).result
        return self


class Policy(tw.OptimalPolicyTree):
    """A policy tree whose actions are the classes: rewards are noise, and one more for the right one."""

    def fit(self, X: Any, y: Any) -> Policy:
        rewards = np.random.default_rng(1).normal(size=(len(y), len(np.unique(y))))
        rewards[np.arange(len(y)), y] += 1
        super().fit(X, rewards)
        return self


class RowCosts(tw.OptimalTreeClassifier):
    """A tree of classes with noise as the cost of each row."""

    def fit(self, X: Any, y: Any) -> RowCosts:
        costs = np.random.default_rng(1).random(size=(len(y), len(np.unique(y))))
        super().fit(X, y, row_costs=costs)
        return self


class F1(tw.OptimalTreeClassifier):
    """The tree of largest F1 of half of the classes."""

    def fit(self, X: Any, y: Any) -> F1:
        super().fit(X, 2 * y > y.max())
        return self


class SmallGap(tw.NearOptimalTreeClassifier):
    """A near-optimal tree of a small gap between the two groups that the first column is made to have."""

    def fit(self, X: Any, y: Any) -> SmallGap:
        super().fit(np.column_stack([X[:, 0] > np.median(X[:, 0]), X[:, 1:]]).astype(float), y)
        return self


class SimpleLines(tw.OptimalTreeRegressor):
    """A tree of lines in one column, of numbers with few digits, which such lines need."""

    def fit(self, X: Any, y: Any) -> SimpleLines:
        super().fit(np.round(X, 2), y)
        return self


class Survival(tw.OptimalSurvivalTree):
    """A survival tree of noise: the classes only decide who was censored."""

    def fit(self, X: Any, y: Any) -> Survival:
        super().fit(X, (y > 0, np.random.default_rng(1).exponential(size=len(y))))
        return self


def _in_groups(X: Any, n_groups: int) -> tuple[Any, Domain]:
    """Columns in groups of five, of which exactly one is 1, and the domain that says so."""
    n = 5 * n_groups
    codes = np.resize(X, (len(X), n)).reshape(len(X), n_groups, 5).argmax(axis=2)
    groups = tuple(tuple(range(5 * g, 5 * g + 5)) for g in range(n_groups))
    return np.eye(5)[codes].reshape(len(X), n), Domain(
        np.zeros(n), np.ones(n), np.ones(n, dtype=bool), groups
    )


class InGroups(tw.BornAgainTreeClassifier):
    """A born-again tree of columns in four groups of five, of which exactly one is 1."""

    def fit(self, X: Any, y: Any) -> InGroups:
        encoded, self.domain = _in_groups(X, 4)
        super().fit(encoded, y)
        return self


class NearInGroups(tw.BornAgainTreeRegressor):
    """A tree near a forest over columns in eight groups of five, of which exactly one is 1."""

    def fit(self, X: Any, y: Any) -> NearInGroups:
        encoded, self.domain = _in_groups(X, 8)
        super().fit(encoded, y)
        return self


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(10, max_depth=5, random_state=0)


def _numbers() -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(4, max_depth=5, max_features=5, random_state=0)


def estimators() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    optimal, leaves = tw.OptimalTreeClassifier, tw.LeafAccuracyTreeClassifier
    free = {"cost_complexity": 1e-4}
    leaves_cv, chosen = tw.LeafAccuracyTreeClassifierCV, tw.NearOptimalTreeClassifier
    small = {"min_samples_leaf": 5, "max_depth": 7}
    few_folds = {"max_depths": (6,), "min_samples_leaves": (5,), "cv": 3}
    near = {"cost_complexity": 0.001, "max_depth": 4}
    return {
        "optimal": (optimal, free),
        "optimal, depth 7": (optimal, free | {"max_depth": 7}),
        "optimal, balanced": (optimal, free | {"class_weight": "balanced"}),
        "optimal, leaves": (optimal, free | {"max_leaf_nodes": 12}),
        "optimal, quantiles": (optimal, free | {"thresholds": 8}),
        "guided": (optimal, free | {"thresholds": "guess", "guess_lower_bounds": True}),
        "least leaf accuracy": (optimal, free | {"min_leaf_accuracy": 0.1, "max_depth": 7}),
        "cross-validated": (tw.OptimalTreeClassifierCV, {}),
        "leaf accuracy": (leaves, small | {"criterion": "accuracy"}),
        "leaf accuracy, bound": (leaves, small | {"criterion": "lower_bound"}),
        "leaf accuracy, cross-validated": (leaves_cv, few_folds),
        "program, leaf accuracy": (tw.MIPTreeClassifier, {"max_depth": 3}),
        "program, oct": (tw.MIPTreeClassifier, {"formulation": "oct", "max_depth": 3}),
        "program, binoct": (tw.MIPTreeClassifier, {"formulation": "binoct", "max_depth": 3}),
        "born again": (tw.BornAgainTreeClassifier, {"estimator": _forest()}),
        "born again, active": (tw.BornAgainTreeClassifier, {"estimator": _forest(), "prune": "active"}),
        "born again, rows": (
            tw.BornAgainTreeClassifier,
            {"estimator": _forest(), "faithful": "rows", "max_depth": 7},
        ),
        "born again, groups": (InGroups, {"estimator": _forest()}),
        "near values": (tw.BornAgainTreeRegressor, {"estimator": _numbers(), "max_depth": 5}),
        "near everywhere": (
            tw.BornAgainTreeRegressor,
            {"estimator": _numbers(), "faithful": "everywhere", "tolerance": 1e-6, "max_leaves": 10**7},
        ),
        "near everywhere, groups": (
            NearInGroups,
            {"estimator": _numbers(), "faithful": "everywhere", "tolerance": 1e-6, "max_leaves": 10**7},
        ),
        "hybrid": (tw.HybridTreeClassifier, {"tune": "rounds"}),
        "hybrid, optimal top": (tw.HybridTreeClassifier, {"top": optimal(1e-4)}),
        "latent classifier": (tw.LatentTreeClassifier, {"epochs": 10**6, "patience": 10**6}),
        "latent regressor": (tw.LatentTreeRegressor, {"epochs": 10**6, "patience": 10**6}),
        "latent clusterer": (tw.LatentTreeClusterer, {"epochs": 10**6, "patience": 10**6}),
        "threshold guesser": (tw.estimators.ThresholdGuesser, {"n_estimators": 500}),
        "policy": (Policy, free | {"max_depth": 7}),
        "policy, leaves": (Policy, free | {"max_depth": None, "max_leaf_nodes": 12}),
        "f1": (F1, free | {"max_depth": 7, "objective": "f1"}),
        "row costs": (RowCosts, free | {"max_depth": 7}),
        "probability": (tw.OptimalProbabilityTree, free | {"max_depth": 7}),
        "log loss": (tw.OptimalProbabilityTree, free | {"max_depth": 7, "criterion": "log_loss"}),
        "survival": (Survival, free | {"max_depth": 7}),
        "front": (Front, {"max_leaves": 20}),
        "compared with cart": (ComparedWithCart, {}),
        "near-optimal": (NearOptimal, near),
        "chosen": (chosen, near),
        "chosen, small gap": (SmallGap, near | {"choose": "small gap", "group": "x0", "max_gap": 0.1}),
        "chosen, in a pipeline": (in_pipeline(chosen), near),
        "chosen, in a grid search": (in_grid_search(chosen, "epsilon", (0.01, 0.05)), near),
        "regression front": (RegressionFront, {"max_leaves": 20, "max_depth": None}),
        "ROC front": (RocFront, {"max_depth": None}),
        "regressor, cross-validated": (tw.OptimalTreeRegressorCV, {"max_leaves": 20, "max_depth": None}),
        "regressor": (tw.OptimalTreeRegressor, {"cost_complexity": 0.0, "max_depth": None}),
        "lines": (tw.OptimalTreeRegressor, free | {"max_depth": 7, "leaf_model": "linear"}),
        "simple lines": (SimpleLines, free | {"max_depth": 7, "leaf_model": "simple_linear"}),
        "lines, cross-validated": (tw.OptimalTreeRegressorCV, {"max_leaves": 20, "leaf_model": "linear"}),
        "poisson": (tw.OptimalTreeRegressor, free | {"max_depth": 7, "criterion": "poisson"}),
        "absolute error": (tw.OptimalTreeRegressor, free | {"max_depth": 7, "criterion": "absolute_error"}),
        "regressor, threads": (
            tw.OptimalTreeRegressor,
            {"cost_complexity": 0.0, "max_depth": None, "n_jobs": 2},
        ),
        "in a pipeline": (in_pipeline(tw.OptimalTreeClassifierCV), {}),
        "in a grid search": (in_grid_search(tw.OptimalTreeClassifierCV, "min_samples_leaf", (1, 5)), {}),
        "optimal, in a grid search": (in_grid_search(optimal, "min_samples_leaf", (1, 5)), free),
        "regressor, cross-validated, in a pipeline": (
            in_pipeline(tw.OptimalTreeRegressorCV),
            {"max_leaves": 20, "max_depth": None},
        ),
        "leaf accuracy, cross-validated, in a pipeline": (in_pipeline(leaves_cv), few_folds),
        "leaf accuracy, in a grid search": (
            in_grid_search(leaves, "min_samples_leaf", (5, 20)),
            {"max_depth": 7},
        ),
        "hybrid, in a pipeline": (in_pipeline(tw.HybridTreeClassifier), {"tune": "rounds"}),
        "born again, rows, in a grid search": (
            in_grid_search(tw.BornAgainTreeClassifier, "max_depth", (6, 7)),
            {"estimator": _forest(), "faithful": "rows"},
        ),
        "shards": (Shards, free | {"max_depth": 5, "shard_rows": 1000}),
    }


STANDS_FOR: dict[Any, Any] = {
    Front: tw.accuracy_frontier,
    RegressionFront: tw.regression_frontier,
    RocFront: tw.roc_frontier,
    Shards: tw.fit_shards,
    NearOptimal: tw.near_optimal_trees,
    ComparedWithCart: tw.compare_with_cart,
    InGroups: tw.BornAgainTreeClassifier,
    NearInGroups: tw.BornAgainTreeRegressor,
    Policy: tw.OptimalPolicyTree,
    RowCosts: tw.OptimalTreeClassifier,
    F1: tw.OptimalTreeClassifier,
    SmallGap: tw.NearOptimalTreeClassifier,
    SimpleLines: tw.OptimalTreeRegressor,
    Survival: tw.OptimalSurvivalTree,
}


def tried() -> list[Any]:
    """What of the library the names stand for."""
    return [stood_for(kind) for kind, _ in estimators().values()]


def stood_for(kind: Any) -> Any:
    """What of the library a kind of estimator is, or has inside."""
    return getattr(kind, "stands_for", STANDS_FOR.get(kind, kind))


def accepted(kind: Any) -> set[str]:
    """The names of the parameters that a kind of estimator has."""
    import inspect

    return set(inspect.signature(stood_for(kind)).parameters)


# The time limit is that of the whole fit, but each search takes its moment; two threads use processor seconds like two
# searches. A grid search makes five fits of a cross-validated search: two parameters, two folds, the best on all rows.
SEARCHES = {
    "regressor, cross-validated": 6,
    "regressor, cross-validated, in a pipeline": 6,
    "lines, cross-validated": 6,
    "cross-validated": 6,
    "regressor, threads": 2,
    "leaf accuracy, cross-validated": 7,
    "leaf accuracy, cross-validated, in a pipeline": 7,
    "leaf accuracy, in a grid search": 5,
    "in a pipeline": 6,
    "in a grid search": 5 * 6,
    "optimal, in a grid search": 5,
    "born again, rows, in a grid search": 5,
    "chosen, in a grid search": 5,
    "shards": 2,  # the searches of the parts, and the improvement of their trees over all rows
}


def limits_of(name: str) -> list[str]:
    """The limits that an estimator has; signals end every one."""
    kind, _ = estimators()[name]
    has = accepted(kind)
    named = {"time_limit": "time", "step_limit": "step", "memory_limit": "memory", "progress": "callback"}
    return [limit for parameter, limit in named.items() if parameter in has] + list(SIGNALS)


def made(name: str, limit: str) -> Any:
    """The estimator with one limit."""
    kind, parameters = estimators()[name]
    has = accepted(kind)
    if "time_limit" in has:
        parameters = parameters | NO_LIMIT
    if "progress" in has:
        parameters = parameters | {"progress": (lambda _: True) if limit == "callback" else False}
        if limit == "callback" and name in SEARCHES and "n_jobs" not in parameters:
            parameters = parameters | {
                "time_limit": TIME
            }  # it is called when a fold is done, or in the last fit
    if limit == "time":
        parameters = parameters | {"time_limit": TIME}
    elif limit == "step":
        parameters = parameters | {"step_limit": 1}
    elif limit == "memory":
        parameters = parameters | {"memory_limit": MEMORY, "time_limit": ENOUGH}
    elif limit == "warm":
        parameters = parameters | {"time_limit": 0.3} if "time_limit" in has else parameters
        if "estimator" in parameters:
            few = clone(parameters["estimator"]).set_params(n_estimators=3, max_depth=2)
            parameters = parameters | {"estimator": few}
        if "epochs" in parameters:
            parameters = parameters | {"epochs": 2}
    return kind(**parameters)


def largest() -> int:
    """Bytes that the process held at most since the last `forget`."""
    text = Path("/proc/self/status").read_text()
    return int(text.partition("VmHWM:")[2].split()[0]) << 10


def forget() -> int:
    """Begin to measure anew; return the bytes held now."""
    Path("/proc/self/clear_refs").write_text("5")
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run(name: str, table: str, limit: str) -> dict[str, Any]:
    X, y = tables()[table]
    model = made(name, limit)
    _interrupt._last = -math.inf
    held = forget()
    ended = "returned"
    began = time.process_time()
    try:
        heed(signal.default_int_handler)
        print("begin", flush=True)  # from now on the key may be pressed
        model.fit(X, y)
        heed(signal.SIG_IGN)  # a key that comes too late
    except KeyboardInterrupt:
        ended = "KeyboardInterrupt"
    except Exception as error:
        ended = f"{type(error).__name__}: {error}"
    finally:
        heed(signal.SIG_IGN)
    seconds = time.process_time()
    reason = getattr(getattr(model, "result_", None), "stop_reason", None)
    return {
        "began": began,
        "finished": seconds,
        "ended": ended,
        "reason": reason.name if isinstance(reason, StopReason) else None,
        "fitted": hasattr(model, "result_") or hasattr(model, "splits_"),
        "grown": largest() - held,
    }


def main() -> None:
    """The name of the estimator is the argument of the program."""
    name = sys.argv[1]
    heed(signal.default_int_handler)
    warnings.simplefilter("ignore")
    X, y = tables()["tiny"]
    made(name, "warm").fit(X, y)  # loads what the estimator loads on first use
    print("ready", flush=True)
    for line in sys.stdin:
        table, limit = line.split()
        print(json.dumps(run(name, table, limit)), flush=True)
