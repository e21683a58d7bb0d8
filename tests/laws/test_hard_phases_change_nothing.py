"""Law: the phases for hard problems (row prices, raised bounds, lattice) find the plain search's optimum.

`plain_steps` is set low, so that they begin on tables that the plain search can finish as a check.
"""

import numpy as np
import pytest

from tiny_problems import TOLERANCE, TinyProblem, check
from treewright import SolveStatus
from treewright.search import BinaryOptions, Limits

PLAIN = BinaryOptions(plain_steps=2**40, lattice=False)
HARD = [
    BinaryOptions(plain_steps=1, lattice=False),
    BinaryOptions(plain_steps=1, lattice_states=2),
    BinaryOptions(alone_steps=0),
    BinaryOptions(alone_steps=0, plain_steps=1, lattice_states=2),
    BinaryOptions(plain_steps=1),
    BinaryOptions(plain_steps=60, greedy_start=False),
    BinaryOptions(plain_steps=200, cache=True, two_leaves=False, similar_support=False),
]


def noisy_problem(seed: int) -> TinyProblem:
    rng = np.random.default_rng(seed)
    n_columns, n_rows = int(rng.integers(5, 12)), int(rng.integers(20, 130))
    n_classes = int(rng.integers(2, 4))
    goes_right = (rng.random((n_columns, n_rows)) < rng.choice([0.3, 0.5])).astype(np.uint8)
    y = (goes_right[0] ^ (goes_right[1] & goes_right[2])).astype(np.int32)
    noisy = rng.random(n_rows) < rng.choice([0.2, 0.6, 1.0])
    y[noisy] = rng.integers(0, n_classes, int(noisy.sum()))
    kind = rng.integers(3)
    weight = [np.ones(n_rows), rng.integers(1, 5, n_rows).astype(float), rng.random(n_rows) + 0.1][kind]
    costs = 1 - np.eye(n_classes)
    if kind < 2 and rng.random() < 0.3:
        costs = costs * rng.integers(1, 4, costs.shape)
    return TinyProblem(
        goes_right,
        y,
        weight,
        costs,
        cost_complexity=float(rng.choice([0.0, 0.003, 0.01, 0.02])),
        max_depth=[None, None, 3, 4, 5][rng.integers(5)],
        max_leaf_nodes=[None, None, None, 4, 7][rng.integers(5)],
        min_samples_leaf=int(rng.choice([1, 1, 2, 5])),
    )


@pytest.mark.parametrize("seed", range(40))
def test_same_optimum(seed: int) -> None:
    problem = noisy_problem(seed)
    plain = problem.solve(options=PLAIN)
    assert plain.status is SolveStatus.OPTIMAL
    for options in HARD:
        result = problem.solve(options=options)
        check(problem, result)
        assert result.status is SolveStatus.OPTIMAL
        assert result.objective == pytest.approx(plain.objective, abs=TOLERANCE)


@pytest.mark.parametrize("seed", range(40, 60))
def test_bounds_hold_when_stopped_in_any_phase(seed: int) -> None:
    problem = noisy_problem(seed)
    optimum = problem.solve(options=PLAIN).objective
    for steps in (3, 20, 70, 150, 400, 1500):
        for options in HARD[:3]:
            for memory in (2**30, 2**10):
                result = problem.solve(Limits(step_limit=steps, memory_limit=memory), options)
                check(problem, result)
                assert result.lower_bound <= optimum + TOLERANCE
                assert result.objective >= optimum - TOLERANCE
                if result.status is SolveStatus.OPTIMAL:
                    assert result.objective <= optimum + TOLERANCE
