"""What `look` says of dates and durations, however they are written or stored."""

import numpy as np
import pandas as pd
import pytest

from looks import frame
from treewright.errors import InputError
from treewright.table import (
    load_csv,
    look,
    read_settings,
    settings_of,
    settings_text,
)


def test_dates_with_a_time_of_day_are_no_names_of_rows() -> None:
    days = pd.date_range("2024-01-03", periods=60, freq="7h").strftime("%d/%m/%Y %H:%M")
    (found,) = look(pd.DataFrame({"placed": days, "a": [k % 7 for k in range(60)]})).findings
    assert (found.column, found.action) == ("placed", "dates")
    assert "pandas.to_datetime(X['placed'], dayfirst=True)" in found.in_python


def test_a_date_is_one_column(tmp_path):
    path = tmp_path / "rows.csv"
    rows = [f"202{k % 4}-0{1 + k % 9}-1{k % 7},{k % 23 / 2},{'ab'[k % 23 > 9]}" for k in range(90)]
    path.write_text("\n".join(["seen,x,y", *rows]) + "\n")
    assert look(path, target="y").summary()[0] == "rows.csv: 90 rows; numbers: 1 (x); dates: 1 (seen)."


def test_what_a_look_proposes_for_durations_can_be_run():
    X = pd.DataFrame({"held": pd.to_timedelta([1, 2, 3], unit="D"), "a": [1, 2, 3]})
    (text,) = (finding.text for finding in look(X).findings)
    exec(text.split("days: ")[1].removesuffix(" in pandas."), {"X": X})
    assert look(X).findings == ()


