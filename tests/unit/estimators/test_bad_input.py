"""Bad input of every kind gets an error that names it and says what to do; nothing is fitted half."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from treewright import OptimalSurvivalTree, OptimalTreeClassifier, OptimalTreeRegressor, SolveStatus
from treewright.errors import InputError, QuantityTargetWarning

X = np.array([[0.0, 5.0], [1.0, 6.0], [0.0, 7.0], [1.0, 8.0]])
Y = np.array([0, 1, 0, 1])


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (np.empty((0, 2)), r"0 sample\(s\)"),
        (np.empty((4, 0)), r"0 feature\(s\)"),
        ([], "Expected a table|0 sample"),
        ([1, 2, 3, 4], "Reshape your data"),
        (np.zeros((2, 2, 2)), "Expected a table"),
        ([[1, 2], [3]], "rows of X differ in length"),
        (np.array([[np.inf], [1], [2], [3]]), "infinity"),
        (X * 1j, "[Cc]omplex"),
        ([["a", 1], ["b", 2], [3, 3], ["c", 4]], "x0"),
        ([[{}], [1], [2], [3]], "argument must be a string or a number|dict"),
        (pd.DataFrame([[1, 2]] * 4, columns=["a", "a"]), "Duplicate column names.*'a'"),
        (pd.DataFrame({"when": pd.to_datetime(["2020-01-01"] * 4)}), "when"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_tables(table: Any, words: str) -> None:
    model = OptimalTreeClassifier()
    with pytest.raises(InputError, match=words):
        model.fit(table, Y)
    assert not hasattr(model, "tree_")


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y"),
        ([], "inconsistent numbers of samples|y is empty"),
        ([0, 1, 0], "inconsistent numbers of samples"),
        ([0.0, 1.0, np.nan, 1.0], "NaN"),
        ([0.0, 1.0, np.inf, 1.0], "infinity"),
        ([0.5, 1.0, 0.0, 1.0], "Unknown label type: continuous"),
        (["a", None, "b", "a"], "missing values|None"),
        (["a", 1, "b", "a"], "mixture of int, str"),
        ([Decimal(1), Decimal(2)] * 2, "Unknown label type: Decimal; labels are .* Give these as text"),
        (np.zeros((4, 2)), "1d array"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_labels(y: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        OptimalTreeClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ([1, 1, -1, 1], "negative in row 2"),
        ([0, 0, 0, 0], "zero in every row"),
        ([1, np.nan, 1, 1], "NaN or infinity"),
        ([1, np.inf, 1, 1], "NaN or infinity"),
        ([1, 1, 1], r"shape \(3,\), expected \(4,\)"),
        (["a"] * 4, "must be numbers"),
        ([2**52] * 4, "exactly up to 2\\*\\*53"),
        ([1e308] * 4, "sums to inf"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_weights(weight: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        OptimalTreeClassifier().fit(X, Y, weight)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"cost_complexity": -0.1}, "cost_complexity=-0.1.*from 0 to 1"),
        ({"cost_complexity": "small"}, "cost_complexity='small'"),
        ({"cost_complexity": np.nan}, "cost_complexity=nan"),
        ({"max_depth": -1}, "max_depth=-1.*at least 0"),
        ({"max_depth": 2.5}, "max_depth=2.5"),
        ({"max_leaf_nodes": 0}, "max_leaf_nodes=0.*at least 1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        ({"min_samples_leaf": 5}, "above the 4 rows"),
        ({"min_samples_leaf": 1.5}, "strictly between 0 and 1"),
        ({"thresholds": "some"}, 'thresholds=.some.*"auto", "all"'),
        ({"thresholds": 1}, "thresholds=1;.*2 or more"),
        ({"thresholds": {"nobody": [1.0]}}, "nobody"),
        ({"thresholds": 2.0}, "thresholds=2.0"),
        (
            {"objective": "auc"},
            "objective='auc'; choose one of accuracy, balanced_accuracy; f1 is available in",
        ),
        ({"objective": "log_loss"}, r"OptimalProbabilityTree\(criterion='log_loss'\) minimises the log loss"),
        ({"objective": "gini"}, r"OptimalProbabilityTree\(criterion='brier'\) minimises the Brier score"),
        ({"objective": "balanced_accuracy", "class_weight": "balanced"}, "leave one of them out"),
        ({"costs": [[0, 1]]}, r"costs has shape \(1, 2\)"),
        ({"costs": [[0, -1], [1, 0]]}, "at least 0"),
        ({"costs": [[0, 0], [0, 0]]}, "all zero"),
        ({"costs": [[2, 1], [1, 0]]}, "wrong prediction would cost less"),
        ({"class_weight": {5: 1.0}}, "names the label 5"),
        ({"class_weight": "even"}, "class_weight='even'"),
        ({"class_weight": {0: -1.0}}, "negative"),
        ({"categorical_features": ["nobody"]}, "nobody"),
        ({"categorical_features": [7]}, "positions 0 to 1"),
        ({"time_limit": 0}, "time_limit=0.*above 0"),
        ({"step_limit": -5}, "step_limit=-5"),
        ({"memory_limit": "1GB"}, "memory_limit='1GB'; give an integer number of bytes"),
        ({"progress": "yes"}, "progress='yes'"),
        ({"search_options": {"cache": False}}, "BinaryOptions, RankedOptions or None"),
    ],
    ids=str,
)
def test_parameters(parameters: dict[str, Any], words: str) -> None:
    model = OptimalTreeClassifier(**parameters)  # checked in fit, as scikit-learn wants
    with pytest.raises(InputError, match=words):
        model.fit(X, Y)
    assert not hasattr(model, "tree_")


def test_one_class_is_a_leaf() -> None:
    model = OptimalTreeClassifier().fit(X, ["only"] * 4)
    assert model.get_n_leaves() == 1
    assert model.result_.status is SolveStatus.OPTIMAL
    assert model.predict(X).tolist() == ["only"] * 4
    assert model.predict_proba(X).tolist() == [[1.0]] * 4


def test_constant_columns_are_a_leaf() -> None:
    model = OptimalTreeClassifier().fit(np.ones((4, 3)), [0, 1, 1, 1])
    assert model.get_n_leaves() == 1
    assert model.result_.loss == 0.25
    assert model.predict([[9.0, 9.0, 9.0]]).tolist() == [1]


def test_a_column_without_values_is_noted() -> None:
    table = np.column_stack([X[:, 0], np.full(4, np.nan)])
    model = OptimalTreeClassifier().fit(table, Y)
    assert model.score(table, Y) == 1
    assert any("x1" in note for note in model.result_.notes)


def test_rows_without_weight_are_noted() -> None:
    model = OptimalTreeClassifier().fit(X, [0, 1, 0, 0], [1, 1, 1, 0])
    assert any("1 of 4 rows have weight zero" in note for note in model.result_.notes)
    assert model.result_.loss == 0


def test_more_classes_than_the_engine_has_bits() -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (300, 5))
    with pytest.warns(QuantityTargetWarning):
        model = OptimalTreeClassifier(0.0, max_depth=2).fit(table, np.arange(300) % 200, rng.random(300))
    assert model.result_.status is SolveStatus.OPTIMAL
    assert model.predict_proba(table).shape == (300, 200)


def test_costs_that_blur_the_optimum_are_not_called_proven() -> None:
    """A cost of 1e18 leaves no digits for one of 0.5: the bound says so, and a note why."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (50, 3))
    weight = rng.random(50)
    with pytest.warns(UserWarning, match="Not proven optimal"):
        model = OptimalTreeClassifier(costs=[[0, 1e18], [0.5, 0]]).fit(table, rng.integers(0, 2, 50), weight)
    assert model.result_.status is SolveStatus.FEASIBLE
    assert any("rounded" in note for note in model.result_.notes)


def test_text_in_numbers_is_quoted_with_the_way_out() -> None:
    with pytest.raises(
        InputError, match=r"y holds '\$420,000', which is not a number.*convert the column to numbers"
    ):
        OptimalTreeRegressor().fit([[1], [2]], np.array(["12", "$420,000"], dtype=object))
    with pytest.raises(
        InputError, match=r"y holds 'high', which is not a number; .* For labels use a classifier"
    ):
        OptimalTreeRegressor().fit([[1], [2]], ["high", "low"])
    with pytest.raises(
        InputError, match="event holds the word 'dead'; give true or false, for example event == 'dead'"
    ):
        OptimalSurvivalTree().fit([[1], [2]], (["dead", "alive"], [3, 4]))
    OptimalSurvivalTree(max_depth=0).fit([[1], [2]], (["1", "0"], [3, 4]))  # numbers as text are numbers
