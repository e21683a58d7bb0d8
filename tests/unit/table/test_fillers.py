"""What stands for "unknown" is proposed as missing in its column; usual values are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treewright
from treewright.table import look
from treewright.table._fillers import filler_numbers


def fillers(values) -> list[str]:
    return [
        word for word, _, _ in filler_numbers(*np.unique(np.asarray(values, dtype=float), return_counts=True))
    ]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([-999] * 5 + list(range(100, 130)), ["-999"]),
        ([-9] * 5 + [1.5 * k for k in range(60)], ["-9"]),  # near the others, but nothing else is negative
        ([-1] * 5 + list(range(40)), ["-1"]),
        ([1, 2] * 20 + [9] * 3, ["9"]),
        ([0, 1, 2] * 20 + [99] * 3, ["99"]),
        ([1, 2, 3, 4, 5] * 20 + [-9] * 3 + [-8] * 2, ["-9", "-8"]),  # answers of a survey, and two refusals
        ([-2, -1, 0, 1, 2] * 20 + [-9] * 3, ["-9"]),
        ([0, 1] * 20 + [-9] * 3, ["-9"]),
        (list(range(11)) * 5 + [99] * 3, ["99"]),
        ([-9] * 2 + list(range(20)) * 3 + [999] * 2, ["-9", "999"]),
        ([-9] + [1.5 * k for k in range(60)], []),  # once
        ([-9] * 5 + [-8, -7] * 3 + list(range(40)), ["-9", "-8", "-7"]),  # no other value is negative
        ([-99] * 5 + [-98] * 3 + list(range(85)) * 2, ["-99", "-98"]),
        ([-99] * 5 + [-98] * 3 + [k - 20 for k in range(55)], ["-99", "-98"]),  # beside temperatures
        ([-999] * 5 + [-998] * 3 + list(range(85)) * 2, ["-999", "-998"]),
        ([997] * 3 + [998] * 3 + [999] * 5 + list(range(85)) * 2, ["999", "998", "997"]),
        ([-9] * 5 + [-8] * 3 + [998] * 3 + [999] * 5 + list(range(85)), ["-9", "-8", "999", "998"]),
        ([997] * 3 + [999] * 5 + list(range(85)), ["999", "997"]),
        ([998] * 3 + list(range(85)), []),  # no 999
        ([998, 999] * 3 + list(range(800, 998)), []),
        ([998] * 3 + [999] * 5 + [700 + 11 * k for k in range(27)], []),  # near the others
        ([-9] * 5 + [-6, -8] * 3 + list(range(40)), []),  # other values are negative, too
        ([-9] * 3 + [-8] + list(range(40)), []),  # one of them once
        ([-9, -8] * 2 + list(range(40)) * 20, []),  # seldom
        ([-8, -7] * 9 + [k / 2 for k in range(-12, 40)], []),  # temperatures
        ([-1] * 2 + list(range(40)) * 20, []),  # seldom: a value like others
        ([-1, 0, 1] * 20, []),
        ([1, 2, 3, 4, 5, 9] * 9, []),
        ([1, 4, 9] * 9, []),  # no codes in a row
        ([0, 1] * 9, []),
        ([5.0] * 9, []),
    ],
)
def test_numbers(values, expected):
    assert fillers(values) == expected


def test_look_tells_why_and_proposes_the_column():
    n = 200
    frame = pd.DataFrame(
        {
            "crp": [-9.0 if k % 20 == 0 else 2.5 * (k % 37) for k in range(n)],
            "sex": [9 if k % 40 == 0 else 1 + k % 2 for k in range(n)],
            "smoker": [("yes", "no", "Unknown", "k.A.")[k % 4] for k in range(n)],
            "y": [k % 3 == 0 for k in range(n)],
        }
    )
    seen = look(frame, target="y")
    said = {finding.option: finding.text for finding in seen.findings}
    assert "its only negative value" in said["--missing crp=-9"]
    assert "beside the codes 1 to 2" in said["--missing sex=9"]
    assert "holds the word 'Unknown' in 50 rows" in said["--missing smoker=Unknown"]
    assert "--missing smoker=k.A." in said


@pytest.mark.parametrize(
    ("labels", "word"), [([0, 1, 0, 1, -9], "-9"), (["no", "yes", "no", "yes", "unknown"], "unknown")]
)
def test_a_label_that_means_unknown_is_said(labels, word):
    frame = pd.DataFrame({"x": [k * 7 % 30 for k in range(100)], "y": labels * 20})
    said = [finding.text for finding in look(frame, target="y").findings if finding.column == "y"]
    assert said == [
        f"The target y has the label {word} in 20 rows: if it means unknown, leave these rows out."
    ]


def test_a_district_is_a_code():
    frame = pd.DataFrame({"district": [101, 102, 305, 411] * 30, "y": ["a", "b"] * 60})
    assert [finding.option for finding in look(frame, target="y").findings if finding.column] == [
        "--categorical district"
    ]


def test_what_a_look_at_a_frame_proposes_can_be_run():
    """Each call changes what it says: a number is replaced as a number, dates become columns of numbers."""
    n = 120
    X = pd.DataFrame(
        {
            "id": range(5000, 5000 + n),
            "age": [-9 if k % 20 == 0 else 20 + k % 37 for k in range(n)],
            "smoker": [("yes", "no", "unknown", "No", "no")[k % 5] for k in range(n)],
            "seen": [f"{1 + k % 28}.0{1 + k % 9}.2023" for k in range(n)],
        }
    )
    y = pd.Series(["bad", "good", "Bad"] * (n // 3))
    findings = look(X, y).findings
    assert [finding.action for finding in findings] == [
        "dates", "merge-labels", "ignore", "missing", "missing", "merge-words",
    ]  # fmt: skip
    scope = {"X": X.copy(), "y": y.copy(), "pandas": pd, "treewright": treewright}
    for finding in findings:
        for call in finding.in_python.split(", then "):
            exec(call, scope)
    assert scope["X"]["age"].isna().sum() == 6
    assert set(scope["X"]["smoker"].dropna()) == {"yes", "no"}
    assert set(scope["y"]) == {"bad", "good"}
    assert "id" not in scope["X"]
    assert scope["X"]["seen (month)"].tolist() == [1 + k % 9 for k in range(n)]  # the day came first
    assert [finding.text for finding in look(scope["X"], scope["y"]).findings] == []


@pytest.mark.parametrize(
    ("words", "argument", "asks"),
    [
        (["2023-01-31", "2023-02-01"], "", False),
        (["31/01/2023", "01/02/2023"], ", dayfirst=True", False),
        (["01/31/2023", "02/01/2023"], "", False),
        (["01.02.2023", "03.04.2023"], ", dayfirst=True", False),
        (["01/02/2023", "03/04/2023"], "", True),
    ],
)
def test_which_comes_first_in_a_date(words, argument, asks):
    (finding,) = [found for found in look(pd.DataFrame({"d": words * 10})).findings if found.column == "d"]
    assert f"to_datetime(X['d']{argument})" in finding.in_python
    assert ("Add dayfirst=True" in finding.text) is asks


def test_a_state_is_not_a_missing_value():
    """NC also abbreviates "no contesta" and "non communiqué"."""
    states = pd.DataFrame({"state": ["NC", "VA", "TX", "OH", "NY", "CA"] * 5})
    assert look(states).findings == ()
    answers = pd.DataFrame({"vota": ["SI", "NO", "NC"] * 10})
    assert [finding.action for finding in look(answers).findings] == ["missing"]
