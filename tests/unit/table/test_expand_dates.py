"""Dates in frames of any library become the numbers that the command line makes of the same dates in a file."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treewright import OptimalTreeClassifier
from treewright.errors import InputError
from treewright.table import expand_dates, load_csv, look, table_from

CLOCK = ["2023-05-01 23:30", "2024-02-29 01:00", None, "1969-12-31 00:00"]
TIMES = [None if text is None else datetime.datetime.fromisoformat(text) for text in CLOCK]
DAYS = [None if time is None else time.date() for time in TIMES]
ZONE = datetime.timezone(datetime.timedelta(hours=2))
OF_TIMES = {
    "d (year)": [2023, 2024, np.nan, 1969],
    "d (month)": [5, 2, np.nan, 12],
    "d (weekday, Monday = 1)": [1, 4, np.nan, 3],
    "d (hour)": [23, 1, np.nan, 0],
    "d (age in days on 2024-02-29)": [304, 0, np.nan, 19783],
}
OF_DAYS = {name: values for name, values in OF_TIMES.items() if "hour" not in name}


def as_pandas(values: object) -> pd.DataFrame:
    return pd.DataFrame({"d": values, "x": [1, 2, 3, 4]}, index=[5, 7, 6, 9])


FRAMES = {
    "pandas datetime64": (as_pandas(pd.to_datetime(CLOCK)), OF_TIMES),
    "pandas datetime64 with a time zone": (
        as_pandas(pd.to_datetime(CLOCK).tz_localize("Asia/Tokyo")),
        OF_TIMES,
    ),
    "pandas period": (as_pandas(pd.PeriodIndex(CLOCK, freq="D")), OF_DAYS),
    "pandas objects, date": (as_pandas(np.array(DAYS, dtype=object)), OF_DAYS),
    "pandas objects, datetime with a zone": (
        as_pandas(np.array([t and t.replace(tzinfo=ZONE) for t in TIMES], dtype=object)),
        OF_TIMES,
    ),
    "polars Datetime": (pl.DataFrame({"d": TIMES, "x": [1, 2, 3, 4]}), OF_TIMES),
    "polars Datetime with a time zone": (
        pl.DataFrame({"d": TIMES, "x": [1, 2, 3, 4]}).with_columns(
            pl.col("d").dt.replace_time_zone("America/New_York")
        ),
        OF_TIMES,
    ),
    "polars Date": (pl.DataFrame({"d": DAYS, "x": [1, 2, 3, 4]}), OF_DAYS),
}


@pytest.mark.parametrize(("frame", "expected"), FRAMES.values(), ids=FRAMES)
def test_parts_of_dates_in_each_kind_of_frame(
    frame: pd.DataFrame | pl.DataFrame, expected: dict[str, list[float]]
) -> None:
    with pytest.raises(
        InputError, match=r"'d' holds dates\. X = treewright\.table\.expand_dates\(X\) replaces"
    ):
        table_from(frame)
    expanded = expand_dates(frame)
    assert type(expanded) is type(frame)
    assert list(expanded.columns) == [*expected, "x"]
    for name, values in expected.items():
        np.testing.assert_array_equal(expanded[name].to_numpy(), values)
    if isinstance(frame, pd.DataFrame):
        assert list(expanded.index) == list(frame.index)
    assert [column.has_missing for column in table_from(expanded).columns] == [*[True] * len(expected), False]
    again = expand_dates(frame[:1], like=expanded)
    assert list(again.columns) == list(expanded.columns)
    assert again[0:1]["d (age in days on 2024-02-29)"].to_list() == [304]


def test_the_same_columns_as_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "dates.csv"
    path.write_text(
        "d,x\n" + "".join(f"{text or ''},{j}\n" for j, text in enumerate(CLOCK)), encoding="utf-8"
    )
    of_file = load_csv(path).table
    of_frame = table_from(expand_dates(pd.DataFrame({"d": pd.to_datetime(CLOCK), "x": range(4)})))
    assert of_frame.columns == of_file.columns
    np.testing.assert_array_equal(of_frame.X, of_file.X)


def test_new_rows_are_expanded_like_those_of_the_model() -> None:
    X = pd.DataFrame({"opened": pd.date_range("2020-01-01", periods=80, freq="11D"), "x": np.arange(80) % 3})
    y = X["opened"] >= "2021-06-01"
    model = OptimalTreeClassifier(max_depth=2).fit(expand_dates(X), y)
    assert model.score(expand_dates(X), y) == 1
    new = pd.DataFrame({"opened": pd.to_datetime(["2019-01-01", "2030-01-01"]), "x": [0, 1]})
    for like in (model, model.tree_, expand_dates(X), list(model.feature_names_in_)):
        assert model.predict(expand_dates(new, like=like)).tolist() == [False, True]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(expand_dates(new))  # ages on another day
    with pytest.raises(ValueError, match=r"opened \(age in days on 2022-05-19\)"):
        model.predict(new)


def test_refusals_say_what_to_do() -> None:
    frame = pd.DataFrame({"d": pd.to_datetime(CLOCK), "d (year)": [1, 2, 3, 4]})
    with pytest.raises(InputError, match=r"would be called 'd \(year\)'; rename"):
        expand_dates(frame)
    with pytest.raises(
        InputError, match="Column 'd' holds dates, but none of the columns in like was made from it"
    ):
        expand_dates(frame, like=["opened (year)"])
    with pytest.raises(InputError, match="frame is a list"):
        expand_dates([CLOCK])
    durations = pd.DataFrame({"d": pd.to_timedelta([1, 2], unit="D")})
    with pytest.raises(InputError, match=r"'d' holds durations.*total_seconds"):
        table_from(durations)
    with pytest.raises(InputError, match="'d' holds times of day"):
        table_from(pl.DataFrame({"d": [datetime.time(3)]}))
    assert "expand_dates" in str(look(FRAMES["pandas period"][0]))


def test_frames_without_dates_stay_as_they_are() -> None:
    for frame in (
        pd.DataFrame({0: ["a", None], 1: [1, 2]}),
        pl.DataFrame({"a": [1, None]}),
        durations_only(),
    ):
        assert expand_dates(frame) is frame


def durations_only() -> pd.DataFrame:
    return pd.DataFrame({"d": pd.to_timedelta([1, 2], unit="D"), "o": [{}, []]})


def test_columns_that_are_numbered_keep_their_place() -> None:
    expanded = expand_dates(pd.DataFrame({0: [1.5, 2], 1: pd.to_datetime(["2020-01-01", "2020-01-02"])}))
    assert list(map(str, expanded.columns)) == [
        "0",
        "1 (weekday, Monday = 1)",
        "1 (age in days on 2020-01-02)",
    ]
    assert len(table_from(expanded).columns) == 3


def test_a_column_of_missing_dates_is_never_split() -> None:
    expanded = expand_dates(pl.DataFrame({"d": pl.Series([None, None], dtype=pl.Date), "x": [1, 2]}))
    assert "no known value" in table_from(expanded).notes[0]
