"""Law: the search's objective is the smallest over all trees, whatever the table and the limits."""

import numpy as np
import pytest
from hypothesis import given, settings

from strategies import tiny_problems
from tiny_problems import TinyProblem, check, random_problem
from treewright import SolveStatus


@pytest.mark.parametrize("seed", range(12))
def test_on_many_random_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(250):
        problem = random_problem(rng)
        result = problem.solve()
        assert result.status is SolveStatus.OPTIMAL
        check(problem, result, problem.optimum())


@pytest.mark.parametrize("seed", range(4))
def test_on_larger_tables(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(15):
        problem = random_problem(rng, max_columns=9, max_rows=18)
        result = problem.solve()
        assert result.status is SolveStatus.OPTIMAL
        check(problem, result, problem.optimum())


@settings(max_examples=300, deadline=None, derandomize=True)
@given(tiny_problems())
def test_on_tables_that_shrink(problem: TinyProblem) -> None:
    result = problem.solve()
    assert result.status is SolveStatus.OPTIMAL
    check(problem, result, problem.optimum())
