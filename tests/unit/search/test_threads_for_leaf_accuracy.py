"""Several threads in a search for the best worst leaf: proof and tree of one, limits in sum, calls from one thread."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from thread_checks import check_a_broken_callback, check_progress
from treewright.estimators import LeafAccuracyTreeClassifier
from treewright.problem import make_problem
from treewright.result import LeafAccuracyResult, SolveStatus, StopReason
from treewright.search import LeafAccuracyOptions, Limits, solve_leaf_accuracy, solve_with_leaf_accuracy
from treewright.table import table_from

AT_ONCE = LeafAccuracyOptions(alone_work=0)


def made(seed: int, n_rows: int = 120, n_columns: int = 4, n_values: int = 8) -> tuple[Any, Any, Any]:
    """Columns of few values, noisy labels and small weights: many trees with a worst leaf as good."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, (n_rows, n_columns)).astype(float)
    y = (X[:, 0] > X[:, 1]) ^ (X[:, 2] > n_values // 2) ^ (rng.random(n_rows) < 0.2)
    return X, y.astype(int) + (rng.random(n_rows) < 0.1), rng.integers(1, 4, n_rows).astype(float)


def searched(
    X: Any,
    y: Any,
    n_jobs: int,
    options: LeafAccuracyOptions = AT_ONCE,
    limits: Limits | None = None,
    **more: Any,
) -> LeafAccuracyResult:
    terms = {"max_depth": 3, "min_samples_leaf": 5, "sample_weight": None, "criterion": "accuracy"} | more
    progress, criterion = terms.pop("progress", None), terms.pop("criterion")
    problem = make_problem(table_from(X), y, cost_complexity=0, **terms)
    limits = replace(limits or Limits(), n_jobs=n_jobs)
    return solve_leaf_accuracy(
        problem, "all", criterion=criterion, limits=limits, options=options, progress=progress
    )


def said(result: LeafAccuracyResult) -> tuple[Any, ...]:
    tree = result.tree
    return (
        result.status,
        result.objective,
        result.upper_bound,
        result.loss,
        tree.splits,
        tree.value.tolist(),
    )


@pytest.mark.parametrize("n_jobs", [2, 3, 4])
def test_a_hundred_runs_give_the_tree_of_one_thread(n_jobs: int) -> None:
    for seed in range(25):
        X, y, weight = made(seed, 40 + 5 * seed)
        more = {
            "max_depth": 2 + seed % 3,
            "criterion": ("accuracy", "lower_bound")[seed % 2],
            "sample_weight": weight if seed % 4 == 0 else weight / 7 if seed % 4 == 1 else None,
        }
        options = replace(AT_ONCE, dense_splits=0 if seed % 3 == 0 else 2500)
        one = searched(X, y, 1, options, **more)
        assert one.status is SolveStatus.OPTIMAL
        for _ in range(4):
            assert said(searched(X, y, n_jobs, options, **more)) == said(one)


def test_a_demanded_leaf_accuracy_gives_the_tree_of_one_thread() -> None:
    for seed in range(10):
        X, y, _ = made(200 + seed)
        problem = make_problem(table_from(X), y, cost_complexity=0.002, max_depth=3)
        one, *others = (
            solve_with_leaf_accuracy(problem, "all", 0.6, limits=Limits(n_jobs=n_jobs), options=AT_ONCE)
            for n_jobs in (1, 2, 3)
        )
        for other in others:
            assert (other.status, other.objective, other.tree.splits) == (
                one.status,
                one.objective,
                one.tree.splits,
            )


def test_the_threads_are_there() -> None:
    """They take steps that the calling thread does not take, and all are counted."""
    X, y, _ = made(1, 400, 6, 12)
    one, four = searched(X, y, 1), searched(X, y, 4)
    assert said(one) == said(four)
    assert four.stats["pair_solves"] >= one.stats["pair_solves"] / 2


@pytest.mark.parametrize("steps", [1, 20, 60, 150, 400])
def test_a_step_limit_holds_in_sum_and_leaves_a_valid_bound(steps: int) -> None:
    X, y, _ = made(0, 300, 5, 12)
    best = searched(X, y, 1)
    stopped = searched(X, y, 3, limits=Limits(step_limit=steps))
    assert stopped.stats["steps"] <= steps
    assert stopped.objective <= best.objective <= stopped.upper_bound
    if stopped.status is not SolveStatus.OPTIMAL:
        assert stopped.stop_reason is StopReason.STEP_LIMIT


def test_progress_is_called_from_the_calling_thread_and_may_stop_all() -> None:
    X, y, _ = made(1, 2000, 8, 40)
    check_progress(partial(searched, X, y, 3, max_depth=5))


def test_an_error_of_the_callback_ends_the_threads_and_comes_out() -> None:
    X, y, _ = made(1, 2000, 8, 40)
    check_a_broken_callback(partial(searched, X, y, 3, max_depth=5))


@pytest.mark.parametrize("mib", [1, 40, 160])
def test_a_memory_limit_holds_for_all_threads_together(mib: int) -> None:
    X, y, _ = made(2, 300, 5, 12)
    limit = mib << 20
    result = searched(X, y, 4, limits=Limits(memory_limit=limit, step_limit=5000), max_depth=4)
    assert result.stats["bytes"] <= limit + (4 << 20)
    assert result.objective <= result.upper_bound


def test_estimators_give_the_same_tree() -> None:
    X, y, _ = made(3, 200)
    model = LeafAccuracyTreeClassifier(max_depth=3, search_options=AT_ONCE, progress=False)
    one = model.set_params(n_jobs=1).fit(X, y).tree_.splits
    for n_jobs in (2, -1, None):
        assert model.set_params(n_jobs=n_jobs).fit(X, y).tree_.splits == one
