"""Law: a row of whole weight w equals w copies of the row; a common factor of all weights changes nothing."""

import numpy as np
import pytest

from engines import Engine, every_engine
from tiny_problems import TOLERANCE, check, random_problem


@pytest.mark.parametrize("seed", range(60))
def test_whole_weights_are_copies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, max_columns=8, max_rows=40).but(min_samples_leaf=1)  # which counts rows
    problem = problem.but(weight=rng.integers(1, 5, problem.n_rows).astype(float))
    times = problem.weight.astype(int)
    copies = problem.but(
        goes_right=np.repeat(problem.goes_right, times, axis=1),
        y=np.repeat(problem.y, times),
        weight=np.ones(times.sum()),
    )
    weighted, copied = problem.solve(), copies.solve()
    check(copies, copied)
    assert weighted.tree.splits == copied.tree.splits
    assert weighted.objective == pytest.approx(copied.objective, abs=TOLERANCE)


@every_engine
@pytest.mark.parametrize("seed", range(60))
def test_whole_weights_cost_like_copies(seed: int, engine: Engine) -> None:
    rng = np.random.default_rng(1000 + seed)
    problem = engine.fitting(random_problem(rng, max_columns=8, max_rows=25)).but(min_samples_leaf=1)
    problem = problem.but(weight=rng.integers(1, 5, problem.n_rows).astype(float))
    times = problem.weight.astype(int)
    copies = problem.but(
        goes_right=np.repeat(problem.goes_right, times, axis=1),
        y=np.repeat(problem.y, times),
        weight=np.ones(times.sum()),
    )
    assert engine.solve(problem).objective == pytest.approx(engine.solve(copies).objective, abs=TOLERANCE)


@every_engine
@pytest.mark.parametrize("factor", [3.0, 0.5, 1e-6, 1e6, 1 / 3])
@pytest.mark.parametrize("seed", range(10))
def test_a_common_factor_changes_nothing(seed: int, factor: float, engine: Engine) -> None:
    problem = engine.fitting(random_problem(np.random.default_rng(100 + seed), max_columns=8, max_rows=40))
    expected = engine.solve(problem)
    scaled = problem.but(weight=problem.weight * factor)
    result = engine.solve(scaled)
    check(scaled, result)
    assert result.objective == pytest.approx(expected.objective, abs=TOLERANCE)
