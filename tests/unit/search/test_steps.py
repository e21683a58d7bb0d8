"""`step_limit` is kept to the step by every engine, and the result counts the same steps."""

import numpy as np
import pytest

from treewright.problem import make_problem
from treewright.search import (
    BinaryOptions,
    Limits,
    solve,
    solve_frontier,
    solve_leaf_accuracy,
    solve_with_leaf_accuracy,
)
from treewright.table import table_from

RANKED, BINARY = (
    BinaryOptions(engine="ranked"),
    BinaryOptions(engine="binary", greedy_start=False, lattice=False),
)
ENGINES = {
    "binary columns": lambda problem, limits: solve(problem, 12, limits=limits, options=BINARY),
    "ranked columns": lambda problem, limits: solve(problem, limits=limits, options=RANKED),
    "frontier": lambda problem, limits: solve_frontier(problem, 12, limits=limits)[0],
    "leaf accuracy": lambda problem, limits: solve_leaf_accuracy(problem, 12, limits=limits),
    "required accuracy": lambda problem, limits: solve_with_leaf_accuracy(problem, 12, 0.0, limits=limits),
}


@pytest.mark.parametrize("name", ENGINES)
def test_steps_are_counted_and_limited(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = ((X[:, 0] > 0) & (X[:, 1] > 0.2)) ^ (rng.random(300) < 0.2)
    leaves = {"max_leaf_nodes": 6} if name == "frontier" else {}
    problem = make_problem(table_from(X), y, cost_complexity=0.002, max_depth=3, **leaves)
    run = ENGINES[name]
    whole = run(problem, Limits()).stats["steps"]
    assert whole > 30
    for limit in (10, 25):
        first, second = (run(problem, Limits(step_limit=limit)) for _ in range(2))
        assert first.stats["steps"] == second.stats["steps"] == limit
        assert first.objective == second.objective
