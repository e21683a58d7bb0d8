"""Columns of dates in sources that stream: the same columns as in a file that is read whole."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from partitions import Partitions
from treewright import fit_shards
from treewright.convert import load_model
from treewright.errors import InputError
from treewright.sources import Roles, SchemaBuilder, open_source
from treewright.sources import _streams as streams_module
from treewright.table import Reading, load_csv
from treewright.verify import verify_shards

N = 300
TIMES = [datetime.datetime(2021, 1, 4, 7) + datetime.timedelta(days=7 * k, hours=k % 3) for k in range(N)]
FRAME = pl.DataFrame(
    {
        # Rows without any date come first, and one day only follows them.
        "seen": [None if k < 70 or k % 50 == 9 else TIMES[k] for k in range(N)],
        "size": [float(k % 7) for k in range(N)],
        "born": [time.date() - datetime.timedelta(days=9_000) for time in TIMES],
        "left out": [time.date() for time in TIMES],
        "y": ["yes" if k > 170 else "no" for k in range(N)],
    }
)
REFERENCE = TIMES[-1].date()
ASK: dict[str, Any] = {
    "ignore": ["left out"],
    "max_depth": 1,
    "cost_complexity": 0.0,
    "thresholds": "all",
    "progress": False,
}


def lazy(frame: pl.DataFrame, folder: Path) -> Any:
    return frame.lazy()


def duck(frame: pl.DataFrame, folder: Path) -> Any:
    duckdb = pytest.importorskip("duckdb")
    frame.write_parquet(folder / "of duckdb.parquet")
    connection = duckdb.connect()
    connection.execute("SET preserve_insertion_order = true")
    return connection.sql(f"SELECT * FROM read_parquet('{folder}/of duckdb.parquet')")


def in_pandas(frame: pl.DataFrame) -> Any:
    """Return the rows with times as times and days as Python's dates, in a column of objects."""
    columns = frame.to_dict(as_series=False)
    times = {"seen": pd.to_datetime(pd.Series(columns["seen"]))} if "seen" in columns else {}
    return pd.DataFrame(columns | times)


def dask(frame: pl.DataFrame, folder: Path) -> Any:
    return Partitions(in_pandas(frame), 5)


STREAMS = {"lazy": lazy, "duckdb": duck, "dask": dask}
Stream = Callable[[pl.DataFrame, Path], Any]


@pytest.fixture(params=STREAMS)
def stream(request: pytest.FixtureRequest) -> Stream:
    return STREAMS[request.param]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams_module, "PIECE_ROWS", 64)


def read(source: Any, roles: Roles, reading: Reading | None = None) -> tuple[list[str], np.ndarray]:
    builder = SchemaBuilder()
    pieces = open_source(source, reading=reading).pieces(roles)
    X = np.concatenate([np.stack(builder.encode(piece), axis=1) for piece in pieces])
    return [column.name for column in builder.finish().columns], np.nan_to_num(X, nan=-1.0)


def test_the_columns_are_those_of_the_whole_table(stream: Stream, tmp_path: Path) -> None:
    names, X = read(stream(FRAME, tmp_path), Roles("y", ignore=("left out",)))
    FRAME.write_parquet(tmp_path / "all.parquet")
    whole = load_csv(tmp_path / "all.parquet", target="y", ignore=["left out"]).table
    assert names == list(whole.names)
    assert {"seen (month)", "seen (hour)", f"seen (age in days on {REFERENCE})", "born (year)"} <= {*names}
    np.testing.assert_array_equal(X, np.nan_to_num(whole.X, nan=-1.0))


def test_a_tree_on_dates_is_checked_and_predicts(stream: Stream, tmp_path: Path) -> None:
    source = stream(FRAME, tmp_path)
    model = fit_shards(source, "y", **ASK)
    assert "(age in days on " in model.tree_.columns[model.tree_.splits[0].column].name
    assert [note for note in model.result_.notes if "Column 'born' holds dates" in note]
    assert verify_shards(model, source).ok
    model.save(tmp_path / "model.json")
    assert verify_shards(load_model(tmp_path / "model.json"), source).ok
    new, expected = FRAME[160:190].drop("y"), FRAME["y"][160:190].to_list()
    assert model.predict(stream(new, tmp_path)).tolist() == expected
    new.select("born", "seen").write_csv(tmp_path / "new.csv")
    assert model.predict(tmp_path / "new.csv").tolist() == expected


def test_a_tree_of_files_reads_streams(stream: Stream, tmp_path: Path) -> None:
    """Also dates that mean missing there, which would be ages of minus three million days."""
    FRAME.write_parquet(tmp_path / "all.parquet")
    model = fit_shards(tmp_path / "all.parquet", "y", **ASK)
    assert model.predict(stream(FRAME[160:190], tmp_path)).tolist() == FRAME["y"][160:190].to_list()
    reading = Reading(columns=model.reading.columns, missing_in={"born": ("9999-12-31",)})
    odd = FRAME.with_columns(born=pl.lit(datetime.date(9999, 12, 31)))
    names, X = read(stream(odd, tmp_path), Roles("y", ignore=("left out", "seen")), reading)
    assert (X[:, names.index("born (year)")] == -1.0).all()


def test_a_tree_of_one_leaf_needs_no_dates(stream: Stream, tmp_path: Path) -> None:
    model = fit_shards(stream(FRAME, tmp_path), "y", **ASK | {"max_depth": 0})
    assert model.predict(stream(FRAME[:80].select("size"), tmp_path)).tolist() == ["no"] * 80


def test_dates_are_no_categories(stream: Stream, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"the .*: Column 'born' holds dates, and .* these are no categories"
    ):
        fit_shards(stream(FRAME, tmp_path), "y", categorical_features=["born"], **ASK)


def test_streams_without_dates_are_read_as_before(stream: Stream, tmp_path: Path) -> None:
    model = fit_shards(stream(FRAME.select("size", "y"), tmp_path), "y", max_depth=1, progress=False)
    assert model.reading is None


def test_the_columns_that_a_tree_needs_are_named_where_none_is_there(stream: Stream, tmp_path: Path) -> None:
    model = fit_shards(stream(FRAME.select("size", "born", "y"), tmp_path), "y", max_depth=1, progress=False)
    name = model.tree_.columns[model.tree_.splits[0].column].name
    with pytest.raises(InputError) as told:
        model.predict(stream(FRAME.select("left out"), tmp_path))
    assert f"lacks columns that the tree needs: {name!r}." in str(told.value)
