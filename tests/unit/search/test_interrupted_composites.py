"""Ctrl-C between the searches of a run of several: the tree of the searches before is kept, and no bound is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from treewright.binarize import midpoints
from treewright.guess import ReferenceCosts, reference_costs
from treewright.near_optimal import _solve as near_optimal
from treewright.near_optimal import solve_near_optimal
from treewright.problem import Problem, make_problem, make_regression_problem
from treewright.result import SolveResult, SolveStatus, StopReason, told_to_stop
from treewright.search import (
    BinaryOptions,
    Guesses,
    Limits,
    forecast_search,
    solve,
    solve_guided,
    solve_regression_frontier,
)
from treewright.search import _beside as beside
from treewright.search import _front_by_penalties as front
from treewright.search import _guided as guided
from treewright.table import table_from


def interrupted(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


def after(calls: int, whole: Callable[..., Any]) -> Callable[..., Any]:
    """A function that Ctrl-C ends after so many calls."""
    left = [calls]

    def called(*given: Any, **named: Any) -> Any:
        left[0] -= 1
        return whole(*given, **named) if left[0] >= 0 else interrupted()

    return called


def question(n: int = 300, **limits: Any) -> Problem:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (n, 8)).astype(float)
    y = np.where(rng.random(n) < 0.2, rng.integers(0, 2, n), X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    return make_problem(table_from(X), y, **({"cost_complexity": 0.002, "max_depth": 3} | limits))


def all_in_the_first_class(problem: Problem) -> ReferenceCosts:
    """What a poor reference predicts, so that no search of one step ends with a proof."""
    predictions = np.zeros(len(problem.y), dtype=np.int32)
    return reference_costs(predictions, problem.y, problem.sample_weight, problem.costs)


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_guided_search_keeps_the_turns_before(turns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best tree of all turns, and the highest of their bounds, whichever the turn after was to make better."""
    problem = question()
    best = solve(problem)
    costs = all_in_the_first_class(problem)
    found: list[SolveResult] = []

    def one_step(*given: Any, **named: Any) -> SolveResult:
        found.append(real(*given, **named | {"limits": Limits(step_limit=1)}))
        return found[-1]

    real = beside.solve_binary
    monkeypatch.setattr(beside, "solve_binary", after(turns, one_step))
    result = beside.solve_beside(
        problem, midpoints(problem.table), costs, limits=Limits(), options=BinaryOptions(engine="binary")
    )
    assert len(found) == turns
    assert (result.status, result.stop_reason) == (SolveStatus.FEASIBLE, StopReason.INTERRUPT)
    assert result.asked_to_stop is StopReason.INTERRUPT
    assert result.objective == min(one.objective for one in found)
    assert result.lower_bound == max(one.lower_bound for one in found) <= best.objective


def test_a_guided_search_without_any_turn_has_nothing_to_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = question()
    costs = all_in_the_first_class(problem)
    monkeypatch.setattr(beside, "solve_binary", interrupted)
    with pytest.raises(KeyboardInterrupt):
        beside.solve_beside(problem, midpoints(problem.table), costs, limits=Limits())


@pytest.mark.parametrize("name", ["_reference", "guess_splits"])
def test_ctrl_c_while_guesses_are_made(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = question()
    best = solve(problem)
    monkeypatch.setattr(guided, name, interrupted)
    guesses = Guesses(thresholds=True, lower_bounds=True, reference=RandomForestClassifier(3, random_state=0))
    result = solve_guided(problem, "guess", guesses)
    assert (result.status, result.stop_reason) == (SolveStatus.FEASIBLE, StopReason.INTERRUPT)
    assert result.lower_bound <= best.objective <= result.objective < 1
    assert any("Nothing was guessed (interrupted before)" in note for note in result.notes)
    assert result.asked_to_stop is StopReason.INTERRUPT


@pytest.mark.parametrize("searches", range(4))
def test_a_front_keeps_the_points_before(searches: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] > 0, X[:, 1], 2 * X[:, 2]) + rng.normal(size=80)
    problem = make_regression_problem(table_from(X), y, max_leaf_nodes=5, max_depth=None)
    whole = solve_regression_frontier(problem)
    monkeypatch.setattr(front._Run, "search", after(searches, front._Run.search))
    result = solve_regression_frontier(problem)
    assert result.asked_to_stop is StopReason.INTERRUPT
    assert result.proven_leaves < whole.proven_leaves == 5
    assert len(result) >= 1
    for point, best in zip(result.limits, whole.limits, strict=True):
        assert point.lower_bound <= best.loss + 1e-9 <= point.loss + 2e-9


def test_ctrl_c_before_the_single_leaf_of_a_front(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing yet, so that the leaf is made once more, and then the best split."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    problem = make_regression_problem(table_from(X), X[:, 0] + rng.normal(size=60), max_leaf_nodes=4)
    real, calls = front._Run.single_leaf, []

    def pressed_at_first(run: Any) -> None:
        calls.append(run)
        if len(calls) == 1:
            raise KeyboardInterrupt
        real(run)

    monkeypatch.setattr(front._Run, "single_leaf", pressed_at_first)
    result = solve_regression_frontier(problem)
    assert len(calls) == 2
    assert result.asked_to_stop is StopReason.INTERRUPT
    assert [point.tree.n_leaves for point in result] == [1, 2]


def test_a_forecast_is_no_answer_after_ctrl_c() -> None:
    """Half of the samples forecast nothing; who waits for them is told."""
    problem = question(n=2000)
    seen: list[int] = []

    def search(some: Problem, limits: Limits) -> SolveResult:
        seen.append(some.table.n_rows)
        found = solve(some, limits=Limits())
        return (
            replace(found, stats={**found.stats, **told_to_stop(StopReason.INTERRUPT)}) if seen[1:] else found
        )

    with pytest.raises(KeyboardInterrupt):
        forecast_search(problem, search, seconds=60)
    assert len(seen) == 2


def test_ctrl_c_while_equal_rows_of_a_near_optimal_set_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = question()
    stump = solve(replace(problem, max_depth=1))
    calls: list[Any] = []

    def pressed(*given: Any, **named: Any) -> Any:
        calls.append(given)
        raise KeyboardInterrupt

    monkeypatch.setattr(near_optimal, "binary_problem", pressed)
    found = solve_near_optimal(problem)
    assert len(calls) == 1  # nobody begins it again for somebody who waits
    assert found.stop_reason is StopReason.INTERRUPT
    assert found.best.asked_to_stop is StopReason.INTERRUPT
    assert found.best.objective == pytest.approx(stump.objective)
    assert found.best.lower_bound <= solve(problem).objective


def test_ctrl_c_between_the_optimum_and_its_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best tree and its proof stay; the set is empty, and says why."""
    problem = question()
    best = solve(problem)
    monkeypatch.setattr(near_optimal, "Task", interrupted)
    found = solve_near_optimal(problem)
    assert found.stop_reason is StopReason.INTERRUPT
    assert (found.best.status, found.best.objective) == (SolveStatus.OPTIMAL, pytest.approx(best.objective))
    assert found.status_ != "complete"
    assert len(found) == 0
