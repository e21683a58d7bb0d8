"""Columns of dates in Parquet files that are read in pieces: the same columns as in a file that is read whole."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from treewright import fit_shards
from treewright.cli import app
from treewright.errors import InputError
from treewright.sources import Roles, SchemaBuilder, _files, open_source
from treewright.table import Settings, load_csv
from treewright.verify import verify_shards

N = 300
TIMES = [datetime.datetime(2021, 1, 4, 7) + datetime.timedelta(days=7 * k, hours=k % 3) for k in range(N)]
FRAME = pl.DataFrame(
    {
        "seen": [None if k % 50 == 9 else time for k, time in enumerate(TIMES)],
        "risk": pl.Series(
            [("low", "medium", "high")[k % 3] for k in range(N)], dtype=pl.Enum(["low", "medium", "high"])
        ),
        "born": [time.date() - datetime.timedelta(days=9_000) for time in TIMES],
        "y": ["yes" if k > 170 else "no" for k in range(N)],
    },
    schema_overrides={"seen": pl.Datetime("us", "Europe/Vienna")},
)
REFERENCE = TIMES[-1].date()
ASK: dict[str, Any] = {"max_depth": 1, "cost_complexity": 0.0, "thresholds": "all", "progress": False}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of the rows; the second file has dates of one day only, and the last one none."""
    path = tmp_path / "rows"
    path.mkdir()
    for k, (start, end) in enumerate(((0, 120), (120, 121), (121, N - 41), (N - 40, N))):
        FRAME[start:end].write_parquet(path / f"{k}.parquet")
    FRAME[N - 41 : N - 40].with_columns(pl.col("seen").cast(pl.Null)).write_parquet(
        path / "9.parquet"
    )  # its date is missing
    return path


def read(source: Any) -> tuple[list[str], list[list[float]]]:
    """Return the columns of a source, and its rows, sorted."""
    builder = SchemaBuilder()
    pieces = open_source(source).pieces(Roles("y"))
    X = np.concatenate([np.stack(builder.encode(piece), axis=1) for piece in pieces])
    schema = builder.finish()
    schema.recode(X)
    return [column.name for column in schema.columns], sorted(np.nan_to_num(X, nan=-1.0).tolist())


def read_labels(folder: Path) -> list[str]:
    return [label for file in sorted(folder.iterdir()) for label in pl.read_parquet(file)["y"].to_list()]


def test_several_files_are_read_as_one(folder: Path, tmp_path: Path) -> None:
    names, X = read(folder)
    assert FRAME["seen"][N - 41] is None
    FRAME.write_parquet(tmp_path / "all.parquet")
    whole = load_csv(tmp_path / "all.parquet", target="y").table
    assert names == list(whole.names)
    assert [
        "seen (year)",
        "seen (month)",
        "seen (hour)",
        f"seen (age in days on {REFERENCE})",
        "risk",
        "born (year)",
    ] == names[:6]
    assert sorted(np.nan_to_num(whole.X, nan=-1.0).tolist()) == X
    assert read(tmp_path / "all.parquet") == (names, X)
    assert read(sorted(folder.iterdir(), reverse=True)) == (names, X)


def test_a_tree_on_dates_reads_other_files(folder: Path, tmp_path: Path) -> None:
    model = fit_shards(folder, "y", **ASK)
    split = model.tree_.splits[0]
    assert "(age in days on " in model.tree_.columns[split.column].name
    assert verify_shards(model, folder).ok
    new = tmp_path / "new"
    new.mkdir()
    FRAME[160:180].drop("y").write_parquet(new / "a.parquet")
    FRAME[180:190].drop("y", "risk").write_parquet(new / "b.parquet")
    expected = FRAME["y"][160:190].to_list()
    assert model.predict(new).tolist() == expected
    FRAME[160:190].select("born", "seen").write_csv(tmp_path / "new.csv")
    assert model.predict(tmp_path / "new.csv").tolist() == expected
    again = open_source(new, reading=model.reading).pieces(Roles())
    assert f"seen (age in days on {REFERENCE})" in [raw.name for raw in next(iter(again)).columns]


