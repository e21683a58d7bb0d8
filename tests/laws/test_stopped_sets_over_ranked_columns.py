"""Law: a set over all thresholds that is stopped anywhere holds all trees up to its own bound, and no others.

The set goes on with the search that found the best tree, or with the tree of a fit. Each of its phases (the graph of
one budget after the other, the counting of its trees) is stopped in turn: by Ctrl-C, by SIGTERM as the command line
hears it, by a callback, and by time and memory as the compiled core is told of them. Steps end the search before the
set. Nothing depends on how quick the machine is: the time is over when a phase begins, and a signal comes when the core
reports.
"""

from __future__ import annotations

import itertools
import math
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from treewright import OptimalTreeClassifier, near_optimal_trees
from treewright.cli._stop import listening
from treewright.near_optimal import NearOptimalTrees, _counts, _solve, solve_near_optimal
from treewright.near_optimal._task import Task
from treewright.problem import make_problem
from treewright.result import SolveStatus, StopReason
from treewright.search import Limits
from treewright.table import table_from

rng = np.random.default_rng(0)
X, Y = rng.random((60, 3)).round(2), rng.integers(0, 3, 60)
QUESTION: dict[str, Any] = {"cost_complexity": 0.01, "max_depth": 3}
ASKED: dict[str, Any] = QUESTION | {"thresholds": "all", "time_limit": None, "progress": False}
EPSILON = 0.15
MOST_PHASES = 20


def pressed(number: signal.Signals) -> Callable[..., None]:
    return lambda *_: signal.raise_signal(number)


STOPS: dict[str, tuple[dict[str, Any], StopReason]] = {
    "time": ({"time_limit": 0.0}, StopReason.TIME_LIMIT),
    "memory": ({"memory_limit": 1}, StopReason.MEMORY_LIMIT),
    "callback": ({"report": lambda *_: True}, StopReason.CALLBACK),
    "Ctrl-C": ({"report": pressed(signal.SIGINT)}, StopReason.INTERRUPT),
    "SIGTERM": ({"report": pressed(signal.SIGTERM)}, StopReason.INTERRUPT),
}


@dataclass
class Phases:
    """Counts the phases of a set, and stops one of them."""

    at: int
    limit: dict[str, Any]
    begun: int = 0
    graphs: int = 0

    def install(self, patch: pytest.MonkeyPatch) -> None:
        graph, count = Task.graph, _counts.Counts._count

        def graph_until(task: Task, budget: Any, **how: Any) -> Any:
            self.graphs += self.begun <= self.at
            return graph(task, budget, **how | self.now())

        def count_until(counts: _counts.Counts, **how: Any) -> Any:
            limit = self.now()
            memory = limit.pop("memory_limit", None)
            if memory is not None:
                counts = _counts.Counts(counts.graph, counts.membership)
                object.__setattr__(counts, "_memory_limit", lambda watch: memory)
            return count(counts, **how | limit)

        patch.setattr(_solve, "QUICK", 0.0)  # all stages, however quick the machine
        patch.setattr(Task, "graph", graph_until)
        patch.setattr(_counts.Counts, "_count", count_until)

    def now(self) -> dict[str, Any]:
        """What limits the phase that begins."""
        self.begun += 1
        return dict(self.limit) if self.begun - 1 == self.at else {}


def of_rows() -> NearOptimalTrees:
    return near_optimal_trees(X, Y, epsilon=EPSILON, **ASKED)


def after_a_fit() -> NearOptimalTrees:
    return OptimalTreeClassifier(**ASKED).fit(X, Y).near_optimal(X, Y, epsilon=EPSILON)


@pytest.fixture(scope="module")
def whole() -> NearOptimalTrees:
    found = of_rows()
    assert found.status_ == "complete"
    assert found.n_trees_ > 100
    return found


def holds(found: NearOptimalTrees, whole: NearOptimalTrees) -> None:
    """All trees up to the bound, no others; the best tree, and what is proven of it."""
    best = found.best
    assert best.lower_bound <= whole.best.objective + 1e-9
    assert best.objective >= whole.best.objective - 1e-9
    assert best.status is not SolveStatus.OPTIMAL or best.objective == pytest.approx(whole.best.objective)
    if math.isnan(found.bound_):
        assert found.n_trees_ == 0
        return
    assert found.bound_ <= whole.bound_
    assert found.table() == whole.where(max_objective=found.bound_).table()
    assert (found.stop_reason is None) is (found.bound_ == whole.bound_)


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("make", [of_rows, after_a_fit])
def test_in_any_phase_for_any_reason(
    make: Callable[[], NearOptimalTrees],
    stop: str,
    whole: NearOptimalTrees,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit, reason = STOPS[stop]
    stopped, bounds = set(), set()
    for at in range(MOST_PHASES):
        phases = Phases(at, limit)
        with monkeypatch.context() as patch, listening():
            phases.install(patch)
            found = make()
        if phases.begun <= at:
            break
        holds(found, whole)
        assert found.stop_reason in (reason, None)
        if found.stop_reason is not None:
            stopped.add("graph" if phases.graphs > phases.begun / 2 else "count")
            bounds.add(found.bound_)
    assert at < MOST_PHASES - 1
    assert stopped == {"graph", "count"}
    assert len(bounds) >= 2


def test_steps_end_the_search_before_the_set(whole: NearOptimalTrees) -> None:
    problem = make_problem(table_from(X), Y, **QUESTION)
    reasons, bounds = set(), []
    for steps in (1, 2, 5, 20, 100, 10**6):
        found = solve_near_optimal(problem, "all", epsilon=EPSILON, limits=Limits(step_limit=steps))
        again = solve_near_optimal(problem, "all", epsilon=EPSILON, limits=Limits(step_limit=steps))
        holds(found, whole)
        assert (again.bound_, again.stop_reason) == (found.bound_, found.stop_reason)
        assert again.table() == found.table()
        reasons.add(found.stop_reason)
        bounds.append(found.bound_)
    assert reasons == {StopReason.STEP_LIMIT, None}
    assert all(low <= high + 1e-9 for low, high in itertools.pairwise(bounds))
