"""Law: a limit that allows more trees never makes the optimum worse."""

from itertools import pairwise

import numpy as np
import pytest

from engines import Engine, every_engine
from tiny_problems import TOLERANCE, TinyProblem, random_problem


def medium(seed: int) -> TinyProblem:
    return random_problem(np.random.default_rng(seed), max_columns=9, max_rows=60)


@every_engine
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("limit", "values"),
    [
        ("max_depth", [0, 1, 2, 3, 4, 5, 9, None]),
        ("max_leaf_nodes", [1, 2, 3, 4, 5, 7, 12, None]),
        ("min_samples_leaf", [9, 5, 4, 3, 2, 1]),
    ],
)
def test_a_looser_limit_is_never_worse(
    seed: int, limit: str, values: list[int | None], engine: Engine
) -> None:
    problem = engine.fitting(medium(seed))
    if engine.needs_depth:
        values = [v for v in values if v is not None and limit != "max_leaf_nodes"]
    values = [v for v in values if limit != "min_samples_leaf" or (v or 0) <= problem.n_rows]
    objectives = [engine.solve(problem.but(**{limit: value})).objective for value in values]
    for tighter, looser in pairwise(objectives):
        assert looser <= tighter + TOLERANCE


@every_engine
@pytest.mark.parametrize("seed", range(10))
def test_more_columns_are_never_worse(seed: int, engine: Engine) -> None:
    problem = engine.fitting(medium(100 + seed))
    objectives = [
        engine.solve(problem.but(goes_right=problem.goes_right[:n])).objective
        for n in range(1, problem.n_columns + 1)
    ]
    for fewer, more in pairwise(objectives):
        assert more <= fewer + TOLERANCE
