"""Several threads in the search over few splits: the proof and tree of one thread, limits that hold in sum."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thread_checks import check_a_broken_callback, check_progress, check_step_limits, said
from treewright.problem import make_regression_problem, make_survival_problem
from treewright.result import SolveStatus
from treewright.search import Limits, RankedOptions, solve_regression, solve_survival
from treewright.table import table_from

AT_ONCE = RankedOptions(alone_work=0)
TASKS = Path("/proc/self/task")


def made(seed: int, n_rows: int = 200, n_columns: int = 9) -> tuple[Any, Any]:
    """Binary columns, and a target of few values: many trees of equal loss."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_columns)).astype(float)
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.integers(0, 3, n_rows)).astype(float)
    return X, y


def searched(
    X: Any,
    y: Any,
    n_jobs: int,
    task: str = "regression",
    limits: Limits | None = None,
    progress: Any = None,
    **terms: Any,
) -> Any:
    terms = {"max_depth": 5, "cost_complexity": 0.0} | terms
    limits = replace(limits or Limits(), n_jobs=n_jobs)
    if task == "regression":
        problem = make_regression_problem(table_from(X), y, **terms)
        return solve_regression(problem, limits=limits, options=AT_ONCE, progress=progress)
    outcome = np.column_stack([np.arange(len(y)) % 3 > 0, 1 + y])
    return solve_survival(
        make_survival_problem(table_from(X), outcome, **terms),
        limits=limits,
        options=AT_ONCE,
        progress=progress,
    )


def symmetric(seed: int) -> tuple[Any, Any]:
    """All rows of seven columns, and a target that is the same whatever the order of five of them: equal trees."""
    X = (np.arange(128)[:, None] >> np.arange(7) & 1).astype(float)
    chosen = np.random.default_rng(seed).permutation(7)[:5]
    return X, X[:, chosen].sum(axis=1) % (2 + seed % 3)


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_of_equal_trees_the_same_one_is_chosen(n_jobs: int) -> None:
    for seed in range(6):
        X, y = symmetric(seed)
        one = searched(X, y, 1, max_depth=4 + seed % 2)
        for _ in range(5):
            assert said(searched(X, y, n_jobs, max_depth=4 + seed % 2)) == said(one)


@pytest.mark.parametrize("task", ["regression", "survival"])
@pytest.mark.parametrize("n_jobs", [2, 4])
def test_a_hundred_runs_give_the_tree_of_one_thread(n_jobs: int, task: str) -> None:
    for seed in range(25):
        X, y = made(seed, 30 + 5 * seed, 5 + seed % 4)
        more: dict[str, Any] = {"max_depth": (4, 5, 6, None)[seed % 4]}
        if seed % 4 == 3:
            more["cost_complexity"] = 0.02
        if seed % 5 == 0:
            more["min_samples_leaf"] = 3
        one = searched(X, y, 1, task, **more)
        assert one.status is SolveStatus.OPTIMAL
        assert one.stats["engine"] == "ranked"
        for _ in range(4):
            assert said(searched(X, y, n_jobs, task, **more)) == said(one)


def test_the_order_of_the_rows_does_not_choose_the_tree() -> None:
    for seed in range(10):
        X, y = made(200 + seed, 80)
        order = np.random.default_rng(seed).permutation(len(y))
        one, other = searched(X, y, 1), searched(X[order], y[order], 2)
        assert one.objective == pytest.approx(other.objective, rel=1e-9)
        assert one.tree.splits == other.tree.splits


@pytest.mark.skipif(not TASKS.exists(), reason="threads of the core are counted in /proc")
def test_threads_take_part() -> None:
    X, y = made(1, 3000, 22)
    seen: list[int] = []

    def count(progress: Any) -> bool:
        seen.append(len(list(TASKS.iterdir())))
        return len(seen) == 10

    before = len(list(TASKS.iterdir()))
    searched(X, y, 3, max_depth=7, progress=count)
    assert max(seen) == before + 2
    assert len(list(TASKS.iterdir())) == before


def test_a_step_limit_holds_in_sum_and_leaves_a_valid_bound() -> None:
    X, y = made(0, 400, 12)
    best = searched(X, y, 1)
    check_step_limits(partial(searched, X, y, 3), best, (1, 20, 60, 150, 400))


def test_progress_is_called_from_the_calling_thread_and_may_stop_all() -> None:
    X, y = made(1, 3000, 22)
    check_progress(partial(searched, X, y, 3, max_depth=7))


def test_an_error_of_the_callback_ends_the_threads_and_comes_out() -> None:
    X, y = made(1, 3000, 22)
    check_a_broken_callback(partial(searched, X, y, 3, max_depth=7))


def test_a_memory_limit_holds_for_all_threads_together() -> None:
    X, y = made(2, 2000, 24)
    limit = 8 << 20
    result = searched(X, y, 4, limits=Limits(memory_limit=limit, time_limit=1.0), max_depth=7)
    assert result.stats["bytes"] <= 2 * limit
    assert result.lower_bound <= result.objective
