"""`OptimalPolicyTree`: what it takes, what it refuses, what it says on new rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from treewright import OptimalPolicyTree, OptimalTreeClassifier
from treewright.convert import from_json, to_json, to_onnx, to_sklearn
from treewright.errors import InputError, ModelFileError
from treewright.show import notebook_html, plot_tree, report, rules, to_graphviz, to_text
from treewright.tree import TreeKind
from treewright.verify import verify


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2)).round(1)
    return X, np.column_stack([np.zeros(150), X[:, 0], X[:, 1] - 0.5]) + rng.normal(size=(150, 3)) / 10


def test_names_come_from_a_frame(data):
    X, rewards = data
    named = ["wait", "left", "right"]
    for frame in (pd.DataFrame(rewards, columns=named), pl.DataFrame(rewards, schema=named)):
        model = OptimalPolicyTree(max_depth=2).fit(pd.DataFrame(X, columns=["a", "b"]), frame)
        assert model.actions_.tolist() == named
        assert set(model.predict(pd.DataFrame(X, columns=["a", "b"]))) <= set(named)
    assert OptimalPolicyTree(max_depth=2).fit(X, rewards).actions_.tolist() == [0, 1, 2]


def test_value_on_new_rows(data):
    X, rewards = data
    model = OptimalPolicyTree(actions=["a", "b", "c"], action_costs={"b": 0.25}, max_depth=2).fit(X, rewards)
    found = model.value(X[:50], rewards[:50])
    chosen = np.array([list("abc").index(action) for action in model.predict(X[:50])])
    gained = rewards[np.arange(50), chosen] - 0.25 * (chosen == 1)
    assert found.value == pytest.approx(gained.mean(), rel=1e-12)
    assert found.standard_error == pytest.approx(gained.std(ddof=1) / 50**0.5, rel=1e-12)
    assert found.interval[0] < found.value < found.interval[1]
    assert model.score(X[:50], rewards[:50]) == found.value
    twice = model.value(np.repeat(X[:50], 2, axis=0), np.repeat(rewards[:50], 2, axis=0))
    weighted = model.value(X[:50], rewards[:50], np.full(50, 2.0))
    assert twice.value == pytest.approx(weighted.value)
    assert weighted.standard_error == pytest.approx(found.standard_error)
    assert np.isnan(model.value(X[:1], rewards[:1]).standard_error)


@pytest.mark.parametrize("method", ["value", "score"])
def test_before_fit(data, method):
    with pytest.raises(NotFittedError):
        getattr(OptimalPolicyTree(), method)(*data)


def test_an_action_that_costs_too_much_is_never_taken(data):
    X, rewards = data
    assert 1 in OptimalPolicyTree().fit(X, rewards).predict(X)
    assert 1 not in OptimalPolicyTree(action_costs=[0, 100.0, 0]).fit(X, rewards).predict(X)


def test_model_selection_and_pipelines(data):
    X, rewards = data
    search = GridSearchCV(OptimalPolicyTree(), {"max_depth": [0, 2]}, cv=3).fit(X, rewards)
    assert search.best_params_ == {"max_depth": 2}
    piped = make_pipeline(FunctionTransformer(), OptimalPolicyTree(max_depth=1)).fit(X, rewards)
    assert piped.score(X, rewards) == piped[-1].score(X, rewards)
    assert clone(OptimalPolicyTree(actions=["x", "y"])).actions == ["x", "y"]


@pytest.mark.parametrize(
    ("rewards", "said"),
    [
        ([[1.0], [2.0], [3.0]], "at least two actions"),
        ([0, 1, 1], r"doubly_robust_scores\(X, action, outcome\)\.rewards estimates them"),
        ([["a", 1.0], ["b", 0.0], ["a", 2.0]], r"must be numbers.* estimates them"),
        ([1.0, 2.0, 3.0], r"shape \(3,\)"),
        ([[1.0, 2.0]] * 2, "inconsistent"),
        ([[1.0, np.nan]] * 3, "NaN"),
        ([[1.0, np.inf]] * 3, "infinity"),
        ([[1.0, 1e301]] * 3, "too large"),
        ([["a", "b"]] * 3, "numbers"),
        (np.ones((3, 2)) * 1j, "complex"),
        (None, "give rewards"),
        (np.zeros((0, 2)), "inconsistent"),
    ],
)
def test_bad_rewards(rewards, said):
    with pytest.raises(InputError, match=said):
        OptimalPolicyTree().fit([[1.0], [2.0], [3.0]], rewards)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"actions": ["a"]}, "1 labels"),
        ({"actions": ["a", "a"]}, "twice"),
        ({"action_costs": [1.0]}, "action_costs has shape"),
        ({"action_costs": [1.0, np.nan]}, "finite"),
        ({"action_costs": {"z": 1.0}}, "names 'z'"),
        ({"cost_complexity": -1.0}, "cost_complexity"),
        ({"cost_complexity": 1.5}, "regret of the best single action"),
        ({"max_depth": -1}, "max_depth"),
        ({"min_samples_leaf": 4}, "min_samples_leaf"),
        ({"search_options": 3}, "RankedOptions"),
    ],
)
def test_bad_parameters(parameters, said):
    with pytest.raises(ValueError, match=said):
        OptimalPolicyTree(**parameters).fit([[1.0], [2.0], [3.0]], [[1.0, 2.0]] * 3)


def test_new_rewards_must_fit(data):
    X, rewards = data
    model = OptimalPolicyTree(max_depth=1).fit(X, rewards)
    with pytest.raises(InputError, match="3 labels; rewards has 2 columns"):
        model.value(X, rewards[:, :2])


def test_words_and_pictures_say_the_mean_reward(data):
    pytest.importorskip("matplotlib")
    X, rewards = data
    tree = OptimalPolicyTree(actions=["wait", "left", "right"], max_depth=2).fit(X, rewards).tree_
    leaf = int(np.flatnonzero(tree.is_leaf)[0])
    mean = f"mean reward {tree.value[leaf, tree.prediction[leaf]]:.6g}"
    assert mean in to_text(tree)
    assert "(wait " in to_text(tree, counts=True)
    for picture in (to_graphviz(tree), notebook_html(tree)):
        assert "mean reward" in picture
    assert rules(tree)[0].support.startswith("mean reward")
    assert np.isnan(rules(tree)[0].share)
    said = [text.get_text() for text in plot_tree(tree).texts]
    assert any("mean reward" in text for text in said)


def test_exports_choose_the_same_actions(data):
    X, rewards = data
    tree = OptimalPolicyTree(actions=["wait", "left", "right"], max_depth=2).fit(X, rewards).tree_
    assert tree.kind is TreeKind.POLICY
    np.testing.assert_array_equal(to_sklearn(tree, X).predict(X), tree.predict(X))
    onnx = pytest.importorskip("onnx")
    assert [output.name for output in to_onnx(tree).graph.output] == ["label", "leaf"]
    assert onnx is not None
    read = from_json(to_json(tree)).tree
    assert read.kind is TreeKind.POLICY
    np.testing.assert_array_equal(read.value, tree.value)
    with pytest.raises(ModelFileError, match="kind"):
        from_json(to_json(tree).replace('"kind": "policy"', '"kind": "polity"', 1))


def test_what_is_for_classes_refuses_a_policy(data):
    X, rewards = data
    model = OptimalPolicyTree(max_depth=1).fit(X, rewards)
    with pytest.raises(InputError, match="one number for each row and action"):  # rewards, not classes
        report(model, X, np.zeros(150))
    from treewright.problem import make_problem
    from treewright.table import table_from

    claim = verify(make_problem(table_from(X), np.arange(150) % 3), model.tree_)
    assert not claim.ok
    assert "a policy tree" in str(claim)
    assert OptimalTreeClassifier(max_depth=1).fit(X, np.arange(150) % 2).tree_.kind is TreeKind.CLASSIFICATION
