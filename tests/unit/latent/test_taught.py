"""Hard trees taught by a soft model: made rows are of the table, answers count, a poor teacher is not followed."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from treewright import LatentTreeClassifier, LatentTreeRegressor
from treewright.latent._hard_nodes import Labels, Nodes, Numbers, Shares
from treewright.latent._refine import refine
from treewright.latent._taught import MADE, MOST_NEAR, Teacher, _between
from treewright.table import table_from
from treewright.tree import LinearSplit, Tree


def test_whole_shares_are_labels():
    rng = np.random.default_rng(0)
    labels = Labels(rng.integers(0, 3, 40).astype(np.int32), rng.choice([0.5, 1.0, 2.0], 40))
    shares = Shares(np.eye(3)[labels.y], labels.weight)
    for _ in range(20):
        rows = rng.choice(40, int(rng.integers(1, 20)), replace=False)
        assert shares.value(rows) == labels.value(rows)
        np.testing.assert_allclose(shares.sums(rows), labels.sums(rows))
        values = rng.integers(0, 3, len(rows)).astype(float)
        np.testing.assert_allclose(shares.loss(rows, values), labels.loss(rows, values))


def test_parts_of_a_row_cost_what_they_are():
    shares = Shares(np.array([[0.7, 0.3], [0.2, 0.8]]), np.array([2.0, 1.0]))
    rows = np.arange(2)
    assert shares.value(rows) == 0.0
    np.testing.assert_allclose(shares.loss(rows, np.array([0.0, 0.0])), [0.6, 0.8])


def test_made_rows_mix_near_rows_of_the_table():
    rng = np.random.default_rng(1)
    X = np.column_stack(
        [rng.normal(size=50), rng.integers(0, 3, 50), np.where(rng.random(50) < 0.3, np.nan, 1.0)]
    )
    X[:25, 0] += 100  # two crowds, which do not mix
    base, made = _between(X, np.nan_to_num(X), np.random.default_rng(0))
    assert made.shape == (MADE * 50, 3)
    np.testing.assert_array_equal(np.bincount(base), np.full(50, MADE))
    for j in range(3):
        assert np.isin(made[~np.isnan(made[:, j]), j], X[:, j]).all()
    assert np.isnan(made[:, 2]).any()
    np.testing.assert_array_equal(made[:, 0] > 50, X[base, 0] > 50)
    again = _between(X, np.nan_to_num(X), np.random.default_rng(0))[1]
    np.testing.assert_array_equal(made, again)


def test_few_rows_and_many():
    base, made = _between(np.ones((1, 2)), np.ones((1, 2)), np.random.default_rng(0))
    assert len(base) == len(made) == 0
    X = np.arange(MOST_NEAR + 10.0)[:, None]
    base, made = _between(X, X, np.random.default_rng(0))
    assert len(base) == len(made) == MADE * MOST_NEAR
    assert np.abs(made[:, 0] - X[base, 0]).max() < 20


@pytest.mark.parametrize("numbers", [False, True])
def test_a_lesson_holds_the_rows_first_then_those_between_them(numbers):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 2))
    rows = np.arange(5, 30)
    weight = rng.choice([1.0, 3.0], 30)
    target = Numbers(X[:, 0], weight) if numbers else Labels((X[:, 0] > 0).astype(np.int32), weight)
    said = np.array([[5.0]]) if numbers else np.array([[0.25, 0.75]])
    ground = Teacher(lambda X: np.repeat(said, len(X), axis=0), lambda X: X).ground(X, rows, target)
    np.testing.assert_array_equal(ground.X[:25], X[rows])
    np.testing.assert_array_equal(ground.rows, np.arange(25 * (1 + MADE)))
    np.testing.assert_array_equal(ground.target.weight, np.tile(weight[rows] / weight[rows].mean(), 1 + MADE))
    if numbers:
        np.testing.assert_allclose(ground.target.y[:25], (X[rows, 0] + 5) / 2)
        assert (ground.target.y[25:] == 5).all()
    else:
        np.testing.assert_allclose(ground.target.shares[:25, 1], (target.y[rows] + 0.75) / 2)
        np.testing.assert_allclose(ground.target.shares[25:], np.repeat(said, 50, axis=0))
        np.testing.assert_allclose(ground.target.shares.sum(axis=1), 1)


def noisy(seed, n=400):
    """Labels of which a quarter is wrong, behind a slanted border, and their odds."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    odds = np.where(X[:, 0] + X[:, 1] > 0, 0.75, 0.25)
    return X, odds, (rng.random(n) < odds).astype(np.int32)


