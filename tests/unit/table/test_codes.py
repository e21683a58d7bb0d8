"""Codes of which some look like numbers, and texts that do or do not mean missing: what `look` proposes for them."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

from treewright.table import load_csv, look, read_settings


def proposed(tmp_path, fields, name="col"):
    """What a look proposes for a column of these fields, each in as many rows: the options, and all that is said."""
    rows = [f"{field};{k % 7};{'yes' if k % 3 else 'no'}" for k, field in enumerate(fields * 20)]
    path = tmp_path / "data.csv"
    path.write_text("\n".join([f"{name};x;y", *rows]) + "\n")
    seen = look(path, target="y")
    return [finding.option for finding in seen.findings if finding.column == name], str(seen)


@pytest.mark.parametrize(
    "codes",
    [["V27"], ["V27", "E888", "V45.81"], ["A100"], ["B-12"], ["O80", "V27"]],
    ids=lambda codes: codes[0],
)
def test_codes_among_numbers_are_categories_and_never_missing(tmp_path, codes):
    options, said = proposed(tmp_path, ["250.83", "401", "276", "428", "786", "250", *codes])
    assert options == ["--categorical col"]
    assert "look like codes" in said


def test_a_slip_of_the_pen_does_not_make_a_column_of_numbers_categories(tmp_path):
    path = tmp_path / "data.csv"
    lines = [f"{100 + k % 90}.5;{k % 7};{'yes' if k % 3 else 'no'}" for k in range(400)]
    path.write_text("\n".join(["col;x;y", *lines, "O5;1;no"]) + "\n")
    assert [finding.option for finding in look(path, target="y").findings if finding.column == "col"] == [""]


@pytest.mark.parametrize(
    "texts",
    [["ca 50", "ab 60"], ["bis 30"], ["max 3", "min 1"], ["mg 20"], ["h10"], ["C 20"], ["O5"], ["I2", "O7"]],
)
def test_quantities_behind_a_word_or_a_unit_and_letters_for_digits_are_no_codes(tmp_path, texts):
    options, said = proposed(tmp_path, ["12.5", "20", "35", "41", "57", *texts])
    assert options == [""], options
    assert "look like codes" not in said


@pytest.mark.parametrize("text", ["3+", "65 +", "<5", ">= 100"])
def test_a_text_beyond_a_limit_is_to_be_written_as_a_number(tmp_path, text):
    assert (
        f"{text!r} says that the value is beyond a limit"
        in proposed(tmp_path, ["5", "11", "18", "40", text])[1]
    )


@pytest.mark.parametrize("text", ["3+", "<5", "none", "nil", "zero", "new", "free", "Full", "12/b", "~4"])
def test_a_text_that_says_a_value_is_asked_about_and_not_taken_for_missing(tmp_path, text):
    options, said = proposed(tmp_path, ["5", "11", "18", "40", text])
    assert options == [""], options
    assert repr(text) in said


@pytest.mark.parametrize(
    "text",
    [
        "-",
        "--",
        ".",
        "unknown",
        "k.A.",
        "#DIV/0!",
        "not recorded",
        "refused",
        ".a",
        "NA_integer_",
        "\\N",
        "(blank)",
    ],
)
def test_a_text_that_says_unknown_is_proposed_as_missing(tmp_path, text):
    options, _ = proposed(tmp_path, ["5", "11", "18", "40", text])
    assert options == [f"--missing {shlex.quote(f'col={text}')}"]


def test_the_missing_values_of_stata_are_proposed_together(tmp_path):
    options, _ = proposed(tmp_path, ["5", "11", "18", "40", ".", ".a", ".b"])
    assert sorted(options) == ["--missing col=.", "--missing col=.a", "--missing col=.b"]


def test_what_r_and_databases_write_for_missing_is_no_category(tmp_path):
    """A column of `ash`, `oak` and `NA_character_` had three categories without a word."""
    assert proposed(tmp_path, ["ash", "oak", "NA_character_"])[0] == ["--missing col=NA_character_"]
    assert proposed(tmp_path, ["ash", "oak", "\\N"])[0] == ["--missing 'col=\\N'"]


def test_answers_with_their_codes_that_say_unknown_are_proposed_as_missing(tmp_path):
    answers = ["1. Very happy", "2. Pretty happy", "3. Not too happy", "8. DK", "9. NA"]
    assert proposed(tmp_path, answers)[0] == ["--missing 'col=8. DK'", "--missing 'col=9. NA'"]
    labels = ["(1) Male", "(2) Female", "(9) Refused"]
    assert proposed(tmp_path, labels)[0] == ["--missing 'col=(9) Refused'"]
    assert proposed(tmp_path, ["Haus 1", "DK", "NA 9", "9 DK"])[0] == []


@pytest.mark.parametrize("text", ["N/A", "?", "NULL", "nan", "<NA>"])
def test_the_usual_marks_are_missing_without_a_question(tmp_path, text):
    assert proposed(tmp_path, ["5", "11", "18", "40", text])[0] == []
    assert proposed(tmp_path, ["ash", "oak", "elm", text])[0] == []


@pytest.mark.parametrize("text", ["None", "none", "0", "no", "O"])
def test_words_that_are_answers_stay_words(tmp_path, text):
    assert proposed(tmp_path, ["penicillin", "nuts", "milk", text])[0] == []


def test_na_among_codes_of_two_letters_or_in_many_rows_is_told(tmp_path: Path) -> None:
    codes, told = ["DE", "ZA", "FR", "IT"], "'country' holds NA in 20 rows, and it is read as missing"
    said = proposed(tmp_path, [*codes, "NA"], "country")[1]
    assert f"{told}, though the other fields are codes of two letters" in said
    assert "add words: {NA: NA} to the column" in said
    for often in (["DEU", "NA", "ZAF", "FRA"], ["M", "NA", "F"]):
        assert f"{told}. To keep it" in proposed(tmp_path, often, "country")[1]
    for others in (["DE", "ZA", "FR"], ["DEU", "ZAF", "FRA"] * 5 + ["NA"], ["1", "2", "NA"]):
        assert "holds NA" not in proposed(tmp_path, others, "country")[1], others


def test_na_is_kept_where_it_stands_for_a_word(tmp_path: Path) -> None:
    """NA is North America in `region`, missing in `tier`, and a place of the order in `plan`."""
    rows = [
        f"{('NA', 'EU', 'APAC', '')[k % 4]},{('NA', 'x')[k % 2]},{('NA', 'Basic', 'Pro')[k % 3]},{k % 2}"
        for k in range(60)
    ]
    path, settings = tmp_path / "t.csv", tmp_path / "columns.yaml"
    path.write_text("\n".join(["region,tier,plan,y", *rows]) + "\n")
    told = [text for text in load_csv(path, target="y").table.notes if "columns.yaml" in text]
    assert len(told) == 3
    assert "'region' holds NA in 15 rows" in told[0]
    assert "words: {NA: NA}" in told[0]
    settings.write_text("columns: {region: {words: {NA: North America}}, plan: {order: [NA, Basic, Pro]}}")
    kept = read_settings(settings)
    csv = load_csv(path, target="y", words=kept.words, order=kept.order)
    region, tier, plan = csv.table.columns
    assert region.categories == ("APAC", "EU", "North America")
    assert tier.categories == ("x",)
    assert plan.categories == ("NA", "Basic", "Pro")
    assert np.isnan(csv.table.X[:4]).tolist() == [
        [False, True, False], [False, False, False], [False, True, False], [True, False, False]
    ]  # fmt: skip
    again = load_csv(path, columns=csv.table.columns, reading=csv.reading)
    np.testing.assert_array_equal(again.table.X, csv.table.X)


def test_codes_that_look_like_numbers_with_an_exponent_are_told(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("part,b,y\n" + "".join(f"{k % 3 + 1}E{k % 5},{k}e+02,{'uv'[k % 2]}\n" for k in range(60)))
    csv = load_csv(file, target="y")
    (note,) = (note for note in csv.table.notes if "code" in note)
    assert "Column 'part' holds '1E0', which is read as the number 1; if it is a code, declare" in note
    assert load_csv(file, target="y", categorical=["part"]).table.columns[0].categories[:2] == ("1E0", "1E1")
