"""Numbers that are written as text: `look` says how they are read, or in which form they are not."""

import pandas as pd
import pytest

from looks import found, frame
from treewright.table import (
    load_csv,
    look,
)


@pytest.mark.parametrize(
    "others",
    [("unlimited", "none"), ("12 kg", "7 kg"), ("6 PLN", "5 zł"), ("1,234.5", "1.234,5")],
    ids=["two words", "units", "one currency in two ways", "two ways to write numbers"],
)
def test_what_has_two_readings_stays_open(tmp_path, others):
    """No value is dropped or taken as missing unless its words say that they are."""
    fields = [others[k % 20] if k % 20 < 2 else str(100 + k) for k in range(200)]
    path = tmp_path / "t.csv"
    rows = [f'"{field}";{k % 7};{"ja" if k % 3 else "nein"}' for k, field in enumerate(fields)]
    path.write_text("limit;x;y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    seen = look(path, target="y")
    assert any(finding.column in ("limit", None) and "limit" in finding.text for finding in seen.findings)
    assert {action for column, action in found(seen) if column == "limit"} <= {""}


def test_the_blank_between_thousands_is_shown_as_a_blank(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("paid;y\n" + "9\u00a0699,93 z\u0142;a\n1\u202f200,50 z\u0142;b\n" * 12, encoding="utf-8")
    assert "thousands and the unit z\u0142: '9 699,93 z\u0142' is 9699.93." in str(look(file, target="y"))


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        (["٤٤", "٢٥", "١٠٣"], [44, 25, 103]),  # Arabic
        (["۱٬۲۵۰٫۵", "۹۰۰٫۲۵", "۲٬۰۰۰٫۰"], [1250.5, 900.25, 2000]),  # Persian, with its own marks
        (["४४", "२५", "१०३"], [44, 25, 103]),
        (["١٢٪", "٧٪", "٣٪"], [12, 7, 3]),
    ],
)
def test_digits_of_other_scripts_are_numbers(tmp_path, fields, values):
    path = tmp_path / "t.csv"
    rows = [f"{fields[k % 3]};{k};{'uv'[k % 2]}" for k in range(60)]
    path.write_text("\n".join(["a;b;y", *rows]) + "\n", encoding="utf-8")
    csv = load_csv(path, target="y")
    assert csv.table.X[:3, 0].tolist() == values
    assert not any(finding.column == "a" for finding in look(path, target="y").findings)
    again = load_csv(path, columns=csv.table.columns, reading=csv.reading, needed=[0])
    assert again.table.X[:3, 0].tolist() == values


def test_digits_of_other_scripts_in_a_frame_are_converted_by_what_look_says():
    X = frame(age=[("٤٤", "٢٥", "١٠٣", None)[k % 4] for k in range(200)])
    (text,) = (finding.text for finding in look(X, target="y").findings if finding.column == "age")
    call = text.split("If they are quantities: ")[1].removesuffix(".")
    exec(call, {"X": X})
    assert X["age"][:3].tolist() == [44, 25, 103]
    assert X["age"].isna().sum() == 50


@pytest.mark.parametrize(
    ("words", "said", "action"),
    [
        (
            [f"{110 + k % 60}/{60 + k % 31}" for k in range(200)],
            "two numbers in one field (110/60,",
            "ignore",
        ),
        ([f"{k % 11}/10" for k in range(200)], "numbers with '/10' behind them (0/10,", ""),
        ([f"Q{1 + k % 4} {2019 + k % 5}" for k in range(200)], "quarters (Q1 2019,", ""),
        ([f"2024-W{1 + k % 30:02d}" for k in range(200)], "weeks (2024-W01,", ""),
        ([("1.2k", "900", "3.4M", "15k")[k % 4] for k in range(200)], "'M' and 'k' behind them (1.2k,", ""),
        (
            [("$1.2K", "$900", "$3K")[k % 3] for k in range(200)],
            "numbers with 'K' behind them ($1.2K,",
            "",
        ),
        ([f"{('Jan', 'Feb', 'Mar')[k % 3]}-24" for k in range(200)], "months (Jan-24,", ""),
        (
            [f"{k * 37}.50 {('CR', 'DR')[k % 2]}" for k in range(200)],
            "amounts with 'CR' or 'DR' behind them (",
            "ignore",
        ),
        ([f"{k % 9}h {k % 59}m" for k in range(200)], "times (0h 0m,", "ignore"),
    ],
)
def test_numbers_in_a_form_that_is_not_read_are_told(words, said, action):
    """Each was a category of its own without a word: no split could ask for more than 7 of 10."""
    (finding,) = look(frame(score=words), target="y").findings
    assert said in finding.text
    assert finding.action == action


@pytest.mark.parametrize(
    "words", [["Office 2010", "Office 2013", "Office 2016"], ["5m", "10m", "9"], ["A/B", "B/C", "C/D"]]
)
def test_names_with_numbers_are_words(words):
    assert look(frame(kind=[words[k % 3] for k in range(200)]), target="y").findings == ()


def test_typographic_minus_signs_are_read(tmp_path):
    """They were in no format in a column of whole numbers, and were proposed to be ignored."""
    path = tmp_path / "rows.csv"
    path.write_text("t,y\n\u22127,a\n3,b\n\u221212,a\n0.5,b\n", encoding="utf-8")
    assert load_csv(path, target="y").table.X[:, 0].tolist() == [-7, 3, -12, 0.5]


def test_rates_and_areas_are_numbers_in_a_form_that_is_not_read():
    frame = pd.DataFrame(
        {
            "fee": [f"${k}/mo" if k % 3 else "-" for k in range(90)],
            "lot": [f"{k}.5 acres" if k % 2 else f"{k}000 sqft" for k in range(90)],
        }
    )
    fee, lot = (next(one.text for one in look(frame).findings if one.column == name) for name in frame)
    assert "numbers with '$' before and '/mo' behind them ($1/mo, $2/mo, $4/mo, ...)" in fee
    assert "different units behind them (acres, sqft" in lot
