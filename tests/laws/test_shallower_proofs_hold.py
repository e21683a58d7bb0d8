"""Law: what a deep search that was stopped says of shallower trees is true, and it is the best tree that it found.

Searches are stopped by steps and called stopped by time, so that no clock is read.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tiny_problems import TinyProblem, check, random_problem
from treewright import SolveResult, SolveStatus
from treewright.problem import Problem
from treewright.result import StopReason, is_shallow_note
from treewright.search import BinaryOptions, Limits, solve_binary, solve_ranked
from treewright.search._limits import ProgressCallback
from treewright.search._shallow import Search, prove_shallower
from treewright.verify import verify

QUICK = BinaryOptions(greedy_start=False)  # so that there is something left to find


def deep_random_problem(rng: np.random.Generator) -> TinyProblem:
    """One whose best tree is often deep: many rows for its columns, and cheap leaves."""
    problem = random_problem(rng, max_columns=7, max_rows=40)
    while problem.n_columns < 4 or problem.n_rows < 12:
        problem = random_problem(rng, max_columns=7, max_rows=40)
    return problem.but(
        max_depth=[None, 4, 5][rng.integers(3)],
        max_leaf_nodes=[None, None, 9][rng.integers(3)],
        cost_complexity=[0.0, 0.001, 0.01, 0.02][rng.integers(4)],
    )


def search_of(problem: TinyProblem, engine: str) -> tuple[Problem, Search]:
    stated, cuts = problem.stated()

    def search(asked: Problem, limits: Limits, progress: ProgressCallback | None) -> SolveResult:
        if engine == "binary":
            return solve_binary(asked, cuts, limits=limits, options=QUICK, progress=progress)
        return solve_ranked(asked, limits=limits, progress=progress)

    return stated, search


def stopped(search: Search, stated: Problem, steps: int) -> SolveResult | None:
    """A search that some steps stopped, called stopped by time; None where they were enough."""
    deep = search(stated, Limits(step_limit=steps), None)
    if deep.status is SolveStatus.OPTIMAL:
        return None
    return replace(deep, stop_reason=StopReason.TIME_LIMIT)


@pytest.mark.parametrize("engine", ["binary", "ranked"])
@pytest.mark.parametrize("seed", range(8))
def test_no_shallower_tree_is_better(seed: int, engine: str) -> None:
    rng = np.random.default_rng(8000 + seed)
    n_claims, n_tried = 0, 0
    while n_tried < 25:
        problem = deep_random_problem(rng)
        stated, search = search_of(problem, engine)
        steps = int(rng.choice([1, 2, 3, 5, 8]))
        deep = stopped(search, stated, steps)
        n_tried += 1
        if deep is None:
            continue
        more = int(rng.choice([3, 30, 100, 1000]))
        found = prove_shallower(deep, search, stated, Limits(step_limit=steps + more))
        check(problem, found, problem.optimum())
        assert verify(stated, found).ok, str(verify(stated, found))
        assert found.objective <= deep.objective + 1e-9
        assert found.lower_bound >= deep.lower_bound - 1e-9
        assert found.stats["steps"] >= deep.stats["steps"]
        depth = found.proven_depth
        assert (depth is None) == (not any(map(is_shallow_note, found.notes)))
        if depth is None:
            continue
        n_claims += 1
        assert found.status is SolveStatus.FEASIBLE
        least = float(problem.but(max_depth=depth).optimum())
        assert found.objective <= least + found.stats["proven_depth_rounding"] + 1e-12
        assert found.stats["proven_depth_rounding"] <= 1e-4 * found.objective
    assert n_claims >= 3


@pytest.mark.parametrize("engine", ["binary", "ranked"])
def test_a_shallow_proof_can_be_that_of_the_whole(engine: str) -> None:
    """Where the leaves of a deeper tree alone cost more than the tree found, or no deeper tree is allowed."""
    rng = np.random.default_rng(5)
    whole = 0
    for _ in range(150):
        problem = random_problem(rng, max_columns=7, max_rows=16)
        problem = problem.but(max_depth=None, max_leaf_nodes=[None, 4][rng.integers(2)])
        stated, search = search_of(problem, engine)
        deep = stopped(search, stated, 1)
        if deep is None:
            continue
        found = prove_shallower(deep, search, stated, Limits())
        check(problem, found, problem.optimum())
        assert verify(stated, found).ok
        whole += found.status is SolveStatus.OPTIMAL
    assert whole >= 10


def deep_problem() -> TinyProblem:
    rng = np.random.default_rng(2)
    return TinyProblem(
        rng.integers(0, 2, (8, 60)).astype(np.uint8),
        rng.integers(0, 2, 60).astype(np.int32),
        np.ones(60),
        1 - np.eye(2),
        0.002,
    )


def test_limits_keep_the_best_tree() -> None:
    stated, search = search_of(deep_problem(), "binary")
    deep = stopped(search, stated, 5)
    assert deep is not None
    none = prove_shallower(deep, search, stated, Limits(step_limit=5))
    assert none.stop_reason is StopReason.STEP_LIMIT
    assert none.proven_depth is None
    assert none.objective == deep.objective
    some = prove_shallower(deep, search, stated, Limits(step_limit=5000))
    assert some.stop_reason is StopReason.STEP_LIMIT
    assert some.stats["steps"] <= 5000
    assert some.proven_depth is not None
    assert some.objective < deep.objective


def test_a_callback_and_ctrl_c_end_the_shallow_part() -> None:
    stated, search = search_of(deep_problem(), "binary")
    deep = stopped(search, stated, 5)
    assert deep is not None
    seen: list[int] = []

    def breaking(
        asked: Problem, limits: Limits, progress: ProgressCallback | None, error: bool
    ) -> SolveResult:
        assert asked.max_depth is not None
        seen.append(asked.max_depth)
        if asked.max_depth == 4:
            if error:
                raise KeyboardInterrupt
            return replace(search(asked, Limits(step_limit=1), progress), stop_reason=StopReason.CALLBACK)
        return search(asked, limits, progress)

    for error, reason in ((True, StopReason.INTERRUPT), (False, StopReason.CALLBACK)):
        seen.clear()
        found = prove_shallower(deep, partial(breaking, error=error), stated, Limits())
        assert seen == [2, 3, 4]
        assert found.stop_reason is reason
        assert found.proven_depth == 3
        assert found.status is SolveStatus.FEASIBLE


def test_a_wrong_bound_is_withdrawn() -> None:
    stated, search = search_of(deep_problem(), "binary")
    deep = stopped(search, stated, 5)
    assert deep is not None
    false = replace(deep, lower_bound=deep.objective)
    with pytest.warns(match="The search claimed that there is no objective below"):
        found = prove_shallower(false, search, stated, Limits(step_limit=5000))
    assert found.lower_bound == stated.cost_complexity
    assert found.status is SolveStatus.FEASIBLE
    assert found.proven_depth is None
