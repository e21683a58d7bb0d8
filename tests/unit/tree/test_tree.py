"""The tree against a twin that walks one row at a time."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_trees import make_rows, make_tree
from treewright.tree import CategorySplit, LinearSplit, ThresholdSplit, _tree, leaf_path, mean_of


def walk(tree, row):
    """The path of one row, in plain Python."""
    node, path = 0, [0]
    while (split := tree.splits[node]) is not None:
        if isinstance(split, LinearSplit):
            x = sum(w * row[c] for c, w in zip(split.columns, split.weights, strict=True))
        else:
            x = row[split.column]
        if x != x:
            left = split.missing_left
        elif isinstance(split, CategorySplit):
            left = int(x) in split.left
        else:
            left = x <= split.threshold
        node = int(tree.children_left[node] if left else tree.children_right[node])
        path.append(node)
    return path


@given(seed=st.integers(0, 10**6), n_leaves=st.integers(1, 10))
def test_apply_and_counts_equal_the_walk(seed, n_leaves):
    made = make_tree(seed, n_leaves, n_rows=40)
    tree = made.tree
    count = np.zeros(tree.node_count, dtype=np.int64)
    value = np.zeros_like(tree.value)
    for row, label, weight in zip(made.X, made.y, made.weight, strict=True):
        for node in walk(tree, row):
            count[node] += 1
            value[node, label] += weight
    np.testing.assert_array_equal(tree.n_node_samples, count)
    np.testing.assert_array_equal(tree.value, value)
    np.testing.assert_array_equal(tree.weighted_n_node_samples, value.sum(axis=1))
    rows = make_rows(np.random.default_rng(seed + 1), 30)
    leaves = [walk(tree, row)[-1] for row in rows]
    np.testing.assert_array_equal(tree.apply(rows), leaves)
    np.testing.assert_array_equal(tree.predict(rows), tree.classes[tree.prediction[leaves]])
    share = tree.predict_proba(rows)
    for k, leaf in enumerate(leaves):
        total = value[leaf].sum()
        expected = value[leaf] / total if total else np.eye(3)[tree.prediction[leaf]]
        np.testing.assert_array_equal(share[k], expected)


@given(seed=st.integers(0, 10**6), n_leaves=st.integers(1, 12))
def test_structure(seed, n_leaves):
    tree = make_tree(seed, n_leaves, n_rows=10).tree
    assert tree.node_count == 2 * n_leaves - 1
    assert tree.n_leaves == n_leaves
    assert tree.depth == max(len(leaf_path(tree, int(leaf))) for leaf in np.flatnonzero(tree.is_leaf))
    for node, split in enumerate(tree.splits):
        if split is None:
            assert tree.children_left[node] == tree.children_right[node] == -1
            assert tree.feature[node] == -2
            assert not tree.missing_go_to_left[node]
            continue
        assert tree.children_left[node] == node + 1  # depth-first
        assert tree.feature[node] == split.column
        assert tree.missing_go_to_left[node] == split.missing_left
        if isinstance(split, CategorySplit):
            assert np.isnan(tree.threshold[node])
        else:
            assert tree.threshold[node] == split.threshold


def test_prediction_is_the_cheapest_class_lowest_index_on_ties():
    made = make_tree(11, 6)
    costs = np.array([[0.0, 4.0, 1.0], [1.0, 0.0, 1.0], [2.0, 9.0, 0.0]])
    from treewright.tree import grow

    tree = grow(made.tree.columns, made.tree.classes, made.tree.splits, made.X, made.y, made.weight, costs)
    for node in range(tree.node_count):
        price = [sum(tree.value[node, t] * costs[t, p] for t in range(3)) for p in range(3)]
        assert tree.prediction[node] == price.index(min(price))


def test_arrays_cannot_be_changed():
    tree = make_tree(0).tree
    with pytest.raises(ValueError, match="read-only"):
        tree.value[0, 0] = 1.0
    with pytest.raises(AttributeError):
        tree.splits = ()


def test_no_rows():
    tree = make_tree(0).tree
    empty = np.empty((0, len(tree.columns)))
    assert len(tree.predict(empty)) == 0
    assert tree.predict_proba(empty).shape == (0, 3)


def test_a_chain_of_ten_thousand_splits():
    n = 10_000
    splits = []
    for k in range(n):
        splits += [ThresholdSplit(0, float(k)), None]
    splits.append(None)
    from treewright.tree import Column, ColumnKind, grow

    X = np.arange(n + 1, dtype=np.float64)[:, None] + 0.0
    tree = grow(
        [Column("x", ColumnKind.CONTINUOUS)],
        np.array([0, 1]),
        splits,
        X,
        (np.arange(n + 1) % 2).astype(np.int32),
        np.ones(n + 1),
        1.0 - np.eye(2),
    )
    assert tree.depth == n
    np.testing.assert_array_equal(tree.predict(X), np.arange(n + 1) % 2)


def test_regression_predicts_values():
    made = make_tree(3)
    value = np.arange(made.tree.node_count, dtype=np.float64)[:, None]
    tree = replace(made.tree, classes=None, value=value)
    np.testing.assert_array_equal(tree.predict(made.X), tree.apply(made.X))


def test_means_of_many_rows_are_exact_to_a_few_digits_of_a_float():
    rng = np.random.default_rng(0)
    y, weight = rng.normal(1e3, 1, 30_000), rng.uniform(0.5, 2, 30_000)
    exact = sum(Fraction(a) * Fraction(w) for a, w in zip(y, weight, strict=True)) / sum(
        map(Fraction, weight)
    )
    assert abs(Fraction(mean_of(y, weight)) - exact) <= abs(exact) * 4 * Fraction(2) ** -53


def test_means_are_added_up_without_threads_of_blas(monkeypatch):
    monkeypatch.setattr(np, "dot", None)
    far_apart = np.array([1.7e308, -1.7e308])
    assert mean_of(np.array([1.0, 4.0]), np.array([2.0, 1.0])) == 2.0
    assert abs(mean_of(far_apart, np.ones(2))) <= 1.7e308 * 2**-52


def test_rows_go_through_a_tree_some_at_a_time(monkeypatch):
    made = make_tree(3, 6, n_rows=40)
    whole = made.tree.apply(made.X)
    monkeypatch.setattr(_tree, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(_tree, "ROWS_OF_NODE", 0)
    assert made.tree.apply(made.X).tolist() == whole.tolist()
    assert made.tree.apply(made.X[:0]).shape == (0,)
