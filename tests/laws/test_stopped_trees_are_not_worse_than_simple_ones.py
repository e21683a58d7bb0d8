"""Law: whatever stops a run, its tree is no worse than the best tree of one split, nor than the greedy tree.

That it is no worse than its own subtrees is tested with the prunings (tests/unit/search/test_prune.py). Limits are kept
on tables with many classes and many columns, in processor seconds: a busy machine makes others wait.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest

from treewright import SolveResult, SolveStatus, regression_frontier
from treewright.problem import Problem, make_problem, make_regression_problem
from treewright.result import StopReason
from treewright.search import BinaryOptions, Limits, solve, solve_frontier, solve_regression
from treewright.table import table_from

LIMITS: dict[str, Limits] = {
    "a step": Limits(step_limit=1),
    "some steps": Limits(step_limit=40),
    "time": Limits(time_limit=1e-4),
    "memory": Limits(memory_limit=1),
}


def greedy_objective(problem: Problem, depth: int) -> float:
    """Of the tree that splits each node by the split that costs least, over all thresholds of complete columns."""
    X, y, n = problem.table.X, problem.y, len(problem.y)

    def leaf(rows: np.ndarray) -> float:
        return len(rows) / n - np.bincount(y[rows]).max() / n + problem.cost_complexity

    def cost(rows: np.ndarray, depth: int) -> float:
        best, sides = leaf(rows), None
        for x in X[rows].T if depth else []:
            for threshold in np.unique(x)[:-1]:
                left, right = rows[x <= threshold], rows[x > threshold]
                if (value := leaf(left) + leaf(right)) < best - 1e-12:
                    best, sides = value, (left, right)
        if sides is None:
            return best
        return min(best, sum(cost(side, depth - 1) for side in sides))

    return cost(np.arange(n), depth)


def numbers(rng: np.random.Generator, n_rows: int, n_columns: int, n_classes: int) -> Problem:
    X = rng.random((n_rows, n_columns))
    y = (3 * X[:, 0] + X[:, 1] + rng.random(n_rows)).astype(int) % n_classes
    return make_problem(table_from(X), y, cost_complexity=0.005, max_depth=3)


def zeros_and_ones(rng: np.random.Generator, n_rows: int, n_columns: int, n_classes: int) -> Problem:
    X = rng.integers(0, 2, (n_rows, n_columns)).astype(float)
    y = (2 * X[:, 0] + X[:, 1] + (rng.random(n_rows) < 0.2)).astype(int) % n_classes
    return make_problem(table_from(X), y, cost_complexity=0.005, max_depth=3)


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
@pytest.mark.parametrize("make", [numbers, zeros_and_ones])
@pytest.mark.parametrize("engine", ["binary", "ranked"])
def test_no_worse_than_one_split_and_the_greedy_tree(
    engine: str, make: Callable[..., Problem], limits: Limits
) -> None:
    rng = np.random.default_rng(5)
    for n_classes in (2, 3):
        problem = make(rng, 80, 6, n_classes)
        result = solve(problem, "all", limits=limits, options=BinaryOptions(engine=engine))
        for depth in (0, 1, 3):
            assert result.objective <= greedy_objective(problem, depth) + 1e-9
        assert result.lower_bound <= result.objective


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_a_later_stop_loses_no_tree(criterion: Literal["squared_error", "absolute_error", "poisson"]) -> None:
    """Stops that fell into the first tree of depth-two trees left only its upper part."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.exp(X[:, 0] * X[:, 1] + X[:, 2]) + rng.random(300)
    problem = make_regression_problem(
        table_from(X), y, max_depth=4, cost_complexity=1e-4, criterion=criterion
    )
    first = solve_regression(problem, limits=Limits(step_limit=1)).objective
    for steps in (*range(5, 60, 5), 90, 130, 180):
        assert solve_regression(problem, limits=Limits(step_limit=steps)).objective <= first + 1e-12


def processor_seconds(run: Callable[[], SolveResult]) -> tuple[SolveResult, float]:
    began = time.process_time()
    result = run()
    return result, time.process_time() - began


