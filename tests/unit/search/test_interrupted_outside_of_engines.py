"""Ctrl-C before an engine begins, or between two searches of a run: what was found is kept, and nothing is claimed."""

from __future__ import annotations

import _thread
import operator
from collections.abc import Callable
from functools import partial
from itertools import starmap
from typing import Any

import numpy as np
import pytest

from treewright._native import core
from treewright.binarize import midpoints
from treewright.near_optimal import _solve as near_optimal
from treewright.near_optimal import solve_near_optimal
from treewright.problem import make_f1_problem, make_policy_problem, make_problem
from treewright.result import SolveResult, SolveStatus, StopReason
from treewright.search import (
    BinaryOptions,
    Limits,
    solve,
    solve_binary,
    solve_f1,
    solve_frontier,
    solve_leaf_accuracy,
    solve_policy,
    solve_roc,
)
from treewright.search import _leaf_accuracy_bound as leaf_accuracy_bound
from treewright.search import _solve_f1 as f1
from treewright.search import _solve_roc as roc
from treewright.table import table_from

BINARY = BinaryOptions(engine="binary")
ROWS = 20_000  # more than a look at the clock


def table(seed: int = 0, n: int = 300) -> Any:
    return table_from(np.random.default_rng(seed).integers(0, 2, (n, 6)).astype(float))


def labels(of: Any, n_classes: int = 2) -> np.ndarray:
    noise = np.random.default_rng(1).random(of.n_rows) < 0.15
    return (
        np.where(noise, 0, (of.X[:, 0] + of.X[:, 1]).astype(int) % n_classes + (of.X[:, 2] > 0)) % n_classes
    )


