"""Law: the order of rows, columns and labels, and the names of the sides, leave the optimum unchanged.

Rows in another order even give the same tree.
"""

import numpy as np
import pytest

from tiny_problems import TOLERANCE, TinyProblem, check, random_problem


def some(seed: int) -> tuple[np.random.Generator, TinyProblem]:
    rng = np.random.default_rng(seed)
    return rng, random_problem(rng, max_columns=9, max_rows=50)


@pytest.mark.parametrize("seed", range(60))
def test_rows(seed: int) -> None:
    rng, problem = some(seed)
    expected = problem.solve()
    order = rng.permutation(problem.n_rows)
    moved = problem.but(
        goes_right=problem.goes_right[:, order], y=problem.y[order], weight=problem.weight[order]
    )
    result = moved.solve()
    check(moved, result)
    assert result.tree.splits == expected.tree.splits
    assert result.tree.prediction.tolist() == expected.tree.prediction.tolist()
    assert result.stats["subproblems"] == expected.stats["subproblems"]


@pytest.mark.parametrize("seed", range(60))
def test_columns(seed: int) -> None:
    rng, problem = some(1000 + seed)
    moved = problem.but(goes_right=problem.goes_right[rng.permutation(problem.n_columns)])
    result = moved.solve()
    check(moved, result)
    assert result.objective == pytest.approx(problem.solve().objective, abs=TOLERANCE)


@pytest.mark.parametrize("seed", range(60))
def test_labels(seed: int) -> None:
    rng, problem = some(2000 + seed)
    new = rng.permutation(len(problem.costs))  # class k is called new[k]
    old = np.argsort(new)
    moved = problem.but(y=new[problem.y].astype(np.int32), costs=problem.costs[np.ix_(old, old)])
    result = moved.solve()
    check(moved, result)
    assert result.objective == pytest.approx(problem.solve().objective, abs=TOLERANCE)


@pytest.mark.parametrize("seed", range(60))
def test_sides(seed: int) -> None:
    rng, problem = some(3000 + seed)
    flip = rng.integers(0, 2, (problem.n_columns, 1)).astype(np.uint8)
    moved = problem.but(goes_right=problem.goes_right ^ flip)
    result = moved.solve()
    check(moved, result)
    assert result.objective == pytest.approx(problem.solve().objective, abs=TOLERANCE)
