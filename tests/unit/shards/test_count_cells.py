"""Rows counted by codes: limits and failures leave an honest bound, and samples fix thresholds beforehand."""

from __future__ import annotations

import sys
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shard_workers import count_all_but_the_first, count_and_die_once
from treewright import SolveStatus, fit_shards
from treewright.result import StopReason
from treewright.shards import _best_of_cells as cells_module
from treewright.shards import _coded as coded_module
from treewright.shards import _count_cells as count_module
from treewright.shards import _deal as deal_module
from treewright.shards import _fit as fit_module
from treewright.shards._best_of_cells import LARGEST, Whole
from treewright.shards._narrow import narrowed, widened
from treewright.shards._run import Run
from treewright.sources import _files as files_module
from treewright.sources import _source as source_module
from treewright.sources import open_source

N = 4000
ASKED: dict[str, Any] = {
    "max_depth": 3, "thresholds": 8, "cost_complexity": 0.001, "shard_rows": 250, "progress": False
}  # fmt: skip


def noisy() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 4))
    return X, ((X[:, 0] > 0.5) & (X[:, 1] < 1)) ^ (rng.random(N) < 0.15)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    X, y = noisy()
    folder = tmp_path / "rows"
    folder.mkdir()
    frame = pl.DataFrame(X.astype(np.float32), schema=["a", "b", "c", "d"]).with_columns(y=y)
    for k in range(4):
        frame[k * 1000 : (k + 1) * 1000].write_parquet(folder / f"{k}.parquet")
    return folder


def test_the_tree_is_proven_over_all_rows_whoever_counts() -> None:
    X, y = noisy()
    trees = set()
    for pool in ({}, {"n_jobs": 2, "backend": "threading"}, {"n_jobs": 2, "backend": "loky"}):
        result = fit_shards(X, y, **ASKED, **pool).result_
        assert result.status is SolveStatus.OPTIMAL
        assert result.stats["shards"] == 1
        assert result.stats["shard_rows"] == [N]
        assert "16 shards" not in result.sentence()
        trees.add((tuple(result.tree.splits), result.lower_bound))
    assert len(trees) == 1


