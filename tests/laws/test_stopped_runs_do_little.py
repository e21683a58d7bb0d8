"""Law: what a run does after its limit is counted, not timed: rows, columns, tables of cells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from treewright.binarize import candidates_of, given_splits
from treewright.binarize._thresholds import UnsortedGaps
from treewright.near_optimal import solve_near_optimal
from treewright.problem import make_problem, make_regression_problem
from treewright.result import SolveStatus, StopReason
from treewright.search import (
    Limits,
    _solve,
    _solve_frontier,
    simple_line_importances,
    solve,
    solve_frontier,
    solve_simple_lines,
)
from treewright.search import _simple_lines as simple_lines
from treewright.search import _single_split as single_split
from treewright.search._counted import counted_tree
from treewright.shards import _best_of_cells as best_of_cells
from treewright.shards import fit_shards
from treewright.table import Table, table_from


def rows(n_rows: int, n_columns: int = 4, n_classes: int = 3) -> tuple[Table, np.ndarray]:
    """A table without any pattern."""
    rng = np.random.default_rng(n_rows)
    return table_from(rng.normal(size=(n_rows, n_columns))), rng.integers(0, n_classes, n_rows)


def test_chosen_thresholds_sort_no_column() -> None:
    table, _ = rows(400, 30)
    asked = {"x0": [0.1, -0.3, 9.0], "x7": [], "x9": [0.0]}
    offers = candidates_of(table, chosen=True)
    assert all(isinstance(offer.gaps, UnsortedGaps) for offer in offers)
    assert given_splits(table, asked, candidates=offers).splits == given_splits(table, asked).splits
    assert not any("_buckets" in vars(offer.gaps) for offer in offers)


def test_names_of_columns_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = rows(20, 50)
    read: list[int] = []

    def names(table: Table) -> tuple[str, ...]:
        read.append(1)
        return tuple(column.name for column in table.columns)

    monkeypatch.setattr(Table, "names", property(names))
    given_splits(table, {f"x{j}": [0.0] for j in range(50)})
    assert len(read) <= 1


def test_a_stopped_front_counts_few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    table, y = rows(300)
    problem = make_problem(table, y, cost_complexity=0, max_leaf_nodes=16)
    limits = Limits(step_limit=40)
    every = solve_frontier(problem, 6, limits=limits)
    counted: list[Any] = []

    def count(*asked: Any) -> Any:
        counted.append(1)
        return counted_tree(*asked)

    monkeypatch.setattr(_solve_frontier, "counted_tree", count)
    solve_frontier(problem, 6, limits=limits)
    before = len(counted)
    counted.clear()
    monkeypatch.setattr(_solve_frontier, "MOST_COUNTED", 1)
    few = solve_frontier(problem, 6, limits=limits)
    proven = sum(point.stop_reason is None for point in every.limits)
    assert before > len(counted)
    assert len(counted) <= 3 + proven
    assert [point.lower_bound for point in few.limits] == pytest.approx(
        [min(a.lower_bound, b.objective) for a, b in zip(every.limits, few.limits, strict=True)]
    )
    losses = [point.loss for point in few.limits]
    assert losses == sorted(losses, reverse=True)
    assert few.limits[-1].loss == every.limits[-1].loss


def test_a_set_that_is_stopped_at_once_searches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    table, y = rows(500)
    problem = make_problem(table, y, cost_complexity=0.001, max_depth=3)
    monkeypatch.setattr(single_split, "MOST_WORK", 1)
    monkeypatch.setattr(_solve, "search_bits", lambda *_, **__: pytest.fail("a search was begun"))
    trees = solve_near_optimal(problem, 8, limits=Limits(step_limit=1))
    best = trees.best
    assert best.lower_bound <= best.objective
    assert best.tree.n_leaves <= 2
    assert trees.n_trees_ == 0


@pytest.mark.parametrize("limits", [Limits(time_limit=1e-9), Limits(step_limit=1)])
def test_a_search_without_time_groups_no_rows(limits: Limits, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    problem = make_problem(table_from(rng.integers(0, 2, (400, 9)).astype(float)), rng.integers(0, 2, 400))
    whole = solve(problem)
    with monkeypatch.context() as patch:
        patch.setattr(single_split, "MOST_UNGROUPED", 1)
        patch.setattr(_solve, "search_bits", lambda *_, **__: pytest.fail("a search was begun"))
        stopped = solve(problem, limits=limits)
    assert stopped.stop_reason is (StopReason.STEP_LIMIT if limits.step_limit else StopReason.TIME_LIMIT)
    assert stopped.status is SolveStatus.FEASIBLE
    assert stopped.lower_bound <= whole.objective + 1e-12
    stump = solve(replace(problem, max_depth=1))
    assert stopped.objective <= stump.objective + 1e-12
    assert solve(problem, limits=limits).objective <= stopped.objective + 1e-12


def test_each_leaf_with_lines_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass over all columns for each leaf, however often the tree is measured, pruned and written."""
    table, _ = rows(400, 6)
    y = np.where(table.X[:, 2] > 0, table.X[:, 0], -table.X[:, 1])
    problem = make_regression_problem(
        table_from(table.X.round(2)), y.round(2), max_depth=2, cost_complexity=0.02
    )
    passes: list[tuple[bytes, int]] = []
    core = simple_lines.core

    class Counted:
        @staticmethod
        def line_losses(X: Any, at: Any, apart: Any, weight: Any, offered: Any) -> Any:
            passes.append((at.tobytes(), len(offered)))
            return core.line_losses(X, at, apart, weight, offered)

        simple_lines_solve = staticmethod(core.simple_lines_solve)

    monkeypatch.setattr(simple_lines, "core", Counted)
    tree = solve_simple_lines(problem).tree
    whole = [at for at, n in passes if n > 0]
    assert tree.n_leaves > 1
    assert len(whole) == len(set(whole))
    passes.clear()
    simple_line_importances(tree, problem)
    assert sum(n > 0 for _, n in passes) == tree.node_count


