"""Threads that make and count a near-optimal set: the set of one thread, to the last bit."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from treewright.errors import InputError
from treewright.estimators import NearOptimalTreeClassifier
from treewright.near_optimal import NearOptimalTrees, near_optimal_trees
from treewright.search import Progress


def table(seed: int, n_rows: int = 120, n_columns: int = 14) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_columns)).astype(float)
    y = ((X[:, 0] > X[:, 1]) ^ (X[:, 2] > 0) ^ (rng.random(n_rows) < 0.2)).astype(int)
    return X, y + (rng.random(n_rows) < 0.1)


def made(seed: int, n_jobs: int | None, **more: Any) -> NearOptimalTrees:
    X, y = table(seed)
    terms: dict[str, Any] = {
        "cost_complexity": 0.01,
        "max_depth": 3 + seed % 2,
        "epsilon": 0.4,
        "leaf_labels": ("cheapest", "any")[seed % 2],
        "progress": False,
        "time_limit": None,
    }
    return near_optimal_trees(X, y, n_jobs=n_jobs, **(terms | more))


def said(trees: NearOptimalTrees) -> tuple[Any, ...]:
    """The whole graph, and its counts."""
    arrays = trees.counts.graph.arrays
    names = ("depth", "budget", "first_edge", "last_edge", "leaf_cost", "column", "left", "right")
    graph = tuple(np.asarray(arrays[name]).tobytes() for name in names)
    return len(trees), trees[0].splits, trees[len(trees) - 1].splits, graph


@pytest.mark.parametrize("n_jobs", [2, 3, 4])
def test_a_hundred_runs_give_the_set_of_one_thread(n_jobs: int) -> None:
    edges = 0
    for seed in range(10):
        one = made(seed, 1)
        edges = max(edges, len(one.counts.graph.arrays["column"]))
        for _ in range(10):
            assert said(made(seed, n_jobs)) == said(one)
    assert edges > 10_000  # else no level is divided


@pytest.mark.parametrize("depth", [3, 4])
def test_over_ranked_columns_every_run_gives_the_set_of_one_thread(depth: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((60 + 400 * (depth == 3), 4))
    y = (X[:, 0] > X[:, 1]) ^ (rng.random(len(X)) < 0.2)
    terms: dict[str, Any] = {"max_depth": depth, "epsilon": 0.02, "thresholds": "all", "time_limit": None}
    terms["progress"] = False
    one = near_optimal_trees(X, y, n_jobs=1, **terms)
    assert len(one.counts.graph.arrays["column"]) > 500
    for n_jobs in (2, 3, 4) * 4:
        assert said(near_optimal_trees(X, y, n_jobs=n_jobs, **terms)) == said(one)


def test_progress_is_called_from_the_calling_thread_and_may_stop_all() -> None:
    callers: list[int] = []

    def stop(progress: Progress) -> bool:
        callers.append(threading.get_ident())
        return len(callers) >= 3

    before = threading.active_count()
    stopped = made(1, 3, progress=stop, max_depth=6, epsilon=1.0)
    assert stopped.stop_reason is not None
    assert set(callers) == {threading.get_ident()}
    assert threading.active_count() == before


def test_a_memory_limit_holds_for_all_threads_together() -> None:
    little = made(1, 3, memory_limit=2**20)
    assert little.stop_reason is not None or said(little) == said(made(1, 1))


def test_the_estimator_passes_the_threads_on() -> None:
    X, y = table(3)
    model = NearOptimalTreeClassifier(max_depth=3, epsilon=0.1)
    one = model.set_params(n_jobs=1).fit(X, y).tree_.splits
    for n_jobs in (2, -1, None):
        assert model.set_params(n_jobs=n_jobs).fit(X, y).tree_.splits == one
    with pytest.raises(InputError, match="n_jobs=0"):
        model.set_params(n_jobs=0).fit(X, y)
