"""What `fit_shards` promises: one result whoever works, honest limits, clean folders, messages that help."""

from __future__ import annotations

import errno
import math
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from treewright import SolveStatus, fit_shards
from treewright.convert import load_model
from treewright.errors import InputError, RefutedProofWarning, SolverError
from treewright.problem import make_problem
from treewright.result import ShardsResult, StopReason
from treewright.search import solve
from treewright.shards import ShardProgress
from treewright.shards import _deal as deal_module
from treewright.shards import _run as run_module
from treewright.shards._work import search_task
from treewright.sources import _files as files_module
from treewright.table import table_from
from treewright.verify import verify, verify_shards

N = 4000


def noisy(n: int = N, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(2)
    return X, ((X[:, 0] > 0.5) & (X[:, 1] < 1)) ^ (rng.random(n) < 0.15)


def whole(X: Any, y: Any, **limits: Any) -> Any:
    return make_problem(table_from(X), y, **limits)


def test_bound_and_tree_enclose_the_optimum_and_verify() -> None:
    X, y = noisy()
    fitted = fit_shards(X, y, max_depth=2, shard_rows=500, progress=False)
    result = fitted.result_
    best = solve(whole(X, y, max_depth=2))
    assert result.lower_bound <= best.objective <= result.objective + 1e-12
    assert result.gap < 0.1
    assert result.stats["shards"] == 8
    assert sum(result.stats["shard_rows"]) == result.stats["rows"] == N
    report = verify_shards(fitted.model, X, target=y)
    assert report.ok, str(report)
    assert [check.name for check in verify(whole(X, y, max_depth=2), result).failed] == [
        "fields of the certificate"
    ]


def test_the_tree_is_improved_over_all_rows() -> None:
    X, y = noisy()
    problem = whole(X, y, max_depth=2)
    shards = fit_shards(X, y, max_depth=2, shard_rows=200, progress=False).result_
    assert shards.objective == pytest.approx(solve(problem).objective, rel=0.02)


def test_the_same_best_tree_everywhere_is_proven_optimal() -> None:
    X = np.tile([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], (300, 1))
    y = np.where(X[:, 0] > X[:, 1], "yes", "no")
    result = fit_shards(X, y, max_depth=2, shard_rows=200, progress=False).result_
    assert result.status is SolveStatus.OPTIMAL
    assert result.stats["shards"] == 6
    assert result.lower_bound <= result.objective == pytest.approx(0.03)
    assert "Proven optimal" in result.sentence()


def test_larger_shards_close_the_gap_that_is_asked_for() -> None:
    X, y = noisy()
    options: dict[str, Any] = {"max_depth": 2, "cost_complexity": 0.001, "shard_rows": 250, "progress": False}
    small = fit_shards(X, y, **options).result_
    joined = fit_shards(X, y, gap=0.03, **options).result_
    assert small.gap > 0.03 >= joined.gap
    assert joined.stats["shards"] < small.stats["shards"]
    assert sum(joined.stats["shard_rows"]) == N


@pytest.mark.parametrize(
    "pool", [{"n_jobs": 2, "backend": "threading"}, {"n_jobs": 2, "backend": "loky"}], ids=str
)
def test_one_result_whoever_works(pool: dict[str, Any]) -> None:
    X, y = noisy(1500)
    options: dict[str, Any] = {"max_depth": 2, "shard_rows": 300, "progress": False}
    alone, together = fit_shards(X, y, **options).result_, fit_shards(X, y, **options, **pool).result_
    assert together.tree.splits == alone.tree.splits
    assert together.lower_bound == alone.lower_bound
    assert together.objective == alone.objective


def test_the_seed_deals_the_rows() -> None:
    X, y = noisy(1500)
    bounds = [
        fit_shards(X, y, max_depth=2, shard_rows=300, random_state=seed, progress=False).result_.stats[
            "shard_bounds"
        ]
        for seed in (0, 0, 1)
    ]
    assert bounds[0] == bounds[1] != bounds[2]


# Limits.


def test_a_step_limit_is_honest() -> None:
    X, y = noisy()
    best = solve(whole(X, y, max_depth=3, cost_complexity=0.001))
    result = fit_shards(
        X, y, max_depth=3, cost_complexity=0.001, shard_rows=1000, step_limit=1, progress=False
    ).result_
    assert result.stop_reason is StopReason.STEP_LIMIT
    assert result.lower_bound <= best.objective <= result.objective + 1e-12


def test_no_time_still_gives_a_counted_tree() -> None:
    X, y = noisy()
    result = fit_shards(X, y, max_depth=3, shard_rows=500, time_limit=1e-6, progress=False).result_
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert result.tree.n_node_samples[0] == N
    assert result.lower_bound >= 0.01  # the price of one leaf
    assert result.stats["shards_lost"] == 7
    assert "of 7 of them nothing is known" in result.sentence()


def test_a_search_may_take_more_than_its_equal_part(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def seen(task: Any, *more: Any) -> Any:
        given.append(task.time_limit)
        return search_task(task, *more)

    monkeypatch.setattr(run_module, "search_task", seen)
    result = fit_shards(*noisy(), max_depth=1, shard_rows=500, time_limit=1000.0, progress=False).result_
    assert result.stop_reason is None
    assert given[0] == pytest.approx(400, rel=0.1)  # four times an eighth of four fifths
    assert given[-1] == pytest.approx(800, rel=0.1)


def test_progress_tells_and_stops() -> None:
    X, y = noisy()
    states: list[ShardProgress] = []
    result = fit_shards(
        X, y, max_depth=2, shard_rows=500, progress=lambda state: states.append(state) or state.done >= 3
    ).result_
    assert result.stop_reason is StopReason.CALLBACK
    assert result.stats["shards_lost"] == 5
    assert all(state.lower_bound <= state.objective for state in states)
    assert 0 < states[-1].gap < 1
    assert states[-1].shards == 8


def interrupting(monkeypatch: pytest.MonkeyPatch, name: str, after: int) -> None:
    calls = 0
    original = getattr(run_module, name)

    def interrupted(task: Any, *more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == after:
            raise KeyboardInterrupt
        return original(task, *more)

    monkeypatch.setattr(run_module, name, interrupted)


@pytest.mark.parametrize(
    ("name", "after"), [("search_task", 1), ("search_task", 4), ("count_task", 2), ("threshold_task", 2)]
)
def test_ctrl_c_keeps_what_is_proven(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, after: int
) -> None:
    X, y = noisy()
    interrupting(monkeypatch, name, after)
    result = fit_shards(X, y, max_depth=2, shard_rows=500, progress=False, spill_folder=tmp_path).result_
    assert result.tree.n_node_samples[0] == N
    assert result.lower_bound <= solve(whole(X, y, max_depth=2)).objective <= result.objective + 1e-12
    if name == "search_task":
        assert result.stop_reason is StopReason.INTERRUPT
        assert result.stats["shards_lost"] == 8 - (after - 1)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_search_costs_its_bound_only(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy()

    def failing(task: Any, *more: Any) -> Any:
        if task.shard.paths[0].name.endswith("000002.rows"):
            raise MemoryError("no room")
        return search_task(task, *more)

    whole_run = fit_shards(X, y, max_depth=2, shard_rows=500, progress=False).result_
    monkeypatch.setattr(run_module, "search_task", failing)
    result = fit_shards(X, y, max_depth=2, shard_rows=500, progress=False).result_
    assert result.stats["shards_lost"] == 1
    assert any("MemoryError: no room" in note for note in result.notes)
    assert any("Nothing is proven of 1 shard" in note for note in result.notes)
    assert 0.8 * whole_run.lower_bound < result.lower_bound < whole_run.lower_bound
    assert result.objective == pytest.approx(whole_run.objective, rel=0.01)


def test_nothing_is_returned_if_no_shard_can_be_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> Any:
        raise RuntimeError("no engine")

    monkeypatch.setattr(run_module, "search_task", failing)
    with pytest.raises(SolverError, match=r"None of the 8 shards could be searched.*no engine"):
        fit_shards(*noisy(), shard_rows=500, progress=False)


def test_a_false_proof_is_found_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    X, y = noisy()

    def boasting(task: Any, *more: Any) -> Any:
        answer = search_task(task, *more)
        bound = replace(answer.bound, value=answer.bound.value * Fraction(3, 2))
        return replace(answer, bound=bound)

    monkeypatch.setattr(run_module, "search_task", boasting)
    with pytest.warns(RefutedProofWarning, match="That proof is wrong"):
        result = fit_shards(X, y, max_depth=2, shard_rows=2000, progress=False).result_
    assert result.lower_bound <= 0.010000001


# The folder and the source.


def test_the_folder_is_empty_after_an_error(tmp_path: Path) -> None:
    X, y = noisy()
    with pytest.raises(InputError, match="cost_complexity"):
        fit_shards(X, y, cost_complexity=7, spill_folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_folders_of_killed_processes_are_removed(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    for name in ("dead", "alive"):
        folder = tmp_path / f"treewright-shards-{name}"
        folder.mkdir()
        (folder / "lock").touch()
        (folder / "shard-000000.rows").write_bytes(b"rows")
    (tmp_path / "treewright-shards-other").mkdir()  # without a lock, so of somebody else
    with (tmp_path / "treewright-shards-alive" / "lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fit_shards(*noisy(200), shard_rows=100, spill_folder=tmp_path, progress=False)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["treewright-shards-alive", "treewright-shards-other"]


def test_no_space_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(deal_module, "append_rows", full)
    with pytest.raises(InputError, match="No space is left"):
        fit_shards(*noisy(), spill_folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_no_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="spill_folder"):
        fit_shards(*noisy(), spill_folder=tmp_path / "nothing")


def test_a_file_that_changes_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    X, y = noisy(500)
    frame = pl.DataFrame(X, schema=["a", "b", "c", "d"]).with_columns(y=y)
    frame.write_parquet(tmp_path / "rows.parquet")
    original = files_module.piece_with_dates

    def meanwhile(*arguments: Any) -> Any:
        (tmp_path / "rows.parquet").touch()
        return original(*arguments)

    monkeypatch.setattr(files_module, "piece_with_dates", meanwhile)
    with pytest.raises(InputError, match="changed while it was read"):
        fit_shards(tmp_path, "y")


def test_sorted_rows_that_are_not_shuffled_are_told() -> None:
    X, y = noisy()
    order = np.argsort(y, kind="stable")
    options: dict[str, Any] = {"max_depth": 2, "shard_rows": 500, "progress": False}
    told = fit_shards(X[order], y[order], shuffle=False, **options).result_
    dealt = fit_shards(X[order], y[order], **options).result_
    assert any("are not in random order" in note for note in told.notes)
    assert not any("random order" in note for note in dealt.notes)
    assert told.lower_bound <= solve(whole(X, y, max_depth=2)).objective
    assert told.gap > 2 * dealt.gap
    plain = fit_shards(X, y, shuffle=False, **options).result_
    assert not any("random order" in note for note in plain.notes)


def test_rows_of_weight_zero_are_left_out() -> None:
    X, y = noisy()
    weight = np.where(np.arange(N) % 3 == 0, 0.0, 2.0)
    result = fit_shards(X, y, sample_weight=weight, max_depth=2, shard_rows=1000, progress=False).result_
    kept = weight > 0
    assert result.stats["rows"] == kept.sum()
    assert (
        result.lower_bound
        <= solve(whole(X[kept], y[kept], max_depth=2)).objective
        <= result.objective + 1e-12
    )
    assert any("weight zero" in note for note in result.notes)


def test_quantiles_are_the_same_for_all_shards() -> None:
    X, y = noisy()
    result = fit_shards(X, y, max_depth=2, thresholds=8, shard_rows=1000, progress=False).result_
    used = {split.threshold for split in result.tree.splits if split is not None}
    assert used
    assert result.scope == "the given thresholds"
    assert any("8-quantiles" in note for note in result.notes)
    given = {f"x{j}": np.linspace(-1, 1, 5).tolist() for j in range(4)}
    own = fit_shards(X, y, max_depth=2, thresholds=given, shard_rows=1000, progress=False).result_
    assert {split.threshold for split in own.tree.splits if split is not None} <= {-1.0, -0.5, 0.0, 0.5, 1.0}


@pytest.mark.parametrize("shard_rows", [1000, 50])
def test_quantiles_are_of_all_rows_as_they_lie(shard_rows: int) -> None:
    x = np.sort(np.random.default_rng(0).random(N))
    asked: dict[str, Any] = {"max_depth": 1, "thresholds": 4, "shard_rows": shard_rows, "progress": False}
    found, again = (fit_shards(x[:, None], x > 0.7, shuffle=False, **asked).tree_ for _ in range(2))
    assert found.splits[0].threshold == pytest.approx(0.75, abs=0.05)
    assert again.splits == found.splits


def test_a_saved_model_is_the_same(tmp_path: Path) -> None:
    X, y = noisy(800)
    model = fit_shards(X, y, max_depth=2, shard_rows=200, class_weight={True: 2.0}, progress=False)
    model.save(tmp_path / "model.json")
    content = load_model(tmp_path / "model.json")
    assert isinstance(content.result, ShardsResult)
    assert content.result.sentence() == model.result_.sentence()
    assert content.certificate is not None
    assert content.certificate.terms == model.terms
    assert (model.predict(X) == content.tree.predict(X)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shard_rows": 0}, "shard_rows=0"),
        ({"gap": 2}, "gap=2"),
        ({"thresholds": "auto"}, "every shard must search the same splits"),
        ({"thresholds": 1}, "thresholds=1"),
        ({"thresholds": {"z": [0.5]}}, "thresholds name the column 'z'"),
        ({"thresholds": {"x0": [np.inf]}}, "finite"),
        ({"random_state": -1}, "random_state=-1"),
        ({"min_samples_leaf": 10**6}, "min_samples_leaf"),
        ({"class_weight": {"maybe": 2}}, "maybe"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"time_limit": -1}, "time_limit=-1"),
        ({"sample_weight": np.full(500, np.nan)}, "weight"),
        ({"sample_weight": np.zeros(500)}, "weight zero"),
    ],
)
def test_bad_parameters_are_told(options: dict[str, Any], message: str) -> None:
    X, y = noisy(500)
    with pytest.raises(InputError, match=message):
        fit_shards(X, y, progress=False, **options)


def test_how_a_csv_file_was_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x;y\n" + "".join(f"{k},5;{k % 2}\n" for k in range(20)))
    notes = fit_shards(tmp_path, "y", shard_rows=10, progress=False).result_.notes
    assert any(note.startswith("a.csv: Column 'x' is read as numbers with a decimal comma") for note in notes)


def test_labels_of_two_types_are_told(tmp_path: Path) -> None:
    pl.DataFrame({"x": [1.0, 2.0], "y": [0, 1]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"numbers in a\.parquet and text in b\.parquet"):
        fit_shards(tmp_path, "y")


def test_the_sentence_rounds_the_gap_upwards() -> None:
    X, y = noisy(800)
    result = fit_shards(X, y, max_depth=2, shard_rows=100, progress=False).result_
    said = float(result.sentence().split("Within ")[1].split("%")[0]) / 100
    assert result.gap <= said < 1.1 * result.gap + 1e-9
    assert math.isfinite(said)


@pytest.mark.parametrize("how", [{"objective": "balanced_accuracy"}, {"class_weight": "balanced"}])
def test_a_class_whose_rows_weigh_nothing_is_balanced_as_none(how: dict[str, str]) -> None:
    frame = pl.DataFrame({"a": [0.0, 1.0, 2.0, 3.0]})
    weight = [1.0, 1.0, 1.0, 0.0]
    result = fit_shards(frame, [0, 1, 0, 2], sample_weight=weight, progress=False, **how).result_
    plain = solve(
        make_problem(table_from(frame), [0, 1, 0, 2], sample_weight=weight, max_depth=3, **how), "all"
    )
    assert result.objective == pytest.approx(plain.objective, abs=1e-12)


def test_what_is_not_proven_has_a_gap():
    """Costs and weights that no float64 holds exactly: the bound misses the cost by less than float64 shows."""
    model = fit_shards(
        np.array([[1.0], [0.0]]),
        [1, 0],
        cost_complexity=0.0,
        costs=[[1e-05, 1.0], [100.0, 1e-05]],
        sample_weight=[1.0, 0.001880216413274898],
    )
    assert (model.result_.status is SolveStatus.OPTIMAL) == (model.result_.gap == 0)


@pytest.mark.parametrize(
    "asked",
    [
        {"gap": -1},
        {"shard_rows": 0},
        {"cost_complexity": 2},
        {"max_depth": -1},
        {"max_leaf_nodes": 0},
        {"min_samples_leaf": 0},
        {"objective": "nonsense"},
    ],
    ids=lambda asked: next(iter(asked)),
)
@pytest.mark.parametrize("thresholds", ["all", 4], ids=["searched", "counted"])
def test_what_cannot_be_asked_is_told_before_the_rows_are_read(
    asked: dict[str, Any], thresholds: Any
) -> None:
    frame = pl.LazyFrame({"x": [1.0, 2.0], "y": [0, 1]}).map_batches(lambda rows: 1 / 0)
    with pytest.raises(InputError, match=f"{next(iter(asked))}="):
        fit_shards(frame, "y", thresholds=thresholds, progress=False, **asked)


def test_little_space_is_told_in_a_unit_that_shows_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(deal_module.shutil, "disk_usage", lambda folder: SimpleNamespace(free=2_000_000))
    rows = np.random.default_rng(0).normal(size=(100_000, 5))
    with pytest.raises(InputError, match=r"need about 4\.\d MB in .*, which has 2\.0 MB left"):
        fit_shards(rows, rows[:, 0] > 0, spill_folder=tmp_path, progress=False)
    assert list(tmp_path.iterdir()) == []


def test_labels_that_no_type_holds_are_refused(tmp_path: Path) -> None:
    """Whole numbers of both signs are float64 together, where large neighbours are one number."""
    large = 2**53
    for name, dtype in (("a", pl.Int64), ("b", pl.UInt64)):
        pl.DataFrame({"x": [1, 2], "y": [large, large + 1]}, schema_overrides={"y": dtype}).write_parquet(
            tmp_path / f"{name}.parquet"
        )
    with pytest.raises(InputError, match=f"beyond 2\\*\\*53 among them \\({large + 1}\\)"):
        fit_shards(tmp_path, "y", progress=False)
    for name, dtype in (("a", pl.Int64), ("b", pl.UInt64)):
        pl.DataFrame({"x": [1, 2], "y": [3, 4]}, schema_overrides={"y": dtype}).write_parquet(
            tmp_path / f"{name}.parquet"
        )
    assert fit_shards(tmp_path, "y", progress=False).classes_.tolist() == [3, 4]


def test_labels_are_no_weights() -> None:
    frame = pl.DataFrame({"x": [1, 2, 3], "y": [0, 1, 1]})
    with pytest.raises(InputError, match="target and sample_weight are the same column 'y'"):
        fit_shards(frame, "y", sample_weight="y", progress=False)


@pytest.mark.parametrize("thresholds", ["all", 4])
def test_shards_of_classes_that_do_not_count_are_not_searched(thresholds: Any) -> None:
    """Every tree costs 0 on them, so they neither fail nor keep the proof from the others."""
    X, y = np.arange(300.0).reshape(-1, 1), np.repeat([0, 1, 2], 100)
    model = fit_shards(
        X,
        y,
        class_weight={0: 0.0},
        thresholds=thresholds,
        max_depth=1,
        shard_rows=100,
        shuffle=False,
        step_limit=10**6,
        progress=False,
    )
    result = model.result_
    assert not [note for note in result.notes if "failed" in note or "Nothing is proven" in note]
    assert result.stats["shards_lost"] == 0
    assert result.stats["shard_rows"] == [100, 100]
    assert verify_shards(model, X, target=y).ok
