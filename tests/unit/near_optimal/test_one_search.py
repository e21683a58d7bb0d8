"""The graph of a set goes on with the search for the optimum: what that has solved is solved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright._native import core
from treewright.near_optimal import _task, solve_near_optimal
from treewright.problem import make_problem
from treewright.search import BinaryOptions
from treewright.table import table_from

ENDLESS: dict[str, Any] = {"time_limit": np.inf, "memory_limit": 2**40, "report": None}
DEPTH = 4


def made(min_count: int, seed: int = 0, rows: int = 250, columns: int = 14) -> core.BinaryProblem:
    rng = np.random.default_rng(seed)
    X = rng.random((columns, rows)) < 0.5
    y = (X[0] & X[1]) ^ (X[2] | (rng.random(rows) < 0.2))
    packed = np.packbits(X, axis=1, bitorder="little")
    costs = 1 - np.eye(2, dtype=np.int64)
    ones = np.ones(rows, dtype=np.int64)
    return core.BinaryProblem(
        packed, y.astype(np.int32), ones, costs, leaf_penalty=1.0, min_count=min_count, equivalent_points=True,
        packed=True, near_optimal=True,
    )  # fmt: skip


def graph(problem: core.BinaryProblem, budget: float, threads: int = 1) -> core.NearOptimalSet:
    return problem.near_optimal(
        leaf_penalty=problem.leaf_penalty,
        unit_shift=problem.unit_shift,
        budget=int(budget * 2**problem.unit_shift),
        max_depth=DEPTH,
        threads=threads,
        **ENDLESS,
    )


def searched(problem: core.BinaryProblem, threads: int = 1) -> dict[str, Any]:
    found: dict[str, Any] = problem.search(
        max_depth=DEPTH, max_leaves=0, options=BinaryOptions().native(), price_rows=None, fewest_leaves=False,
        threads=threads, step_limit=2**60, **ENDLESS,
    )  # fmt: skip
    return found


def same(first: Any, second: Any) -> bool:
    return all(np.array_equal(first[name], second[name]) for name in first if name != "steps")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("min_count", [1, 5])
def test_the_graph_is_the_same_and_takes_less(min_count: int, threads: int) -> None:
    problem = made(min_count)
    optimum = searched(problem, threads)
    assert optimum["exact"]
    for more in (0.01, 2.0):
        budget = optimum["upper_bound"] - problem.base_cost + more
        at_once, alone = (graph(of, budget, threads).arrays() for of in (problem, made(min_count)))
        assert at_once["complete"]
        assert same(at_once, alone)
        assert at_once["steps"] < alone["steps"]


def test_another_price_is_searched_for_itself() -> None:
    problem, other = made(1), made(1)
    searched(problem)
    dear = {"leaf_penalty": 3 * problem.leaf_penalty, "unit_shift": problem.unit_shift, "max_depth": DEPTH}
    budget = int(60 * 2**problem.unit_shift)
    asked = [one.near_optimal(**dear, budget=budget, threads=1, **ENDLESS) for one in (problem, other)]
    assert same(asked[0].arrays(), asked[1].arrays())


def test_a_stopped_search_is_not_gone_on_with() -> None:
    problem = made(1)
    stopped = problem.search(
        max_depth=DEPTH, max_leaves=0, options=BinaryOptions().native(), price_rows=None, fewest_leaves=False,
        step_limit=5, **ENDLESS,
    )  # fmt: skip
    assert stopped["stop"] == core.Stop.STEPS
    assert same(graph(problem, 40).arrays(), graph(made(1), 40).arrays())


def test_rows_that_cost_nothing_alone() -> None:
    """Then no row costs anything, and the only question is where rows go."""
    rng = np.random.default_rng(0)
    packed = np.packbits(rng.random((4, 30)) < 0.5, axis=1, bitorder="little")
    free = core.BinaryProblem(
        packed, np.zeros(30, dtype=np.int32), np.ones(30, dtype=np.int64), np.zeros((1, 2), dtype=np.int64),
        leaf_penalty=1.0, min_count=1, equivalent_points=True, packed=True, near_optimal=True,
    )  # fmt: skip
    assert searched(free)["upper_bound"] == pytest.approx(1)
    assert len(graph(free, 2.5).arrays()["column"]) == 4


def test_problems_without_sets_say_so() -> None:
    rows = core.BinaryProblem(
        np.zeros((1, 1), dtype=np.uint8), np.zeros(3, dtype=np.int32), np.ones(3, dtype=np.int64),
        1 - np.eye(2, dtype=np.int64), leaf_penalty=0.0, min_count=1, equivalent_points=True, packed=True,
    )  # fmt: skip
    with pytest.raises(ValueError, match="not made for it"):
        graph(rows, 1)


@pytest.mark.parametrize("price", [0, 1e-9, 1e-5, 0.013, 0.3, 1.0])
def test_prices_of_all_sizes(price: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The units of the search hold the trees of a set, as those of the set alone do."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (60, 4)).astype(float)
    problem = make_problem(table_from(X), rng.integers(0, 2, 60), cost_complexity=price, max_depth=2)
    found = solve_near_optimal(problem, epsilon=0.4)
    monkeypatch.setattr(_task, "SPARE_BITS", -100)
    alone = solve_near_optimal(problem, epsilon=0.4)
    assert len(found) == len(alone) > 0
    assert found.table() == alone.table()