@pytest.mark.parametrize("after", [0, 3])
def test_a_count_that_fails_costs_its_shards_only(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its shards are searched instead; what is proven of both parts adds up."""
    X, y = noisy()
    best = fit_shards(X, y, **ASKED).result_
    calls = []

    def failing(task: Any) -> Any:
        calls.append(task)
        if len(calls) > after:
            raise MemoryError("no room")
        return coded_module.cell_task(task)

    monkeypatch.setattr(count_module, "cell_task", failing)
    result = fit_shards(X, y, **ASKED).result_
    assert result.stats["shards"] == 16 - max(0, after - 1)
    assert result.stats["subproblems"] > 0
    assert result.lower_bound <= best.objective <= result.objective + 1e-12
    assert any("MemoryError: no room" in note for note in result.notes)


@pytest.mark.skipif(sys.platform == "win32", reason="kills by a signal")
def test_a_process_killed_while_it_counts_costs_its_rows_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = noisy()
    pool = {"n_jobs": 2, "backend": "loky"}
    best = fit_shards(X, y, **ASKED).result_
    once = partial(count_and_die_once, marker=str(tmp_path / "died"))
    monkeypatch.setattr(count_module, "cell_task", once)
    again = fit_shards(X, y, **ASKED, **pool).result_
    assert Path(once.keywords["marker"]).exists()
    assert again.status is SolveStatus.OPTIMAL
    assert (again.tree.splits, again.lower_bound) == (best.tree.splits, best.lower_bound)
    monkeypatch.setattr(count_module, "cell_task", count_all_but_the_first)
    without = fit_shards(X, y, **ASKED, **pool).result_
    assert without.stats["shards"] > 1  # those that nobody could count were searched
    assert without.lower_bound <= best.objective <= without.objective + 1e-12
    assert any("worker died" in note for note in without.notes)


@pytest.mark.parametrize("after", [0, 5])
def test_ctrl_c_keeps_what_was_counted(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy()
    best = fit_shards(X, y, **ASKED).result_
    calls = []

    def interrupted(task: Any) -> Any:
        calls.append(task)
        if len(calls) > after:
            raise KeyboardInterrupt
        return coded_module.cell_task(task)

    monkeypatch.setattr(count_module, "cell_task", interrupted)
    result = fit_shards(X, y, **ASKED).result_
    assert result.asked_to_stop is StopReason.INTERRUPT
    assert result.status is SolveStatus.FEASIBLE
    assert result.stats["shards_lost"] == 16 - after
    assert result.lower_bound <= best.objective <= result.objective + 1e-12
    assert result.tree.n_node_samples[0] == N


@pytest.mark.parametrize("how", ["callback", "Ctrl-C in the tree"])
def test_who_stops_does_not_wait_for_trees_of_depth_three(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy()
    asked = ASKED | ({"progress": lambda _: True} if how == "callback" else {})
    stump = fit_shards(X, y, **ASKED | {"max_depth": 1}).result_
    full, depths = count_module.best_of_cells, []

    def watched(question: Any, *rest: Any) -> Any:
        depths.append(question.max_depth)
        if question.max_depth > 1:
            raise KeyboardInterrupt
        return full(question, *rest)

    monkeypatch.setattr(count_module, "best_of_cells", watched)
    monkeypatch.setattr(
        "treewright.estimators._interrupt._last", -10.0
    )  # the test before may have pressed Ctrl-C, too
    result = fit_shards(X, y, **asked).result_
    assert depths == ([1] if how == "callback" else [3, 1])
    assert result.status is SolveStatus.FEASIBLE
    assert result.lower_bound <= result.objective
    if how != "callback":  # all rows were counted
        assert result.objective <= stump.objective + 1e-12


def test_no_time_is_honest() -> None:
    X, y = noisy()
    best = fit_shards(X, y, **ASKED).result_
    result = fit_shards(X, y, **ASKED, time_limit=1e-9).result_
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert result.status is SolveStatus.FEASIBLE
    assert result.lower_bound <= best.objective <= result.objective + 1e-12


def test_progress_tells_how_many_and_stops() -> None:
    X, y = noisy()
    told: list[Any] = []

    def stop(state: Any) -> bool:
        told.append(state.done)
        return state.done >= 3

    result = fit_shards(X, y, **(ASKED | {"progress": stop})).result_
    assert told == [1, 2, 3]
    assert result.asked_to_stop is StopReason.CALLBACK
    assert result.stats["shards_lost"] == 13


def test_a_sample_makes_bytes_and_the_same_proof(table: Path) -> None:
    """What is dealt as codes gives the tree of the values themselves, for the same thresholds."""
    coded = fit_shards(table, "y", **ASKED)
    thresholds = {
        name: sorted({s.threshold for s in coded.tree_.splits if s is not None and s.column == j}) or [9.0]
        for j, name in enumerate("abcd")
    }
    again = fit_shards(table, "y", **(ASKED | {"thresholds": thresholds}))
    assert coded.result_.status is again.result_.status is SolveStatus.OPTIMAL
    assert coded.result_.objective == pytest.approx(again.result_.objective, rel=1e-12)
    assert coded.result_.stats["bytes_on_disk"] < again.result_.stats["bytes_on_disk"] / 2
    assert (coded.predict(table) == again.predict(table)).mean() > 0.99


def test_a_sample_is_of_places_of_all_files(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "PLACES", 8)
    source = open_source(table)
    pieces = list(source.sample(files_module.Roles("y"), 400, np.random.default_rng(0)))
    assert len(pieces) == 8
    assert sum(piece.n_rows for piece in pieces) > 200
    assert len({piece.origin for piece in pieces}) > 1
    everything = list(source.sample(files_module.Roles("y"), N, np.random.default_rng(0)))
    assert sum(piece.n_rows for piece in everything) == N


def test_rare_values_of_a_column_that_seems_binary_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sample sees 0 and 1, or one value only; elsewhere there are others."""
    rng = np.random.default_rng(0)
    flag, same = rng.integers(0, 2, N).astype(float), np.zeros(N)
    flag[-1], same[-300:] = 7.0, 3.0
    frame = pl.DataFrame({"flag": flag, "same": same, "y": (flag == 1) | (same == 3)})
    frame.write_parquet(tmp_path / "rows.parquet")
    monkeypatch.setattr(
        files_module.ParquetSource,
        "sample",
        lambda self, roles, n, r: [source_module.piece_of_frame(frame[:2000], roles, "rows")],
    )
    fitted = fit_shards(tmp_path, "y", **ASKED)
    assert fitted.result_.status is SolveStatus.OPTIMAL
    assert [c.kind.value for c in fitted.tree_.columns] == ["continuous", "continuous"]
    assert fitted.predict(frame.select("flag", "same")).tolist()[:5] == [bool(v) for v in flag[:5]]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([0.0, 254.0, np.nan], np.uint8),
        ([0.0, 255.0], np.float32),
        ([-1.0, 0.5, np.nan], np.float32),
        ([0.1, np.nan], np.float64),
        ([1e300], np.float64),
        ([], np.uint8),
    ],
)
def test_numbers_are_kept_exactly_in_the_narrowest_type(values: list[float], dtype: Any) -> None:
    column = np.array(values)
    narrow = narrowed(column)
    assert narrow.dtype == dtype
    np.testing.assert_array_equal(widened(narrow, 2), column)


