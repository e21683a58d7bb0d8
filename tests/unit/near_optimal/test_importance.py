"""Importance of columns over resamples: the same in parallel, the right column first, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.errors import InputError
from treewright.near_optimal import _importance, column_importance, solve_near_optimal
from treewright.result import StopReason


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
