"""Rows of next to no weight: they move no objective, and no quotient of weights overflows."""

import numpy as np
import pytest

from treewright import LeafAccuracyTreeClassifier, OptimalProbabilityTree, OptimalTreeRegressor
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