def refined(X, y, teacher, kind="linear"):
    held = np.arange(len(X)) % 4 == 0
    target = Labels(y, np.ones(len(X)))
    return refine(
        [None], table_from(X).columns, X, target, kind=kind, validation=held, max_leaves=8, teacher=teacher
    )


def wrong_sides(splits, X, odds, y):
    """Share of the rows whose leaf does not predict the likelier class."""
    nodes = Nodes.of(splits)
    nodes.fit_leaves(X, np.arange(len(X)), Labels(y, np.ones(len(X))))
    return float(((odds > 0.5) != nodes.predicted(X, np.arange(len(X)))).mean())


def test_a_good_teacher_makes_a_better_tree():
    taught, alone = [], []
    for seed in range(6):
        X, odds, y = noisy(seed)
        teacher = Teacher(
            lambda X: np.column_stack(
                [0.5 - 0.25 * np.tanh(9 * (X[:, 0] + X[:, 1])), 0.5 + 0.25 * np.tanh(9 * (X[:, 0] + X[:, 1]))]
            ),
            lambda X: X,
        )
        taught.append(wrong_sides(refined(X, y, teacher), X, odds, y))
        alone.append(wrong_sides(refined(X, y, None), X, odds, y))
    assert np.mean(taught) < 0.7 * np.mean(alone)


@pytest.mark.parametrize("kind", ["linear", "axis"])
def test_a_poor_teacher_is_not_followed(kind):
    X, _, y = noisy(0)
    y = (X[:, 0] > 0).astype(np.int32)
    backwards = Teacher(lambda X: np.column_stack([X[:, 0] > 0, X[:, 0] <= 0]).astype(float), lambda X: X)
    aside = Teacher(lambda X: np.column_stack([X[:, 2] > 0, X[:, 2] <= 0]).astype(float), lambda X: X)
    for teacher in (backwards, aside):
        done = refined(X, y, teacher, kind)
        nodes = Nodes.of(done)
        nodes.fit_leaves(X, np.arange(len(X)), Labels(y, np.ones(len(X))))
        assert (nodes.predicted(X, np.arange(len(X))) == y).mean() > 0.98


def test_an_axis_tree_is_taught_thresholds_only():
    X, odds, y = noisy(3)
    teacher = Teacher(
        lambda X: np.column_stack([X[:, 0] + X[:, 1] <= 0, X[:, 0] + X[:, 1] > 0]).astype(float), lambda X: X
    )
    done = refined(X, y, teacher, kind="axis")
    assert not any(isinstance(split, LinearSplit) for split in done)
    assert done.count(None) <= 8
    assert wrong_sides(done, X, odds, y) < 0.2


@pytest.mark.parametrize("weighted", [False, True])
def test_estimators_teach_the_same_tree_each_time(weighted):
    X, _, y = noisy(4, 200)
    X[::9, 2] = np.nan
    weight = np.where(np.arange(200) % 3, 1.0, 2.0) if weighted else None
    for kind, target in ((LatentTreeClassifier, y), (LatentTreeRegressor, X[:, 0] + 0.3 * y)):
        trees: list[Tree] = [
            kind(depth=2, epochs=20, random_state=1, progress=False).fit(X, target, weight).harden().tree
            for _ in range(2)
        ]
        assert trees[0].splits == trees[1].splits
        np.testing.assert_array_equal(trees[0].predict(X), trees[1].predict(X))