@pytest.mark.parametrize("limits", [Limits(time_limit=0.05), Limits(step_limit=1)], ids=["time", "steps"])
@pytest.mark.parametrize(("n_rows", "n_columns", "allowed"), [(1500, 64, 0.25), (5000, 64, 0.6)])
@pytest.mark.clock
def test_many_classes_end_in_time(n_rows: int, n_columns: int, allowed: float, limits: Limits) -> None:
    """Ten classes of noise: the tree was completed by a look-ahead without a clock, for 2 to 21 s."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (n_rows, n_columns)).astype(float)
    for price in (0.001, 0.0):
        problem = make_problem(table_from(X), rng.integers(0, 10, n_rows), cost_complexity=price)
        result, seconds = processor_seconds(lambda problem=problem: solve(problem, "all", limits=limits))
        # Without a price a greedy tree may be right on every row, and then only its leaves are open.
        assert result.status is SolveStatus.FEASIBLE or (price == 0 and result.loss == 0)
        assert seconds < allowed


def wide(n_columns: int) -> Problem:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, n_columns)).astype(float)
    return make_problem(
        table_from(X), rng.integers(0, 2, 60), cost_complexity=0.01, max_depth=4, max_leaf_nodes=6
    )


def test_pair_matrices_keep_the_memory_limit() -> None:
    """60 rows of 4,000 columns: 64 MB a matrix and class, once taken whatever the limit."""
    problem = wide(4000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = solve(problem, "all", limits=Limits(memory_limit=100_000_000))
    assert result.stop_reason is StopReason.MEMORY_LIMIT
    assert "512 MB" in result.notes[-1]
    assert "thresholds=16" in result.notes[-1]
    assert result.tree.n_leaves > 1
    assert result.objective < 0.3
    front = solve_frontier(problem, "all", limits=Limits(memory_limit=100_000_000))
    assert front.stop_reason is StopReason.MEMORY_LIMIT
    assert front.points[-1].loss < front.points[0].loss
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < 100_000_000


def test_a_search_that_outgrows_its_memory_keeps_what_it_has() -> None:
    """The root fits, its children do not."""
    problem = wide(1100)
    result = solve(problem, "all", limits=Limits(memory_limit=60_000_000))
    assert result.status is SolveStatus.FEASIBLE
    assert result.stop_reason is StopReason.MEMORY_LIMIT
    assert result.stats["bytes"] < 80_000_000
    assert result.objective <= greedy_objective(problem, 1)


def test_a_large_table_has_time_for_one_split() -> None:
    """One pass over so many cells takes long; the tree of a run that stops at once is the best of one split."""
    rng = np.random.default_rng(0)
    table = table_from(rng.normal(size=(60_000, 72)))
    y = rng.normal(size=60_000) + (table.X[:, 40] > 0.3)
    stopped = solve_regression(
        make_regression_problem(table, y, max_depth=4, cost_complexity=0.0), limits=Limits(step_limit=1)
    )
    best = solve_regression(make_regression_problem(table, y, max_depth=1, cost_complexity=0.0))
    assert stopped.stop_reason is StopReason.STEP_LIMIT
    assert best.status is SolveStatus.OPTIMAL
    assert stopped.tree.splits[0] == best.tree.splits[0]
    assert stopped.objective == best.objective


@pytest.mark.parametrize("limit", [{"time_limit": 1e-9}, {"step_limit": 1}, {"time_limit": 1e-4}])
@pytest.mark.parametrize("seed", range(10))
def test_a_front_of_regression_trees_has_the_best_of_one_split(limit: dict[str, float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, (40, 3)).astype(float), rng.normal(size=40)
    best = regression_frontier(X, y, max_leaves=2, max_depth=1).at_most(2)
    stopped = regression_frontier(X, y, max_leaves=5, **limit)
    for leaves in range(2, 6):
        assert stopped.at_most(leaves).loss <= best.loss + 1e-12
