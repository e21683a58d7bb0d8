"""Law: where leaves have no price, the tree has the least loss, and of all trees with that loss the fewest leaves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from brute_force import INFEASIBLE, best_objective
from tiny_problems import random_problem
from treewright import SolveStatus
from treewright.problem import make_problem
from treewright.search import BinaryOptions, Limits, solve
from treewright.search._result import LEAVES_NOT_PROVEN
from treewright.table import table_from

LEAF = Fraction(1, 10**9)  # all leaves together weigh less than any difference of two losses here


@pytest.mark.parametrize("seed", range(10))
def test_as_brute_force_finds_them(seed: int) -> None:
    rng = np.random.default_rng(900 + seed)
    compared = 0
    for _ in range(25):
        problem = random_problem(rng, max_columns=5, max_rows=12)
        problem = problem.but(
            cost_complexity=0.0, weight=np.ones(problem.n_rows), costs=1 - np.eye(len(problem.costs))
        )
        best = best_objective(
            problem.goes_right,
            problem.y,
            problem.weight,
            problem.costs,
            LEAF,
            problem.max_depth,
            problem.max_leaf_nodes,
            problem.min_samples_leaf,
        )
        if best >= INFEASIBLE:
            continue
        result = problem.solve()
        assert result.status is SolveStatus.OPTIMAL
        errors = round(result.loss * problem.n_rows)
        assert Fraction(errors, problem.n_rows) + LEAF * result.tree.n_leaves == best
        assert LEAVES_NOT_PROVEN not in result.notes
        compared += 1
    assert compared > 10


@pytest.mark.parametrize("max_depth", [3, 4, None])
def test_engines_agree(max_depth: int | None) -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, (150, 3)).astype(float)
    y = ((X[:, 0] > 1) ^ (X[:, 1] > 0)).astype(int) + (rng.random(150) < 0.1)
    problem = make_problem(table_from(X), y, cost_complexity=0.0, max_depth=max_depth)
    found = [
        solve(problem, "all", limits=Limits(time_limit=60), options=BinaryOptions(engine=engine))
        for engine in ("binary", "ranked")
    ]
    assert all(result.status is SolveStatus.OPTIMAL for result in found)
    assert found[0].loss == found[1].loss
    if not any(LEAVES_NOT_PROVEN in result.notes for result in found):
        assert found[0].tree.n_leaves == found[1].tree.n_leaves


def test_a_stop_while_leaves_are_counted_keeps_the_proof_of_the_loss() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (300, 14)).astype(float)
    y = rng.integers(0, 2, 300)
    problem = make_problem(table_from(X), y, cost_complexity=0.0, max_depth=5)
    whole = solve(problem, "all")
    first = solve(problem, "all", limits=Limits(step_limit=int(whole.stats["subproblems"]) - 1))
    assert whole.status is first.status is SolveStatus.OPTIMAL
    assert first.loss == whole.loss
    assert first.tree.n_leaves >= whole.tree.n_leaves
    assert LEAVES_NOT_PROVEN in first.notes
    assert LEAVES_NOT_PROVEN not in whole.notes
