"""Columns of a pandas frame that numpy holds as numbers are read together, as one by one."""

import numpy as np
import pandas as pd
import pytest

from treewright.errors import InputError
from treewright.table import _containers as containers
from treewright.table import table_from


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "real": rng.normal(size=50),
            "gaps": np.where(rng.random(50) < 0.3, np.nan, rng.normal(size=50)),
            "single": rng.normal(size=50).astype(np.float32),
            "whole": rng.integers(-5, 5, 50),
            "small": rng.integers(0, 200, 50).astype(np.uint8),
            "zero one": rng.integers(0, 2, 50),
            "truth": rng.random(50) < 0.5,
            "town": rng.choice(["Bern", "Ulm"], 50),
            "nullable": pd.array([None, *range(49)], dtype="Int64"),
        }
    )


@pytest.mark.parametrize("kept", [slice(None), slice(0, 6), slice(0, 3), slice(6, 7), slice(5, 7)], ids=str)
def test_the_same_table_as_one_by_one(kept, monkeypatch):
    X = frame().iloc[:, kept]
    together = table_from(X)
    monkeypatch.setattr(containers, "numbers_of_pandas", lambda _, names: [None] * len(names))
    one_by_one = table_from(X)
    assert together.columns == one_by_one.columns
    assert together.notes == one_by_one.notes
    np.testing.assert_array_equal(together.X, one_by_one.X)


def test_the_frame_is_not_shared():
    X = frame()[["real", "gaps"]]
    table = table_from(X)
    assert not any(np.shares_memory(table.X, X[name].to_numpy()) for name in X)


def test_no_column_of_numbers_is_read_alone(monkeypatch):
    monkeypatch.setattr(containers, "read_series", lambda *_: pytest.fail("a column was read alone"))
    assert len(table_from(frame().iloc[:, :7]).columns) == 7


@pytest.mark.parametrize("odd", [np.inf, 2**60, -(2**53) - 1])
def test_what_is_refused_alone_is_refused(odd, monkeypatch):
    X = frame().assign(odd=odd, other=odd)
    with pytest.raises(InputError) as together:
        table_from(X)
    monkeypatch.setattr(containers, "numbers_of_pandas", lambda _, names: [None] * len(names))
    with pytest.raises(InputError) as alone:
        table_from(X)
    assert str(together.value) == str(alone.value)


def test_the_largest_integers_are_read():
    assert table_from(pd.DataFrame({"id": [2**53, -(2**53)]})).X.tolist() == [[2.0**53], [-(2.0**53)]]