def test_thresholds_of_a_sample_are_those_of_dates(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are drawn from some places alone have the day of all rows."""
    from treewright.shards import _sampled

    monkeypatch.setattr(_sampled, "SAMPLE_ROWS", 100)
    monkeypatch.setattr(_files, "PLACES", 4)
    model = fit_shards(folder, "y", **ASK | {"thresholds": 8})
    assert "(age in days on " in model.tree_.columns[model.tree_.splits[0].column].name
    assert verify_shards(model, folder).ok


def test_columns_that_are_dates_in_one_file_only_are_named(folder: Path) -> None:
    FRAME[:5].with_columns(pl.col("seen").dt.to_string("%Y-%m-%d")).write_parquet(folder / "a.parquet")
    with pytest.raises(
        InputError, match=r"'seen' holds dates in 0\.parquet, but cells of type String in a\.parquet"
    ):
        read(folder)
    FRAME[:5].with_columns(pl.col("seen").dt.year()).write_parquet(folder / "a.parquet")
    with pytest.raises(
        InputError, match=r"'seen' holds dates in 0\.parquet, but numbers in a\.parquet\. Make it"
    ):
        read(folder)
    assert fit_shards(folder, "y", ignore=["seen"], **ASK).result_.stats["rows"] == N + 5


@pytest.mark.parametrize("kind", [pl.Date, pl.Datetime("ms")])
def test_codes_for_missing_are_those_of_whole_files(tmp_path: Path, kind: Any) -> None:
    """A date may mean missing; a number that does is no month, weekday or hour."""
    days = [time.date() for time in TIMES[:60]]
    days[7] = days[40] = datetime.date(9999, 12, 31)
    FRAME[:60].with_columns(pl.Series("born", days).cast(kind)).write_parquet(tmp_path / "all.parquet")
    codes: dict[str, Any] = {"missing_in": {"born": ["9999-12-31"]}}
    settings = Settings(missing=("8", "2"), **codes)
    whole = load_csv(tmp_path / "all.parquet", target="y", missing_values=["8", "2"], **codes).table
    (piece,) = open_source(tmp_path / "all.parquet", settings=settings).pieces(Roles("y"))
    builder = SchemaBuilder()
    X = np.stack(builder.encode(piece), axis=1)
    assert [raw.name for raw in piece.columns] == list(whole.names)
    dates = [k for k, name in enumerate(whole.names) if name != "risk"]
    np.testing.assert_array_equal(X[:, dates], whole.X[:, dates])
    assert np.isnan(X[7, dates]).sum() == len([name for name in whole.names if name.startswith("born")])


def test_names_of_parts_are_not_taken_twice(tmp_path: Path) -> None:
    FRAME.with_columns(pl.lit(1).alias("born (year)")).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(
        InputError, match=r"a\.parquet has a column with the same name as a part of one of its dates"
    ):
        read(tmp_path)


def test_dates_that_are_declared_categorical_are_refused(folder: Path) -> None:
    with pytest.raises(InputError, match=r"0\.parquet: Column 'born' holds dates, .*Save it as text"):
        fit_shards(folder, "y", categorical_features=["born"], **ASK)


def test_the_commands_read_them(folder: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"

    def run(*words: object) -> str:
        answer = CliRunner().invoke(app, [str(word) for word in words])
        assert answer.exit_code == 0, answer.output
        return answer.output

    told = run("fit", folder, "--target", "y", "--out", model, "--max-depth", 1)
    assert "Column 'born' holds dates; splits can use year, month and age in days." in told
    run("verify", model, folder)
    answers = run("predict", model, folder).splitlines()
    n_wrong = sum(a != b for a, b in zip(answers[1:], read_labels(folder), strict=True))
    assert n_wrong < N / 20  # 16 quantiles do not hold the day that divides the labels
    run("fit", folder, "--target", "y", "--ignore", "seen", "--ignore", "born", "--out", model)
    run("verify", model, folder)
