"""One validator for every ensemble: what a file says against itself, or beyond what can be, is refused by name."""

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from ensemble_texts import FOREST, lightgbm_text, xgboost_text
from treewright.convert import Ensemble, EnsembleTree
from treewright.errors import InputError, ModelFileError


def write(tmp_path, text):
    path = tmp_path / "model.txt"
    path.write_text(text, encoding="utf-8")
    return path


def tree(**changes):
    arrays = {
        "feature": np.array([0, -1, 1, -1, -1], dtype=np.int32),
        "threshold": np.array([0.5, 0.0, 1.5, 0.0, 0.0]),
        "left": np.array([1, 0, 3, 0, 0], dtype=np.int32),
        "right": np.array([2, 0, 4, 0, 0], dtype=np.int32),
        "value": np.array([[0.0], [1.0], [0.0], [-1.0], [2.0]]),
        "missing_left": np.zeros(5, dtype=np.bool_),
    }
    for name, change in changes.items():
        if isinstance(change, tuple):
            arrays[name] = arrays[name].copy()
            arrays[name][change[0]] = change[1]
        else:
            arrays[name] = change
    return EnsembleTree(**arrays)


def ensemble(**changes):
    parts = {
        "trees": (tree(),),
        "classes": np.arange(2),
        "feature_names": ("a", "b"),
        "bias": np.zeros(1),
        "link": "positive",
    }
    return Ensemble(**(parts | changes))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"left": (2, 0)}, "not among the nodes after its parent"),  # a back edge
        ({"left": (2, 2)}, "not among the nodes after its parent"),
        ({"right": (2, 9)}, "not among the nodes after its parent"),
        ({"right": (0, 1)}, "node 1 has 2 parents"),  # shared, and node 2 unreachable
        ({"right": (2, 3)}, "node 3 has 2 parents"),
        ({"feature": (1, -2)}, "splits on column -2"),
        ({"feature": (2, 2)}, "splits on column 2; there are columns 0 to 1"),
        ({"threshold": (0, np.nan)}, "threshold is NaN"),
        ({"threshold": (0, -np.inf)}, "threshold is NaN or -inf"),
        ({"value": (1, np.nan)}, "NaN or infinity"),
        ({"value": (1, np.inf)}, "NaN or infinity"),
        ({"value": np.zeros((5, 2))}, "2 scores, the bias 1"),
        ({"value": np.zeros(5)}, "scores of shape"),
        ({"left": np.zeros(5)}, "must be integers"),
        ({"missing_left": np.zeros(4, dtype=np.bool_)}, "differ in length"),
        ({"feature": [0, -1, -1, -1, -1]}, "not numpy arrays"),
    ],
)
def test_trees(change, message):
    ensemble()
    with pytest.raises(InputError, match=message):
        ensemble(trees=(tree(), tree(**change)))
    with pytest.raises(InputError, match="Tree 1 of the ensemble"):
        ensemble(trees=(tree(), tree(**change)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trees": ()}, "0 trees"),
        ({"feature_names": ()}, "0 columns"),
        ({"classes": np.arange(1)}, "1 classes"),
        ({"classes": np.arange(3)}, "1 scores do not decide 3 classes"),
        ({"link": "argmax"}, "1 scores do not decide 2 classes"),
        ({"link": "sigmoid"}, "link='sigmoid'"),
        ({"bias": np.array([np.nan])}, "bias must be finite"),
        ({"cut": np.nan}, "cut=nan"),
        ({"divisor": 0.0}, "divisor=0.0"),
        ({"inputs": "float16"}, "inputs must be"),
        ({"missing": np.zeros(3, dtype=np.bool_)}, "2 truth values"),
        ({"bias": np.array([1e38]), "single": True}, "overflow"),
        ({"bias": np.array([1e308])}, "overflow"),
    ],
)
def test_rules(change, message):
    with pytest.raises(InputError, match=message):
        ensemble(**change)


