"""A classifier fitted to a quantity says so, by the rule of the command line."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from treewright import (
    BornAgainTreeClassifier,
    HybridTreeClassifier,
    LatentTreeClassifier,
    LeafAccuracyTreeClassifier,
    MIPTreeClassifier,
    NearOptimalTreeClassifier,
    OptimalProbabilityTree,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    accuracy_frontier,
    compare_with_cart,
    near_optimal_trees,
)
from treewright.errors import InputError, QuantityTargetWarning

X = (np.arange(120)[:, None] * 7 % 120 + np.zeros((120, 2))) // 10
PRICES = np.arange(120) // 3 * 250.0 + 1000  # 40 values, 3 rows each

CLASSIFIERS = (
    OptimalTreeClassifier(cost_complexity=0.01, max_depth=1),
    OptimalTreeClassifierCV(max_leaves=2, cv=2),
    OptimalProbabilityTree(max_depth=1),
    LeafAccuracyTreeClassifier(max_depth=1),
    NearOptimalTreeClassifier(max_depth=1),
    MIPTreeClassifier(max_depth=1, time_limit=1),
    LatentTreeClassifier(depth=1, epochs=1),
    BornAgainTreeClassifier(RandomForestClassifier(2, max_depth=1)),
    HybridTreeClassifier(DecisionTreeClassifier(max_depth=1), leaf_estimator=GaussianNB(), tune=None),
)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_a_classifier_points_to_the_regressor(model) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clone(model).fit(X, PRICES)
    own = [warning for warning in caught if warning.category is QuantityTargetWarning]
    assert "y has 40 different numbers in 120 rows" in str(own[0].message)
    assert "OptimalTreeRegressor" in str(own[0].message)
    assert own[0].filename == __file__  # the line that called fit


@pytest.mark.parametrize(
    "ask",
    [
        lambda: compare_with_cart(X, PRICES, max_depth=1),
        lambda: near_optimal_trees(X, PRICES, max_depth=1, thresholds=2),
        lambda: accuracy_frontier(X, PRICES, max_depth=1),
    ],
    ids=["compare_with_cart", "near_optimal_trees", "accuracy_frontier"],
)
def test_functions_for_classes_point_to_the_regressor(ask) -> None:
    """They counted a mistake wherever a number was not predicted exactly: 417 of 442 rows, without a word."""
    with pytest.warns(QuantityTargetWarning) as caught:
        ask()
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "y",
    [
        PRICES.astype(np.int64),
        PRICES.astype(np.int64).astype(object),
        PRICES.tolist(),
    ],
)
def test_whatever_holds_the_numbers(y) -> None:
    with pytest.warns(QuantityTargetWarning):
        OptimalTreeClassifier(cost_complexity=0.01, max_depth=1).fit(X, y)


@pytest.mark.parametrize(
    "y",
    [
        np.arange(120) % 30 * 1.0,  # 30 classes are usual
        PRICES.astype(str),  # who gives text means classes
        np.arange(120) % 2 == 0,
    ],
)
def test_classes_stay_classes(y) -> None:
    OptimalTreeClassifier(cost_complexity=0.01, max_depth=1).fit(X, y)  # warnings are errors


def test_many_numbered_classes_with_enough_rows_stay_classes() -> None:
    y = np.arange(800) % 40 * 1.0
    OptimalTreeClassifier(cost_complexity=0.01, max_depth=1).fit(y[:, None] // 20, y)


def test_fractions_keep_the_error_of_scikit_learn() -> None:
    with pytest.raises(InputError, match=r"Unknown label type: continuous.*OptimalTreeRegressor"):
        OptimalTreeClassifier().fit(X, PRICES + 0.5)


def test_a_regressor_says_nothing() -> None:
    OptimalTreeRegressor(max_depth=1).fit(X, PRICES)


def test_amounts_as_text_are_a_quantity_and_codes_are_classes() -> None:
    model = OptimalTreeClassifier(cost_complexity=0.01, max_depth=1)
    for amounts in ([f"${price:,.0f}" for price in PRICES], [f"{price / 1000:.2f}k" for price in PRICES]):
        with pytest.warns(QuantityTargetWarning, match="OptimalTreeRegressor with numbers instead of text"):
            model.fit(X, np.array(amounts, dtype=object))
    with warnings.catch_warnings():
        warnings.simplefilter("error", QuantityTargetWarning)
        model.fit(X, [f"E{10 + k // 3}" for k in range(120)])  # codes of diagnoses
