"""All of scikit-learn's own checks, none skipped and none expected to fail."""

from unittest import SkipTest

import numpy as np
import pytest
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils.estimator_checks import (
    estimator_checks_generator,
    parametrize_with_checks,
)

from treewright import (
    HybridTreeClassifier,
    LeafAccuracyTreeClassifier,
    NearOptimalTreeClassifier,
    OptimalPolicyTree,
    OptimalProbabilityTree,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
)
from treewright.problem._regression import check_target


class TargetsAsRewards(OptimalPolicyTree):
    """A policy tree for checks that know one target a row: its first action brings the target, its second nothing."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        return tags

    def fit(self, X, y, sample_weight=None):
        if y is None:
            return super().fit(X, None, sample_weight)
        first = check_target(y)
        return super().fit(X, np.column_stack([first, np.zeros(len(first))]), sample_weight)

    def score(self, X, y):
        return super().score(X, np.column_stack([y, np.zeros(len(y))]))


class TargetsAsTimes(OptimalSurvivalTree):
    """A survival tree for checks that know one target a row: the time from the smallest one, never censored."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        return tags

    def fit(self, X, y, sample_weight=None):
        if y is None:
            return super().fit(X, None, sample_weight)
        time = check_target(y)
        return super().fit(X, (np.ones(len(time)), time - time.min()), sample_weight)

    def score(self, X, y):
        return super().score(X, (np.ones(len(y)), y - np.min(y)))


# All with their default parameters, and lines in leaves.
pytestmark = pytest.mark.filterwarnings("ignore::treewright.errors.NoGainWarning")  # tables of ten rows
ESTIMATORS = [
    OptimalTreeClassifier(),
    HybridTreeClassifier(),
    LeafAccuracyTreeClassifier(),
    NearOptimalTreeClassifier(),
    OptimalTreeRegressor(),
    OptimalTreeRegressor(leaf_model="linear"),
    OptimalTreeRegressor(leaf_model="simple_linear"),
    OptimalProbabilityTree(),
    TargetsAsRewards(),
    TargetsAsTimes(),
]


@parametrize_with_checks(ESTIMATORS)
def test_check(estimator: BaseEstimator, check: object) -> None:
    try:
        check(estimator)  # type: ignore[operator]
    except SkipTest as skip:
        pytest.fail(f"a check was skipped: {skip}")


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_no_check_is_left_out(estimator: BaseEstimator) -> None:
    # Less where nothing is classified. Each of them is a test above, which fails where it is skipped.
    least = 45 if isinstance(estimator, (OptimalPolicyTree, OptimalSurvivalTree)) else 55
    assert len(list(estimator_checks_generator(estimator))) >= least


def test_kinds_are_told_apart() -> None:
    assert [is_regressor(estimator) for estimator in ESTIMATORS] == [
        isinstance(estimator, OptimalTreeRegressor) for estimator in ESTIMATORS
    ]
    assert all(
        is_classifier(estimator) or is_regressor(estimator)
        for estimator in ESTIMATORS
        if not isinstance(estimator, (OptimalPolicyTree, OptimalSurvivalTree))
    )
