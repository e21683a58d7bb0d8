"""All of scikit-learn's own checks for the tree near a regression model, with its default parameters."""

from sklearn.base import is_regressor
from sklearn.utils.estimator_checks import check_estimator

from treewright import BornAgainTreeRegressor


def test_every_check_passes() -> None:
    assert is_regressor(BornAgainTreeRegressor())
    outcomes = check_estimator(BornAgainTreeRegressor(), on_skip=None, on_fail=None)
    assert len(outcomes) >= 50
    failed = [(o["check_name"], o["status"], o["exception"]) for o in outcomes if o["status"] != "passed"]
    assert failed == []