def test_blocks_of_different_types_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing values stay missing when a column of bytes meets one of fractions."""
    monkeypatch.setattr(deal_module, "BUFFER", 1)
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, N).astype(float)
    x[::7] = np.nan
    x[N // 2 :] += 0.1
    y = np.nan_to_num(x) > 1
    result = fit_shards(
        x.reshape(-1, 1), y, max_depth=2, cost_complexity=0.0, shard_rows=500, progress=False
    ).result_
    assert result.loss == 0.0


def test_what_would_take_much_memory_to_read_is_searched() -> None:
    """Cells may be few where their sides are many: a column of 200 thresholds, thrice, has 400^3 of them."""
    rng = np.random.default_rng(0)
    X = rng.random((3000, 1))
    y = (X[:, 0] > 0.3) ^ (rng.random(3000) < 0.1)
    thresholds = {"a": np.linspace(0.01, 0.99, 200).tolist()}
    model = fit_shards(
        pl.DataFrame({"a": X[:, 0]}), y, thresholds=thresholds, max_depth=3, shard_rows=1000,
        memory_limit=200 << 20, time_limit=20, progress=False,
    )  # fmt: skip
    result = model.result_
    assert result.lower_bound <= result.objective
    assert result.stats["steps"] > 0  # counting has none


def test_an_interrupt_while_the_tree_is_read_keeps_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(count_module, "best_of_cells", interrupted)
    X, y = noisy()
    result = fit_shards(X, y, **ASKED).result_
    assert result.asked_to_stop is StopReason.INTERRUPT
    assert result.tree.n_leaves == 1
    assert result.lower_bound <= result.objective


def test_a_class_without_rows_may_cost_any_amount() -> None:
    """A part of the rows may lack a class."""
    question = SimpleNamespace(paid=[[Fraction(0), Fraction(1, 10)], [Fraction(10**20), Fraction(0)]])
    whole = Whole.of(question, [70, 0])  # type: ignore[arg-type]
    assert whole.is_exact
    assert whole.paid[0].tolist() == [0, 1]
    assert whole.paid[1, 0] >= LARGEST // 8


def test_an_interrupt_while_the_tree_is_counted_keeps_its_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy()
    best = fit_shards(X, y, **ASKED).result_
    choose, calls = Run.choose, []

    def interrupted_at_first(run: Run) -> Any:
        calls.append(run)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return choose(run)

    monkeypatch.setattr(Run, "choose", interrupted_at_first)
    result = fit_shards(X, y, **ASKED).result_
    assert len(calls) == 2
    assert result.asked_to_stop is StopReason.INTERRUPT
    assert (result.status, result.objective) == (SolveStatus.OPTIMAL, best.objective)
    assert list(result.tree.splits) == list(best.tree.splits)


@pytest.mark.parametrize("at", ["result_of", "least_of_any"])
def test_an_interrupt_between_the_steps_of_a_run_keeps_a_tree(
    at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the result is put together, and before the bounds of what was counted are there."""
    X, y = noisy()
    best = fit_shards(X, y, **ASKED).result_
    module = fit_module if at == "result_of" else count_module
    real, calls = getattr(module, at), []

    def interrupted_at_first(*given: Any, **named: Any) -> Any:
        calls.append(given)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return real(*given, **named)

    monkeypatch.setattr(module, at, interrupted_at_first)
    result = fit_shards(X, y, **ASKED).result_
    assert result.asked_to_stop is StopReason.INTERRUPT
    assert result.tree.n_node_samples[0] == N
    if at == "result_of":
        assert (result.status, result.objective) == (best.status, best.objective)
    else:
        assert result.status is SolveStatus.FEASIBLE
        assert 0 < result.lower_bound <= best.objective <= result.objective
        assert sum(result.stats["shard_rows"]) == N


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_costs_beyond_64_bits_are_compared_exactly_where_there_are_few_sides(
    depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """3 * .1 is no decimal, and 2**-54 the unit of it and 1."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (500, 3)).astype(float)
    y = ((X[:, 0] > 1) & (X[:, 1] < 3)) ^ (rng.random(500) < 0.15)
    asked: dict[str, Any] = {
        "costs": [[0, 3 * 0.1], [1, 0]],
        "thresholds": {f"x{j}": [0.5, 1.5, 2.5] for j in range(3)},
        "max_depth": depth,
        "min_samples_leaf": 5,
        "cost_complexity": 0.003,
        "progress": False,
    }
    exact = fit_shards(X, y, **asked).result_
    assert exact.stats["counted"]
    assert exact.status is SolveStatus.OPTIMAL
    monkeypatch.setattr(cells_module, "MOST_WIDE", 0)
    rounded = fit_shards(X, y, **asked).result_
    assert rounded.status is SolveStatus.FEASIBLE
    assert rounded.lower_bound <= exact.objective <= rounded.objective
    assert rounded.gap < 1e-14


def test_costs_that_differ_in_the_last_bit_are_told_apart() -> None:
    """Of 3 * .1 and .3 the latter is less, by 2**-54."""
    X = np.repeat([0.0, 1.0, 2.0], 10)[:, None]
    y = np.repeat([0, 1, 2], 10)
    costs = np.array([[0, 3 * 0.1, 0.3], [3 * 0.1, 0, 0.3], [1, 1, 0]])
    result = fit_shards(X, y, costs=costs, thresholds={"x0": [1.5]}, max_depth=1, progress=False).result_
    paid = [[Fraction(cost) for cost in row] for row in costs.tolist()]
    penalty = Fraction(0.01)
    leaf = min(10 * sum(paid[c][p] for c in range(3)) for p in range(3)) / 30 + penalty
    split = 10 * min(paid[0][p] + paid[1][p] for p in range(3)) / 30 + 2 * penalty
    assert result.status is SolveStatus.OPTIMAL
    assert result.objective == float(min(leaf, split))
