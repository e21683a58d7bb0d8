"""Ensembles for rows of float32 numbers, whose thresholds are float64 numbers between these."""

import itertools

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from treewright.bornagain import Domain, Ensemble, find_other_decision, solve
from treewright.convert import EnsembleTree
from treewright.result import SolveStatus
from treewright.verify import check_faithful


def table(seed):
    """One column of three categories as 0 and 1, and two of float32 numbers of different sizes."""
    rng = np.random.default_rng(seed)
    numbers = rng.random((60, 2)).astype(np.float32) * rng.choice([0.1, 1, 10], 2)
    X = np.column_stack([np.eye(3)[rng.integers(0, 3, 60)], numbers.astype(np.float32)])
    y = (X[:, 3] > np.median(X[:, 3])) ^ (X[:, 0] > 0) ^ (X[:, 4] > np.median(X[:, 4]))
    return X, y.astype(int)


def forest_of(X, y, seed):
    return RandomForestClassifier(3, max_depth=3, random_state=seed).fit(X, y)


def beside(threshold):
    """The two float32 numbers that a threshold lies between."""
    near = np.float32(threshold)
    ends = [np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))]
    return [float(x) for x in ends]


def rows_beside(ensemble, columns):
    """Rows of float32 numbers just below and above all thresholds of the columns, which come first."""
    return np.array(list(itertools.product(*(
        sorted({x for t in ensemble.thresholds[j] for x in beside(t)} or {0.0}) for j in columns
    ))))  # fmt: skip


@pytest.mark.parametrize("objective", ["depth", "leaves", "depth-leaves"])
@pytest.mark.parametrize("seed", range(4))
def test_a_tree_on_a_domain_with_groups_decides_like_the_forest(seed, objective):
    X, y = table(seed)
    forest = forest_of(X, y, seed)
    whole = Ensemble.from_model(forest, inputs="float32")
    everything = np.full(5, np.inf)
    domain = Domain(-everything, everything, np.zeros(5, dtype=bool), one_hot=((0, 1, 2),))
    tree = solve(whole.within(domain), objective=objective).tree
    numbers = rows_beside(whole, [3, 4])
    rows = np.column_stack([np.repeat(np.eye(3), len(numbers), axis=0), np.tile(numbers, (3, 1))])
    np.testing.assert_array_equal(tree.predict(rows), forest.predict(rows))


def apart(*thresholds):
    """One tree: x <= the first threshold is of class 0, x <= the second of class 1, the rest of class 0."""
    first, second = thresholds
    tree = EnsembleTree(
        np.array([0, -1, 0, -1, -1], dtype=np.int32),
        np.array([first, 0, second, 0, 0.0]),
        np.array([1, 0, 3, 0, 0], dtype=np.int32),
        np.array([2, 0, 4, 0, 0], dtype=np.int32),
        np.array([[0.0], [0], [0], [1], [0]]),
        np.zeros(5, dtype=bool),
    )
    voting = Ensemble.hard_vote([tree], [0, 1], n_features=1)
    return Ensemble(voting.trees, voting.classes, voting.feature_names, voting.bias, inputs="float32")


def test_no_leaf_is_for_numbers_between_two_float32_numbers():
    between = apart(0.1, 0.1 + 1e-10)
    assert [t.tolist() for t in between.thresholds] == [[0.1]]
    result = solve(between, objective="leaves")
    assert result.status is SolveStatus.OPTIMAL
    assert result.tree.n_leaves == 1
    assert check_faithful(result.tree, between).faithful
    real = apart(0.1, 0.2)
    assert solve(real, objective="leaves").tree.n_leaves == 3
    assert not check_faithful(result.tree, real).faithful


@pytest.mark.parametrize("seed", range(12))
def test_rows_that_are_decided_otherwise_are_of_float32_numbers(seed):
    X, y = table(seed)
    X = X[:, 3:]
    first, second = (Ensemble.from_model(forest_of(X, y, s), inputs="float32") for s in (seed, seed + 1000))
    row = X[0]
    other = find_other_decision(first, row, [-np.inf] * 2, [np.inf] * 2)
    assert other is not None
    assert first.predict([other])[0] != first.predict([row])[0]

    tree = solve(second).tree
    report = check_faithful(tree, first)
    rows = np.vstack([rows_beside(first, [0, 1]), rows_beside(second, [0, 1])])
    assert report.faithful == (tree.predict(rows) == first.predict(rows)).all()
    if not report.faithful:
        seen = np.array([report.counter_example]).astype(np.float32).astype(np.float64)
        assert tree.predict(seen)[0] == report.tree_label
        assert first.predict(seen)[0] == report.ensemble_label != report.tree_label
