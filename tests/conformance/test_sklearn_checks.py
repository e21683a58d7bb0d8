"""All of scikit-learn's own checks, none skipped and none expected to fail."""

from unittest import SkipTest

import pytest
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils.estimator_checks import (
    check_estimator,
    estimator_checks_generator,
    parametrize_with_checks,
)

from treewright import (
    HybridTreeClassifier,
    LeafAccuracyTreeClassifier,
    NearOptimalTreeClassifier,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
)

# All with their default parameters.
pytestmark = pytest.mark.filterwarnings("ignore::treewright.errors.NoGainWarning")  # tables of ten rows
ESTIMATORS = [
    OptimalTreeClassifier(),
    HybridTreeClassifier(),
    LeafAccuracyTreeClassifier(),
    NearOptimalTreeClassifier(),
    OptimalTreeRegressor(),
]


@parametrize_with_checks(ESTIMATORS)
def test_check(estimator: BaseEstimator, check: object) -> None:
    try:
        check(estimator)  # type: ignore[operator]
    except SkipTest as skip:
        pytest.fail(f"a check was skipped: {skip}")


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_no_check_is_skipped(estimator: BaseEstimator) -> None:
    outcomes = check_estimator(estimator, on_skip=None, on_fail=None)
    assert len(outcomes) >= 55
    assert {(o["check_name"], o["status"]) for o in outcomes if o["status"] != "passed"} == set()


def test_kinds_are_told_apart() -> None:
    assert [is_regressor(estimator) for estimator in ESTIMATORS] == [
        isinstance(estimator, OptimalTreeRegressor) for estimator in ESTIMATORS
    ]
    assert all(is_classifier(estimator) or is_regressor(estimator) for estimator in ESTIMATORS)
    assert len(list(estimator_checks_generator(ESTIMATORS[0]))) >= 55
