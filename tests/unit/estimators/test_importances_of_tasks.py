"""What a column is worth to trees of probabilities, actions and survival, and to trees that were chosen from many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treewright import (
    MIPTreeClassifier,
    NearOptimalTreeClassifier,
    OptimalPolicyTree,
    OptimalProbabilityTree,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
)
from treewright.estimators import importances_without


def rows(seed: int) -> tuple[Any, dict[str, Any], Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (120, 4)).astype(float)
    X[rng.random(X.shape) < 0.05] = np.nan
    z = np.nan_to_num(X)
    label = np.where((z[:, 0] > 2) ^ (rng.random(120) < 0.2), "a", np.where(z[:, 1] > 3, "b", "c"))
    rewards = np.column_stack([np.zeros(120), z[:, 0] - 2 + rng.normal(size=120), z[:, 1] - 3])
    lasts, censored = rng.exponential(np.where(z[:, 2] > 2, 1.0, 4.0)), rng.exponential(6.0, 120)
    times = (lasts <= censored, np.minimum(lasts, censored))
    return X, {"label": label, "rewards": rewards, "times": times}, rng.integers(1, 4, 120)


TASKS: dict[str, tuple[Callable[[], Any], str]] = {
    "brier": (lambda: OptimalProbabilityTree(0.02, max_depth=2), "label"),
    "log loss": (lambda: OptimalProbabilityTree(0.02, max_depth=2, criterion="log_loss"), "label"),
    "policy": (lambda: OptimalPolicyTree(0.01, max_depth=2), "rewards"),
    "survival": (lambda: OptimalSurvivalTree(0.01, max_depth=2), "times"),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("task", TASKS)
def test_the_bound_holds_and_the_exact_value_is_that_of_a_table_without_the_column(
    seed: int, task: str
) -> None:
    make, target = TASKS[task]
    X, targets, weight = rows(seed)
    y = targets[target]
    model = make().fit(X, y, weight)
    exact = {one.column: one for one in importances_without(model, X, y, weight)}
    for column in range(4):
        bound = model.feature_importances_[column]
        if column not in model.tree_.asked:
            assert bound == 0
            continue
        other = make().fit(np.delete(X, column, axis=1), y, weight)
        worth = exact[f"x{column}"]
        assert worth.at_most == pytest.approx(other.result_.objective - model.result_.objective, abs=1e-8)
        assert bound >= worth.at_most - 1e-8


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("task", TASKS)
def test_a_root_that_becomes_a_leaf_loses_all_that_the_tree_gains(seed: int, task: str) -> None:
    make, target = TASKS[task]
    X, targets, weight = rows(seed)
    model = make().fit(X, targets[target], weight)
    root = model.tree_.splits[0]
    assert root is not None
    one_leaf = 1 + model.cost_complexity  # the loss is a share of that of a single leaf
    assert model.feature_importances_[root.column] == pytest.approx(one_leaf - model.result_.objective)


def test_a_near_optimal_tree_loses_what_it_gains_without_its_first_column() -> None:
    X, targets, weight = rows(1)
    near = NearOptimalTreeClassifier(cost_complexity=0.01, max_depth=2).fit(X, targets["label"], weight)
    root = near.tree_.splits[0].column
    alone = OptimalTreeClassifier(0.01, max_depth=0).fit(X, targets["label"], weight)
    assert near.feature_importances_[root] == pytest.approx(alone.result_.objective - near.result_.objective)


@pytest.mark.parametrize("choose", ["cost_complexity", "leaves"])
def test_cross_validated_trees_have_those_at_the_chosen_penalty(choose: str) -> None:
    X, targets, _ = rows(2)
    for model, y in (
        (OptimalTreeClassifierCV(max_depth=2, max_leaves=4, choose=choose), targets["label"]),
        (OptimalTreeRegressorCV(max_depth=2, max_leaves=4, choose=choose), targets["rewards"][:, 1]),
    ):
        model.fit(X, y)
        kind = OptimalTreeClassifier if isinstance(model, OptimalTreeClassifierCV) else OptimalTreeRegressor
        penalty = model.cost_complexity_ if choose == "cost_complexity" else 0.0
        alone = kind(penalty, max_depth=0).fit(X, y).result_
        root = model.tree_.splits[0].column
        own = model.result_.loss + penalty * model.tree_.n_leaves
        assert model.feature_importances_[root] == pytest.approx(alone.objective - own)


def test_programs_have_them() -> None:
    pytest.importorskip("highspy")
    X, targets, _ = rows(3)
    y = (targets["label"] == "a").astype(int)
    program = MIPTreeClassifier("oct", max_depth=1, cost_complexity=0.01).fit(X[:30, :2], y[:30])
    plain = OptimalTreeClassifier(0.01, max_depth=1).fit(X[:30, :2], y[:30])
    assert program.feature_importances_.sum() == pytest.approx(plain.feature_importances_.sum())
    worst = MIPTreeClassifier("leaf_accuracy", max_depth=1, min_samples_leaf=5).fit(X[:20, :2], y[:20])
    root = worst.tree_.splits[0]
    assert root is not None
    alone = max(np.bincount(y[:20])) / 20
    assert worst.feature_importances_[root.column] == pytest.approx(worst.result_.objective - alone)
