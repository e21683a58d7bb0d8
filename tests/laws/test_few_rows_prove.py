"""Law: few rows that prove a bound for every set that holds them (B8) save steps, and change no optimum."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tiny_problems import TOLERANCE, TinyProblem, check
from treewright import SolveStatus
from treewright.search import BinaryOptions

AT_ONCE = {"plain_steps": 1, "lattice": False, "row_prices": False}


def grown_labels(rng: np.random.Generator, goes_right: NDArray[np.uint8], n_classes: int) -> NDArray[np.int32]:
    """Labels that a tree of nine leaves gives without an error, so that a leaf is cheaper than any error."""
    y = np.zeros(goes_right.shape[1], dtype=np.int32)
    leaves = [np.arange(len(y))]
    while len(leaves) < 9:
        rows = leaves.pop(int(np.argmax([len(leaf) for leaf in leaves])))
        right = goes_right[int(rng.integers(len(goes_right)))][rows] == 1
        leaves += [rows[right], rows[~right]]
    for number, rows in enumerate(leaves):
        y[rows] = (number + int(rng.integers(2))) % n_classes
    return y


def problem_without_errors(seed: int, n_classes: int = 2, max_depth: int | None = None) -> TinyProblem:
    rng = np.random.default_rng(seed)
    goes_right = (rng.random((26, 150)) < 0.5).astype(np.uint8)
    y = grown_labels(rng, goes_right, n_classes)
    weight = np.ones(150) if seed % 2 == 0 else rng.integers(1, 4, 150).astype(float)
    return TinyProblem(
        goes_right, y, weight, 1 - np.eye(n_classes), cost_complexity=0.004, max_depth=max_depth
    )


@pytest.mark.parametrize(("seed", "n_classes", "max_depth"), [(0, 2, None), (1, 3, None), (2, 2, 5), (3, 2, 6)])
def test_same_optimum_in_fewer_steps(seed: int, n_classes: int, max_depth: int | None) -> None:
    problem = problem_without_errors(seed, n_classes, max_depth)
    without = problem.solve(options=BinaryOptions(few_rows=False, **AT_ONCE))
    found = problem.solve(options=BinaryOptions(**AT_ONCE))
    for result in (without, found):
        assert result.status is SolveStatus.OPTIMAL
        check(problem, result)
    assert found.objective == pytest.approx(without.objective, abs=TOLERANCE)
    print(found.stats["steps"], without.stats["steps"], found.objective)
    assert found.stats["steps"] < 0.7 * without.stats["steps"]
