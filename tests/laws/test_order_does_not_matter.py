"""Law: the order of rows, columns and labels, and the names of the sides, leave the optimum unchanged.

Rows in another order even give the same tree from the search over binary columns.
"""

import numpy as np
import pytest

from engines import Engine, every_engine
from tiny_problems import TOLERANCE, TinyProblem, check, random_problem
from treewright import OptimalTreeClassifier
from treewright.result import SolveStatus


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


@every_engine
@pytest.mark.parametrize("seed", range(60))
def test_rows_keep_the_optimum(seed: int, engine: Engine) -> None:
    rng, problem = some(500 + seed)
    problem = engine.fitting(problem)
    order = rng.permutation(problem.n_rows)
    moved = problem.but(
        goes_right=problem.goes_right[:, order], y=problem.y[order], weight=problem.weight[order]
    )
    result = engine.solve(moved)
    check(moved, result)
    assert result.objective == pytest.approx(engine.solve(problem).objective, abs=TOLERANCE)


@every_engine
@pytest.mark.parametrize("seed", range(60))
def test_columns(seed: int, engine: Engine) -> None:
    rng, problem = some(1000 + seed)
    problem = engine.fitting(problem)
    moved = problem.but(goes_right=problem.goes_right[rng.permutation(problem.n_columns)])
    result = engine.solve(moved)
    check(moved, result)
    assert result.objective == pytest.approx(engine.solve(problem).objective, abs=TOLERANCE)


@every_engine
@pytest.mark.parametrize("seed", range(60))
def test_labels(seed: int, engine: Engine) -> None:
    rng, problem = some(2000 + seed)
    problem = engine.fitting(problem)
    new = rng.permutation(len(problem.costs))  # class k is called new[k]
    old = np.argsort(new)
    moved = problem.but(y=new[problem.y].astype(np.int32), costs=problem.costs[np.ix_(old, old)])
    result = engine.solve(moved)
    check(moved, result)
    assert result.objective == pytest.approx(engine.solve(problem).objective, abs=TOLERANCE)


@every_engine
@pytest.mark.parametrize("seed", range(60))
def test_sides(seed: int, engine: Engine) -> None:
    rng, problem = some(3000 + seed)
    problem = engine.fitting(problem)
    flip = rng.integers(0, 2, (problem.n_columns, 1)).astype(np.uint8)
    moved = problem.but(goes_right=problem.goes_right ^ flip)
    result = engine.solve(moved)
    check(moved, result)
    assert result.objective == pytest.approx(engine.solve(problem).objective, abs=TOLERANCE)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_rows_in_the_order_of_their_labels(n_classes: int) -> None:
    """Ties as long as several chunks of a kernel keep that order, and no split parts them, whatever it promises."""
    rng = np.random.default_rng(n_classes)
    n_rows = 300 * n_classes
    y = np.repeat(np.arange(n_classes), 300)
    X = np.column_stack([np.arange(n_rows) >= n_rows - 3, rng.permutation(n_rows)])
    mixed = rng.permutation(n_rows)
    sorted_rows, mixed_rows = (
        OptimalTreeClassifier(0.0, max_depth=2, thresholds="all").fit(X[rows], y[rows]).result_
        for rows in (np.arange(n_rows), mixed)
    )
    assert sorted_rows.status is mixed_rows.status is SolveStatus.OPTIMAL
    assert sorted_rows.objective == mixed_rows.objective
