"""Law: the objective of every engine is the smallest over all trees, whatever the table and the limits."""

import numpy as np
import pytest
from hypothesis import given, settings

from engines import Engine, every_engine
from strategies import tiny_problems
from tiny_problems import TinyProblem, check, random_problem
from treewright import SolveStatus


@every_engine
@pytest.mark.parametrize("seed", range(12))
def test_on_many_random_tables(seed: int, engine: Engine) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(80):
        problem = engine.fitting(random_problem(rng))
        result = engine.solve(problem)
        assert result.status is SolveStatus.OPTIMAL
        check(problem, result, problem.optimum())


@every_engine
@pytest.mark.parametrize("seed", range(4))
def test_on_larger_tables(seed: int, engine: Engine) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(15):
        problem = engine.fitting(random_problem(rng, max_columns=9, max_rows=18))
        result = engine.solve(problem)
        assert result.status is SolveStatus.OPTIMAL
        check(problem, result, problem.optimum())


@every_engine
@settings(max_examples=100, deadline=None, derandomize=True)
@given(problem=tiny_problems())
def test_on_tables_that_shrink(problem: TinyProblem, engine: Engine) -> None:
    problem = engine.fitting(problem)
    result = engine.solve(problem)
    assert result.status is SolveStatus.OPTIMAL
    check(problem, result, problem.optimum())
