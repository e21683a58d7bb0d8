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
from treewright.errors import InputError
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


def test_rows_may_come_in_any_order(folder: Path, model: ShardedTree) -> None:
    frame = pl.read_parquet(folder / "*.parquet").sample(fraction=1.0, shuffle=True, seed=1)
    assert verify_shards(model.model, frame).ok


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
