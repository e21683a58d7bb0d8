"""All of scikit-learn's own checks for the cross-validated estimators, none skipped and none expected to fail.

With few leaves and folds: each check fits several times, and each fit is several searches.
"""

import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.estimator_checks import check_estimator

from treewright import LeafAccuracyTreeClassifierCV, OptimalTreeClassifierCV, OptimalTreeRegressorCV


@pytest.mark.parametrize("choose", ["cost_complexity", "leaves"])
def test_every_check_passes(choose: str) -> None:
    estimator = OptimalTreeClassifierCV(choose, max_leaves=3, cv=2, thresholds=4)  # type: ignore[arg-type]
    outcomes = check_estimator(estimator, on_skip=None, on_fail=None)
    assert len(outcomes) >= 60
    failed = [(o["check_name"], o["status"], o["exception"]) for o in outcomes if o["status"] != "passed"]
    assert failed == []


def test_it_is_a_classifier() -> None:
    assert is_classifier(OptimalTreeClassifierCV())
    assert is_classifier(LeafAccuracyTreeClassifierCV())


def test_every_check_passes_for_leaf_accuracy() -> None:
    """By default it takes minutes: depths of 3 and 4 are searched until the time limit."""
    outcomes = check_estimator(
        LeafAccuracyTreeClassifierCV((1, 2), cv=2, time_limit=None), on_skip=None, on_fail=None
    )
    assert len(outcomes) >= 60
    failed = [(o["check_name"], o["status"], o["exception"]) for o in outcomes if o["status"] != "passed"]
    assert failed == []


def test_every_check_passes_for_the_regressor() -> None:
    assert is_regressor(OptimalTreeRegressorCV())
    outcomes = check_estimator(OptimalTreeRegressorCV(max_leaves=3, cv=2), on_skip=None, on_fail=None)
    assert len(outcomes) >= 55
    failed = [(o["check_name"], o["status"], o["exception"]) for o in outcomes if o["status"] != "passed"]
    assert failed == []
