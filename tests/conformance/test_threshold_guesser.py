"""The transformer passes scikit-learn's own checks, and works where scikit-learn works."""

from unittest import SkipTest

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from treewright import OptimalTreeClassifier, ThresholdGuesser
from treewright.errors import InputError


@parametrize_with_checks([ThresholdGuesser()])
def test_check(estimator: BaseEstimator, check: object) -> None:
    try:
        check(estimator)  # type: ignore[operator]
    except SkipTest as skip:
        pytest.fail(f"a check was skipped: {skip}")


def test_names_and_frames() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    guesser = ThresholdGuesser(n_estimators=8).set_output(transform="pandas").fit(X, y)
    columns = guesser.transform(X)
    assert list(columns.columns) == list(guesser.get_feature_names_out())
    assert set(np.unique(columns)) == {0.0, 1.0}
    for name in columns.columns:
        feature, threshold = name.rsplit(" <= ", 1)
        np.testing.assert_array_equal(columns[name] == 1, X[feature] <= float(threshold))
    assert guesser.accuracy_after_ >= guesser.accuracy_before_
    assert len(guesser.splits_) <= guesser.n_offered_
    renamed = X.rename(columns={X.columns[0]: "other"})
    with pytest.raises(ValueError, match="other"):
        guesser.transform(renamed)
    with pytest.raises(InputError, match="length 30"):
        guesser.get_feature_names_out(["a"])


def test_in_a_pipeline_and_for_the_exact_tree() -> None:
    """Columns and predictions of the guesser are what the classifier guesses by itself (Corollary 4.3.1)."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(ThresholdGuesser(n_estimators=10), DecisionTreeClassifier(max_depth=3))
    assert pipeline.fit(X, y).score(X, y) > 0.9
    guesser = ThresholdGuesser().fit(X, y)
    by_hand = OptimalTreeClassifier(
        0.01, max_depth=3, guess_lower_bounds=True, reference=guesser.reference_predictions_
    ).fit(guesser.transform(X), y)
    by_itself = OptimalTreeClassifier(0.01, max_depth=3, thresholds="guess", guess_lower_bounds=True).fit(
        X, y
    )
    assert by_itself.result_.objective == pytest.approx(by_hand.result_.objective, abs=1e-12)


def test_one_class_is_an_error() -> None:
    with pytest.raises(InputError, match="only one class"):
        ThresholdGuesser().fit([[1.0], [2.0]], [1, 1])