def test_dates_that_stand_for_unknown_are_asked_about(tmp_path):
    """A 9999-12-31 made all ages millions of days, and its year alone was proposed, which fit refused to know."""
    path, fixed = tmp_path / "contracts.csv", tmp_path / "columns.yaml"
    rows = [
        f"{10 + k % 9}.0{1 + k % 9}.2{k % 5},{2000 + k % 40}-03-1{k % 9},{'ab'[k % 2]}" for k in range(90)
    ]
    rows += ["01.01.1900,9999-12-31,a"] * 5 + ["01.01.1900,2031-05-06,b"]
    path.write_text("called,until,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    seen = look(path, "y")
    assert [(one.column, one.action, one.value) for one in seen.findings if one.action] == [
        ("called", "missing", "01.01.1900"),
        ("until", "missing", "9999-12-31"),
    ]
    assert "called holds the date 01.01.1900 in 6 rows, far from all other dates" in str(seen)
    fixed.write_text(settings_text(settings_of(seen)), encoding="utf-8")
    coded = {name: list(words) for name, words in read_settings(fixed).missing_in.items()}
    read = load_csv(path, target="y", missing_in=coded)
    assert read.blanked == {"called": {"01.01.1900": 6}, "until": {"9999-12-31": 5}}
    ages = read.table.X[:, [name.startswith("until (age") for name in read.table.names].index(True)]
    assert np.nanmax(ages) < 50 * 366


def test_old_and_late_dates_near_the_others_are_dates(tmp_path):
    path = tmp_path / "births.csv"
    days = [f"{1901 + k}-01-01" for k in range(40)] + ["1900-01-01", "1900-01-01", "1940-07-01"]
    path.write_text(
        "born,y\n" + "".join(f"{day},{'ab'[k % 2]}\n" for k, day in enumerate(days)), encoding="utf-8"
    )
    assert not [one for one in look(path, "y").findings if one.action == "missing"]


def test_dates_as_spreadsheets_store_them_are_told():
    """45231 is 2023-11-01; a split at 45231.5 says nothing to anybody."""
    (finding,) = look(
        frame(**{"Date of birth": [20000 + k * 7 % 1999 for k in range(200)]}), target="y"
    ).findings
    assert "as spreadsheets store dates (here 1954-10-03 to " in finding.text
    assert finding.action == ""
    assert look(frame(updates=[20000 + k * 7 % 1999 for k in range(200)]), target="y").findings == ()


def test_ages_in_days_are_no_stored_dates(tmp_path):
    path = tmp_path / "births.csv"
    days = [f"{1940 + k % 30}-0{1 + k % 9}-1{k % 7}" for k in range(200)] + ["2004-05-06"]
    path.write_text(
        "Birth date,y\n" + "".join(f"{day},{'ab'[k % 2]}\n" for k, day in enumerate(days)), encoding="utf-8"
    )
    assert not [one for one in look(path, "y").findings if "spreadsheets" in one.text]


def test_dates_without_marks_are_told():
    days = [20220100 + 100 * (k % 12) + k % 28 + 1 for k in range(60)]
    [found] = [
        one for one in look(pd.DataFrame({"due": days, "x": [1, 2] * 30})).findings if one.column == "due"
    ]
    assert "dates without marks (20221224 is 2022-12-24)" in found.text
    assert found.action == ""
    amounts = pd.DataFrame({"due": [*days[:-1], 20220231], "x": [1, 2] * 30})
    assert not any("without marks" in one.text for one in look(amounts).findings)


def test_times_without_marks_are_told_with_the_call_that_reads_them():
    """Hospital systems write 20210304123059, which was a number: splits on it are no splits on days."""
    for form, marked in (("%Y%m%d%H%M", "2022-12-24 18:00"), ("%Y%m%d%H%M%S", "2022-12-24 18:00:07")):
        days = pd.Series(pd.date_range("2022-11-01 00:00:07", "2022-12-24 20:00", freq="6h")).dt.strftime(
            form
        )
        days[1] = None
        frame = pd.DataFrame({"at": days.astype(float), "x": [k % 3 for k in range(len(days))]})
        (found,) = (one for one in look(frame).findings if one.column == "at")
        assert f"is {marked})" in found.text
        call = found.text[found.text.index("pandas.to_datetime") : found.text.index("), so that")]
        assert str(eval(call, {"pandas": pd, "frame": frame}).max()).startswith(marked)
    frame.loc[3, "at"] = 20221224180060
    assert not any("without marks" in one.text for one in look(frame).findings)


CLOCKS = [f"{1 + k % 12}/{13 + k % 9}/2021 {1 + k % 12}:{k % 60:02d} {'AP'[k % 3 == 0]}M" for k in range(60)]


def in_words(form):
    return [(pd.Timestamp("2021-03-01") + pd.Timedelta(hours=31 * k)).strftime(form) for k in range(60)]


@pytest.mark.parametrize(
    ("fields", "form"),
    [
        (CLOCKS, "%m/%d/%Y %I:%M %p"),
        ([field.replace("2021 ", "2021, ").replace("M", "m").lower() for field in CLOCKS], "%m/%d/%Y, %I:%M %p"),
        ([f"2021-03-{1 + k % 28:02d} {k % 24:02d}:15:00 UTC" for k in range(60)], "%Y-%m-%d %H:%M:%S UTC"),
        ([f"2021-03-{1 + k % 28:02d} {k % 24:02d}:15:00 +0100" for k in range(60)], "%Y-%m-%d %H:%M:%S +0100"),
        (in_words("%a, %d %b %Y"), "%a, %d %b %Y"),
        (in_words("%A %B %d, %Y"), "%A %B %d, %Y"),
        (in_words("%b %d %Y  %I:%M%p"), "%b %d %Y  %I:%M%p"),
    ],
)  # fmt: skip
def test_clocks_of_twelve_hours_and_days_of_the_week_are_read(tmp_path, fields, form):
    """`1/13/2021 3:30 PM`, as spreadsheets write it in the US, was said to be written in several ways."""
    path = tmp_path / "visits.csv"
    path.write_text("at;y\n" + "".join(f"{field};{'ab'[k % 2]}\n" for k, field in enumerate(fields)))
    csv = load_csv(path, target="y")
    days = pd.Series(pd.to_datetime(fields, format=form))
    parts = dict(zip(csv.table.names, csv.table.X.T, strict=True))
    np.testing.assert_array_equal(parts["at (weekday, Monday = 1)"], days.dt.day_of_week + 1)
    if "H" in form or "I" in form:
        np.testing.assert_array_equal(parts["at (hour)"], days.dt.hour)
    later = load_csv(path, columns=csv.table.columns, reading=csv.reading)
    np.testing.assert_array_equal(later.table.X, csv.table.X)


@pytest.mark.parametrize(
    "fields", [["Mon 12", "Tue 3", "Fri 5"], ["3:30 PM", "4:15 AM", "7:20 PM"], ["Mar 5", "Mar 6", "x 7"]]
)
def test_what_is_no_date_keeps_its_words(tmp_path, fields):
    path = tmp_path / "visits.csv"
    path.write_text("at;y\n" + "".join(f"{field};{'ab'[k % 2]}\n" for k, field in enumerate(fields * 20)))
    assert load_csv(path, target="y").table.columns[0].categories == tuple(sorted(fields))


def test_version_numbers_are_no_dates(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{1 + k % 3}.{1 + k % 5}.{1 + k % 20};{k};{'uv'[k % 2]}" for k in range(60)]
    path.write_text("\n".join(["Version;b;y", *rows]) + "\n", encoding="utf-8")
    (finding,) = (one for one in look(path, target="y").findings if one.column == "Version")
    assert "They look like version numbers" in finding.text
    assert finding.option == "--categorical Version"


def born(years: range) -> str:
    rows = [f"{1 + k % 12}/{13 + k % 9}/{year % 100:02d},{'ab'[k % 2]}" for k, year in enumerate(years)]
    return "\n".join(["born,y", *rows]) + "\n"


def test_years_of_two_digits_that_would_be_of_two_centuries_are_refused(tmp_path):
    """A birth in 1945 was read as one in 2045, after one in 1975, without a word."""
    path = tmp_path / "people.csv"
    path.write_text(born(range(1940, 1999)))
    with pytest.raises(InputError, match=r"'5/14/68' would be 2068-05-14\. .*with four digits"):
        load_csv(path, target="y")
    (finding,) = (one for one in look(path, "y").findings if one.column == "born")
    assert finding.action == "ignore"
    named = [
        f"{k % 28 + 1:02d}-MAR-{year % 100:02d},{'ab'[k % 2]}" for k, year in enumerate(range(1940, 1999))
    ]
    path.write_text("\n".join(["born,y", *named]) + "\n")
    with pytest.raises(InputError, match=r"'\d\d-MAR-69' would be 1969-03-\d\d"):
        load_csv(path, target="y")


@pytest.mark.parametrize("years", [range(1970, 2026), range(2030, 2060), range(1998, 2046)])
def test_years_of_two_digits_that_may_be_right_are_told_by_the_latest(tmp_path, years):
    path = tmp_path / "contracts.csv"
    path.write_text(born(years))
    (note,) = load_csv(path, target="y").table.notes
    assert f"/{years[-1] % 100:02d}' is {years[-1]}-" in note


def test_years_of_four_digits_may_be_of_two_centuries(tmp_path):
    path = tmp_path / "long.csv"
    rows = [f"{1 + k % 12}/13/{year},{'ab'[k % 2]}" for k, year in enumerate(range(1940, 2068))]
    path.write_text("\n".join(["until,y", *rows]) + "\n")
    assert "until (year)" in load_csv(path, target="y").table.names
