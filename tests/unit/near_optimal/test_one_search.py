"""The graph of a set goes on with the search for the optimum: what that has solved is solved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import near_optimal_trees
from treewright._native import core
from treewright.near_optimal import _task, solve_near_optimal
from treewright.problem import make_problem
from treewright.search import BinaryOptions, _choose_engine
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


def ranked_made(min_leaf: int, seed: int = 0) -> core.RankedProblem:
    rng = np.random.default_rng(seed)
    X = rng.random((3, 70))
    y = (X[0] + X[1] > 1) ^ (rng.random(70) < 0.15)
    return core.RankedProblem(
        rank=np.argsort(np.argsort(X, axis=1), axis=1).astype(np.uint32),
        y=y.astype(np.int32),
        weight=np.ones(70, dtype=np.int64),
        costs=1 - np.eye(2, dtype=np.int64),
        unit=2**40,
        leaf=2**40 + 1,
        min_leaf=min_leaf,
    )


def ranked_searched(
    problem: core.RankedProblem, threads: int = 1, any_size: bool = True, **other: Any
) -> dict[str, Any]:
    options = core.RankedOptions()
    options.threads, options.alone_work, options.any_size = threads, 0, any_size
    options.together_work = 0
    asked: dict[str, Any] = {"depth": 3, "max_leaves": 0, "options": options, "step_limit": 2**60} | ENDLESS
    found: dict[str, Any] = problem.search(**asked | other)
    return found


def ranked_graph(problem: core.RankedProblem, budget: int, **other: Any) -> core.NearOptimalSet:
    asked: dict[str, Any] = {
        "split": np.arange(3 * 69, dtype=np.int32),
        "first_split": np.arange(4) * 69,
        "leaf_penalty": problem.leaf_penalty,
        "unit_shift": problem.unit_shift,
        "max_depth": 3,
        "threads": 1,
    } | ENDLESS
    return problem.near_optimal(budget=budget, **asked | other)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("min_leaf", [1, 4])
def test_over_ranked_columns_too(min_leaf: int, threads: int) -> None:
    problem = ranked_made(min_leaf)
    optimum = ranked_searched(problem, threads)
    assert optimum["lower"] == optimum["upper"]
    for more in (0, 1, 2):
        budget = optimum["upper"] + (more << 40)
        goes_on, alone = (
            ranked_graph(of, budget, threads=threads).arrays() for of in (problem, ranked_made(min_leaf))
        )
        assert goes_on["complete"]
        assert same(goes_on, alone)
        if more == 0:
            assert goes_on["steps"] < alone["steps"]


def test_leaves_of_a_least_size_by_way_of_any_size() -> None:
    """The graph keeps the switches of the search that it goes on with."""
    made_by = []
    for any_size in (True, False):
        problem = ranked_made(4)
        budget = ranked_searched(problem, any_size=any_size)["upper"] + (1 << 40)
        made_by.append(ranked_graph(problem, budget).arrays())
    assert same(*made_by)
    assert len(made_by[0]["column"]) > 10
    assert made_by[0]["steps"] < made_by[1]["steps"]


@pytest.mark.parametrize(
    "other", [{"leaf_penalty": 2**39}, {"unit_shift": 41}, {"threads": 2}, {"memory_limit": 2000}], ids=str
)
def test_other_units_over_ranked_columns_are_searched_for_themselves(other: dict[str, Any]) -> None:
    problem = ranked_made(1)
    budget = ranked_searched(problem)["upper"]
    asked = [ranked_graph(of, budget, **other).arrays() for of in (problem, ranked_made(1))]
    assert same(asked[0], asked[1])
    assert asked[0]["steps"] == asked[1]["steps"]


@pytest.mark.parametrize("limit", [{"step_limit": 3}, {"time_limit": 0.0}, {"memory_limit": 1}], ids=str)
def test_a_stopped_search_over_ranked_columns_is_not_gone_on_with(limit: dict[str, Any]) -> None:
    problem = ranked_made(1)
    budget = ranked_searched(ranked_made(1))["upper"] + 2**40
    assert ranked_searched(problem, **limit)["stop"] != core.Stop.NONE
    asked = [ranked_graph(of, budget).arrays() for of in (problem, ranked_made(1))]
    assert same(asked[0], asked[1])
    assert asked[0]["steps"] == asked[1]["steps"]


STOPS: dict[str, tuple[dict[str, Any], core.Stop]] = {
    "time": ({"time_limit": 0.0}, core.Stop.TIME),
    "memory": ({"memory_limit": 1}, core.Stop.MEMORY),
    "callback": ({"report": lambda *_: True}, core.Stop.CALLBACK),
}


@pytest.mark.parametrize("stop", STOPS)
def test_a_graph_that_goes_on_keeps_its_own_limits(stop: str) -> None:
    problem = ranked_made(1)
    budget = ranked_searched(problem)["upper"] + (3 << 40)
    limit, reason = STOPS[stop]
    stopped = ranked_graph(problem, budget, **limit).arrays()
    assert not stopped["complete"]
    assert stopped["stop"] == reason
    whole = ranked_graph(problem, budget).arrays()
    assert whole["complete"]
    assert same(whole, ranked_graph(ranked_made(1), budget).arrays())


def test_the_same_split_of_two_columns_is_one_edge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing values ranked lowest and highest: whether a value is known is asked once."""
    monkeypatch.setattr(_choose_engine, "_has_many_thresholds", lambda *_: (True, "many"))
    X, y = np.array([[np.nan], [1.0], [2.0], [3.0], [np.nan]] * 4), np.array([1, 0, 0, 1, 1] * 4)
    found = [
        near_optimal_trees(X, y, max_depth=2, epsilon=1.0, cost_complexity=0.05, thresholds=thresholds)
        for thresholds in ("auto", "all")
    ]
    assert [int(of.graph.arrays["unit_shift"]) > _task.MOST_SHIFT for of in found] == [False, True]
    assert found[0].table() == found[1].table()


@pytest.mark.parametrize("price", [0, 1e-9, 1e-5, 0.013, 0.3, 1.0])
def test_prices_of_all_sizes_over_ranked_columns(price: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The units of the search hold the trees of a set, as those of the set alone do."""
    monkeypatch.setattr(_choose_engine, "_has_many_thresholds", lambda *_: (True, "many"))
    rng = np.random.default_rng(1)
    X = rng.integers(0, 6, (40, 2)).astype(float)
    problem = make_problem(table_from(X), rng.integers(0, 2, 40), cost_complexity=price, max_depth=2)
    found = solve_near_optimal(problem, "all", epsilon=0.1)
    assert int(found.graph.arrays["unit_shift"]) > _task.MOST_SHIFT
    monkeypatch.setattr(_task, "RANKED_BITS", 0)
    alone = solve_near_optimal(problem, "all", epsilon=0.1)
    assert int(alone.graph.arrays["unit_shift"]) <= _task.MOST_SHIFT
    assert len(found) == len(alone) > 0
    assert found.table() == alone.table()
    assert [tree.splits for tree in found] == [tree.splits for tree in alone]
