"""A fit that nothing can stop gets as many rows as there is time for; the clock is a made-up one."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

from treewright import LeafAccuracyTreeClassifier
from treewright.guess import _in_time, _reference, rows_in_time

SECONDS_A_ROW = 0.001


@pytest.fixture(name="table")
def _table(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    monkeypatch.setattr(_in_time, "LARGE", 100)
    monkeypatch.setattr(_in_time, "FEWEST", 50)
    monkeypatch.setattr(_in_time, "TRIAL", 200)
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(_in_time.time, "perf_counter", lambda: now.seconds)
    y = np.repeat([0, 1, 2], [9000, 999, 1])

    def fit(rows: NDArray[np.intp]) -> None:
        now.seconds += SECONDS_A_ROW * len(rows)

    return SimpleNamespace(X=np.zeros((10_000, 2)), y=y, fit=fit, now=now)


def test_all_rows_where_there_is_time_or_no_limit(table: SimpleNamespace) -> None:
    assert rows_in_time(table.X, table.y, np.inf, table.fit) is None
    assert table.now.seconds == 0.0  # nothing was tried
    assert rows_in_time(table.X, table.y, 100.0, table.fit) is None
    assert rows_in_time(table.X[:50], table.y[:50], 0.0, table.fit) is None


def test_what_is_made_takes_no_longer_than_there_is_time(table: SimpleNamespace) -> None:
    rows = rows_in_time(table.X, table.y, 3.0, table.fit)
    assert rows is not None
    table.fit(rows)
    assert 1.0 < table.now.seconds <= 3.0
    assert (np.diff(rows) > 0).all()


@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_every_class_is_among_the_rows(table: SimpleNamespace, seconds: float) -> None:
    rows = rows_in_time(table.X, table.y, seconds, table.fit)
    assert rows is not None
    counts = np.bincount(table.y[rows])
    assert counts[2] == 1
    assert counts[0] == pytest.approx(9 * counts[1], rel=0.2)


def test_guessed_thresholds_of_leaf_accuracy_keep_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    monkeypatch.setattr(_reference, "rows_in_time", lambda X, y, seconds, fit: asked.append(seconds))
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    LeafAccuracyTreeClassifier(thresholds="guess", time_limit=7.0, progress=False).fit(X, y)
    LeafAccuracyTreeClassifier(thresholds="guess", time_limit=None, max_depth=1, progress=False).fit(X, y)
    assert 0 < asked[0] <= 7.0
    assert asked[1] == np.inf


def test_few_rows_without_a_split_are_not_taken_for_the_time_of_a_row(table: SimpleNamespace) -> None:
    """Leaves of 50 rows: a fit on 50 has no split and takes next to no time, one on 200 rows has."""

    def fit(rows: NDArray[np.intp]) -> None:
        table.now.seconds += 1e-4 if len(rows) < 100 else SECONDS_A_ROW * len(rows)

    rows = rows_in_time(table.X, table.y, 3.0, fit)
    assert rows is not None
    table.now.seconds = 0.0
    fit(rows)
    assert table.now.seconds <= 3.0
