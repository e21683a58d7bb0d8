"""Numbers with a unit of measurement behind them are read as numbers, and later files by the same unit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from treewright import OptimalTreeClassifier
from treewright.convert import Model, from_json, to_json
from treewright.errors import InputError
from treewright.table import NumberFormat, load_csv, look
from treewright.tree import ColumnKind


def write(folder: Path, fields: list[str], name: str = "data.csv") -> Path:
    path = folder / name
    rows = [f"{field};{k % 2};{k % 7}" for k, field in enumerate(fields)]
    path.write_text("\n".join(["one;y;two", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("fields", "unit", "values"),
    [
        (["38,2 °C", "37,0 °C", "36,5 °C"], "°C", [38.2, 37.0, 36.5]),
        (["3.5kg", "12kg", "4.25kg"], "kg", [3.5, 12.0, 4.25]),
        (
            ["-4 mg/l", "\u22125.5 mg/l", "7"],
            "mg/l",
            [-4.0, -5.5, 7.0],
        ),  # a bare number, and a typesetter's minus
        (["1.200,5 m²", "900 m²", "2.000 m²"], "m²", [1200.5, 900.0, 2000.0]),
        (["3 h", "12 h", ""], "h", [3.0, 12.0, np.nan]),
    ],
)
def test_a_column_with_one_unit_is_one_of_numbers(tmp_path, fields, unit, values):
    data = load_csv(write(tmp_path, fields * 10), target="y", separator=";")
    column = next(column for column in data.table.columns if column.name == "one")
    assert column.kind is ColumnKind.CONTINUOUS
    np.testing.assert_array_equal(data.table.X[:3, 0], values)
    assert data.reading.columns["one"].unit == unit
    assert any(f"the unit {unit}" in note for note in data.table.notes)


@pytest.mark.parametrize(
    "fields",
    [
        ["500 g", "2 kg", "3 kg"],  # two units
        ["12h", "3h", "7h"],  # a letter of a code
        ["7 rooms", "8 rooms", "9 rooms"],  # no unit of measurement
        ["K9 kg", "K10 kg", "K11 kg"],  # no numbers
    ],
)
def test_anything_else_stays_words(tmp_path, fields):
    data = load_csv(write(tmp_path, fields * 10), target="y", separator=";")
    assert data.table.columns[0].kind is ColumnKind.CATEGORICAL
    assert "one" not in data.reading.columns


def test_a_declared_category_stays_one(tmp_path):
    path = write(tmp_path, ["3 kg", "4 kg", "5 kg"] * 10)
    data = load_csv(path, target="y", separator=";", categorical=["one"])
    assert data.table.columns[0].categories == ("3 kg", "4 kg", "5 kg")


def test_text_among_them_is_told_with_its_lines_and_codes_of_missing_too(tmp_path):
    path = write(tmp_path, ["5,6 mg/l", "<5 mg/l", "-999", "-999", *[f"{k},5 mg/l" for k in range(1, 38)]])
    texts = [
        finding.text for finding in look(path, target="y", separator=";").findings if finding.column == "one"
    ]
    assert "'<5 mg/l' (line 3)" in texts[0]
    assert any("-999" in text and "does it mean missing" in text for text in texts[1:])


def test_a_code_of_missing_that_carries_the_unit_is_proposed_as_it_is_written(tmp_path):
    path = write(tmp_path, [*[f"{k},5 kg" for k in range(40, 78)], "-999 kg", "-999 kg"])
    (finding,) = look(path, target="y", separator=";").findings
    assert (finding.action, finding.value) == ("missing", "-999 kg")
    data = load_csv(path, target="y", separator=";", missing_in={"one": ["-999 kg"]})
    assert np.isnan(data.table.X[-2:, 0]).all()


def test_later_files_are_read_by_the_unit_of_the_fit(tmp_path):
    data = load_csv(write(tmp_path, [f"{k},5 kg" for k in range(40)]), target="y", separator=";")
    assert data.reading.columns["one"] == NumberFormat(",", "", "kg")
    model = OptimalTreeClassifier(max_depth=1).fit(data.table.X, data.target)
    kept = from_json(to_json(Model(model.tree_, reading=data.reading)))
    assert kept.reading.columns["one"].unit == "kg"
    again = load_csv(
        write(tmp_path, ["7,5 kg", "8,25"], "new.csv"), columns=data.table.columns, reading=kept.reading
    )
    np.testing.assert_array_equal(again.table.X[:, 0], [7.5, 8.25])
    with pytest.raises(InputError, match=r"'800,0 g'"):
        load_csv(
            write(tmp_path, ["7,5 kg", "800,0 g"], "other.csv"),
            columns=data.table.columns,
            reading=kept.reading,
        )


def texts_about(path: Path) -> list[str]:
    return [
        finding.text for finding in look(path, target="y", separator=";").findings if finding.column == "one"
    ]


def test_a_unit_behind_half_of_the_numbers_is_told(tmp_path):
    """It was read as words, and `look` said nothing."""
    [text] = texts_about(write(tmp_path, ["12 kg", "13", "14 kg", "15"] * 10))
    assert "the unit 'kg' behind some of them and none behind the others (12 kg, 13, 14 kg, ...)" in text
    assert "write it behind each of them" in text
    [text] = texts_about(write(tmp_path, ["12 kg", "13", "14 g", "15"] * 10))
    assert "different units behind them (none, g, kg: " in text


def test_a_unit_behind_few_of_the_numbers_does_not_mean_missing(tmp_path):
    """The advice was to add "12 kg" to the missing values."""
    path = write(tmp_path, ["12 kg", *map(str, range(20, 59))])
    [text] = texts_about(path)
    assert (
        "holds numbers, 1 of 40 with the unit 'kg' behind it and the others without: '12 kg' (line 2)" in text
    )
    assert "missing" not in text
    with pytest.raises(InputError, match="Write the unit behind all of them or behind none"):
        load_csv(path, target="y", separator=";")
    pandas = pytest.importorskip("pandas")
    [finding] = look(
        pandas.DataFrame({"one": ["12 kg", *map(str, range(20, 59))], "y": [0, 1] * 20}), "y"
    ).findings
    assert "kg" in finding.text
    assert "missing" not in finding.text


@pytest.mark.parametrize(
    "fields", [["2", "2a", "3", "3b"], ["12", "12h", "7", "7h"], ["1", "1 room", "2", "2 rooms"]]
)
def test_a_word_that_is_no_unit_is_no_unit(tmp_path, fields):
    assert not any("unit" in text for text in texts_about(write(tmp_path, fields * 10)))
