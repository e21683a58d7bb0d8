"""Regrets of actions are exact sums rounded once: rewards and costs of one size leave the right last bits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from treewright import OptimalPolicyTree
from treewright.problem import make_policy_problem
from treewright.table import table_from
from treewright.verify import verify_policy

HARD = [0.1, 0.2, 0.3, 0.1 + 0.2, 0.3 - 0.1, 1 / 3, 1.0, 1e16, 1e-16, 1e300, -1e300, 5e-324, 1e-300, 0.0]


def test_regrets_equal_fractions() -> None:
    rng = np.random.default_rng(3)
    table = table_from(np.zeros((3, 1)))
    for _ in range(1500):
        n_actions = int(rng.integers(2, 5))
        rewards, costs = rng.choice(HARD, (3, n_actions)), rng.choice(HARD, n_actions)
        problem = make_policy_problem(table, rewards, action_costs=costs)
        net = [[Fraction(r) - Fraction(c) for r, c in zip(row, costs, strict=True)] for row in rewards]
        exact = [[max(row) - value for value in row] for row in net]
        largest = max(map(max, exact))
        i, a = next((i, a) for i in range(3) for a in range(n_actions) if exact[i][a] == largest)
        unit = (
            Fraction(problem.regret[i, a]) / largest if largest else Fraction(1)
        )  # of the problem's own choice
        for said, value in zip(problem.regret.flat, (v for row in exact for v in row), strict=True):
            if value > largest / 2**1500:  # the documented range
                assert abs(Fraction(said) - value * unit) <= value * unit / 2**50
            else:
                assert said >= 0


def test_a_regret_of_last_bits_is_searched() -> None:
    """After costs the second row loses 5.6e-17 by action 0; it was 0, and one leaf "best for every row"."""
    X, rewards, costs = np.array([[0.0], [1.0]]), np.array([[0.2, 0.3], [0.2, 0.1 + 0.2]]), [0.1, 0.2]
    nets = [[Fraction(r) - Fraction(c) for r, c in zip(row, costs, strict=True)] for row in rewards.tolist()]
    assert [row[0] > row[1] for row in nets] == [True, False]
    model = OptimalPolicyTree(max_depth=1, action_costs=costs).fit(X, rewards)
    assert model.tree_.n_leaves == 2
    assert model.result_.objective == 0.02  # no regret, two leaves
    problem = make_policy_problem(table_from(X), rewards, action_costs=costs, max_depth=1)
    assert verify_policy(problem, model.result_).ok