def test_changed_copies_are_checked_too():
    with pytest.raises(InputError, match="NaN or infinity"):
        replace(ensemble(), trees=(tree(value=(3, np.nan)),))


def test_votes():
    votes = [tree(value=np.array([[0.0], [1.0], [0.0], [0.0], [1.0]]))]
    assert Ensemble.hard_vote(votes, [0, 1], n_features=2).n_leaves == 3
    for value in (2.0, -1.0, 0.5):
        wrong = [tree(value=np.array([[0.0], [1.0], [0.0], [0.0], [value]]))]
        with pytest.raises(InputError, match="names a class"):
            Ensemble.hard_vote(wrong, [0, 1], n_features=2)
    with pytest.raises(InputError, match="columns"):
        Ensemble.hard_vote(votes, [0, 1], n_features=10**9)


def test_deep_trees_are_refused():
    n = 12_001
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    chain = EnsembleTree(
        np.where(inner, 0, -1).astype(np.int32),
        np.arange(n, dtype=np.float64),
        np.where(inner, np.arange(n) + 1, 0).astype(np.int32),
        np.where(inner, np.arange(n) + 2, 0).astype(np.int32),
        np.zeros((n, 1)),
        np.zeros(n, dtype=np.bool_),
    )
    with pytest.raises(InputError, match="deeper than 5000"):
        ensemble(trees=(chain,))


# ------------------------------------------------------------------------------------------ files


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("NB_FEATURES: 2", "NB_FEATURES: 1000000000", "1000000000 columns; 1 to 1000000"),
        ("NB_CLASSES: 2", "NB_CLASSES: 1000000000", "1000000000 classes"),
        ("NB_CLASSES: 2", "NB_CLASSES: 10000", "10,000, but the file has only"),  # scores
        ("NB_TREES: 2", "NB_TREES: 1000000000", "1000000000 trees"),
        ("NB_TREES: 2", "NB_TREES: 1", "more follows after the last of 1 trees"),
        ("NB_TREES: 2", "NB_TREES: \u00b2", "whole numbers"),
        ("NB_NODES: 1", "NB_NODES: \u00b2", "expected 'NB_NODES: n'"),
        ("NB_NODES: 5", "NB_NODES: 4", "out of range"),
        ("NB_NODES: 5", "NB_NODES: 99999999999", "expected 'NB_NODES: n'"),
        ("2 IN 3 4 1 2.5 1", "2 IN 1 4 1 2.5 1", "out of range"),  # a back edge
        ("2 IN 3 4 1 2.5 1", "2 IN 3 3 1 2.5 1", "depth"),  # a shared child
        ("2 IN 3 4 1 2.5 1", "2 IN 99999999999 4 1 2.5 1", "out of range"),
        ("2 IN 3 4 1 2.5 1", "2 IN 3 4 -1 2.5 1", "out of range"),
        ("2 IN 3 4 1 2.5 1", "2 IN 3 4 1 2.5 2", "depth"),
        ("MAX_TREE_DEPTH: 3", "MAX_TREE_DEPTH: 1", "depth"),
        ("0 IN 1 2 0 0.5 0 -1", "0 IN 1 2 0 0_5 0 -1", "eight node fields"),  # Python reads 5, C reads 0
        ("2 IN 3 4 1 2.5 1", "2 IN 3 4 \u0661 2.5 1", "eight node fields"),
        ("0 IN 1 2 0 0.5 0 -1", "0 IN 1 2 0 0.5 0 -1 7", "eight node fields|expected node"),
    ],
)
def test_forest_files(old, new, message, tmp_path):
    assert old in FOREST
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=message):
            Ensemble.load(write(tmp_path, FOREST.replace(old, new)))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def learner(content):
    return content["learner"]


def booster(content):
    return content["learner"]["gradient_booster"]["model"]


def first_tree(content):
    return booster(content)["trees"][0]


