"""Law: rows of a large table that are numbered afresh for each depth-two problem give the same search."""

from __future__ import annotations

import numpy as np

from treewright.problem import make_regression_problem
from treewright.result import SolveStatus
from treewright.search import RankedOptions, solve_regression
from treewright.table import table_from

ROWS = 17_000  # from 16,384 on rows are numbered (cpp/src/kernels/moment_pair_solver.cpp)


def test_numbered_rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(ROWS, 3)).round(1)
    y = np.where(X[:, 1] > 0.3, X[:, 0] > 0, X[:, 2] > 1) + rng.normal(size=ROWS, scale=0.3).round(2)
    problem = make_regression_problem(table_from(X), y, max_depth=3, cost_complexity=0.0001)
    numbered, as_they_are = (
        solve_regression(problem, options=RankedOptions(compact_rows=compact)) for compact in (True, False)
    )
    assert numbered.status is SolveStatus.OPTIMAL
    assert numbered.tree.splits == as_they_are.tree.splits
    assert numbered.objective == as_they_are.objective
    assert numbered.stats["passes"] == as_they_are.stats["passes"]