def test_counted_trees_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 8, size=(400, 6)).astype(float)
    y = (X[:, 0] > 3).astype(int) ^ (rng.random(400) < 0.1)
    calls: list[int] = []
    below = best_of_cells._Search.below

    def counted(self: Any, columns: Any) -> Any:
        calls.append(1)
        return below(self, columns)

    monkeypatch.setattr(best_of_cells._Search, "below", counted)
    whole = fit_shards(X, y, max_depth=3, thresholds=8, cost_complexity=0.01).result_
    assert whole.stop_reason is None
    assert whole.gap < 1e-12
    n_whole = len(calls)
    calls.clear()
    left = Limits.left
    monkeypatch.setattr(Limits, "left", lambda self: 0.0 if calls else left(self))
    stopped = fit_shards(X, y, max_depth=3, thresholds=8, cost_complexity=0.01, time_limit=1000.0).result_
    assert len(calls) < n_whole / 3
    assert stopped.lower_bound <= whole.objective + 1e-12 <= stopped.objective + 2e-12
    assert stopped.stop_reason is not None


def test_counted_trees_that_were_compared_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The later the time ends among the pairs and triples of columns, the better the tree; no bound is claimed."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 8, size=(2000, 4)).astype(float)
    y = (X[:, 0] > 3).astype(int) ^ (X[:, 1] > 3) ^ (X[:, 2] > 5) ^ (rng.random(2000) < 0.1)
    asked = {"max_depth": 3, "thresholds": 8, "cost_complexity": 0.001}
    calls: list[Any] = []
    below, left = best_of_cells._Search.below, Limits.left

    def counted(self: Any, columns: Any) -> Any:
        calls.append(columns)
        return below(self, columns)

    monkeypatch.setattr(best_of_cells._Search, "below", counted)
    whole = fit_shards(X, y, **asked).result_
    assert whole.stop_reason is None
    n_pairs, n_triples = (sum(len(columns) == n for columns in calls) for n in (2, 3))
    stump = fit_shards(X, y, **asked | {"max_depth": 1}).result_.objective
    two_levels = fit_shards(X, y, **asked | {"max_depth": 2}).result_.objective
    found = []
    for after in (1, n_pairs // 2, n_pairs, n_pairs + n_triples // 2, n_pairs + n_triples - 1):
        calls.clear()
        with monkeypatch.context() as patch:
            patch.setattr(Limits, "left", lambda self, n=after: 0.0 if len(calls) >= n else left(self))
            result = fit_shards(X, y, **asked, time_limit=1000.0).result_
        assert result.stop_reason is StopReason.TIME_LIMIT
        assert result.lower_bound <= whole.objective + 1e-12 <= result.objective + 2e-12
        found.append(result.objective)
    assert found == sorted(found, reverse=True)
    assert found[0] <= stump + 1e-12
    assert found[2] <= two_levels + 1e-12
    assert found[-1] < two_levels
