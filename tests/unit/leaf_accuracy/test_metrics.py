"""Leaf accuracy and the table of leaves, against counting by hand."""

import dataclasses

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treewright import HybridTreeClassifier, OptimalTreeClassifier, OptimalTreeRegressor
from treewright.errors import InputError, InputTypeError
from treewright.leaf_accuracy import leaf_accuracy_score, leaf_table, tuned_cart
from treewright.table import table_from
from treewright.tree import Column, ColumnKind, ThresholdSplit, Tree, grow


def by_hand(leaf: np.ndarray, right: np.ndarray, weight: np.ndarray) -> float:
    shares = []
    for node in set(leaf.tolist()):
        total = sum(w for k, w in zip(leaf, weight, strict=True) if k == node)
        if total > 0:
            shares.append(
                sum(w for k, r, w in zip(leaf, right, weight, strict=True) if k == node and r) / total
            )
    return min(shares)


@pytest.mark.parametrize("seed", range(5))
def test_score_of_any_tree_on_any_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (120, 3)).astype(float), rng.integers(0, 3, 120)
    other, labels = rng.integers(0, 4, (40, 3)).astype(float), rng.integers(0, 4, 40)  # label 3 is unknown
    weight = rng.integers(0, 3, 40).astype(float)
    cart = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    exact = OptimalTreeClassifier(0.01, max_depth=3).fit(X, y)
    for model in (cart, exact):
        expected = by_hand(model.apply(other), model.predict(other) == labels, weight)
        assert leaf_accuracy_score(model, other, labels, weight) == pytest.approx(expected, abs=1e-12)
    assert leaf_accuracy_score(exact.tree_, other, labels) == leaf_accuracy_score(exact, other, labels)
    assert leaf_accuracy_score(exact, table_from(other), labels) == leaf_accuracy_score(exact, other, labels)


def two_leaves() -> Tree:
    """Left: 3 rows of "a", one of "b"; right: 2 rows of "b"."""
    X = np.array([[0.0], [0.0], [0.0], [0.0], [1.0], [1.0]])
    y = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    return grow(
        [Column("x", ColumnKind.CONTINUOUS)],
        np.array(["a", "b"]),
        [ThresholdSplit(0, 0.5), None, None],
        X,
        y,
        np.ones(6),
        1 - np.eye(2),
    )


def test_an_empty_leaf_has_no_accuracy() -> None:
    tree = two_leaves()
    X, y = [[0.0], [0.0]], ["a", "b"]
    assert leaf_accuracy_score(tree, X, y) == 0.5  # the right leaf says nothing
    left, right = leaf_table(tree, X, y)
    assert (left.prediction, left.n_rows, left.correct, left.accuracy) == ("a", 2, 1.0, 0.5)
    assert (right.prediction, right.n_rows, right.weight) == ("b", 0, 0.0)
    assert np.isnan(right.accuracy)
    assert (right.lower, right.upper) == (0.0, 1.0)


def test_weights_count_as_copies() -> None:
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    assert leaf_accuracy_score(model, X, y, weight) == pytest.approx(
        leaf_accuracy_score(model, X[copies], y[copies])
    )
    for a, b in zip(leaf_table(model, X, y, weight), leaf_table(model, X[copies], y[copies]), strict=True):
        assert (a.weight, a.correct, a.accuracy) == (b.weight, b.correct, b.accuracy)


def test_intervals_count_rows_not_weight() -> None:
    """The bound is that of as many observations as there are rows with weight, whatever the unit of the weights."""
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    plain = leaf_table(model, X, y)
    for factor in (0.01, 7, 1e6):
        for a, b in zip(plain, leaf_table(model, X, y, np.full(len(y), factor)), strict=True):
            assert (a.lower, a.upper) == pytest.approx((b.lower, b.upper), abs=1e-12)
    dropped = np.ones(len(y))
    dropped[::2] = 0.0
    half = leaf_table(model, X[1::2], y[1::2])
    for a, b in zip(half, leaf_table(model, X, y, dropped), strict=True):
        assert (a.lower, a.upper) == pytest.approx((b.lower, b.upper), abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_rounded_sums_of_real_weights_make_no_accuracy_above_one(seed: int) -> None:
    """The weight of the right rows, added apart from that of all, was sometimes the larger by rounding."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(100, 400))
    X, y = rng.integers(0, 3, (n, 2)).astype(float), (rng.random(n) < 0.05).astype(int)
    weight = rng.random(n) ** 9 * 10.0 ** -float(rng.choice([0, 150, 300]))
    weight[rng.random(n) < 0.2] = 0.0
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    for record in leaf_table(model, X, y, weight):
        assert record.correct <= record.weight
        assert 0 <= record.lower <= record.accuracy <= record.upper <= 1
        rows = model.apply(X) == record.leaf
        assert (record.accuracy == 1) == (
            model.predict(X)[rows & (weight > 0)] == y[rows & (weight > 0)]
        ).all()


def test_records_make_frames() -> None:
    X, y = load_iris(return_X_y=True)
    records = leaf_table(OptimalTreeClassifier(0.02).fit(X, y), X, y)
    assert sum(record.n_rows for record in records) == len(y)
    names = [field.name for field in dataclasses.fields(records[0])]
    assert list(pd.DataFrame(records).columns) == names
    assert pl.DataFrame(records).columns == names


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: leaf_accuracy_score(two_leaves(), [[0.0]], ["a", "b"]), "inconsistent numbers"),
        (lambda: leaf_accuracy_score(two_leaves(), np.empty((0, 1)), []), r"0 sample|no rows"),
        (lambda: leaf_accuracy_score(two_leaves(), [[0.0]], ["a"], [-1.0]), "negative"),
        (lambda: leaf_table(two_leaves(), [[0.0]], ["a"], confidence=1.0), "confidence=1.0"),
    ],
)
def test_bad_input(call, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()


def test_models_that_are_no_single_tree() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputTypeError, match="single tree"):
        leaf_accuracy_score(RandomForestClassifier(2, random_state=0).fit(X, y), X, y)
    with pytest.raises(InputTypeError, match="apply and predict"):
        leaf_accuracy_score(object(), X, y)


def test_tuned_cart() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    search = tuned_cart(X, y, max_depth=3, min_samples_leaf=30, cv=2)
    tree = search.best_estimator_
    assert tree.get_depth() <= 3
    assert min(np.bincount(tree.apply(X))[np.unique(tree.apply(X))]) >= 30
    assert search.best_score_ > 0.85


def test_a_hybrid_is_its_tree_on_top() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    top = DecisionTreeClassifier(max_depth=1, random_state=0)
    model = HybridTreeClassifier(top, tune=None, random_state=0).fit(X, y)
    assert model.report(X, y).n_overruled > 0
    assert leaf_accuracy_score(model, X, y) == leaf_accuracy_score(model.tree_, X, y)
    assert leaf_table(model, X, y) == leaf_table(model.tree_, X, y)


@pytest.mark.parametrize("model", [DecisionTreeRegressor(max_depth=1), OptimalTreeRegressor(max_depth=1)])
def test_a_tree_of_numbers_is_refused(model) -> None:
    X, y = np.arange(8.0)[:, None], np.arange(8.0)
    with pytest.raises(InputError, match="which predicts numbers; leaf accuracy is of classification trees"):
        leaf_accuracy_score(model.fit(X, y), X, y)
