"""Parquet and Arrow files are read by the rules of CSV files; what a type says beyond doubt is kept."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from treewright.errors import InputError
from treewright.table import _typed_text, load_csv, look

KINDS = {"rows.parquet": "write_parquet", "rows.arrow": "write_ipc"}


def frame_of(n: int) -> pl.DataFrame:
    """What people save: text that hides numbers and dates, codes, spellings, and types of their own."""
    day = datetime.date(2020, 1, 1)
    return pl.DataFrame(
        {
            "case": [f"K{1000 + k}" for k in range(n)],
            "age": [-999 if k % 50 == 0 else 20 + k % 47 for k in range(n)],
            "zip": [(10115, 20095, 80331)[k % 3] for k in range(n)],
            "rate": [f"{k % 19},{k % 7} %" for k in range(n)],
            "owner": [("Yes", "yes", "no", "no", "yes")[k % 5] for k in range(n)],
            "risk": [("low", "medium", "high")[k % 3] for k in range(n)],
            "since": [day + datetime.timedelta(days=7 * k) for k in range(n)],
            "paid": [k % 5 == 0 for k in range(n)],
            "y": [("good", "Good", "bad")[k % 3] for k in range(n)],
        }
    )


@pytest.fixture(params=sorted(KINDS))
def save(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[pl.DataFrame], Path]:
    """Write a frame as a typed file."""
    path = tmp_path / request.param

    def written(frame: pl.DataFrame) -> Path:
        getattr(frame, KINDS[request.param])(path)
        return path

    return written


def test_a_look_finds_what_it_finds_in_the_same_rows_as_csv(save: Any, tmp_path: Path) -> None:
    frame = frame_of(300)
    frame.write_csv(tmp_path / "rows.csv")
    typed = look(save(frame), target="y")
    assert {finding.action for finding in typed.findings} >= {
        "merge-labels", "ignore", "missing", "categorical", "merge-words", "order",
    }  # fmt: skip
    assert replace(typed, name="") == replace(look(tmp_path / "rows.csv", target="y"), name="")


def test_numbers_come_back_to_the_last_bit(save: Any) -> None:
    rng = np.random.default_rng(7)
    doubles = np.concatenate(
        [rng.normal(size=200) * 10.0 ** rng.integers(-300, 300, 200), [1.234, 12.5, -0.0, 2.0, 1e16]]
    )
    single = doubles.clip(-1e30, 1e30).astype(np.float32)
    path = save(pl.DataFrame({"double": doubles, "single": single}))
    X = load_csv(path).table.X
    assert X[:, 0].tolist() == doubles.tolist()
    assert X[:, 1].tolist() == single.astype(np.float64).tolist()


@pytest.mark.parametrize("values", [[1.234, 2.345, 3.456], [1.0, 2.345, 3.456]])
def test_three_decimals_are_no_thousands(save: Any, values: list[float]) -> None:
    assert load_csv(save(pl.DataFrame({"x": values}))).table.X[:, 0].tolist() == values


def test_whole_numbers_beside_missing_ones_are_codes_without_decimals(save: Any) -> None:
    path = save(pl.DataFrame({"branch": [7.0, None, 12.0, float("nan"), 7.0]}))
    table = load_csv(path, categorical=["branch"]).table
    assert table.columns[0].categories == ("12", "7")
    assert np.isnan(table.X[:, 0]).tolist() == [False, True, False, True, False]


def test_moments_are_dates_or_dates_with_hours(save: Any) -> None:
    midnight = [datetime.datetime(2020, 1 + k, 2) for k in range(12)]
    moment = [time.replace(hour=2 * k, microsecond=120) for k, time in enumerate(midnight)]
    zoned = pl.Series(moment).dt.replace_time_zone("Europe/Berlin")
    names = load_csv(save(pl.DataFrame({"day": midnight, "seen": moment, "zoned": zoned}))).table.names
    assert "day (hour)" not in names
    assert {"day (month)", "seen (hour)", "zoned (hour)"} <= set(names)


def test_an_enum_brings_its_order_unless_it_is_declared_categorical(save: Any) -> None:
    grades = pl.Series(
        [("cold", "warm", "hot")[k % 3] for k in range(30)], dtype=pl.Enum(["cold", "warm", "hot"])
    )
    path = save(pl.DataFrame({"grade": grades, "x": range(30)}))
    assert load_csv(path).table.columns[0].ordered
    assert load_csv(path).table.columns[0].categories == ("cold", "warm", "hot")
    assert not load_csv(path, categorical=["grade"]).table.columns[0].ordered
    told = load_csv(path, order={"grade": ["hot", "warm", "cold"]}).table.columns[0]
    assert told.categories == ("hot", "warm", "cold")


ODD = {
    "lists": pl.Series([["a"], ["b"]]),
    "durations": pl.Series([datetime.timedelta(days=1), None]),
    "several fields in one": pl.Series([{"a": 1}, {"a": 2}]),
    "Binary": pl.Series([b"a", b"b"]),
}


@pytest.mark.parametrize("what", sorted(ODD))
def test_a_column_that_is_no_field_is_named_and_may_be_left_out(save: Any, what: str) -> None:
    path = save(pl.DataFrame({"odd": ODD[what], "x": [1, 2], "y": ["a", "b"]}))
    with pytest.raises(InputError, match=rf"Column 'odd' of {path.name} holds .*{what}"):
        load_csv(path, target="y")
    with pytest.raises(InputError, match=rf"Column 'odd' of {path.name} holds .*{what}"):
        load_csv(path, target="odd")
    assert load_csv(path, target="y", ignore=["odd"]).table.names == ("x",)
    assert ("odd", "ignore") in [(one.column, one.action) for one in look(path, target="y").findings]


@pytest.mark.parametrize("begin", [b"PAR1", b"ARROW1"])
def test_a_damaged_file_is_said_to_be_one(tmp_path: Path, begin: bytes) -> None:
    path = tmp_path / "rows"
    path.write_bytes(begin + b"nonsense" * 8)
    with pytest.raises(InputError, match=r"rows cannot be read as (Parquet|Arrow)"):
        look(path)


def test_a_file_without_rows_is_refused(save: Any) -> None:
    path = save(pl.DataFrame({"x": pl.Series([], dtype=pl.Float64)}))
    with pytest.raises(InputError, match="has no rows"):
        load_csv(path)


def test_a_folder_is_answered_with_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"it is a folder\. Give one of its files"):
        look(tmp_path)


def test_what_a_small_file_says_many_times_is_counted_before_it_is_read(save: Any) -> None:
    path = save(pl.select(pl.repeat(1, 1000, dtype=pl.Int8).alias("y")))
    for most, message in ((1000, None), (999, r"holds 1,000 rows of 1 columns, too many to read at once")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_typed_text, "MOST_CELLS", most)
            with pytest.raises(InputError, match=message) if message else contextlib.nullcontext():
                load_csv(path)
