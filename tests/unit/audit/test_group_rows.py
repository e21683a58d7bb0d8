"""Groups keep apart what differs, whatever holds the values, and have names that say what is in them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treewright.audit import group_rows
from treewright.errors import InputError


def members(grouping) -> dict[str, list[int]]:
    return {name: np.flatnonzero(grouping.group == k).tolist() for k, name in enumerate(grouping.names)}


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([1234567.0, 1234568.0], ("1234567", "1234568")),
        ([0.1234567, 0.1234568], ("0.1234567", "0.1234568")),
        ([2**60, 2**60 + 1], (str(2**60), str(2**60 + 1))),
        ([10, 9, 100], ("9", "10", "100")),
        ([-0.0, 0.0, 1.5], ("0", "1.5")),
    ],
)
def test_numbers_that_share_six_digits_stay_apart(values, names):
    assert group_rows("id", values).names == names
    assert len(set(group_rows("id", values).group.tolist())) == len(names)


def test_intervals_have_all_digits_and_go_up_to_their_cuts():
    grouping = group_rows("pay", [1234567.0, 1234567.5, 1234568.0, 1.0, np.nan], cuts=[1234568, 1234567])
    assert members(grouping) == {
        "up to 1234567": [0, 3],
        "above 1234567 to 1234568": [1, 2],
        "above 1234568": [],
        "unknown": [4],
    }


@pytest.mark.parametrize(
    "values",
    [
        ["b", "a", None, "b"],
        np.array(["b", "a", "", "b"]),
        pd.Series(["b", "a", None, "b"]),
        pd.Series(["b", "a", None, "b"], dtype="category"),
        pl.Series(["b", "a", None, "b"]),
        pd.Series(["b", "a", pd.NA, "b"], dtype="string"),
    ],
)
def test_words_of_all_containers(values):
    assert members(group_rows("x", values)) == {"a": [1], "b": [0, 3], "unknown": [2]}


@pytest.mark.parametrize(
    "values", [[2, 1, None, 2], pd.Series([2, 1, None, 2], dtype="Int64"), [2.0, 1.0, np.nan, 2.0]]
)
def test_codes_of_all_containers(values):
    assert members(group_rows("x", values)) == {"1": [1], "2": [0, 3], "unknown": [2]}


def test_truth_values():
    assert group_rows("x", [True, False, True]).names == ("false", "true")


def test_a_word_unknown_is_not_a_missing_value():
    grouping = group_rows("x", ["unknown", None, "known"])
    assert members(grouping) == {"known": [2], "unknown": [0], "unknown (no value)": [1]}


def test_codes_that_are_words_are_no_numbers():
    grouping = group_rows("age", [-9, 20, 50, -9, 60], cuts=[40], codes={-9: "no record"})
    assert members(grouping) == {"up to 40": [1], "above 40": [2, 4], "no record": [0, 3]}
    assert group_rows("sex", [1, 2, 1], codes={1: "women", 2: "men"}).names == ("men", "women")


@pytest.mark.parametrize(
    ("values", "cuts", "says"),
    [
        ([[1, 2]], None, "one value for each row"),
        (["a", 1], None, "numbers and words"),
        (["a", "b"], [1], "no number cuts"),
        ([1, 2], [], "different finite numbers"),
        ([1, 2], [1, 1], "different finite numbers"),
        ([1, 2], [np.inf], "different finite numbers"),
        ([1, 2], ["a"], "different finite numbers"),
        (np.arange(41), None, "41 groups; at most 40 are shown. Say where to cut it"),
        ([str(k) for k in range(41)], None, "Join some"),
    ],
)
def test_what_makes_no_groups(values, cuts, says):
    with pytest.raises(InputError, match=says):
        group_rows("x", values, cuts)


@pytest.mark.parametrize(
    ("values", "codes", "cuts"),
    [
        (np.arange(1931, 2004), None, "1955 and 1980"),
        (np.arange(41), None, "15 and 25"),
        (np.arange(500) / 1000, None, "0.15 and 0.35"),
        ([0] * 500 + list(range(60)), None, "20 and 40"),  # thirds of the rows would both be 0
        ([-9] * 500 + list(range(60)), {-9: "no record"}, "20 and 40"),
        (np.exp(np.arange(90) / 4), None, "[0-9].* and [0-9].*"),
        ([2**2000 + k for k in range(60)], None, "25 and 45"),
    ],
)
def test_proposed_cuts_fit_the_values(values, codes, cuts):
    with pytest.raises(InputError, match=rf"such as at {cuts}\.$") as found:
        group_rows("x", values, codes=codes)
    first, second = map(float, re.search(r"at (\S+) and (\S+)\.$", str(found.value)).groups())
    grouping = group_rows("x", values, [first, second], codes)
    if cuts != "25 and 45":
        assert np.bincount(grouping.group, minlength=3)[:3].all()


@pytest.mark.parametrize("unit", ["ns", "us", "s", "D"])
def test_dates_are_words_and_no_date_is_unknown(unit):
    # numpy makes dates in nanoseconds numbers: groups were called 1577836800000000000 and -9223372036854775808
    dates = np.array(["2020-01-01", "NaT", "2021-06-01"], dtype=f"M8[{unit}]")
    grouping = group_rows("since", dates)
    assert [name[:10] for name in grouping.names] == ["2020-01-01", "2021-06-01", "unknown"]
    assert grouping.group.tolist() == [0, 2, 1]
    with pytest.raises(InputError, match="no number cuts"):
        group_rows("since", dates, cuts=[5])


def test_a_masked_value_is_no_group():
    masked = np.ma.array([1, 2, 1], mask=[0, 1, 0])
    with pytest.raises(InputError, match="put None where there is no value"):
        group_rows("x", masked)
    assert group_rows("x", np.ma.array([1, 2])).names == ("1", "2")


def test_no_rows():
    assert group_rows("x", []).names == ()
