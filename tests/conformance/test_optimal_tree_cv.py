"""All of scikit-learn's own checks for the cross-validated estimators with their defaults; none is skipped or fails."""

import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.estimator_checks import check_estimator

from treewright import LeafAccuracyTreeClassifierCV, OptimalTreeClassifierCV, OptimalTreeRegressorCV


@pytest.mark.parametrize("choose", ["cost_complexity", "leaves"])
def test_every_check_passes(choose: str) -> None:
    estimator = OptimalTreeClassifierCV(choose)  # type: ignore[arg-type]
    outcomes = check_estimator(estimator, on_skip=None, on_fail=None)
    assert len(outcomes) >= 60
    failed = [(o["check_name"], o["status"], o["exception"]) for o in outcomes if o["status"] != "passed"]
    assert failed == []


def test_it_is_a_classifier() -> None:
    assert is_classifier(OptimalTreeClassifierCV())
    assert is_classifier(LeafAccuracyTreeClassifierCV())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_check_passes_for_leaf_accuracy() -> None:
    """With a limit of steps in place of the one of time, so that a busy machine makes the same trees."""
    estimator = LeafAccuracyTreeClassifierCV(time_limit=None, step_limit=100)
    outcomes = check_estimator(estimator, on_skip=None, on_fail=None)
    assert len(outcomes) >= 60
    failed = [(o["check_name"], o["status"], o["exception"]) for o in outcomes if o["status"] != "passed"]
    assert failed == []


def test_every_check_passes_for_the_regressor() -> None:
    assert is_regressor(OptimalTreeRegressorCV())
    outcomes = check_estimator(OptimalTreeRegressorCV(), on_skip=None, on_fail=None)
    assert len(outcomes) >= 55
    failed = [(o["check_name"], o["status"], o["exception"]) for o in outcomes if o["status"] != "passed"]
    assert failed == []
