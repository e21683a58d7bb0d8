"""Threads that fill born-again tables: the answer of one, steps included; limits in sum, calls from one thread."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from treewright.bornagain import Ensemble, Progress, solve
from treewright.errors import InputError, SolverError
from treewright.estimators import BornAgainTreeClassifier
from treewright.result import BornAgainResult, SolveStatus, StopReason


def table(seed: int, n_columns: int = 5) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (300, n_columns)).astype(float)
    return X, (X[:, 0] > X[:, 1]) ^ (X[:, 2] > 4) ^ (rng.random(300) < 0.2)


@cache
def forest(seed: int, n_trees: int = 6, depth: int = 3) -> Ensemble:
    model = RandomForestClassifier(n_trees, max_depth=depth, random_state=seed).fit(*table(seed))
    return Ensemble.from_model(model)


def said(result: BornAgainResult) -> tuple[Any, ...]:
    counted = {
        name: result.stats[name] for name in ("steps", "rows", "bytes", "states", "tight_boxes", "leaves")
    }
    return result.status, result.objective, result.lower_bound, result.tree.splits, tuple(counted.values())


@pytest.mark.parametrize("n_jobs", [2, 3, 4])
def test_a_hundred_runs_give_the_answer_of_one_thread(n_jobs: int) -> None:
    divided = 0
    for seed in range(9):
        objective = ("depth", "leaves", "depth-leaves")[seed % 3]
        one = solve(forest(seed), objective=objective)
        assert one.status is SolveStatus.OPTIMAL
        divided = max(divided, one.stats["tight_boxes"])
        for _ in range(12):
            assert said(solve(forest(seed), objective=objective, n_jobs=n_jobs)) == said(one)
    assert divided > 5000  # else no level has batches for several threads


def test_a_step_limit_holds_in_sum_and_leaves_valid_bounds() -> None:
    large = forest(3, 8, 4)  # of a small one the heuristic that follows a stop proves the tree
    best = solve(large, objective="leaves")
    for steps in (1, 5, 20, 60):
        assert best.stats["steps"] > steps
        stopped = solve(large, objective="leaves", step_limit=steps, n_jobs=3)
        assert stopped.stats["steps"] <= steps
        assert stopped.stop_reason is StopReason.STEP_LIMIT
        assert stopped.lower_bound <= best.objective <= stopped.objective


def test_progress_is_called_from_the_calling_thread_and_may_stop_all() -> None:
    callers: list[int] = []

    def stop_at_once(progress: Progress) -> bool:
        callers.append(threading.get_ident())
        return True

    before = threading.active_count()
    large = forest(2, 9, 5)
    with pytest.raises(SolverError, match="callback ended the run"):
        solve(large, objective="leaves", n_jobs=3, progress=stop_at_once, max_leaves=None)
    assert set(callers) == {threading.get_ident()}
    assert threading.active_count() == before


def test_little_memory_ends_all_threads_with_a_tree() -> None:
    one = solve(forest(1), objective="leaves")
    stopped = solve(forest(1), objective="leaves", memory_limit=2**20, n_jobs=3)
    assert one.stats["bytes"] > 2**20
    assert stopped.stop_reason is StopReason.MEMORY_LIMIT
    assert stopped.lower_bound <= one.objective <= stopped.objective


def test_the_heuristic_has_the_tree_of_one_thread() -> None:
    one = solve(forest(3), objective="heuristic", exact_boxes=1e5)
    several = solve(forest(3), objective="heuristic", exact_boxes=1e5, n_jobs=3)
    assert several.tree.splits == one.tree.splits
    assert several.lower_bound == one.lower_bound


def test_estimators_pass_the_threads_on() -> None:
    X, y = table(4)
    model = BornAgainTreeClassifier(RandomForestClassifier(6, max_depth=3, random_state=4))
    one = model.set_params(n_jobs=1).fit(X, y).tree_.splits
    for n_jobs in (2, -1, None):
        assert model.set_params(n_jobs=n_jobs).fit(X, y).tree_.splits == one
    with pytest.raises(InputError, match="n_jobs=0"):
        model.set_params(n_jobs=0).fit(X, y)
