"""``min_leaf_accuracy=0`` asks for nothing: the result is that of the plain search, whatever a leaf costs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from treewright import OptimalTreeClassifier
from treewright.binarize import midpoints
from treewright.problem import Problem, make_problem
from treewright.result import SolveStatus
from treewright.search import solve, solve_with_leaf_accuracy
from treewright.table import table_from

PRICES = (0.0, 1e-9, 1e-4, 1 / 64, 1 / 32, 1 / 31, 0.05, 0.1, 0.25, 0.5, 0.9, 1.0)


def random_problem(rng: np.random.Generator, price: float) -> Problem:
    """A table with ties, missing values, text and weights of four kinds; any of them may be absent."""
    n = int(rng.integers(2, 40))
    columns = {f"x{j}": rng.integers(0, rng.integers(2, 9), n).astype(float) for j in range(2)}
    if rng.random() < 0.5:
        columns["x0"][rng.random(n) < 0.2] = np.nan
    if rng.random() < 0.5:
        columns["word"] = np.array(["red", "green", "blue"], dtype=object)[rng.integers(0, 3, n)]
    y = (np.nan_to_num(columns["x0"]) > 2).astype(int) ^ (rng.random(n) < 0.3)
    weight = (
        None,
        rng.integers(1, 5, n).astype(float),
        rng.integers(1, 40, n) / 10,
        rng.random(n) + 0.1,
    )[rng.integers(4)]
    return make_problem(
        table_from(pd.DataFrame(columns)), y, sample_weight=weight, cost_complexity=price,
        class_weight="balanced" if rng.random() < 0.3 else None,
        max_depth=int(rng.integers(0, 4)), min_samples_leaf=int(rng.integers(1, 3)),
    )  # fmt: skip


@pytest.mark.parametrize("price", PRICES)
def test_every_price(price: float) -> None:
    rng = np.random.default_rng(PRICES.index(price))
    for _ in range(40):
        problem = random_problem(rng, price)
        cuts = midpoints(problem.table, sample_weight=problem.sample_weight)
        plain = solve(problem, cuts)
        same = solve_with_leaf_accuracy(problem, cuts, 0)
        assert plain.status is SolveStatus.OPTIMAL
        assert same.status is SolveStatus.OPTIMAL
        assert same.objective == pytest.approx(plain.objective, abs=1e-12)
        assert same.tree.n_leaves <= plain.tree.n_leaves


def test_a_price_above_a_thirtieth_of_the_rows() -> None:
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    y = np.array([0] * 50 + [1] * 29 + [0] * 21)
    model = OptimalTreeClassifier(0.1, max_depth=1, min_leaf_accuracy=0).fit(X, y)
    assert model.get_n_leaves() == 1
    assert model.result_.objective == pytest.approx(0.39)
