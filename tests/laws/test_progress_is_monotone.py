"""Law: while a search runs, incumbents only fall and bounds only rise; a report can stop or break it."""

from itertools import pairwise

import numpy as np
import pytest

from tiny_problems import TinyProblem, check
from treewright import SolveStatus
from treewright.result import StopReason
from treewright.search import Limits, Progress


def long_problem() -> TinyProblem:
    rng = np.random.default_rng(3)
    return TinyProblem(
        rng.integers(0, 2, (40, 400)).astype(np.uint8),
        rng.integers(0, 2, 400).astype(np.int32),
        np.ones(400),
        1 - np.eye(2),
        0.003,
    )


def test_reports_are_monotone() -> None:
    problem = long_problem()
    seen: list[Progress] = []
    result = problem.solve(Limits(time_limit=1.0), progress=seen.append)
    check(problem, result)
    assert len(seen) >= 8  # about 20 a second
    for before, after in pairwise(seen):
        assert after.seconds > before.seconds
        assert after.objective <= before.objective
        assert after.lower_bound >= before.lower_bound
        assert after.subproblems >= before.subproblems  # row prices are made between subproblems
    assert all(state.lower_bound <= state.objective for state in seen)
    assert all(state.lower_bound <= result.objective + 1e-9 for state in seen)
    assert all(0 <= state.gap <= 1 for state in seen)
    assert seen[-1].memory > 0
    assert seen[-1].subproblems_per_second > 0
    assert result.objective <= seen[-1].objective + 1e-9
    assert result.lower_bound >= seen[-1].lower_bound - 1e-9


def test_reports_tell_only_trees_within_the_leaf_limit() -> None:
    """The search without the limit goes first; its trees are no incumbents."""
    problem = long_problem().but(max_leaf_nodes=10)
    seen: list[Progress] = []
    result = problem.solve(Limits(time_limit=0.6), progress=seen.append)
    check(problem, result)
    assert result.tree.n_leaves <= 10
    assert len(seen) >= 4
    for before, after in pairwise(seen):
        assert after.objective <= before.objective
        assert after.lower_bound >= before.lower_bound
    assert all(state.objective >= result.objective - 1e-9 for state in seen)
    assert all(state.lower_bound <= result.objective + 1e-9 for state in seen)


def test_a_true_answer_stops() -> None:
    problem = long_problem()
    seen: list[Progress] = []

    def stop_at_third(state: Progress) -> bool:
        seen.append(state)
        return len(seen) == 3

    result = problem.solve(progress=stop_at_third)
    assert len(seen) == 3
    assert result.status is SolveStatus.FEASIBLE
    assert result.stop_reason is StopReason.CALLBACK
    check(problem, result)


def test_an_error_in_the_callback_comes_out() -> None:
    def fail(state: Progress) -> None:
        raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        long_problem().solve(progress=fail)
