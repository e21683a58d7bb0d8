"""Rows of next to no weight: they move no objective, and no quotient of weights overflows."""

import numpy as np
import pytest

from treewright import (
    LeafAccuracyTreeClassifier,
    MIPTreeClassifier,
    OptimalProbabilityTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    accuracy_frontier,
    near_optimal_trees,
)
from treewright.result import SolveStatus

X = np.arange(8.0)[:, None]
LABELS = np.array([0, 1, 0, 1, 1, 1, 0, 0])
NUMBERS = np.array([9.0, 1, 2, 3, 4, 5, 6, 7])
CASES = {
    "log loss": (OptimalProbabilityTree(0.01, criterion="log_loss", max_depth=2), LABELS, 5e-324),
    "Brier score": (OptimalProbabilityTree(0.01, criterion="brier", max_depth=2), LABELS, 5e-324),
    "squared error": (OptimalTreeRegressor(0.01, max_depth=2), NUMBERS, 5e-324),
    "Poisson": (OptimalTreeRegressor(0.01, max_depth=2, criterion="poisson"), NUMBERS, 1e-310),
    "gamma": (OptimalTreeRegressor(0.01, max_depth=2, criterion="gamma"), NUMBERS, 1e-310),
    "absolute error": (OptimalTreeRegressor(0.01, max_depth=2, criterion="absolute_error"), NUMBERS, 1e-310),
    "worst leaf": (LeafAccuracyTreeClassifier(max_depth=1, criterion="accuracy"), LABELS, 5e-324),
}


@pytest.mark.parametrize("name", CASES)
def test_a_denormal_weight_is_as_good_as_none(name):
    model, y, least = CASES[name]
    weight = np.r_[least, np.ones(7)]
    with_it = model.fit(X, y, sample_weight=weight).result_
    assert with_it.status is SolveStatus.OPTIMAL
    without = model.fit(X[1:], y[1:]).result_
    assert with_it.objective == pytest.approx(without.objective, abs=1e-9)


# The rows at both ends have a label of their own, and next to no weight: one split has no loss.
ENDS = np.array([1, 0, 0, 0, 1, 1, 1, 0])
ON_ENDS = {
    "classifier": OptimalTreeClassifier(0.01, max_depth=2),
    "balanced": OptimalTreeClassifier(0.01, max_depth=2, class_weight="balanced"),
    "F1": OptimalTreeClassifier(0.01, max_depth=2, objective="f1"),
    "least leaf accuracy": OptimalTreeClassifier(0.01, max_depth=2, min_leaf_accuracy=0.9),
    "worst leaf": LeafAccuracyTreeClassifier(max_depth=1, min_samples_leaf=1, criterion="accuracy"),
    "program": MIPTreeClassifier(cost_complexity=0.01, formulation="binoct", max_depth=1),
    "Poisson": OptimalTreeRegressor(0.01, max_depth=2, criterion="poisson"),
    "squared error": OptimalTreeRegressor(0.01, max_depth=2),
    "log loss": OptimalProbabilityTree(0.01, max_depth=2, criterion="log_loss"),
}


@pytest.mark.parametrize("weight", [1e-323, 1e-310, 1e-300, 1e-100, 1e-30, 1e-20])
@pytest.mark.parametrize("name", ON_ENDS)
def test_rows_of_next_to_no_weight_have_no_loss(name, weight):
    model = ON_ENDS[name].fit(X, ENDS, sample_weight=np.r_[weight, np.ones(6), weight])
    assert model.result_.status is SolveStatus.OPTIMAL
    assert model.tree_.n_leaves == 2
    assert model.result_.loss == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("weight", [1e-323, 1e-300, 1e-20])
def test_fronts_and_sets_take_them_and_costs_as_small(weight):
    weights = np.r_[weight, np.ones(6), weight]
    front = accuracy_frontier(X, ENDS, max_leaves=3, sample_weight=weights)
    assert [point.loss for point in front][:2] == pytest.approx([0.5, 0.0], abs=1e-12)
    trees = near_optimal_trees(X, ENDS, cost_complexity=0.01, max_depth=1, sample_weight=weights)
    assert trees.result(0).objective == pytest.approx(0.02)
    costs = OptimalTreeClassifier(0.01, max_depth=1, costs=[[0.0, weight], [1.0, 0.0]]).fit(X, ENDS).result_
    assert costs.loss == pytest.approx(0.0, abs=1e-12)