def put(home, *keys_and_value):
    *keys, value = keys_and_value

    def change(content):
        at = home(content)
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(first_tree, "left_children", 1, 0), "reached twice"),
        (put(first_tree, "right_children", 0, 1), "reached twice"),
        (put(first_tree, "left_children", 0, 0), "reached twice"),
        (put(first_tree, "left_children", 0, -1), "right_children"),
        (put(first_tree, "left_children", 0, 99), "left_children"),
        (put(first_tree, "left_children", 0, 1.0), "left_children"),
        (put(first_tree, "left_children", 0, 2**63), "left_children"),
        (put(first_tree, "left_children", 7), "left_children"),
        (put(first_tree, "split_indices", 0, 4), "columns from 0 to 3"),
        (put(first_tree, "split_indices", 0, -1), "split_indices"),
        (put(first_tree, "split_conditions", 0, 1e39), "range of float32"),
        (put(first_tree, "split_conditions", 0, "x"), "split_conditions"),
        (put(first_tree, "split_conditions", 0, []), "split_conditions"),
        (put(first_tree, "split_conditions", []), "split_conditions"),
        (put(first_tree, "default_left", 0, 2), "default_left"),
        (put(first_tree, "parents", 1, 2), "parents"),
        (put(first_tree, "tree_param", "num_nodes", "2"), "num_nodes"),
        (put(first_tree, "tree_param", "num_nodes", "9" * 4000), "num_nodes"),
        (put(first_tree, "tree_param", "num_feature", "3"), "num_feature"),
        (put(first_tree, "tree_param", "num_deleted", "1"), "not reached"),
        (put(booster, "tree_info", 0, 1), "tree_info"),
        (put(booster, "tree_info", []), "tree_info"),
        (put(booster, "gbtree_model_param", "num_trees", "1"), "num_trees"),
        (put(booster, "iteration_indptr", [0, 1]), "iteration_indptr"),
        (put(booster, "trees", {}), "trees"),
        (put(booster, "trees", 0, None), "trees"),
        (put(learner, "learner_model_param", "base_score", "[1.5E0]"), "between 0 and 1"),
        (put(learner, "learner_model_param", "base_score", "[0E0]"), "between 0 and 1"),
        (put(learner, "learner_model_param", "base_score", "[nan]"), "base_score"),
        (put(learner, "learner_model_param", "base_score", "[5E-1,5E-1]"), "base_score"),
        (put(learner, "learner_model_param", "base_score", "[0.0_1]"), "base_score"),
        (put(learner, "learner_model_param", "num_feature", "1000000000"), "1000000000 columns"),
        (put(learner, "learner_model_param", "num_class", "3"), "num_class"),
        (put(learner, "learner_model_param", "num_target", "2"), "num_target"),
        (put(learner, "feature_names", ["a", "a", "b", "c"]), "feature_names"),
        (put(learner, "feature_names", ["a"]), "feature_names"),
        (put(learner, "objective", []), "objective"),
        (put(lambda content: content, "learner", []), "learner"),
    ],
)
def test_xgboost_files(change, message, tmp_path):
    content = json.loads(xgboost_text(2))
    change(content)
    with pytest.raises(ModelFileError, match=message):
        Ensemble.load(write(tmp_path, json.dumps(content)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{" + '"a":' * 50_000, "not JSON|nested"),
        ('{"learner": ' + "[" * 100_000, "nested|not JSON"),
        ('{"learner": NaN}', "NaN"),
        ('{"learner": {}, "learner": {}}', "twice"),
        ('{"learner": ' + "1" * 5000 + "}", "not JSON"),
        ("{\xff\xfe", "not JSON"),
    ],
)
def test_broken_json(text, message, tmp_path):
    with pytest.raises(ModelFileError, match=message):
        Ensemble.load(write(tmp_path, text))


@pytest.mark.parametrize(
    ("pattern", "new", "message"),
    [
        ("sigmoid:1", "sigmoid:nan", "sigmoid"),
        ("sigmoid:1", "sigmoid:0", "sigmoid"),
        ("sigmoid:1", "sigmoid:-1", "sigmoid"),
        ("sigmoid:1", "sigmoid:1e-320", "sigmoid"),
        ("sigmoid:1", "sigmoid:1_0", "sigmoid"),
        ("threshold=", "threshold=1_0 ", "threshold"),
        ("num_class=1", "num_class=2", "do not fit together"),
        ("num_tree_per_iteration=1", "num_tree_per_iteration=1000000000", "num_tree_per_iteration"),
        ("num_tree_per_iteration=1", "num_tree_per_iteration=0", "do not fit together"),
        ("max_feature_idx=3", "max_feature_idx=4", "max_feature_idx"),
        ("Column_1", "Column_0", "different columns"),
        ("Tree=1", "Tree=2", "where tree 1 is due"),
        ("num_cat=0", "num_cat=3", "num_cat is 3"),
        ("decision_type=2", "decision_type=64", "decision_type"),
        ("decision_type=2", "decision_type=14", "decision_type"),
        ("split_feature=", "split_feature=-1 ", "split_feature"),
        ("left_child=", "left_child=0 ", "left_child"),
        ("num_leaves=", "num_leaves=-", "num_leaves"),
        ("num_leaves=", "num_leaves=1", "leaf_value|leaves"),
        ("leaf_value=", "leaf_value=nan ", "leaf_value"),
        ("threshold=", "threshold=nan ", "threshold"),
        ("threshold=", "threshold=-inf ", "threshold"),
        ("shrinkage=1", "shrinkage=1\nshrinkage=1", "twice"),
    ],
)
def test_lightgbm_files(pattern, new, message, tmp_path):
    text = lightgbm_text(2)
    assert pattern in text
    with pytest.raises(ModelFileError, match=message):
        Ensemble.load(write(tmp_path, text.replace(pattern, new, 1)))


def test_children_of_lightgbm_files(tmp_path):
    text = lightgbm_text(2)
    start = text.index("left_child=")
    line = text[start : text.index("\n", start)]
    children = line.removeprefix("left_child=").split()
    for k, child in ((0, "0"), (len(children) - 1, "0"), (0, "99"), (0, "-99"), (0, "-1")):
        wrong = [*children]
        wrong[k] = child
        if wrong == children:
            continue
        with pytest.raises(ModelFileError, match=r"reached|does not exist"):
            Ensemble.load(write(tmp_path, text.replace(line, "left_child=" + " ".join(wrong))))


def test_lost_trees_of_lightgbm_files(tmp_path):
    text = lightgbm_text(3)
    last = text[text.rindex("\nTree=") : text.index("\nend of trees")]
    with pytest.raises(ModelFileError, match="trees are lost"):
        Ensemble.load(write(tmp_path, text.replace(last, "\n")))


def test_options_are_checked_for_files_too(tmp_path):
    path = write(tmp_path, FOREST)
    with pytest.raises(InputError, match="missing must be"):
        Ensemble.load(path, missing="guess")
    with pytest.raises(InputError, match="inputs must be"):
        Ensemble.load(path, inputs="float16")


def test_deleted_nodes_are_no_fault(tmp_path):
    xgboost = pytest.importorskip("xgboost")
    X, y = load_iris(return_X_y=True)
    y = (y > 1).astype(int)
    model = xgboost.XGBClassifier(n_estimators=6, max_depth=4, gamma=4.0, tree_method="exact", n_jobs=1).fit(
        X, y
    )
    content = json.loads(bytes(model.get_booster().save_raw("json")))
    assert any(int(t["tree_param"]["num_deleted"]) for t in booster(content)["trees"])
    path = write(tmp_path, json.dumps(content))
    np.testing.assert_array_equal(Ensemble.load(path).predict(X), model.predict(X))
