"""Columns that may be known only with the outcome are told; good reasons are not taken for it."""

import numpy as np
import pandas as pd
import pytest

from treewright.table import look

N = 200
RNG = np.random.default_rng(0)
LATE = RNG.random(N) < 0.3


def found(column, labels=None, **options):
    frame = pd.DataFrame({"x": column, "other": RNG.normal(size=N)})
    seen = look(frame, np.where(LATE, "late", "paid") if labels is None else labels, **options)
    return [(finding.action, finding.text) for finding in seen.findings if finding.column == "x"]


def test_the_target_under_another_name():
    [(action, text)] = found(LATE.astype(int))
    assert action == "ignore"
    assert "y is paid where it is 0; late where it is 1" in text
    assert found(np.where(LATE, "bad", "good"))[0][0] == "ignore"


def test_what_is_filled_in_with_the_outcome():
    [(action, text)] = found(np.where(LATE, RNG.integers(2015, 2025, N), np.nan))
    assert action == "ignore"
    assert "filled in where y is late" in text
    almost = np.where(LATE, 1.0 + RNG.integers(0, 9, N), np.nan)
    almost[np.flatnonzero(~LATE)[0]] = 3  # a slip
    assert found(almost)[0][0] == "ignore"


def test_one_question_is_told_without_a_proposal():
    [(action, text)] = found(np.where(LATE, RNG.uniform(1, 900, N), 0))
    assert action == ""
    assert "up to 0 against above" in text
    words = np.where(LATE, "written off", RNG.choice(["open", "closed"], N))
    assert any("the word written off against all others" in text for _, text in found(words))


@pytest.mark.parametrize(
    "column",
    [
        np.where(RNG.random(N) < 0.1, ~LATE, LATE).astype(int),
        np.where(LATE, 60.0, 40.0) + RNG.normal(0, 15, N),
        np.where(LATE & (RNG.random(N) < 0.9), 5.0 + RNG.integers(0, 9, N), np.nan),
        np.where(RNG.random(N) < 0.5, np.nan, RNG.normal(size=N)),
    ],
    ids=["often the same", "a good reason", "filled in for most", "missing at random"],
)
def test_other_columns_are_not_told(column):
    assert found(column) == []


def test_a_few_rows_prove_nothing():
    frame = pd.DataFrame({"x": [0, 1] * 6})
    assert not any(finding.column == "x" for finding in look(frame, ["a", "b"] * 6).findings)


def test_spellings_of_a_label_are_one():
    labels = np.where(LATE, RNG.choice(["Yes", "yes", "Y"], N), RNG.choice(["No", "no", "n"], N))
    assert found(np.where(LATE, 7.0 + RNG.integers(0, 9, N), np.nan), labels)[0][0] == "ignore"


def test_a_number_on_one_line_with_the_target():
    y = RNG.normal(100, 20, N)
    [(action, text)] = found(3 - 2 * y, y)
    assert action == "ignore"
    assert "lie on one line" in text
    assert found(y + RNG.normal(0, 0.01, N), y) == []


def test_a_date_of_a_file_is_left_out_whole(tmp_path):
    """The parts of a date are no columns of the file: `--ignore "closed (year)"` was an error."""
    path = tmp_path / "loans.csv"
    rows = "".join(
        f"{k % 17},{f'20{10 + k % 9}-0{1 + k % 8}-11' if LATE[k] else ''},{'ny'[int(LATE[k])]}\n"
        for k in range(N)
    )
    path.write_text(f"a,closed,y\n{rows}")
    [finding] = [finding for finding in look(path, "y").findings if finding.column == "closed"]
    assert finding.option == "--ignore closed"


def test_of_many_rows_the_same_is_told():
    labels = np.tile(np.where(LATE, "late", "paid"), 300)
    late = np.tile(LATE, 300)
    filled = np.where(late, np.tile(RNG.integers(0, 9, N), 300), np.nan)
    filled[np.flatnonzero(~late)[:20]] = 3  # slips, all near the first rows
    frame = pd.DataFrame(
        {
            "copy": late.astype(int),
            "filled": filled,
            "asked": np.where(late, 5.0, 0.0) + np.tile(RNG.random(N), 300),
            "reason": np.where(late, 60.0, 40.0) + RNG.normal(0, 15, len(late)),
        }
    )
    told = {finding.column: finding.action for finding in look(frame, labels).findings}
    assert told["copy"] == told["filled"] == "ignore"
    assert told["asked"] == ""
    assert "reason" not in told
