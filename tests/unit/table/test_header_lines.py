"""Exports of surveys have further header lines, which were rows with a label of their own."""

from pathlib import Path

import pytest

from treewright.errors import InputError
from treewright.table import load_csv, look

ROWS = [
    f"2021-03-{1 + k % 28:02d} 12:30,{20 + k},{'ab'[k % 2]},{['yes', 'no'][k % 3 == 0]}" for k in range(40)
]
QUESTIONS = '"Start, local time",How old are you?,Group,Outcome'
IDENTIFIERS = ",".join(f'"{{""ImportId"":""{name}""}}"' for name in ("start", "QID1", "QID2", "QID3"))


def write(folder: Path, *first: str, rows: list[str] = ROWS) -> Path:
    path = folder / "survey.csv"
    path.write_text("\n".join(["start,age,group,out", *first, *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("first", "lines"),
    [
        ([QUESTIONS], "line 2 seems"),
        ([QUESTIONS, IDENTIFIERS], "lines 2 to 3 seem"),
        (['"Start,\nlocal time",Age?,Group,Outcome', IDENTIFIERS], "lines 2 to 4 seem"),
    ],
)
def test_lines_of_questions_are_no_rows(tmp_path: Path, first: list[str], lines: str) -> None:
    path = write(tmp_path, *first)
    with pytest.raises(InputError, match=rf"{lines} to say in other words .*'Start,"):
        load_csv(path, target="out")
    seen = look(path, "out")
    assert (seen.n_rows, dict(seen.labels)) == (40, {"yes": 26, "no": 14})
    assert not any(finding.action == "missing" for finding in seen.findings)


def test_the_advice_works(tmp_path: Path) -> None:
    path = write(tmp_path, QUESTIONS, IDENTIFIERS)
    lines = path.read_text().split("\n")
    path.write_text("\n".join([lines[0], *lines[3:]]))
    assert load_csv(path, target="out").table.n_rows == 40


def test_identifiers_need_no_target(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lines 2 to 3 seem"):
        load_csv(write(tmp_path, QUESTIONS, IDENTIFIERS))


def test_a_number_to_predict_has_them_too(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2 seems"):
        load_csv(write(tmp_path, QUESTIONS), target="age")


@pytest.mark.parametrize(
    "first",
    [
        "2021-03-01 12:30,young,a,maybe",  # a date in a column of dates
        "later,young,a,yes",  # a label that other rows have
        "unknown,refused,a,maybe",  # words that mean missing
        ",young,a,maybe",
    ],
)
def test_other_first_rows_are_rows(tmp_path: Path, first: str) -> None:
    assert look(write(tmp_path, first), "out").n_rows == 41


def test_words_that_are_missing_by_the_options_make_a_row(tmp_path: Path) -> None:
    path = write(tmp_path, "later,young,a,maybe")
    codes = {"start": ["later"], "age": ["young"]}
    assert load_csv(path, target="out", missing_in=codes).table.n_rows == 41


def test_few_rows_prove_nothing(tmp_path: Path) -> None:
    assert look(write(tmp_path, QUESTIONS, rows=ROWS[:9]), "out").n_rows == 10
