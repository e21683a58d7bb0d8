"""Law: after a limit a latent tree looks at a bounded number of rows, and its tree has the counts of all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import LatentTreeClassifier, LatentTreeClusterer, LatentTreeRegressor
from treewright.latent import LatentTree, _late
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


@pytest.mark.parametrize("n_rows", [1, 2, 3, 8, 50, 399])
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


class CountedTakes(np.ndarray):
    """A table that counts how often rows are taken from it."""

    takes = 0

    def take(self, *arguments: Any, **options: Any) -> Any:
        CountedTakes.takes += 1
        return np.asarray(self).take(*arguments, **options)


def test_a_thousand_rows_are_not_walked_column_by_column() -> None:
    X = np.asfortranarray(np.random.default_rng(0).normal(size=(1000, 1280))).view(CountedTakes)
    CountedTakes.takes = 0
    LinearSplit(tuple(range(1280)), (1.0,) * 1280, 0.0).score(X, np.arange(0, 1000, 2))
    assert CountedTakes.takes == 1280 / 64


def test_rows_after_the_limit_lie_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch)
    X = np.random.default_rng(0).normal(size=(4000, 5))
    laid: list[bool] = []
    goes_left = LinearSplit.goes_left

    def seen(self: LinearSplit, rows: Any, *chosen: Any) -> Any:
        if len(rows) == 200:
            laid.append(rows.flags.f_contiguous or rows.flags.c_contiguous)
        return goes_left(self, rows, *chosen)

    monkeypatch.setattr(LinearSplit, "goes_left", seen)
    for kind in (LatentTreeClassifier, LatentTreeRegressor, LatentTreeClusterer):
        laid.clear()
        kind(depth=3, time_limit=1e-9, random_state=0, progress=False).fit(X, (X[:, 0] > 0).astype(int))
        assert laid
        assert all(laid)


def test_rows_are_led_to_their_leaves_in_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    X = np.random.default_rng(0).normal(size=(400, 5))
    threads: list[int] = []
    leaf = LatentTree.leaf

    def seen(self: LatentTree, x: Any) -> Any:
        threads.append(torch.get_num_threads())
        return leaf(self, x)

    monkeypatch.setattr(LatentTree, "leaf", seen)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        LatentTreeClusterer(depth=2, epochs=1, random_state=0, progress=False).fit(X)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert set(threads) == {1}


def test_long_products_keep_the_threads_of_torch() -> None:
    torch = pytest.importorskip("torch")
    from treewright.latent._one_thread import LONG, one_thread

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with one_thread(LONG + 1):
            assert torch.get_num_threads() == 2
        with one_thread(LONG):
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
