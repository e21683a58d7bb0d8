"""A fit on shards is checked over all rows in pieces, and what was changed in its model is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from treewright import ShardedTree, fit_shards
from treewright.convert import Model, load_model
from treewright.errors import InputError, InputTypeError
from treewright.result import SolveStatus
from treewright.verify import verify_shards

N = 3000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3)).round(2)
    word = rng.choice(["red", "green", "blue"], N)
    y = np.where(((X[:, 0] > 0.4) & (word != "red")) ^ (rng.random(N) < 0.1), "yes", "no")
    frame = pl.DataFrame(X, schema=["a", "b", "c"]).with_columns(
        word=pl.Series([None if k % 23 == 0 else str(w) for k, w in enumerate(word)]),
        w=pl.Series(rng.integers(0, 4, N)),
        y=pl.Series(y),
    )
    path: Path = tmp_path_factory.mktemp("rows")
    for k in range(3):
        frame[k * 1000 : (k + 1) * 1000].write_parquet(path / f"{k}.parquet")
    return path


@pytest.fixture(scope="module", params=[None, "balanced", {"yes": 3.0}], ids=str)
def model(folder: Path, request: pytest.FixtureRequest) -> ShardedTree:
    return fit_shards(
        folder,
        "y",
        sample_weight="w",
        max_depth=2,
        shard_rows=800,
        class_weight=request.param,
        min_samples_leaf=5,
        progress=False,
    )


def test_an_honest_model_is_verified(folder: Path, model: ShardedTree, tmp_path: Path) -> None:
    model.save(tmp_path / "model.json")
    report = verify_shards(load_model(tmp_path / "model.json"), folder)
    assert report.ok, str(report)
    assert len(report.checks) >= 18


def with_claim(model: Model, **changed: Any) -> Model:
    assert model.certificate is not None
    return replace(model, certificate=replace(model.certificate, **changed))


def with_stats(model: Model, **changed: Any) -> Model:
    assert model.certificate is not None
    return with_claim(model, stats={**model.certificate.stats, **changed})


def with_node(model: Model, name: str, node: int, value: Any) -> Model:
    array = getattr(model.tree, name).copy()
    array[node] = value
    return replace(model, tree=replace(model.tree, **{name: array}))


CHANGES = {
    "rows": lambda m: with_stats(m, rows=m.certificate.stats["rows"] + 1),
    "shard_rows": lambda m: with_stats(m, shard_rows=[1, *m.certificate.stats["shard_rows"][1:]]),
    "shard_weights": lambda m: with_stats(m, shard_weights=[1.0, *m.certificate.stats["shard_weights"][1:]]),
    "class_weights": lambda m: with_stats(m, class_weights=m.certificate.stats["class_weights"][::-1]),
    "one class": lambda m: with_stats(m, class_weights=m.certificate.stats["class_weights"][:1]),
    "shards": lambda m: with_stats(m, shards=2),
    "no shards": lambda m: with_stats(m, shard_bounds="many"),
    "one bound": lambda m: with_stats(m, shard_bounds=[0.0, *m.certificate.stats["shard_bounds"][1:]]),
    "lower_bound": lambda m: with_claim(m, lower_bound=m.certificate.lower_bound + 1e-4),
    "all bounds": lambda m: with_claim(
        with_stats(m, shard_bounds=[2.0] * m.certificate.stats["shards"]), lower_bound=2.0
    ),
    "objective": lambda m: with_claim(m, objective=m.certificate.objective - 1e-4),
    "loss": lambda m: with_claim(m, loss=m.certificate.loss - 1e-4),
    "status": lambda m: with_claim(
        m, status=SolveStatus.OPTIMAL, lower_bound=m.certificate.lower_bound - 0.01
    ),
    "depth": lambda m: with_claim(m, options={**m.certificate.options, "max_depth": None}),
    "question": lambda m: with_claim(m, terms=replace(m.certificate.terms, cost_complexity=0.02)),
    "weights": lambda m: with_claim(m, terms=replace(m.certificate.terms, weight=None)),
    "count": lambda m: with_node(m, "n_node_samples", 1, 7),
    "value": lambda m: with_node(m, "value", 2, 7.0),
    "label": lambda m: with_node(m, "prediction", m.tree.node_count - 1, 1 - m.tree.prediction[-1]),
    "threshold": lambda m: replace(
        m,
        tree=replace(
            m.tree,
            splits=tuple(
                replace(s, threshold=s.threshold + 0.3) if hasattr(s, "threshold") else s
                for s in m.tree.splits
            ),
        ),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_found(folder: Path, model: ShardedTree, change: str) -> None:
    assert not verify_shards(CHANGES[change](model.model), folder).ok


def test_other_rows_are_found(folder: Path, model: ShardedTree, tmp_path: Path) -> None:
    frame = pl.read_parquet(folder / "*.parquet")
    frame.filter(pl.col("w") > 0)[1:].write_parquet(tmp_path / "fewer.parquet")
    assert not verify_shards(model.model, tmp_path).ok
    other = frame.with_columns(y=pl.when(pl.int_range(N) == 5).then(pl.lit("perhaps")).otherwise("y"))
    failed = verify_shards(model.model, other).failed
    assert any("perhaps" in check.found for check in failed)


@pytest.mark.parametrize("weights", [None, np.arange(1.0, 61.0)], ids=["rows", "weights"])
def test_a_label_changed_where_balanced_classes_fill_their_leaves_is_found(weights: Any) -> None:
    """A leaf holds the same factored weight of each class then, however many rows are of which."""
    X = np.arange(60.0)[:, None]
    y = np.repeat([0, 1, 2], 20)
    model = fit_shards(X, y, sample_weight=weights, max_depth=1, class_weight="balanced", progress=False)
    assert verify_shards(model, X, target=y, sample_weight=weights).ok
    second, third = np.flatnonzero(y == 1)[3], np.flatnonzero(y == 2)[3]
    assert model.result_.tree.apply(X[[second, third]]).tolist() == [2, 2]
    y[second] = 2
    failed = verify_shards(model, X, target=y, sample_weight=weights).failed
    assert [check.name for check in failed] == ["weight of each class"]


def test_rows_may_come_in_any_order(folder: Path, model: ShardedTree) -> None:
    frame = pl.read_parquet(folder / "*.parquet").sample(fraction=1.0, shuffle=True, seed=1)
    assert verify_shards(model.model, frame).ok


@pytest.fixture(scope="module")
def stopped(folder: Path) -> Model:
    """Right labels that cost something, and shards that nobody searched."""
    costs = [[0.25, 1.0], [2.0, 0.5]]
    return fit_shards(
        folder, "y", max_depth=2, shard_rows=500, costs=costs, progress=lambda state: state.done >= 2
    ).model


def test_shards_count_with_what_every_tree_costs(folder: Path, stopped: Model) -> None:
    report = verify_shards(stopped, folder)
    assert report.ok, str(report)
    assert stopped.result is not None
    assert "but the penalty of one leaf and the least cost of each row" in stopped.result.sentence()


FLOOR_CHANGES = {
    "higher": lambda stats: {"shard_floors": [floor + 0.01 for floor in stats["shard_floors"]]},
    "one higher": lambda stats: {"shard_floors": [stats["shard_bounds"][0], *stats["shard_floors"][1:]]},
    "lower": lambda stats: {"shard_floors": [0.01] * stats["shards"]},
    "none": lambda stats: {"shard_floors": None},
    "a bound": lambda stats: {"shard_bounds": [bound + 0.001 for bound in stats["shard_bounds"]]},
    "more lost": lambda stats: {"shards_lost": stats["shards_lost"] + 1},
}


@pytest.mark.parametrize("change", FLOOR_CHANGES)
def test_no_shard_counts_with_more(folder: Path, stopped: Model, change: str) -> None:
    assert stopped.certificate is not None
    stats = stopped.certificate.stats
    assert not verify_shards(with_stats(stopped, **FLOOR_CHANGES[change](stats)), folder).ok


def test_floors_cannot_be_left_out(folder: Path, stopped: Model) -> None:
    assert stopped.certificate is not None
    stats = {name: value for name, value in stopped.certificate.stats.items() if name != "shard_floors"}
    assert not verify_shards(with_claim(stopped, stats=stats), folder).ok


def test_weights_may_be_given_apart(folder: Path, model: ShardedTree) -> None:
    frame = pl.read_parquet(folder / "*.parquet")
    unnamed = with_claim(model.model, terms=replace(model.terms, weight=None, target=None))
    rows, labels = frame.drop("y", "w"), frame["y"].to_list()
    assert verify_shards(unnamed, rows, target=labels, sample_weight=frame["w"].to_numpy()).ok
    assert verify_shards(unnamed, folder, target="y", sample_weight="w").ok
    failed = verify_shards(unnamed, rows, target=labels).failed
    assert any("sample_weight=..." in check.message for check in failed)


def test_large_costs_are_compared_by_their_size(folder: Path) -> None:
    costs = [[0.0, 0.3e10 + 0.1], [1e10 / 3, 0.0]]
    asked: dict[str, Any] = {"costs": costs, "class_weight": "balanced", "progress": False}
    fitted = fit_shards(folder, "y", max_depth=2, shard_rows=500, **asked)
    report = verify_shards(fitted.model, folder)
    assert report.ok, str(report)
    further = with_claim(fitted.model, objective=fitted.result_.objective * (1 - 1e-8))
    assert not verify_shards(further, folder).ok


def test_labels_may_be_given_apart() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = X[:, 0] > 0
    model = fit_shards(X, y, max_depth=1, shard_rows=100, progress=False).model
    assert verify_shards(model, X, target=y).ok
    with pytest.raises(InputError, match="does not name the column of labels"):
        verify_shards(model, X)
    with pytest.raises(InputError, match="no certificate of a fit on shards"):
        verify_shards(Model(model.tree), X, target=y)


def test_what_the_fit_returned_is_checked_as_its_model_is(folder: Path, model: ShardedTree) -> None:
    assert str(verify_shards(model, folder)) == str(verify_shards(model.model, folder))
    with pytest.raises(InputTypeError, match="model is a str; give what fit_shards returned"):
        verify_shards("model.json", folder)  # type: ignore[arg-type]  # a path


def test_a_label_may_be_whole_in_one_file_and_a_float_in_another(tmp_path: Path) -> None:
    for k, label in enumerate([pl.lit(1), pl.lit(2.0), pl.lit(1.0)]):
        pl.DataFrame({"x": [k, k, 9]}).with_columns(y=label).write_parquet(tmp_path / f"{k}.parquet")
    model = fit_shards(tmp_path, "y", max_depth=1, shard_rows=3, progress=False)
    assert model.classes_.tolist() == [1.0, 2.0]
    report = verify_shards(model, tmp_path)
    assert report.ok, str(report)
    pl.DataFrame({"x": [0, 0, 9], "y": [3, 1, 1]}).write_parquet(tmp_path / "0.parquet")
    assert any("'3'" in check.found for check in verify_shards(model, tmp_path).failed)


def test_a_single_row_is_named_as_one() -> None:
    model = fit_shards(pl.DataFrame({"x": [1.0], "y": ["a"]}), "y", progress=False)
    assert "and 1 row: no tree" in model.result_.sentence()
