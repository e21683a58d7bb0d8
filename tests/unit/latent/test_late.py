"""Law: after a limit a latent tree looks at a bounded number of rows, and its tree has the counts of all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import LatentTreeClassifier, LatentTreeClusterer, LatentTreeRegressor
from treewright.latent import _late
from treewright.latent._encode import Encoder, fit_encoder
from treewright.table import table_from
from treewright.tree import LinearSplit


def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a small table be a large one."""
    monkeypatch.setattr(_late, "LATE_CELLS", 1000)
    monkeypatch.setattr(_late, "LATE_ROWS", 50)


@pytest.mark.parametrize("kind", [LatentTreeClassifier, LatentTreeRegressor])
def test_few_rows_are_looked_at_after_the_limit(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    seen: list[int] = []
    transform = Encoder.transform

    def counted(self: Encoder, rows: Any) -> Any:
        seen.append(len(rows))
        return transform(self, rows)

    monkeypatch.setattr(Encoder, "transform", counted)
    model = kind(depth=3, time_limit=1e-9, random_state=0, progress=False).fit(X, y)
    # Training and judging rows, the pruning vector, the shape of the hard tree, its agreement: 200 rows each.
    assert sum(seen) <= 5 * 200
    hard = model.harden()
    assert hard.tree.n_node_samples[0] == 4000
    leaf = hard.tree.apply(X)
    assert np.array_equal(np.bincount(leaf, minlength=hard.tree.node_count)[hard.tree.is_leaf],
                          hard.tree.n_node_samples[hard.tree.is_leaf])  # fmt: skip
    assert " 200 rows" in hard.sentence


def test_clusters_of_all_rows_are_known_after_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch)
    X = np.random.default_rng(0).normal(size=(4000, 5))
    model = LatentTreeClusterer(depth=2, time_limit=1e-9, random_state=0, progress=False).fit(X)
    assert model.labels_.shape == (4000,)
    assert np.array_equal(model.labels_, model.predict(X))


def test_without_a_limit_all_rows_count(monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch)
    X = np.random.default_rng(0).normal(size=(600, 3))
    model = LatentTreeRegressor(depth=2, epochs=2, random_state=0, progress=False).fit(X, X[:, 0])
    assert "600 rows" in model.harden().sentence


def test_moments_of_many_columns_are_those_of_each() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 40))
    X[:, 3] = 7.0
    X[rng.random(300) < 0.3, 5] = np.nan
    table = table_from(X)
    whole = fit_encoder(table.X, table.columns, "ordinal")
    for j in range(40):
        alone = fit_encoder(table.X[:, [j]], table.columns[j : j + 1], "ordinal")
        at = whole.source == j
        assert np.array_equal(whole.center[at], alone.center)
        assert np.array_equal(whole.scale[at], alone.scale)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 8, 50])
def test_wide_linear_splits_add_term_by_term(n_rows: int) -> None:
    rng = np.random.default_rng(n_rows)
    X, weights = rng.normal(size=(n_rows, 400)), rng.normal(size=400)
    rows = np.flatnonzero(rng.random(n_rows) < 0.5)
    for columns in (tuple(range(400)), tuple(range(0, 400, 3))):
        sums = np.zeros(n_rows)
        for j in columns:
            sums += weights[j] * X[:, j]
        split = LinearSplit(columns, tuple(weights[list(columns)].tolist()), 0.0)
        for table in (np.asfortranarray(X), np.ascontiguousarray(X)):
            assert np.array_equal(split.score(table), sums)
            assert np.array_equal(split.score(table, rows), sums[rows])
