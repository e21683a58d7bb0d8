"""Law: where numbers were rounded too far for a proof, the tree is not worse than the best tree of one split.

The best tree of one split is found here among all splits that the columns offer, from the numbers that were given.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from treewright.binarize import candidates_of
from treewright.problem import make_probability_problem, make_problem, make_regression_problem
from treewright.search import BinaryOptions, Limits, solve, solve_probability, solve_regression
from treewright.table import table_from

NEAR = 1e-9  # relative, of sums in float64
WIDE = [1e-9, 1, 3e5, 1e12]  # weights


def random_table(rng: np.random.Generator, n: int):
    columns = {
        "a": rng.integers(0, 4, n).astype(float),
        "b": rng.normal(size=n).round(2),
        "town": rng.choice(["Bern", "Ulm", "Wien"], n),
    }
    if rng.random() < 0.5:
        columns["a"][rng.integers(n)] = np.nan
        columns["town"] = np.where(rng.random(n) < 0.2, None, columns["town"])
    return table_from(pd.DataFrame(columns))


def sides_of_all_splits(table, least):
    for offered in candidates_of(table):
        for split in offered.splits():
            left = split.goes_left(table.X)
            if least <= left.sum() <= table.n_rows - least:
                yield left, ~left


def log_loss(y, weight, n_classes, rows):
    of = [math.fsum(weight[rows & (y == k)]) for k in range(n_classes)]
    total = math.fsum(of)
    return math.fsum(
        -w * math.log1p(-math.fsum(of[:k] + of[k + 1 :]) / total)
        if 2 * w > total
        else w * math.log(total / w)
        for k, w in enumerate(of)
        if w > 0
    )


def paid(y, weight, costs, rows):
    of = [sum(Fraction(w) for w in weight[rows & (y == k)]) for k in range(len(costs))]
    labels = range(len(costs))
    return min(sum(of[k] * Fraction(costs[k][c]) for k in labels) for c in labels)


@pytest.mark.parametrize("limit", [None, 1])
@pytest.mark.parametrize("engine", ["binary", "ranked"])
def test_classes(engine: str, limit: int | None) -> None:
    rounded = 0
    for seed in range(80):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 9))
        table, y = random_table(rng, n), np.concatenate([np.arange(3), rng.integers(0, 3, n - 3)])
        weight = rng.choice(WIDE, n) * rng.uniform(1, 2, n)
        costs = (1 - np.eye(3)) * 10.0 ** rng.uniform(-6, 3, (3, 3))
        least = int(rng.integers(1, 3))
        problem = make_problem(
            table,
            y,
            sample_weight=weight,
            costs=costs,
            cost_complexity=0.0,
            max_depth=3,
            min_samples_leaf=least,
        )
        found = solve(problem, "all", options=BinaryOptions(engine=engine), limits=Limits(step_limit=limit))
        if not found.is_rounded:
            continue
        rounded += 1
        everything = np.ones(n, dtype=bool)
        best = min(
            [paid(y, weight, costs, everything)]
            + [
                paid(y, weight, costs, left) + paid(y, weight, costs, right)
                for left, right in sides_of_all_splits(table, least)
            ]
        )
        assert found.objective <= float(best / sum(map(Fraction, weight))) * (1 + NEAR), seed
        assert found.lower_bound <= found.objective
    assert rounded > 5


def test_log_loss() -> None:
    rounded = 0
    for seed in range(80):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 8))
        table, y = random_table(rng, n), rng.integers(0, 2, n)
        y[:2] = 0, 1
        weight = rng.choice([0.08, 1, 3e5], n)
        problem = make_probability_problem(
            table, y, sample_weight=weight, criterion="log_loss", cost_complexity=0.0, max_depth=3
        )
        found = solve_probability(problem)
        if not found.is_rounded:
            continue
        rounded += 1
        one_leaf = log_loss(y, weight, 2, np.ones(n, dtype=bool))
        best = min(
            log_loss(y, weight, 2, left) + log_loss(y, weight, 2, right)
            for left, right in sides_of_all_splits(table, 1)
        )
        assert found.objective <= best / one_leaf + NEAR, seed
    assert rounded > 5


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_numbers(criterion: str) -> None:
    rounded = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 8))
        table, y = random_table(rng, n), rng.choice([1.0, 1.0 + 1e-6, 2e6], n) * rng.uniform(1, 1 + 1e-5, n)
        weight = rng.choice([1e-7, 1, 3e5], n) * rng.uniform(1, 2, n)
        given = {"sample_weight": weight, "criterion": criterion, "cost_complexity": 0.0}
        found = solve_regression(make_regression_problem(table, y, max_depth=3, **given))
        if not found.is_rounded:
            continue
        rounded += 1
        one = solve_regression(make_regression_problem(table, y, max_depth=1, **given))
        assert found.objective <= one.objective + NEAR
    assert rounded > 0


def test_weights_that_the_ranked_engine_once_rounded_away_are_proven() -> None:
    """It held one leaf for the best, a hundred times worse than one split; from that split's units it proves zero."""
    table, y = table_from(np.array([[1.0], [0.0], [2.0]])), [0, 2, 1]
    costs = [[0, 0.1, 0.1], [10, 0, 0.01], [1000, 0.01, 0]]
    problem = make_problem(table, y, cost_complexity=0, costs=costs, sample_weight=[3e9, 1, 1])
    found = solve(problem, "all", options=BinaryOptions(engine="ranked"))
    assert found.status.name == "OPTIMAL"
    assert found.objective == 0


def test_log_loss_by_two_parts_in_a_hundred_million() -> None:
    table = table_from(np.array([[np.nan], [0.0], [np.nan]]))
    problem = make_probability_problem(
        table, [1, 0, 0], sample_weight=[1, 0.08, 300000], criterion="log_loss", cost_complexity=0
    )
    found = solve_probability(problem)
    assert found.is_only_rounded
    assert found.tree.n_leaves == 2
    assert found.objective == pytest.approx(1 - 1.959e-8, abs=1e-11)
