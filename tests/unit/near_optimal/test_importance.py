"""Importance of columns over resamples: the same in parallel, the right column first, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.errors import InputError
from treewright.near_optimal import _importance, column_importance, solve_near_optimal
from treewright.problem import make_problem
from treewright.result import StopReason
from treewright.table import table_from


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (150, 4)).astype(float)
    X[:, 3] = np.where(rng.random(150) < 0.1, 1 - X[:, 0], X[:, 0])  # nearly a copy
    return X, np.where(rng.random(150) < 0.1, X[:, 2], X[:, 0]).astype(int)


def test_the_same_seed_gives_the_same_in_parallel(table):
    one = column_importance(*table, n_resamples=4, n_trees=20, random_state=1)
    two = column_importance(*table, n_resamples=4, n_trees=20, random_state=1, n_jobs=2)
    np.testing.assert_array_equal(one.reliance, two.reliance)
    assert one.reliance.shape == (4, 20, 4)
    assert one.n_complete == 4
    other = column_importance(*table, n_resamples=4, n_trees=20, random_state=2)
    assert (one.reliance != other.reliance).any()


def test_what_matters_comes_first_and_noise_last(table):
    lines = column_importance(*table, n_resamples=8, n_trees=40, random_state=0, epsilon=0.1).table()
    assert lines[0].name == "x0"
    assert lines[0].low <= lines[0].mean <= lines[0].high
    assert lines[0].mean > 0.1 > 10 * abs(next(line.mean for line in lines if line.name == "x1"))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"n_resamples": 0}, "n_resamples=0; give an integer of at least 1"),
        ({"n_trees": 1.5}, "n_trees=1.5"),
        ({"random_state": -1}, "random_state=-1"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"epsilon": -1}, "epsilon=-1"),
    ],
    ids=str,
)
def test_what_is_refused(table, asked, words):
    with pytest.raises(InputError, match=words):
        column_importance(*table, **{"n_resamples": 2} | asked)


def test_a_label_of_one_row(table):
    X, y = table
    y = y.copy()
    y[0] = 2
    with pytest.raises(InputError, match="no row of some label"):
        column_importance(X, y, n_resamples=20, n_trees=1, random_state=0)


@pytest.mark.parametrize(
    "limit", [{"max_leaf_nodes": 1}, {"min_samples_leaf": 0.51}, {"min_samples_leaf": 80}]
)
def test_limits_of_leaves_are_kept(table, limit):
    """150 rows, drawn with repetition: leaves of 80 rows leave no split, however often a row was drawn."""
    found = column_importance(*table, n_resamples=3, n_trees=5, random_state=0, **limit)
    assert not found.reliance.any()


def test_a_row_counts_as_often_as_it_was_drawn():
    X = np.repeat([[0.0], [1.0]], 30, axis=0)
    found = column_importance(
        X, X[:, 0].astype(int), n_resamples=5, n_trees=3, random_state=0, min_samples_leaf=20
    )
    assert (found.reliance > 0.3).all()


def test_a_loss_that_stays_the_same_rises_by_exactly_nothing():
    """Sums of floats left 9e-18 of some, which counted as trees that rely on the column."""
    zeros = 0
    for seed in range(255, 275):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 14))
        X, y = rng.integers(0, 2, (n, 2)).astype(float), rng.integers(0, 2, n)
        y[:2] = 0, 1
        problem = make_problem(table_from(X), y, cost_complexity=0.01, max_depth=2)
        for tree in solve_near_optimal(problem, epsilon=1.0):
            found = _importance.reliance_of_tree(tree, problem)
            for column, rises in enumerate(found):
                drawn = np.repeat(X[None], n, axis=0)
                drawn[:, :, column] = X[:, column, None]  # in each copy all rows have the value of one
                errors = np.sum(tree.predict(drawn.reshape(-1, 2)) != np.tile(y, n))
                more = int(errors - n * np.sum(tree.predict(X) != y))
                assert rises == pytest.approx(more / n**2, rel=1e-12, abs=0)
                zeros += more == 0
    assert zeros > 10


def test_ctrl_c_while_a_set_is_made_ends_all_resamples(table, monkeypatch):
    """The set kept what it had, as it should, and the next resamples were made."""
    made = []

    def pressed(progress):
        raise KeyboardInterrupt

    def interrupted(problem, thresholds, **how):
        made.append(solve_near_optimal(problem, thresholds, progress=pressed, **how))
        return made[-1]

    monkeypatch.setattr(_importance, "solve_near_optimal", interrupted)
    with pytest.raises(KeyboardInterrupt):
        column_importance(*table, n_resamples=4, n_trees=5, random_state=0, time_limit=None)
    (only,) = made
    assert only.stop_reason is StopReason.INTERRUPT
