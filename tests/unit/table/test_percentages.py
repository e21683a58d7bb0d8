"""Percentages of which some lack the sign: read if their size decides, asked about if not, and read again alike."""

import numpy as np
import pandas as pd
import pytest

from treewright.convert import Model, from_json, to_json
from treewright.errors import InputError, ModelFileError
from treewright.estimators import OptimalTreeClassifier
from treewright.table import NumberFormat, Reading, load_csv, look, settings_of

SOME = NumberFormat(",", "", "%", some_without_sign=True)


@pytest.fixture
def write(tmp_path):
    def make(fields, name="data.csv"):
        path = tmp_path / name
        rows = "".join(f"{field};{j % 7};{'uv'[j % 2]}\n" for j, field in enumerate(fields))
        path.write_text(f"rate;other;y\n{rows}", encoding="utf-8")
        return path

    return make


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        (["12,5 %", "3,1 %", "8,2"], [12.5, 3.1, 8.2]),
        (["12,5 %", "3,1 %", "15"], [12.5, 3.1, 15]),
        (["12,5 %", "3,1 %", "0"], [12.5, 3.1, 0]),  # as a share, 0 is 0 as well
        (["12,5 %", "-3,1 %", "-8,2"], [12.5, -3.1, -8.2]),
    ],
)
def test_fields_without_sign_are_percentages_if_they_are_as_large_as_the_others(write, fields, values):
    csv = load_csv(write(fields), target="y")
    assert csv.table.X[:, 0].tolist() == values
    assert csv.reading.columns["rate"] == SOME
    (note,) = csv.table.notes
    assert "'12,5 %' is 12.5. 1 field has no % sign and, as large as the others, is a percentage, too" in note


@pytest.mark.parametrize(
    "fields",
    [
        ["12,5 %", "3,1 %", "0,082"],  # a share
        ["12,5 %", "0,1 %", "90 %", "0,82"],  # 0.82 % or 82 %
        ["12,5 %", "8", "130"],
        ["12,5 %", "8,2", "0,082"],
    ],
)
def test_where_a_field_without_sign_may_be_a_share_a_person_is_asked(write, fields):
    path = write(fields)
    with pytest.raises(InputError, match="percentages or shares"):
        load_csv(path, target="y")
    seen = look(path, target="y")
    assert seen.open_columns() == ["rate"]
    assert settings_of(seen).ignore == ()  # the column is not left out without a word


@pytest.mark.parametrize("rows", [1, 3])
def test_a_code_without_sign_is_proposed_as_missing(write, rows):
    path = write([*[f"{j},5 %" for j in range(1, 20)], *["-999,0"] * rows])
    with pytest.raises(InputError, match=r"'-999,0' without a % sign in .* If it means missing, add it"):
        load_csv(path, target="y")
    seen = look(path, target="y")
    assert seen.options() == "--missing rate=-999,0"
    csv = load_csv(path, target="y", missing_in={"rate": ["-999,0"]})
    np.testing.assert_array_equal(csv.table.X[:, 0], [*np.arange(1.5, 20), *[np.nan] * rows])


def test_shares_beside_a_code_are_still_asked_about(write):
    path = write([*[f"{j},5 %" for j in range(1, 20)], "0,082", "-999", "-999"])
    code, shares = (one for one in look(path, target="y").findings if one.column == "rate")
    assert code.option == "--missing rate=-999"
    assert "percentages and also '0,082' without a % sign" in shares.text
    assert not shares.action


def test_a_later_file_is_read_alike(write):
    known = load_csv(write(["12,5 %", "3,1 %", "8,2", "4,4"]), target="y")
    again = load_csv(
        write(["8,3", "3 %"], "later.csv"), columns=known.table.columns, reading=known.reading, needed=[0]
    )
    assert again.table.X[:, 0].tolist() == [8.3, 3]
    assert again.table.notes[0].endswith(
        "1 field has no % sign and is a percentage, too, as when the tree was made."
    )


def test_where_training_had_all_signs_a_field_without_is_named(write):
    known = load_csv(write(["12,5 %", "3,1 %"]), target="y")
    with pytest.raises(InputError, match=r"'8,3' \(line 2\) lacks the % sign"):
        load_csv(
            write(["8,3", "3 %"], "later.csv"), columns=known.table.columns, reading=known.reading, needed=[0]
        )


def test_a_model_file_keeps_it():
    model = OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0]] * 5, [0, 1] * 5)
    for written in (SOME, NumberFormat(",", "", "%")):
        text = to_json(Model(model.tree_, reading=Reading(columns={"x0": written})))
        assert from_json(text).reading.columns["x0"] == written
        assert ("some_without_sign" in text) == written.some_without_sign
    wrong = to_json(Model(model.tree_, reading=Reading(columns={"x0": SOME}))).replace('"%"', '"kg"')
    with pytest.raises(ModelFileError, match="some_without_sign"):
        from_json(wrong)


def test_in_a_frame_text_with_some_signs_is_converted_only_if_it_can_be(write):
    rates = [f"{j},5 %" if j % 3 else f"{j},5" for j in range(3, 33)]
    (found,) = [one for one in look(pd.DataFrame({"rate": rates})).findings if one.column == "rate"]
    assert "pandas.to_numeric" in found.text
    rates[0] = "0,045"
    (found,) = [one for one in look(pd.DataFrame({"rate": rates})).findings if one.column == "rate"]
    assert "pandas.to_numeric" not in found.text
    assert np.all([word in found.text for word in ("numbers", "rate")])
