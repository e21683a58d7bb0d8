"""Trees of lines in one column against a list of all trees, in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from brute_force_additive import best_tree, simple_lines
from treewright._native import core
from treewright.errors import InputError
from treewright.result import StopReason
from treewright.search import Limits, RankedOptions
from treewright.search._additive import solve_additive
from treewright.search._simple_lines import SimpleLinesLoss
from treewright.search._whole_numbers import whole_numbers
from treewright.table import table_from
from treewright.tree import ColumnKind

TABLES_A_BLOCK = 30
OPTIONS = (
    None,
    RankedOptions(plain_work=1, groups=False),
    RankedOptions(monotone=False, groups=False),
    RankedOptions(lipschitz=False, between=False, neighbours=False),
    RankedOptions(leaf_count=False, shallower=False, fair_shares=False, groups=False),
)


def random_case(rng: np.random.Generator):
    """A table with ties, missing values and text, of few digits and of many; weights whole, quarters or none."""
    n, n_columns = int(rng.integers(3, 10)), int(rng.integers(1, 4))
    columns = {
        f"x{j}": [
            rng.integers(0, rng.integers(2, 7), n).astype(float),
            rng.normal(size=n),
            rng.integers(0, 2000, n) / 1000,
            1e6 + rng.integers(0, 5, n) * 1e-3,
        ][rng.integers(4)]
        for j in range(n_columns)
    }
    if rng.random() < 0.3:
        columns["x0"][rng.random(n) < 0.3] = np.nan
    X = pd.DataFrame(columns)
    if rng.random() < 0.2:
        X["text"] = rng.choice(["red", "green", "blue"], n)
    y = [rng.integers(0, 5, n).astype(float), rng.normal(size=n), rng.integers(0, 2000, n) / 100][
        rng.integers(3)
    ]
    y[:2] = 0, 1
    weight = [
        np.ones(n),
        rng.integers(1, 4, n).astype(float),
        rng.integers(1, 9, n) / 4,
        rng.integers(1, 90, n) / 10,
        rng.integers(1, 4, n) * rng.random(),
    ][rng.integers(5)]
    return table_from(X), y, weight, {
        "cost_complexity": float(rng.choice([0, 0.125, 0.03125, 0.5])),
        "max_depth": [1, 2, 3, None][rng.integers(4)],
        "max_leaf_nodes": [None, None, 2, 3, 4][rng.integers(5)],
        "min_samples_leaf": int(rng.choice([1, 1, 2, 3])),
    }  # fmt: skip


def loss_of(table, y, weight):
    numbers = [j for j, column in enumerate(table.columns) if column.kind is not ColumnKind.CATEGORICAL]
    return SimpleLinesLoss(y, weight, table.X[:, numbers], tuple(table.columns[j].name for j in numbers))


@pytest.mark.parametrize("block", range(14))
def test_optimum(block):
    rng = np.random.default_rng(block)
    for k in range(TABLES_A_BLOCK):
        table, y, weight, asked = random_case(rng)
        loss = loss_of(table, y, weight)
        exact = simple_lines(y, weight, loss.X)
        variance = simple_lines(y, weight, loss.X[:, :0])(list(range(len(y))))
        price = Fraction(asked["cost_complexity"]) * variance
        limits = {name: asked[name] for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf")}
        wanted, leaves = best_tree(table, exact, price=price, **limits)
        found = solve_additive(
            table, loss, **asked, options=OPTIONS[k % len(OPTIONS)], share_of=float(variance)
        )
        assert found.proven
        assert found.tolerance <= 1e-8 * variance
        assert abs(found.objective - float(wanted)) <= found.tolerance + 1e-12 * variance
        assert found.lower_bound <= float(wanted) + 1e-14 * variance
        assert found.n_leaves <= leaves


@pytest.mark.parametrize("seed", range(6))
def test_stopped_searches_hold_their_bound(seed):
    rng = np.random.default_rng(seed)
    table = table_from(rng.normal(size=(50, 3)).round(1))
    loss = loss_of(table, rng.integers(1, 9, 50).astype(float), np.ones(50))
    about = {"cost_complexity": 0.01, "max_depth": 2, "min_samples_leaf": 4, "share_of": loss.variance()}
    proven = solve_additive(table, loss, **about)
    assert proven.proven
    for steps in (1, 5, 40):
        stopped = solve_additive(table, loss, **about, limits=Limits(step_limit=steps))
        assert stopped.lower_bound <= proven.objective + 1e-12 <= stopped.objective + 2e-12


@pytest.mark.parametrize(
    ("numbers", "exact"),
    [
        ([1, 2, 5], True),
        ([0.25, -3.5, 1e6], True),
        ([2.0**999, 2.0**998], True),
        ([0.1, 0.2, 0.7], False),
        ([1e6 + 0.001, 1e6 + 0.002, 1e6], True),
        ([7.0], True),
    ],
)
def test_whole_numbers_keep_differences(numbers, exact):
    numbers = np.array(numbers)
    found = whole_numbers(numbers, 50)
    assert found.stretch == 0 if exact else 0 < found.stretch < 1e-5
    assert np.abs(found.whole).max() < 2**50
    own, whole = [Fraction(v) for v in numbers.tolist()], [int(v) for v in found.whole]
    for i in range(len(own)):
        for k in range(i):
            apart, stands_for = own[i] - own[k], (whole[i] - whole[k]) * Fraction(found.unit)
            assert abs(apart - stands_for) <= Fraction(found.stretch) * min(abs(apart), abs(stands_for)) + (
                abs(stands_for) * Fraction(1, 2**53) * (not exact)
            )  # the unit of decimals is itself rounded


@pytest.mark.parametrize(
    "numbers", [[1.0, 1 + 2.0**-52, 1e300], [1.0, 1 + 2.0**-52, 3.0], [0.0, 1e-320, 1e300]]
)
def test_numbers_that_become_one_stretch_without_end(numbers):
    assert whole_numbers(np.array(numbers), 40).stretch == np.inf


def test_what_cannot_be_compared_is_refused_with_what_to_do():
    n = 40
    y = np.arange(n) % 7.0
    table = table_from(
        np.column_stack([np.arange(n) % 5, np.where(np.arange(n) == 3, 1 + 2.0**-50, np.arange(n))])
    )
    with pytest.raises(InputError, match=r"Column 'x1' has values that lie too close together.*Round it"):
        solve_additive(table, loss_of(table, y, np.ones(n)))
    table = table_from(np.arange(n)[:, None])
    for weight in (np.full(n, 1.0) + 0.1 * np.sqrt(np.arange(n)), np.full(n, 2.0**20) + np.arange(n) % 2):
        with pytest.raises(InputError, match="sample_weight: lines are compared as whole numbers"):
            solve_additive(table, loss_of(table, y, weight))


@pytest.mark.parametrize("n_columns", [3, 11])
def test_every_instruction_set_finds_the_same_tree(n_columns):
    rng = np.random.default_rng(n_columns)
    X = rng.normal(size=(70, n_columns)).round(2)
    X[rng.random(X.shape) < 0.01] = np.nan
    table = table_from(X)
    loss = loss_of(table, np.nan_to_num(X[:, 0]) * (X[:, 1] > 0) + rng.normal(size=70).round(3), np.ones(70))
    found = []
    try:
        for level in (core.Simd.PLAIN, core.Simd.AVX2, core.Simd.AVX512):
            core.set_simd_limit(level)
            answer = solve_additive(table, loss, max_depth=2, min_samples_leaf=3)
            found.append((answer.splits, answer.objective, answer.stats["steps"]))
    finally:
        core.set_simd_limit(core.Simd.AVX512)
    assert found[0] == found[1] == found[2]


def test_a_look_at_one_node_of_a_wide_table_can_be_stopped():
    rng = np.random.default_rng(0)
    table = table_from(rng.integers(0, 100, (300, 1200)).astype(float))
    told = []

    def second_time(now):
        told.append(now)
        return len(told) > 1

    found = solve_additive(table, loss_of(table, rng.normal(size=300), np.ones(300)), progress=second_time)
    assert found.stop is StopReason.CALLBACK
    assert found.stats["passes"] == 0  # the first look had not ended
    assert found.lower_bound <= found.objective < found.leaf_loss


@pytest.mark.parametrize("least", [2, 3, 5])
def test_leaves_of_a_least_size_leave_few_splits_open(least):
    rng = np.random.default_rng(least)
    X = rng.integers(0, 50, (120, 4)).astype(float)
    table = table_from(X)
    loss = loss_of(table, np.where(X[:, 0] > 25, X[:, 1], -X[:, 2]) + rng.integers(0, 9, 120), np.ones(120))
    asked = {"max_depth": 2, "min_samples_leaf": least}
    bounded = solve_additive(table, loss, **asked)
    plain = solve_additive(table, loss, **asked, options=RankedOptions(monotone=False, groups=False))
    assert bounded.proven
    assert bounded.objective == plain.objective
    assert bounded.stats["passes"] < plain.stats["passes"] / 2
