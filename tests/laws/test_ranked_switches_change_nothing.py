"""Law: over ranked columns each switch off, alone or with all others, leaves the optimum as it is.

Tables are large enough for what the switches change: nodes of 64 rows have bins of targets, and rows of weight one are
compact.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from treewright.problem import (
    make_policy_problem,
    make_probability_problem,
    make_problem,
    make_regression_problem,
    make_survival_problem,
)
from treewright.result import SolveStatus, StopReason
from treewright.search import (
    BinaryOptions,
    Limits,
    RankedOptions,
    solve,
    solve_frontier,
    solve_policy,
    solve_probability,
    solve_regression,
    solve_survival,
)
from treewright.search import _single_split as single_split
from treewright.table import table_from

SWITCHES = [field.name for field in fields(RankedOptions) if isinstance(field.default, bool)]
OFF = [{name: False} for name in SWITCHES] + [dict.fromkeys(SWITCHES, False)]
SAME_TREE = ("compact_rows", "target_bins")  # they only leave out what cannot be the answer
NEAR = 1e-9


def table_of(rng, n=150):
    X = rng.normal(size=(n, 4)).round(1)
    X[rng.random(n) < 0.05, 1] = np.nan
    return table_from(X)


def numbers(criterion, weighted):
    def made(rng, table, **how):
        y = np.nan_to_num(table.X[:, 0]) * 2 + (table.X[:, 2] > 0) + rng.normal(size=table.n_rows).round(2)
        if criterion in ("poisson", "gamma"):
            y = np.exp(y).round() + (criterion == "gamma")
        weight = rng.integers(1, 4, table.n_rows) if weighted else None
        return make_regression_problem(
            table, y, sample_weight=weight, criterion=criterion, quantile=0.8, **how
        )

    return made, solve_regression


def labels(rng, table):
    return (table.X[:, 0] > 0.2).astype(int) + (table.X[:, 2] + rng.normal(size=table.n_rows) > 1)


KINDS = {
    "squared error": numbers("squared_error", weighted=False),
    "squared error, weighted": numbers("squared_error", weighted=True),
    "absolute error": numbers("absolute_error", weighted=False),
    "quantile, weighted": numbers("quantile", weighted=True),
    "poisson": numbers("poisson", weighted=False),
    "classes": (lambda rng, table, **how: make_problem(table, labels(rng, table), **how), solve),
    "log loss": (
        lambda rng, table, **how: make_probability_problem(
            table, labels(rng, table), criterion="log_loss", **how
        ),
        solve_probability,
    ),
    "policy": (
        lambda rng, table, **how: make_policy_problem(table, rng.integers(0, 9, (table.n_rows, 3)), **how),
        solve_policy,
    ),
    "survival": (
        lambda rng, table, **how: make_survival_problem(
            table, (rng.random(table.n_rows) < 0.7, rng.exponential(1.0 + labels(rng, table))), **how
        ),
        solve_survival,
    ),
}


@pytest.mark.parametrize("least", [1, 10])
@pytest.mark.parametrize("kind", KINDS)
def test_each_switch_off(kind, least):
    make, search = KINDS[kind]
    rng = np.random.default_rng(5)
    problem = make(rng, table_of(rng), max_depth=2, cost_complexity=0.01, min_samples_leaf=least)
    best = search(problem, options=RankedOptions())
    assert best.status is SolveStatus.OPTIMAL
    for off in OFF:
        result = search(problem, options=RankedOptions(**off))
        assert result.status is SolveStatus.OPTIMAL
        assert result.objective == pytest.approx(best.objective, abs=NEAR), off
        if set(off) <= set(SAME_TREE):
            assert result.tree.splits == best.tree.splits
            assert result.stats["steps"] == best.stats["steps"]
            assert result.options[next(iter(off))] is False


@pytest.mark.parametrize("price", [0, 0.002])
@pytest.mark.parametrize("kind", KINDS)
def test_sides_that_are_bounded_nearly(kind, price):
    """At depth three nearly solved sides give the same tree, in fewer passes over squared errors."""
    make, search = KINDS[kind]
    rng = np.random.default_rng(8)
    problem = make(rng, table_of(rng, 300), max_depth=3, cost_complexity=price)
    near, whole = (
        search(problem, options=RankedOptions(near_sides=on, groups=False)) for on in (True, False)
    )
    assert near.status is whole.status is SolveStatus.OPTIMAL
    assert near.objective == pytest.approx(whole.objective, abs=NEAR)
    assert near.tree.splits == whole.tree.splits
    if kind.startswith("squared error"):
        assert near.stats["passes"] < whole.stats["passes"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limits", [Limits(step_limit=1), Limits(time_limit=1e-9)], ids=["steps", "time"])
def test_one_split_without_ranks_or_with_them(kind, limits, monkeypatch):
    """What a run hands out whose limits end before it ranks its columns is not worse than what it finds by ranks."""
    make, search = KINDS[kind]
    rng = np.random.default_rng(6)
    problem = make(rng, table_of(rng, 400), max_depth=3, cost_complexity=0.01)
    monkeypatch.setattr(single_split, "MOST_CELLS", 0)
    found = {on: search(problem, limits=limits, options=RankedOptions(unranked=on)) for on in (True, False)}
    for on, result in found.items():
        unranked = result.stats["engine_reason"] == single_split.UNRANKED["engine_reason"]
        assert unranked is on
        if (
            result.status is not SolveStatus.OPTIMAL
        ):  # there is always time for a first tree, which may be all
            assert result.stop_reason in (StopReason.STEP_LIMIT, StopReason.TIME_LIMIT)
        assert result.lower_bound <= min(other.objective for other in found.values()) + NEAR
    assert found[True].tree.n_leaves <= 2 or kind in ("absolute error", "quantile, weighted")


def test_a_front_over_binary_columns_is_searched_where_its_engine_is_asked_for(monkeypatch):
    rng = np.random.default_rng(7)
    table = table_from(rng.integers(0, 2, (200, 6)).astype(float))
    y = table.X[:, 0].astype(int) + (rng.random(200) < 0.2)
    problem = make_problem(table, y, cost_complexity=0, max_leaf_nodes=3)
    monkeypatch.setattr(single_split, "MOST_WORK", 0)
    counted = solve_frontier(problem, limits=Limits(step_limit=1))
    searched = solve_frontier(problem, limits=Limits(step_limit=1), options=BinaryOptions(engine="binary"))
    assert "subproblems" in searched.stats
    assert searched.at_most(2).loss <= counted.at_most(2).loss + NEAR
