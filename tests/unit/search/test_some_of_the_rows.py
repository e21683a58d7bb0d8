"""The search over ranked columns over some of the rows: between two splits, the ones that decide, and parts."""

from __future__ import annotations

import numpy as np
import pytest

from ranked_problems import make_problem
from treewright import SolveStatus
from treewright.search import Limits
from treewright.search._solve_ranked import RankedOptions, solve_ranked


@pytest.mark.parametrize("depth", [3, 4])
def test_rows_between_two_cuts_close_gaps(depth):
    rng = np.random.default_rng(depth)
    n_closed = 0
    for _ in range(10):
        n = int(rng.integers(150, 300))
        X = rng.random((n, 2)).round(int(rng.integers(1, 4)))
        y = (X[:, 0] + 0.7 * rng.random(n) > 0.8) + (rng.random(n) < 0.1).astype(int)
        problem = make_problem(X, y.astype(int), 3, max_depth=depth, cost_complexity=0.0, min_samples_leaf=1)
        plain = solve_ranked(problem, options=RankedOptions(sharing_work=0, between=False))
        closed = solve_ranked(problem, options=RankedOptions(sharing_work=0))
        assert closed.objective == plain.objective
        assert closed.tree.n_leaves == plain.tree.n_leaves
        assert plain.stats["gaps_closed"] == 0
        n_closed += closed.stats["gaps_closed"]
    assert n_closed > 10, n_closed


@pytest.mark.parametrize(
    "rest",
    [
        {"cost_complexity": 0.0},
        {"cost_complexity": 0.003},
        {"cost_complexity": 0.0, "max_leaf_nodes": 6},
        {"cost_complexity": 0.0, "weight": "random"},
        {"cost_complexity": 0.001, "costs": [[0, 1, 2], [3, 0, 1], [1, 1, 0]]},
    ],
)
def test_few_rows_prove_the_optimum_of_all(rest):
    rng = np.random.default_rng(5)
    smallest = 1.0
    for _ in range(4):
        n = int(rng.integers(200, 350))
        X = rng.random((n, 3)).round(3)
        y = (X[:, 0] > 0.3).astype(int) + ((X[:, 0] > 0.7) & (X[:, 1] > 0.5 + 0.3 * (X[:, 2] > 0.6)))
        y = np.where(rng.random(n) < 0.02, rng.integers(0, 3, n), y)
        weight = rng.integers(1, 4, n) if "weight" in rest else None
        problem = make_problem(X, y, 3, max_depth=4, min_samples_leaf=1, **rest | {"weight": weight})
        all_rows = solve_ranked(problem, options=RankedOptions(core=False))
        few = solve_ranked(problem, options=RankedOptions(core_passes=0, core_share=1.0))
        assert few.objective == all_rows.objective
        assert few.tree.n_leaves == all_rows.tree.n_leaves
        assert all_rows.stats["core_rows"] == 0 < few.stats["core_rows"]
        smallest = min(smallest, few.stats["core_rows"] / n)
    assert smallest < 0.8


def test_the_rows_chosen_do_not_depend_on_their_order():
    rng = np.random.default_rng(2)
    n = 500
    X = rng.random((n, 3)).round(2)
    y = ((X[:, 0] > 0.3) & (X[:, 1] > 0.5 * X[:, 2])).astype(int) ^ (rng.random(n) < 0.04)
    options = RankedOptions(core_passes=0, core_share=1.0)
    one = solve_ranked(make_problem(X, y, max_depth=4), options=options)
    order = rng.permutation(n)
    other = solve_ranked(make_problem(X[order], y[order], max_depth=4), options=options)
    assert 0 < one.stats["core_rows"] == other.stats["core_rows"] < n
    assert one.tree.splits == other.tree.splits


@pytest.mark.parametrize("cost_complexity", [0.0, 1e-12, 0.01, 0.05])
@pytest.mark.parametrize("max_leaf_nodes", [None, 5])
def test_parts_of_the_rows_bound_the_whole(cost_complexity, max_leaf_nodes):
    rng = np.random.default_rng(9)
    best_share = 0.0
    for k in range(4):
        n = int(rng.integers(300, 500))
        X = rng.random((n, 3)).round(2)
        y = ((X[:, 0] > 0.3) & (X[:, 1] > 0.5 * X[:, 2])).astype(int) ^ (rng.random(n) < 0.2)
        weight = rng.integers(1, 4, n) if k % 2 else None
        rest = {"cost_complexity": cost_complexity, "max_leaf_nodes": max_leaf_nodes, "weight": weight}
        problem = make_problem(X, y, 2, max_depth=3, min_samples_leaf=1 + 4 * (k // 2), **rest)
        whole = solve_ranked(problem, options=RankedOptions(parts=False))
        bounds = []

        def note(now, bounds=bounds):
            bounds.append(now.lower_bound)

        options = RankedOptions(core=False, core_passes=0, part_rows=100)
        by_parts = solve_ranked(problem, options=options, progress=note)
        assert by_parts.objective == whole.objective
        assert by_parts.tree.n_leaves == whole.tree.n_leaves
        assert by_parts.stats["parts"] == n // 100 * (n >= 400)
        for steps in (20, 60, 100, 200, 400, 800):
            stopped = solve_ranked(problem, options=options, limits=Limits(step_limit=steps))
            assert stopped.lower_bound <= whole.objective <= stopped.objective
            if by_parts.stats["parts"] and stopped.status is SolveStatus.FEASIBLE:
                best_share = max(best_share, stopped.lower_bound / whole.objective)
    assert best_share > 0.3


@pytest.mark.parametrize(("plain_work", "parts"), [(30_000, 10), (100_000, 0)])
def test_parts_wait_where_the_plain_search_has_proven_half(plain_work, parts):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.3) ^ (rng.random(400) < 0.25)).astype(int)
    problem = make_problem(X, y, 2, max_depth=3)
    whole = solve_ranked(problem, options=RankedOptions(core=False, parts=False))
    result = solve_ranked(problem, options=RankedOptions(core=False, part_rows=40, plain_work=plain_work))
    assert result.stats["parts"] == parts
    assert result.status is SolveStatus.OPTIMAL
    assert result.objective == whole.objective
    assert result.tree.splits == whole.tree.splits


def test_few_rows_are_no_help_where_leaves_need_several():
    rng = np.random.default_rng(0)
    X = rng.random((80, 3))
    problem = make_problem(
        X, (X[:, 0] > 0.4).astype(int) ^ (rng.random(80) < 0.1), 2, max_depth=3, min_samples_leaf=5
    )
    few = solve_ranked(problem, options=RankedOptions(core_passes=0, core_share=1.0))
    assert few.stats["core_rows"] == 0
    assert few.status is SolveStatus.OPTIMAL
