"""Law: a search for the best worst leaf that ends before it ranks its columns has the best tree of one split.

The way is one for large tables; here it is taken for small ones, whose best tree of one split is proven beside it, with
few buckets and few sums at once, so that buckets are looked into.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from treewright.problem import make_problem
from treewright.result import SolveStatus, StopReason
from treewright.search import Limits, solve_leaf_accuracy
from treewright.search import _single_split as single_split
from treewright.search import _worse_side as worse_side
from treewright.table import table_from
from treewright.verify import verify


def table_of(rng):
    n = int(rng.integers(20, 80))
    X = rng.normal(size=(n, 3))
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 2] = np.exp(20 * X[:, 2])  # nearly all in one bucket of even ones
    if rng.random() < 0.4:
        X[rng.random((n, 3)) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    if rng.random() < 0.3:
        size = pd.Categorical.from_codes(rng.integers(0, 3, n), ["s", "m", "l"], ordered=True)
        frame = frame.assign(size=size)
    return table_from(frame)


@pytest.mark.parametrize("criterion", ["accuracy", "lower_bound"])
@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_best_split(seed, criterion, monkeypatch):
    rng = np.random.default_rng(seed)
    table = table_of(rng)
    y = rng.integers(0, rng.integers(1, 5), table.n_rows)
    y = np.where(np.nan_to_num(table.X[:, 0]) > 0.3, 0, y)
    weight = [None, rng.integers(1, 5, table.n_rows), rng.exponential(size=table.n_rows) + 0.01][seed % 3]
    how = {"cost_complexity": 0.0, "min_samples_leaf": int(rng.choice([1, 1, 3]))}
    proven = solve_leaf_accuracy(
        make_problem(table, y, sample_weight=weight, max_depth=1, **how), "all", criterion=criterion
    )
    problem = make_problem(table, y, sample_weight=weight, max_depth=2, **how)
    best = solve_leaf_accuracy(problem, "all", criterion=criterion)
    monkeypatch.setattr(single_split, "MOST_CELLS", -1)
    for name, values in {
        "LEAST_ROWS": [1],
        "BUCKETS": [1, 2, 5, 50, 4096],
        "MOST_SUMS": [20, 100, 2**22],
        "SAMPLE": [2, 10, 2**15],
    }.items():
        monkeypatch.setattr(worse_side, name, int(rng.choice(values)))
    found = solve_leaf_accuracy(problem, "all", criterion=criterion, limits=Limits(time_limit=1e-9))
    assert found.objective == pytest.approx(proven.objective, abs=1e-9)
    assert (found.status, found.stop_reason) == (SolveStatus.FEASIBLE, StopReason.TIME_LIMIT)
    assert found.stats["engine_reason"] == single_split.UNRANKED["engine_reason"]
    assert found.upper_bound >= best.objective - 1e-12
    assert verify(problem, found).ok


def test_long_columns_alone_are_worth_it():
    X = np.random.default_rng(0).normal(size=(100, 2))
    problem = make_problem(table_from(X), np.arange(100) % 2, cost_complexity=0.0, max_depth=1)
    assert not worse_side.is_worth_seeking(problem)
