"""Law: few rows that prove a bound for every set that holds them (B8) save steps, and change no optimum.

Errors cost more than a leaf here and ones are rare, so that few rows need as many leaves as many.
"""

import numpy as np
import pytest

from tiny_problems import TOLERANCE, TinyProblem, check
from treewright import SolveResult, SolveStatus
from treewright.search import BinaryOptions


def rare_ones(seed: int, n_columns: int, n_rows: int, n_classes: int = 2, **limits: int) -> TinyProblem:
    """Labels without noise: the parity of four columns and a product; in odd problems rows weigh one to three."""
    rng = np.random.default_rng(seed)
    goes_right = (rng.random((n_columns, n_rows)) < 0.15).astype(np.uint8)
    y = ((goes_right[:4].sum(axis=0) + goes_right[4] * goes_right[5]) % n_classes).astype(np.int32)
    weight = np.ones(n_rows) if seed % 2 == 0 else rng.integers(1, 4, n_rows).astype(float)
    return TinyProblem(goes_right, y, weight, 1 - np.eye(n_classes), cost_complexity=0.001, **limits)


def solved(problem: TinyProblem, *, few_rows: bool) -> SolveResult:
    options = BinaryOptions(few_rows=few_rows, plain_steps=1, lattice=False, row_prices=False)
    result = problem.solve(options=options)
    assert result.status is SolveStatus.OPTIMAL
    check(problem, result)
    return result


@pytest.mark.parametrize(("seed", "n_columns", "n_rows"), [(0, 40, 200), (1, 30, 150), (1, 40, 200)])
def test_same_optimum_in_fewer_steps(seed: int, n_columns: int, n_rows: int) -> None:
    problem = rare_ones(seed, n_columns, n_rows)
    without, found = solved(problem, few_rows=False), solved(problem, few_rows=True)
    assert found.objective == pytest.approx(without.objective, abs=TOLERANCE)
    assert found.stats["steps"] < 0.9 * without.stats["steps"]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("limits", [{"max_depth": 5}, {"max_leaf_nodes": 8}, {"min_samples_leaf": 2}, {}])
def test_same_optimum(seed: int, limits: dict[str, int]) -> None:
    problem = rare_ones(seed, 24, 90, n_classes=2 + seed % 3, **limits)
    without, found = solved(problem, few_rows=False), solved(problem, few_rows=True)
    assert found.objective == pytest.approx(without.objective, abs=TOLERANCE)
