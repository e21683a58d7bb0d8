"""Law: a run that a limit stops gives a whole valid tree, its true objective, and a bound that holds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines import Engine, every_engine
from strategies import tiny_problems
from tiny_problems import TinyProblem, check, random_problem
from treewright import SolveStatus
from treewright.result import StopReason
from treewright.search import BinaryOptions, Limits

STEPS = (1, 2, 3, 5, 8, 13, 21, 50, 100, 500, 5000)


@every_engine
@pytest.mark.parametrize("seed", range(6))
def test_bounds_hold_after_any_number_of_steps(seed: int, engine: Engine) -> None:
    rng = np.random.default_rng(400 + seed)
    for _ in range(10):
        problem = engine.fitting(random_problem(rng, max_columns=7, max_rows=16))
        optimum = problem.optimum()
        for steps in STEPS:
            result = engine.solve(problem, Limits(step_limit=steps))
            check(problem, result, optimum)
            if result.status is not SolveStatus.OPTIMAL:
                assert result.status is SolveStatus.FEASIBLE
                assert result.stop_reason is StopReason.STEP_LIMIT
                if engine.name in ("binary", "front"):  # the others count passes of a kernel
                    assert result.stats["subproblems"] <= steps


@settings(max_examples=200, deadline=None, derandomize=True)
@given(tiny_problems(), st.sampled_from(STEPS), st.booleans(), st.booleans(), st.sampled_from([1, 2**20]))
def test_bounds_hold_with_switches_and_little_memory(
    problem: TinyProblem, steps: int, cache: bool, greedy_start: bool, memory: int
) -> None:
    options = BinaryOptions(cache=cache, greedy_start=greedy_start)
    result = problem.solve(Limits(step_limit=steps, memory_limit=memory), options)
    check(problem, result, problem.optimum())


@every_engine
@pytest.mark.parametrize(
    "limits", [{}, {"max_depth": 5}, {"max_leaf_nodes": 7}, {"min_samples_leaf": 3}], ids=str
)
def test_bounds_agree_on_a_medium_table(limits: dict[str, int], engine: Engine) -> None:
    """Too large for the oracle: every stopped run must allow the optimum that the whole run proves."""
    rng = np.random.default_rng(7)
    goes_right = rng.integers(0, 2, (11, 150)).astype(np.uint8)
    y = rng.integers(0, 2, 150).astype(np.int32)
    problem = engine.fitting(TinyProblem(goes_right, y, np.ones(150), 1 - np.eye(2), 0.01, **limits))
    if engine.name != "binary":
        problem = problem.but(max_depth=3, goes_right=goes_right[:8])  # else they take minutes
    whole = engine.solve(problem)
    assert whole.status is SolveStatus.OPTIMAL
    optimum = whole.objective
    for steps in (1, 2, 5, 20, 50, 200, 1000, 3000, 10000):
        result = engine.solve(problem, Limits(step_limit=steps))
        check(problem, result)
        assert result.lower_bound <= optimum + 1e-9
        assert result.objective >= optimum - 1e-9
        if result.status is SolveStatus.OPTIMAL:
            assert result.objective == pytest.approx(optimum, abs=1e-9)


def test_a_time_limit_is_kept() -> None:
    rng = np.random.default_rng(1)
    problem = TinyProblem(
        rng.integers(0, 2, (60, 1000)).astype(np.uint8),
        rng.integers(0, 2, 1000).astype(np.int32),
        np.ones(1000),
        1 - np.eye(2),
        0.001,
    )
    result = problem.solve(Limits(time_limit=0.3))
    check(problem, result)
    assert result.status is SolveStatus.FEASIBLE
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert result.stats["seconds"] < 0.3 + 0.5
    assert 0 < result.lower_bound < result.objective
    assert "time limit reached" in result.sentence()


def test_a_bound_never_falls_below_the_errors_of_equal_rows() -> None:
    """Also where leaves cost so little that rounding charges more for them: less than half a unit of the core."""
    rng = np.random.default_rng(2)
    half, labels = rng.integers(0, 2, (6, 20)).astype(np.uint8), rng.integers(0, 2, 20).astype(np.int32)
    y = np.concatenate([labels, labels])
    y[:5] = 1 - y[:5]  # equal rows, five with different labels
    problem = TinyProblem(
        np.hstack([half, half]), y, np.ones(40), 1 - np.eye(2), cost_complexity=1e-12, max_depth=3
    )
    for steps in (1, 2, 3):
        result = problem.solve(Limits(step_limit=steps))
        assert result.status is SolveStatus.FEASIBLE
        assert 5 / 40 <= result.lower_bound <= float(problem.optimum())
