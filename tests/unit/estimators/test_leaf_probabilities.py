"""Held-out probabilities of leaves, calibration and thresholds of probability trees with scikit-learn's own tools."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

from treewright import OptimalProbabilityTree
from treewright.errors import InputError
from treewright.estimators import leaf_probabilities


def noisy(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, 2)).astype(float)
    return X, (rng.random(n) < 0.15 + 0.1 * X[:, 0]).astype(int)


def test_shares_of_new_rows_and_their_intervals():
    (X, y), (X_new, y_new) = noisy(150, 0), noisy(80, 1)
    model = OptimalProbabilityTree(0.01, max_depth=2).fit(X, y)
    found = leaf_probabilities(model, X_new, y_new, confidence=0.9)
    assert len(found) == 2 * model.get_n_leaves()
    leaf = model.apply(X_new)
    for one in found:
        here = y_new[leaf == one["leaf"]]
        seen, n = int((here == one["class"]).sum()), len(here)
        assert (one["rows"], one["share"]) == (n, pytest.approx(seen / n))
        assert one["fitted"] == model.predict_proba(X_new[leaf == one["leaf"]])[0][one["class"]]
        # At each end as many as were seen, or more extreme, are as rare as a tail.
        for end, counts in ((one["lower"], range(seen, n + 1)), (one["upper"], range(seen + 1))):
            if 0 < end < 1:
                p = Fraction(end)
                tail = sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in counts)
                assert float(tail) == pytest.approx(0.05, abs=1e-9)


def test_a_leaf_without_new_rows_knows_nothing():
    X, y = noisy(150, 0)
    model = OptimalProbabilityTree(0.01, max_depth=2).fit(X, y)
    found = leaf_probabilities(model, X[:1], y[:1])
    empty = [one for one in found if one["rows"] == 0]
    assert len(empty) == len(found) - 2
    assert all(np.isnan(one["share"]) and (one["lower"], one["upper"]) == (0, 1) for one in empty)


def test_bad_input():
    X, y = noisy(50, 0)
    model = OptimalProbabilityTree(max_depth=1).fit(X, y)
    with pytest.raises(InputError, match="confidence=1"):
        leaf_probabilities(model, X, y, confidence=1)
    with pytest.raises(InputError, match="one label for each of the 50 rows"):
        leaf_probabilities(model, X, y[:3])


@pytest.mark.parametrize("criterion", ["brier", "log_loss"])
def test_calibration_on_held_out_folds(criterion):
    """Small leaves say shares of 0 and 1, which cost most on new rows."""
    (X, y), (X_new, y_new) = noisy(150, 0), noisy(2000, 1)
    X = np.column_stack([X, np.random.default_rng(2).random(150)])
    X_new = np.column_stack([X_new, np.random.default_rng(3).random(2000)])
    tree = OptimalProbabilityTree(0.0, max_depth=3, criterion=criterion)
    plain = log_loss(y_new, tree.fit(X, y).predict_proba(X_new))
    folds = CalibratedClassifierCV(tree, method="sigmoid", cv=5, ensemble=False).fit(X, y)
    assert log_loss(y_new, folds.predict_proba(X_new)) < plain / 2
    assert (
        folds.calibrated_classifiers_[0].estimator.tree_.splits == tree.tree_.splits
    )  # one tree for all rows


def test_thresholds_by_cost():
    X, y = noisy(300, 0)

    def value(y, predicted):  # a miss costs ten alarms
        return -(10 * ((y == 1) & (predicted == 0)) + ((y == 0) & (predicted == 1))).mean()

    tree = OptimalProbabilityTree(0.01, max_depth=2)
    tuned = TunedThresholdClassifierCV(tree, scoring=make_scorer(value), cv=5).fit(X, y)
    fixed = FixedThresholdClassifier(tree, threshold=1 / 11).fit(
        X, y
    )  # what a calibrated probability has to reach
    plain = tree.fit(X, y)
    assert tuned.best_threshold_ < 0.5
    assert value(y, tuned.predict(X)) > value(y, plain.predict(X))
    assert value(y, fixed.predict(X)) > value(y, plain.predict(X))
