"""The classifier that chooses among near-optimal trees: its rules, its words, what stays beside the tree."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from treewright import NearOptimalTreeClassifier, OptimalTreeClassifier
from treewright.errors import InputError, SolverError


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (200, 6)).astype(float)
    return X, np.where(rng.random(200) < 0.2, X[:, 2], X[:, 0] * X[:, 1]).astype(int)


ASKED = {"cost_complexity": 0.01, "epsilon": 0.4}


def test_best_is_the_optimum(rows):
    best = OptimalTreeClassifier(cost_complexity=0.01, max_depth=3).fit(*rows).result_
    model = NearOptimalTreeClassifier(choose="best", **ASKED).fit(*rows)
    assert model.result_.objective == pytest.approx(best.objective)
    assert model.result_.gap == 0


def test_fewest_leaves_and_columns(rows):
    model = NearOptimalTreeClassifier(choose="fewest leaves", **ASKED).fit(*rows)
    trees = model.near_optimal_
    assert model.tree_.n_leaves == min(size.n_leaves for size in trees.table())
    model = NearOptimalTreeClassifier(choose="fewest columns", **ASKED).fit(*rows)
    some = trees.sample(300, random_state=0)
    assert len(model.tree_.asked) <= min(len(tree.asked) for tree in some)
    assert model.tree_ in trees
    assert "Chosen among near-optimal trees" in model.result_.notes[-1]
    with pytest.warns(ConvergenceWarning, match="not excluded"):
        NearOptimalTreeClassifier(choose="fewest columns", look_at=0, **ASKED).fit(*rows)


def test_small_gap(rows):
    X, y = rows
    model = NearOptimalTreeClassifier(choose="small gap", group="x3", max_gap=0.02, **ASKED).fit(X, y)
    positive = model.predict(X) == 1
    assert abs(positive[X[:, 3] == 1].mean() - positive[X[:, 3] == 0].mean()) <= 0.02


def test_a_function_of_the_tree(rows):
    model = NearOptimalTreeClassifier(choose=lambda tree: 0 not in tree.asked, **ASKED | {"epsilon": 3}).fit(
        *rows
    )
    assert 0 not in model.tree_.asked
    with pytest.raises(SolverError, match="No tree up to"):
        NearOptimalTreeClassifier(choose=lambda tree: False, **ASKED).fit(*rows)


@pytest.mark.parametrize(
    ("rule", "look_at"),
    [
        ({"choose": lambda tree: 1 in tree.asked}, 1),  # the second of two equal trees
        ({"choose": "small gap", "group": "x2", "max_gap": 0.5}, 1),
    ],
)
def test_a_search_that_gave_up_says_nothing_of_trees_on_its_bound(rule, look_at) -> None:
    X, y = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]), [0, 0, 1, 1]
    asked = {"epsilon": 0.0, "thresholds": "all", **rule}
    with pytest.raises(
        SolverError, match=r"No tree below an objective of 0\.02 passes \(1 were .* a larger look_at"
    ):
        NearOptimalTreeClassifier(look_at=look_at, **asked).fit(X, y)
    assert NearOptimalTreeClassifier(**asked).fit(X, y).result_.objective == 0.02


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"choose": "nicest"}, "choose='nicest'; choose one of 'best'"),
        ({"choose": "small gap"}, "needs group="),
        ({"choose": "small gap", "group": "age"}, "group='age'"),
        ({"epsilon": -1}, "epsilon=-1"),
    ],
)
def test_bad_parameters(rows, parameters, words):
    with pytest.raises(InputError, match=words):
        NearOptimalTreeClassifier(**parameters).fit(*rows)


def test_limits_leave_a_tree(rows):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, (600, 60)).astype(float), rng.integers(0, 6, 600)
    model = NearOptimalTreeClassifier(cost_complexity=0.0005, max_depth=6, progress=lambda progress: True)
    with pytest.warns(ConvergenceWarning, match="The set is complete below"):
        model.fit(X, y)
    assert model.predict(X).shape == y.shape


def test_in_cross_validation_and_pickled(rows):
    model = NearOptimalTreeClassifier(**ASKED)
    assert cross_val_score(model, *rows, cv=3).mean() > 0.7
    model.fit(*rows)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(rows[0]), model.predict(rows[0]))
    assert again.near_optimal_.n_trees_ == model.near_optimal_.n_trees_


def test_a_small_gap_is_about_the_last_of_any_number_of_labels() -> None:
    """The documentation says "the last label"; three were refused, with advice to set `label`, which is not there."""
    X = pd.DataFrame({"x": [0, 1, 2, 3, 4, 5], "group": [0, 1, 0, 1, 0, 1]})
    y = ["a", "a", "b", "b", "c", "c"]
    model = NearOptimalTreeClassifier(
        choose="small gap", group="group", max_gap=0.0, epsilon=1.0, thresholds="all"
    )
    said = model.fit(X, y).predict(X) == "c"
    assert said[0::2].mean() == said[1::2].mean()
    assert NearOptimalTreeClassifier(choose="small gap", group="group").fit(X, ["a"] * 6).tree_.n_leaves == 1
