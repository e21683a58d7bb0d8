"""A penalty of some leaves that is nearly some wrong rows: what the engines round is told, and is no false proof."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from treewright import SolveStatus, fit_shards
from treewright.problem import make_problem
from treewright.search import solve
from treewright.search._leaf_rounding import left_open_by_leaves
from treewright.table import table_from

FEW = np.array([[0.0], [0.0], [1.0]])  # binary: one engine
MANY = np.array([[0.0], [0.25], [1.5]])


def optimum(cost_complexity: float) -> Fraction:
    """Of three rows, the last of another class: a single leaf has one wrong row, two leaves have none."""
    penalty = Fraction(cost_complexity)
    return min(Fraction(1, 3) + penalty, 2 * penalty)


@pytest.mark.parametrize("X", [FEW, MANY])
@pytest.mark.parametrize("apart", [0.0, 1e-15, 1e-12, 1e-11, 1e-10, 1e-9, 1e-6])
@pytest.mark.parametrize("sign", [1, -1])
def test_no_tree_is_better_than_the_proof_says(X: np.ndarray, apart: float, sign: int) -> None:
    cost_complexity = 1 / 3 + sign * apart
    best = float(optimum(cost_complexity))
    found = solve(make_problem(table_from(X), [0, 0, 1], max_depth=1, cost_complexity=cost_complexity))
    assert found.status is SolveStatus.OPTIMAL
    assert found.lower_bound <= best * (1 + 1e-12)
    assert found.objective - found.rounding <= best * (1 + 1e-12)
    shards = fit_shards(
        X, [0, 0, 1], max_depth=1, cost_complexity=cost_complexity, shard_rows=3, progress=False
    ).result_
    assert shards.lower_bound <= best
    if shards.status is SolveStatus.OPTIMAL:
        assert shards.objective <= best * (1 + 1e-12)


def test_the_ranked_engine_tells_what_it_leaves_open() -> None:
    """With 2,000 rows, 80 of them in no leaf of their own: the penalty of a leaf is nearly one wrong row."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 1))
    y = X[:, 0] > 1
    y[np.argmax(X)] = False  # a leaf more would mend one row
    for apart, is_open in ((0.0, False), (1e-13, True), (1e-6, False)):
        problem = make_problem(table_from(X), y, max_depth=2, cost_complexity=1 / 2000 - apart)
        found = solve(problem)
        best = min(
            2 * Fraction(problem.cost_complexity) + Fraction(1, 2000), 3 * Fraction(problem.cost_complexity)
        )
        assert found.status is SolveStatus.OPTIMAL
        assert found.objective - found.rounding <= float(best) * (1 + 1e-12)
        assert (left_open_by_leaves(problem, 1 / 2000, 2.0**-32, found.objective) > 0) is is_open


def test_penalties_that_people_choose_leave_nothing_open() -> None:
    for n in (3, 150, 12_345, 100_000):
        problem = make_problem(table_from(np.arange(float(n))[:, None]), np.arange(n) % 2)
        for penalty in (0.0, 0.1, 0.01, 0.001, 0.005, 1 / 3, 1 / n, 2 / n, 0.5):
            limited = make_problem(problem.table, problem.y, cost_complexity=penalty, max_depth=5)
            assert left_open_by_leaves(limited, 1 / n, 2.0**-32, 0.3) == 0.0
