"""Law: over ranked columns each switch off, alone or with all others, leaves the optimum as it is.

Tables are large enough for what the switches change: nodes of 64 rows have bins of targets, and rows of weight one are
compact.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from ranked_kinds import KINDS, table_of
from treewright._native import core
from treewright.problem import make_problem
from treewright.result import SolveStatus, StopReason
from treewright.search import BinaryOptions, Limits, RankedOptions, solve_frontier, solve_ranked
from treewright.search import _single_split as single_split
from treewright.table import table_from

SWITCHES = [field.name for field in fields(RankedOptions) if isinstance(field.default, bool)]
OFF = [{name: False} for name in SWITCHES] + [dict.fromkeys(SWITCHES, False)]
SAME_TREE = ("compact_rows", "target_bins")  # they only leave out what cannot be the answer
NEAR = 1e-9


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


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("depth", [4, 5])
def test_of_equal_trees_the_same_one(seed, depth):
    """The rule that chooses among equal trees speaks of the table alone: switches leave the tree as it is."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(16, 32))
    labels = np.arange(n) // rng.integers(1, 5) % 2
    labels[rng.random(n) < 0.2 * (seed % 2)] = 1
    table = table_from(np.arange(n, dtype=float)[:, None])
    problem = make_problem(table, labels, max_depth=depth, cost_complexity=0.001 * (seed % 3))
    best = solve_ranked(problem)
    assert best.status is SolveStatus.OPTIMAL
    for off in ("shallower", "lipschitz", "fair_shares", "cache"):
        other = solve_ranked(problem, options=RankedOptions(unranked=False, **{off: False}))
        assert other.tree.splits == best.tree.splits, off
    hard = RankedOptions(unranked=False, plain_work=0, sharing_work=0, alone_work=0, together_work=0)
    for n_jobs in (1, 3):
        other = solve_ranked(problem, limits=Limits(n_jobs=n_jobs), options=hard)
        assert other.tree.splits == best.tree.splits, n_jobs


@pytest.mark.parametrize("seed", range(20))
def test_a_set_that_goes_on_with_a_search_is_that_of_its_own(seed):
    """What a search has kept leaves no tree out of the near-optimal set that goes on with it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(14, 22))
    labels = (np.arange(n) // rng.integers(1, 3) % 2).astype(np.int32)
    labels[rng.random(n) < 0.1] = 1
    unit, leaf, no_end = 2**20, 2**18, {"time_limit": np.inf, "memory_limit": 2**30, "report": None}

    def problem():
        return core.RankedProblem(
            rank=np.arange(n, dtype=np.uint32)[None, :],
            y=labels,
            weight=np.ones(n, dtype=np.int64),
            costs=1 - np.eye(2, dtype=np.int64),
            unit=unit,
            leaf=leaf,
            min_leaf=1,
        )

    def edges_of(asked, budget):
        graph = asked.near_optimal(
            split=np.arange(n - 1, dtype=np.int32),
            first_split=np.array([0, n - 1]),
            leaf_penalty=leaf,
            unit_shift=20,
            budget=budget,
            max_depth=4,
            threads=1,
            **no_end,
        ).arrays()
        assert graph["complete"]
        return len(graph["column"])

    searched = problem()
    options = RankedOptions(cache=False, slack=0.0).native()
    options.threads = 1
    best = searched.search(depth=4, max_leaves=0, options=options, step_limit=2**60, **no_end)
    assert best["lower"] == best["upper"]
    for more in (0, leaf, unit):
        budget = best["upper"] + more
        assert edges_of(searched, budget) == edges_of(problem(), budget)


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
