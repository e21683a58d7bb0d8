"""What leaves say of their rows and weights."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from treewright import OptimalTreeClassifier
from treewright.convert import from_sklearn
from treewright.show import rules, to_text
from treewright.tree import Column, ColumnKind, grow

X = np.repeat([[0.0], [1.0], [2.0]], 20, axis=0)
Y = np.where(np.arange(60) % 20 < [2] * 20 + [19] * 20 + [1] * 20, 1, 0)


def fitted(weight=None):
    return OptimalTreeClassifier(0.0, max_depth=2).fit(X, Y, sample_weight=weight).tree_


def test_rows_without_weights_are_rows():
    assert not fitted().is_weighted
    assert all("of weight" not in rule.support for rule in rules(fitted()))


@pytest.mark.parametrize("heavy", [0, 1, 2])
def test_weights_in_one_leaf_are_weights_in_all(heavy):
    weight = np.ones(60)
    weight[20 * heavy : 20 * heavy + 3] = 2.0
    tree = fitted(weight)
    assert tree.n_leaves == 3
    assert tree.is_weighted
    assert all("of weight, 20 rows" in rule.support for rule in rules(tree))
    assert to_text(tree).count("of weight") == 3


def test_weights_that_add_up_to_the_rows_are_weights():
    weight = np.tile([0.75, 1.25], 30)  # every leaf has 20 rows of weight 20
    tree = fitted(weight)
    assert tree.value[tree.is_leaf].sum(axis=1).tolist() == [20.0] * tree.n_leaves
    assert tree.is_weighted
    assert to_text(tree).count("of weight") == tree.n_leaves


def test_all_of_the_weight_is_said_only_of_all_of_it():
    columns, labels, codes = [Column("x", ColumnKind.CONTINUOUS)], np.array(["no", "yes"]), Y.astype(np.int32)
    weight = np.where(Y == 1, 1.0, 1e-20)
    assert weight[Y == 1].sum() / weight.sum() == 1.0
    for less, said in ((weight, "99.9%"), (weight * Y, "100%")):
        tree = grow(columns, labels, [None], X, codes, less, 1.0 - np.eye(2))
        assert rules(tree)[0].support == f"{said} of weight, 60 rows"


@pytest.mark.parametrize("seed", range(20))
def test_trees_of_scikit_learn_are_read_without_weights_of_rounding(seed):
    rng = np.random.default_rng(seed)
    rows, labels = rng.normal(size=(997, 3)), rng.integers(0, 3, 997)
    tree = from_sklearn(DecisionTreeClassifier(max_depth=5, random_state=seed).fit(rows, labels))
    assert not tree.is_weighted
