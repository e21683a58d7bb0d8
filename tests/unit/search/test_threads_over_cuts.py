"""Several threads in a search over binary columns: the proof and tree of one, limits in sum, calls from one thread."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import thread_checks
from thread_checks import check_a_broken_callback, check_progress, check_step_limits, said
from treewright.estimators import OptimalTreeClassifier
from treewright.result import SolveStatus
from treewright.search import BinaryOptions, Limits

AT_ONCE = BinaryOptions(alone_steps=0)


def made(seed: int, n_rows: int = 120, n_columns: int = 12, noise: float = 0.25) -> tuple[Any, Any]:
    """0/1 columns, two of them alike but for a few rows, and noisy labels: many trees of equal cost."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_columns)).astype(float)
    X[:, 1] = np.where(rng.random(n_rows) < 0.05, 1 - X[:, 0], X[:, 0])
    y = (X[:, 0] > X[:, 2]) ^ (X[:, 3] > X[:, 4]) ^ (rng.random(n_rows) < noise)
    return X, y.astype(int)


searched = partial(thread_checks.searched, options=AT_ONCE, max_depth=4)


@pytest.mark.parametrize("n_jobs", [2, 3, 4])
def test_a_hundred_runs_give_the_tree_of_one_thread(n_jobs: int) -> None:
    for seed in range(25):
        X, y = made(seed, 60 + 4 * seed)
        more: dict[str, Any] = {
            "max_depth": 3 + seed % 3,
            "cost_complexity": (0.0, 0.001, 0.01)[seed % 3],
            "min_samples_leaf": 1 + 3 * (seed % 5 == 0),
        }
        one = searched(X, y, 1, **more)
        assert one.status is SolveStatus.OPTIMAL
        for _ in range(4):
            assert said(searched(X, y, n_jobs, **more)) == said(one)


@pytest.mark.parametrize("steps", [1, 20, 300])
def test_the_phases_of_a_search_do_not_choose_the_tree(steps: int) -> None:
    for seed in range(8):
        X, y = made(100 + seed)
        for price in (0.0, 0.004):
            short = replace(AT_ONCE, plain_steps=steps)
            one, other = (
                searched(X, y, 1, cost_complexity=price),
                searched(X, y, 2, options=short, cost_complexity=price),
            )
            assert said(other) == said(one)


def test_the_order_of_the_rows_does_not_choose_the_tree() -> None:
    for seed in range(8):
        X, y = made(200 + seed)
        order = np.random.default_rng(seed).permutation(len(y))
        one, other = searched(X, y, 2), searched(X[order], y[order], 2)
        assert one.objective == other.objective
        assert one.tree.splits == other.tree.splits


@pytest.mark.parametrize("more", [{"max_leaf_nodes": 5}, {"max_depth": None}], ids=str)
def test_where_one_thread_searches_more_are_asked_for_in_vain(more: dict[str, Any]) -> None:
    X, y = made(7, 60, 8)
    one, other = (searched(X, y, n_jobs, cost_complexity=0.01, **more) for n_jobs in (1, 4))
    assert said(one) == said(other)
    assert one.stats["steps"] == other.stats["steps"]


def test_a_step_limit_holds_in_sum_and_leaves_a_valid_bound() -> None:
    X, y = made(0, 300, 16)
    best = searched(X, y, 1)
    check_step_limits(partial(searched, X, y, 3), best, (1, 20, 60, 150, 400, 1500))


def test_progress_is_called_from_the_calling_thread_and_may_stop_all() -> None:
    X, y = made(1, 2000, 60)
    seen = check_progress(partial(searched, X, y, 3, max_depth=5))
    assert all(one.lower_bound <= next_.lower_bound for one, next_ in pairwise(seen))


def test_an_error_of_the_callback_ends_the_threads_and_comes_out() -> None:
    X, y = made(1, 2000, 60)
    check_a_broken_callback(partial(searched, X, y, 3, max_depth=5))


@pytest.mark.parametrize("mib", [1, 40, 160])
def test_a_memory_limit_holds_for_all_threads_together(mib: int) -> None:
    X, y = made(2, 1000, 60)
    limit = mib << 20
    result = searched(X, y, 4, limits=Limits(memory_limit=limit, step_limit=30_000), max_depth=5)
    assert result.stats["bytes"] <= limit + (4 << 20)
    assert result.lower_bound <= result.objective


def test_estimators_give_the_same_tree() -> None:
    X, y = made(3, 200)
    model = OptimalTreeClassifier(0.002, max_depth=4, search_options=AT_ONCE)
    one = model.set_params(n_jobs=1).fit(X, y).tree_.splits
    for n_jobs in (2, -1, None):
        assert model.set_params(n_jobs=n_jobs).fit(X, y).tree_.splits == one