def bits(n: int) -> Callable[[], Any]:
    packed = np.random.default_rng(0).integers(0, 256, (3, (n + 7) // 8)).astype(np.uint8)
    y, weight = (np.arange(n) % 2).astype(np.int32), np.ones(n, dtype=np.int64)
    costs = 1 - np.eye(2, dtype=np.int64)
    how: dict[str, Any] = {"leaf_penalty": 0.0, "min_count": 1, "equivalent_points": True, "packed": True}
    return partial(core.BinaryProblem, packed, y, weight, costs, **how)


def near_bits(n: int) -> Callable[[], Any]:
    made = bits(n)
    assert isinstance(made, partial)
    return partial(made, near_optimal=True)


@pytest.mark.parametrize("make", [bits, near_bits])
def test_the_core_looks_while_it_finds_equal_rows(make: Callable[[int], Callable[[], Any]]) -> None:
    """The signal is there when the core begins: no line of Python runs between the two calls."""
    made = make(ROWS)
    made()
    with pytest.raises(KeyboardInterrupt):
        list(starmap(operator.call, [(_thread.interrupt_main,), (made,)]))


def interrupted(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


def after(calls: int, whole: Callable[..., Any]) -> Callable[..., Any]:
    """A function that Ctrl-C ends after so many calls."""
    left = [calls]

    def called(*given: Any, **named: Any) -> Any:
        left[0] -= 1
        return whole(*given, **named) if left[0] >= 0 else interrupted()

    return called


def test_a_search_that_is_interrupted_before_it_begins_returns_the_best_split(monkeypatch: Any) -> None:
    of = table()
    problem = make_problem(of, labels(of), cost_complexity=0.01, max_depth=3)
    best = solve(make_problem(of, labels(of), cost_complexity=0.01, max_depth=1))
    front = solve_frontier(make_problem(of, labels(of), cost_complexity=0, max_leaf_nodes=3))
    monkeypatch.setattr(core, "BinaryProblem", interrupted)
    result = solve(problem, options=BINARY)
    assert (result.status, result.asked_to_stop) == (SolveStatus.FEASIBLE, StopReason.INTERRUPT)
    assert result.objective == pytest.approx(best.objective)
    assert result.lower_bound <= best.objective
    stopped = solve_frontier(make_problem(of, labels(of), cost_complexity=0, max_leaf_nodes=3))
    assert stopped.asked_to_stop is StopReason.INTERRUPT
    assert [p.loss for p in stopped.limits][:2] == pytest.approx([p.loss for p in front.limits][:2])
    assert all(
        one.lower_bound <= other.loss + 1e-12 for one, other in zip(stopped.limits, front.limits, strict=True)
    )
    for limit in ({"max_depth": 0}, {"max_leaf_nodes": 1}):
        assert solve(make_problem(of, labels(of), **limit), options=BINARY).tree.n_leaves == 1
    one = solve_frontier(make_problem(of, labels(of), cost_complexity=0, max_leaf_nodes=1), options=BINARY)
    assert len(one.limits) == 1
    assert solve_binary(problem, midpoints(of)).asked_to_stop is StopReason.INTERRUPT


def test_a_policy_search_that_is_interrupted_before_it_begins(monkeypatch: Any) -> None:
    of = table()
    rewards = np.column_stack([of.X[:, 0] * 2, 1 - of.X[:, 1], np.full(of.n_rows, 0.3)])
    best = solve_policy(make_policy_problem(of, rewards, max_depth=1), options=BINARY)
    monkeypatch.setattr(core, "BinaryProblem", interrupted)
    result = solve_policy(make_policy_problem(of, rewards, max_depth=3), options=BINARY)
    assert (result.status, result.asked_to_stop) == (SolveStatus.FEASIBLE, StopReason.INTERRUPT)
    assert result.objective == pytest.approx(best.objective)
    assert result.stats["engine"] == "binary"
    dear = solve_policy(make_policy_problem(of, rewards, max_depth=3, cost_complexity=1.0), options=BINARY)
    assert dear.tree.n_leaves == 1


@pytest.mark.parametrize("calls", [1, 2])
def test_a_search_for_f1_keeps_its_tree_between_two_rounds(calls: int, monkeypatch: Any) -> None:
    of = table()
    problem = make_f1_problem(of, labels(of), cost_complexity=0.001, max_depth=3)
    whole, search = solve_f1(problem), f1.search_chosen
    monkeypatch.setattr(f1, "QUICK_STEPS", 1)
    monkeypatch.setattr(f1, "search_chosen", after(calls, search))
    result = solve_f1(problem)
    assert (result.status, result.asked_to_stop) == (SolveStatus.FEASIBLE, StopReason.INTERRUPT)
    assert result.lower_bound <= whole.objective <= result.objective < 1
    monkeypatch.setattr(f1, "search_chosen", interrupted)
    with pytest.raises(KeyboardInterrupt):
        solve_f1(problem)


@pytest.mark.parametrize("calls", range(4))
def test_a_search_for_the_roc_frontier_keeps_its_corners(calls: int, monkeypatch: Any) -> None:
    of = table()
    problem = make_problem(of, labels(of), max_depth=2)
    whole, search = solve_roc(problem), roc.search_chosen
    assert whole.stats["searches"] > 4
    monkeypatch.setattr(roc, "search_chosen", after(calls, search))
    result = solve_roc(problem)
    assert (result.status, result.asked_to_stop) == (SolveStatus.FEASIBLE, StopReason.INTERRUPT)
    assert result.auc_bound >= whole.auc_bound - 1e-12
    assert len(result.points) == min(len(whole.points), 2 + calls)


def test_the_best_worst_leaf_is_kept_while_its_bound_is_sought(monkeypatch: Any) -> None:
    rng = np.random.default_rng(0)
    of = table_from(rng.normal(size=(300, 4)))
    how: dict[str, Any] = {"cost_complexity": 0, "max_depth": 3, "min_samples_leaf": 10}
    problem = make_problem(of, rng.integers(0, 3, 300), **how)
    limits = Limits(step_limit=40)
    whole = solve_leaf_accuracy(problem, limits=limits)
    assert whole.stop_reason is StopReason.STEP_LIMIT
    for name in ("solve_binary", "solve_ranked"):
        monkeypatch.setattr(leaf_accuracy_bound, name, interrupted)
    result = solve_leaf_accuracy(problem, limits=limits)
    assert (result.status, result.asked_to_stop) == (SolveStatus.FEASIBLE, StopReason.INTERRUPT)
    assert result.objective == whole.objective <= whole.upper_bound <= result.upper_bound


def test_a_set_of_near_optimal_trees_keeps_the_best_tree(monkeypatch: Any) -> None:
    of = table()
    problem = make_problem(of, labels(of), cost_complexity=0.01, max_depth=2)
    whole = solve_near_optimal(problem)

    def keeps(known: SolveResult | None) -> None:
        found = solve_near_optimal(problem, known=known)
        assert found.stop_reason is StopReason.INTERRUPT
        assert found.best.objective == pytest.approx(whole.best.objective)

    with monkeypatch.context() as patched:
        patched.setattr(core, "BinaryProblem", interrupted)
        keeps(whole.best)
    monkeypatch.setattr(near_optimal.Task, "graph", interrupted)
    keeps(None)
    keeps(whole.best)


@pytest.mark.parametrize("calls", range(3))
def test_a_set_of_near_optimal_trees_keeps_what_is_complete(calls: int, monkeypatch: Any) -> None:
    of = table()
    problem = make_problem(of, labels(of), cost_complexity=0.001, max_depth=3)
    whole = solve_near_optimal(problem, epsilon=0.5)
    monkeypatch.setattr(near_optimal, "QUICK", 0.0)
    monkeypatch.setattr(near_optimal.Counts, "make", after(calls, near_optimal.Counts.make))
    found = solve_near_optimal(problem, epsilon=0.5)
    assert found.stop_reason is StopReason.INTERRUPT
    assert found.best.objective == pytest.approx(whole.best.objective)
    assert found.bound_ < whole.bound_
    assert (found.bound_ >= whole.best.objective) == (calls > 0)
