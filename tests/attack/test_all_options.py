"""Every public parameter of every exact method is drawn by the attack, or it is written here why not."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import treewright
from attack.case import BY_FOLDS, CALLS, OF_RANKED, Case
from attack.generate import FAST, SLOW, random_case
from attack.options import random_switches, ranked_switches
from treewright.search import BinaryOptions, RankedOptions

DRAWN = 250  # cases of each method; every option is in more than one of fifty

# What is exported and answers no question of its own.
NO_METHOD = {
    "Frontier": "an answer",
    "NearOptimalTrees": "an answer, which the near-optimal checks ask",
    "Problem": "what estimators make of their arguments",
    "RocFrontier": "an answer",
    "ShardedTree": "an answer",
    "SolveResult": "an answer",
    "SolveStatus": "an answer",
    "Split": "a part of an answer",
    "SplitMatrix": "what estimators make of a table",
    "Table": "what estimators make of a frame",
    "Tree": "an answer",
    "__version__": "no function",
    "raise_on_interrupt": "says what Ctrl-C does; tests/laws/test_interrupt_keeps_the_tree.py",
}
# What claims no optimum.
NOT_EXACT = {
    "LatentTreeClusterer": "found by gradients",
    "LatentTreeRegressor": "found by gradients",
    "ThresholdGuesser": "a guess; what is proven under it is drawn with OptimalTreeClassifier",
    "audit_groups": "counts rows; tests/unit/audit",
    "compare_with_cart": "asks accuracy_frontier, which is drawn, and sets CART beside it",
}
EVERYWHERE = {
    "progress": "what is told on the way is compared by regression_checks and tests/laws/test_progress_is_monotone.py",
}
GRADIENTS = "of the training by gradients; what is attacked is that predictions are the sum of the trees"
NOT_DRAWN: dict[str, dict[str, str]] = {
    "BornAgainTreeClassifier": {
        "missing": "which rows a forest can be asked; tests/unit/bornagain compares them",
    },
    "HybridTreeClassifier": {
        "leaf_estimator": "any model; the law is about the tree on top",
        "n_trials": "of the tuning of CART, which proves nothing",
    },
    "LatentTreeClassifier": dict.fromkeys(
        ("hidden_layers", "dropout", "categories", "loss", "optimizer", "optimizer_options", "learning_rate",
         "batch_size", "schedule", "patience", "validation_fraction", "time_limit", "device", "checkpoint", "hardening",
         "validation"),
        GRADIENTS,
    ),
    "LeafAccuracyTreeClassifier": {"reference": "a guess; tests/laws/test_guesses_keep_theorem_4_3.py"},
    "LeafAccuracyTreeClassifierCV": {
        "reference": "as in LeafAccuracyTreeClassifier",
        "random_state": "of folds, which the attack gives",
        "categorical_features": "a category that a fold lacks may go either way",
    },
    "MIPTreeClassifier": {
        "solver": "the other one needs a licence",
        "scaling": "of numbers that a solver sees",
    },
    "NearOptimalTreeClassifier": {
        "look_at": "how many trees are looked at; tests/unit/estimators",
        "time_limit": "stops of the set are drawn with near_optimal_trees",
        "memory_limit": "stops of the set are drawn with near_optimal_trees",
    },
    "OptimalTreeRegressorCV": {
        "categorical_features": "a category that a fold lacks may go either way",
        "criterion": "scores of other losses: tests/unit/estimators",
        "quantile": "goes with criterion",
    },
    "fit_shards": {
        "ignore": "columns that are not read",
        "backend": "where shards are searched: tests/unit/shards",
        "time_limit": "stops are drawn as steps",
        "memory_limit": "of each shard; stops are drawn as steps",
        "spill_folder": "where rows lie meanwhile",
    },
    "near_optimal_trees": {
        "thresholds": "near_checks asks each case again over all thresholds",
        "memory_limit": "near_checks stops each case by it",
    },
}  # fmt: skip
# Parameters that stand in a case under another name.
SHOWN = {"forest": "estimator", "neighbours": "estimator", "regressor": "estimator"}


def parameters(name: str) -> set[str]:
    """Of the call, and of `fit`."""
    call: Callable[..., Any] = getattr(treewright, name)
    found = set(inspect.signature(call).parameters)
    if inspect.isclass(call):
        found |= set(inspect.signature(call.fit).parameters) - {"self"}
    return found


def drawn_by(case: Case) -> set[str]:
    names = {SHOWN.get(name, name) for name in case.options} | {"X", "y", "source", "target", "rewards"}
    names |= {"sample_weight"} if case.weight is not None else set()
    names |= {"row_costs"} if case.method == "row costs" else set()
    return names | ({"cv"} if case.method in BY_FOLDS else set())


@pytest.fixture(scope="module")
def drawn() -> dict[str, set[str]]:
    """What is drawn of each method, over many cases."""
    found: dict[str, set[str]] = {}
    for method in (*FAST, *SLOW):
        rng = np.random.default_rng(1)
        for _ in range(DRAWN):
            case = random_case(rng, {method: 1.0})
            found.setdefault(CALLS[case.method], set()).update(drawn_by(case))
    return found


EXACT = sorted(set(treewright.__all__) - set(NO_METHOD) - set(NOT_EXACT))


@pytest.mark.parametrize("name", EXACT)
def test_every_parameter_is_drawn(name: str, drawn: dict[str, set[str]]) -> None:
    reasons = EVERYWHERE | NOT_DRAWN.get(name, {})
    missing = parameters(name) - drawn.get(name, set()) - set(reasons)
    assert not missing, (
        f"{name}: {sorted(missing)} is never drawn; add it to the options of its method, or a reason"
    )
    stale = set(NOT_DRAWN.get(name, {})) & drawn.get(name, set())
    assert not stale, f"{name}: {sorted(stale)} is drawn; take its reason out"


def test_reasons_are_about_what_there_is() -> None:
    assert set(NO_METHOD) | set(NOT_EXACT) <= set(treewright.__all__)
    for name, reasons in NOT_DRAWN.items():
        assert set(reasons) <= parameters(name), name


@pytest.mark.parametrize(
    ("options", "draw", "apart"),
    [
        (RankedOptions, ranked_switches, set()),
        (
            BinaryOptions,
            random_switches,
            # `engine`, `alone_steps`: class_options._engine.
            {"engine", "alone_steps"},
        ),
    ],
    ids=["ranked", "binary"],
)
def test_every_switch_is_drawn(options: type, draw: Callable[..., dict[str, Any]], apart: set[str]) -> None:
    rng = np.random.default_rng(2)
    found = set().union(*(draw(rng) for _ in range(200)))
    assert {field.name for field in fields(options)} - found - apart == set()


def test_switches_of_the_two_kinds_are_told_apart() -> None:
    assert {field.name for field in fields(RankedOptions)} - set(OF_RANKED) <= {
        field.name for field in fields(BinaryOptions)
    }
