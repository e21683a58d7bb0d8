"""Several threads in one search: the proof and tree of one thread, limits that hold in sum, calls from one thread."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace
from functools import partial
from typing import Any

import joblib
import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config

import thread_checks
from thread_checks import check_a_broken_callback, check_progress, check_step_limits, said
from treewright.errors import InputError
from treewright.estimators import (
    OptimalPolicyTree,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
)
from treewright.result import SolveStatus
from treewright.search import Limits, RankedOptions, jobs_for, threads_of

AT_ONCE = RankedOptions(alone_work=0, together_work=0)


def made(seed: int, n_rows: int = 200, n_values: int = 12) -> tuple[Any, Any]:
    """Columns of few values and noisy labels: many trees of equal cost."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, (n_rows, 4)).astype(float)
    y = (X[:, 0] > n_values / 2) ^ (X[:, 1] > n_values / 3) ^ (rng.random(n_rows) < 0.25)
    return X, y.astype(int)


searched = partial(thread_checks.searched, options=AT_ONCE, max_depth=3)


@pytest.mark.parametrize("n_jobs", [2, 3, 4])
def test_a_hundred_runs_give_the_tree_of_one_thread(n_jobs: int) -> None:
    for seed in range(25):
        X, y = made(seed, 40 + 5 * seed)
        more: dict[str, Any] = {"max_depth": 3 + seed % 2}
        if seed % 3 == 0:
            more["max_leaf_nodes"] = 5
        if seed % 5 == 0:
            more["min_samples_leaf"] = 3
        one = searched(X, y, 1, **more)
        assert one.status is SolveStatus.OPTIMAL
        for _ in range(4):
            assert said(searched(X, y, n_jobs, **more)) == said(one)


@pytest.mark.parametrize("switch", ["between", "rising", "neighbours", "cache", "shallower", "resume"])
def test_equal_trees_are_chosen_by_one_rule_whatever_the_search_knew(switch: str) -> None:
    for seed in range(6):
        X, y = made(100 + seed, 60)
        assert said(searched(X, y, 2, options=replace(AT_ONCE, **{switch: False}))) == said(searched(X, y, 1))


def test_the_order_of_the_rows_does_not_choose_the_tree() -> None:
    for seed in range(10):
        X, y = made(200 + seed, 80)
        order = np.random.default_rng(seed).permutation(len(y))
        one, other = searched(X, y, 1), searched(X[order], y[order], 2)
        assert one.objective == other.objective
        assert one.tree.splits == other.tree.splits


def test_a_step_limit_holds_in_sum_and_leaves_a_valid_bound() -> None:
    X, y = made(0, 400, 100)
    best = searched(X, y, 1, max_depth=4)
    check_step_limits(partial(searched, X, y, 3, max_depth=4), best, (1, 20, 60, 150, 400))


def test_progress_is_called_from_the_calling_thread_and_may_stop_all() -> None:
    X, y = made(1, 3000, 1000)
    check_progress(partial(searched, X, y, 3, max_depth=5))


def test_an_error_of_the_callback_ends_the_threads_and_comes_out() -> None:
    X, y = made(1, 3000, 1000)
    check_a_broken_callback(partial(searched, X, y, 3, max_depth=5))


def test_a_memory_limit_holds_for_all_threads_together() -> None:
    X, y = made(2, 2000, 500)
    limit = 4 << 20
    result = searched(X, y, 4, limits=Limits(memory_limit=limit, time_limit=1.0), max_depth=6)
    assert result.stats["bytes"] <= 2 * limit
    assert result.lower_bound <= result.objective


@pytest.mark.parametrize("n_jobs", [2, -1, None])
def test_estimators_give_the_same_tree(n_jobs: int | None) -> None:
    X, y = made(3, 150)
    rewards = np.column_stack([y, 1 - y]) + X[:, :2] / 10
    cases = [
        (OptimalTreeClassifier(0.002, max_depth=3, search_options=RankedOptions(alone_work=0)), (X, y)),
        (OptimalTreeRegressor(0.001, max_depth=3, search_options=AT_ONCE), (X, X[:, 2] + y)),
        (OptimalPolicyTree(0.001, max_depth=3, search_options=AT_ONCE), (X, rewards)),
        (
            OptimalSurvivalTree(0.01, max_depth=3, search_options=AT_ONCE),
            (X, np.column_stack([y, 1 + X[:, 3]])),
        ),
    ]
    for model, data in cases:
        one = model.set_params(n_jobs=1).fit(*data).tree_.splits
        assert model.set_params(n_jobs=n_jobs).fit(*data).tree_.splits == one


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_bad_numbers_of_threads_are_refused(n_jobs: Any) -> None:
    X, y = made(4, 30)
    with pytest.raises(InputError, match="n_jobs"):
        OptimalTreeClassifier(n_jobs=n_jobs).fit(X, y)


def test_tasks_have_no_more_workers_than_there_are_tasks_or_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joblib, "cpu_count", lambda: 4)
    assert [jobs_for(20, n_jobs) for n_jobs in (None, 1, 3, 4, 5, 100_000)] == [None, 1, 3, 4, 4, 4]
    assert [jobs_for(2, n_jobs) for n_jobs in (None, 1, 3, 100_000)] == [None, 1, 2, 2]
    assert jobs_for(1, 100_000, fewest=2) == 2
    for n_jobs in (0, 100_001, 1.5):
        with pytest.raises(InputError, match="n_jobs"):
            jobs_for(20, n_jobs)


def test_threads_inside_tasks_are_no_more_than_their_share_of_the_cores() -> None:
    assert Parallel(2, backend="threading")(delayed(threads_of)(8) for _ in range(2)) == [1, 1]
    inside = Parallel(2)(delayed(threads_of)(-1) for _ in range(2))
    assert all(2 * threads <= max(2, threads_of(-1)) for threads in inside)
    with parallel_config(n_jobs=3):
        assert threads_of(None) == 3
    assert threads_of(None) == 1


def test_a_process_that_may_have_no_children_may_have_threads() -> None:
    """A worker of `multiprocessing.Pool` is one: joblib says that it has one core, with a warning of processes."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(threads_of, (2,)) == 2
