"""Law: a limit that allows more trees never makes the optimum worse."""

from itertools import pairwise

import numpy as np
import pytest

from tiny_problems import TOLERANCE, TinyProblem, random_problem


def medium(seed: int) -> TinyProblem:
    return random_problem(np.random.default_rng(seed), max_columns=9, max_rows=60)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("limit", "values"),
    [
        ("max_depth", [0, 1, 2, 3, 4, 5, 9, None]),
        ("max_leaf_nodes", [1, 2, 3, 4, 5, 7, 12, None]),
        ("min_samples_leaf", [9, 5, 4, 3, 2, 1]),
    ],
)
def test_a_looser_limit_is_never_worse(seed: int, limit: str, values: list[int | None]) -> None:
    problem = medium(seed)
    values = [v for v in values if limit != "min_samples_leaf" or (v or 0) <= problem.n_rows]
    objectives = [problem.but(**{limit: value}).solve().objective for value in values]
    for tighter, looser in pairwise(objectives):
        assert looser <= tighter + TOLERANCE


@pytest.mark.parametrize("seed", range(10))
def test_more_columns_are_never_worse(seed: int) -> None:
    problem = medium(100 + seed)
    objectives = [
        problem.but(goes_right=problem.goes_right[:n]).solve().objective
        for n in range(1, problem.n_columns + 1)
    ]
    for fewer, more in pairwise(objectives):
        assert more <= fewer + TOLERANCE
