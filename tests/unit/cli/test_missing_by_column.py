"""A code that means "missing" in one column is a value in another; what was blanked is said."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.cli._missing import missing_by_column
from treewright.convert import load_model
from treewright.errors import InputError
from treewright.table import load_csv, load_groups, look, read_settings


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def ward(tmp_path):
    """Age -9 is unknown, in 8 rows; a temperature of -9 is real, in 5, and alone separates the labels."""
    path = tmp_path / "ward.csv"
    rows = [
        f"{-9 if k % 5 == 0 else 20 + k},{-9 if k < 5 else 3 + k % 7},{'bad' if k < 5 else 'good'}"
        for k in range(40)
    ]
    path.write_text("age,temperature,y\n" + "\n".join(rows) + "\n")
    return path


def test_a_code_of_one_column_leaves_the_others_alone(ward):
    csv = load_csv(ward, target="y", missing_in={"age": ["-9"]})
    age, temperature = csv.table.X.T
    assert np.isnan(age).sum() == 8
    assert (temperature[:5] == -9).all()
    assert csv.blanked == {"age": {"-9": 8}}
    everywhere = load_csv(ward, target="y", missing_values=["-9"])
    assert np.isnan(everywhere.table.X).sum() == 13
    assert everywhere.blanked == {"age": {"-9": 8}, "temperature": {"-9": 5}, "y": {}}
    with pytest.raises(InputError, match=r"no column 'agee'\. Did you mean 'age'"):
        load_csv(ward, missing_in={"agee": ["-9"]})


def test_later_files_are_read_alike(ward):
    """By the reading alone; a file without the column is read, and one more code is added."""
    first = load_csv(ward, target="y", missing_in={"age": ["-9"]})
    again = load_csv(ward, target="y", reading=first.reading)
    np.testing.assert_array_equal(again.table.X, first.table.X)
    more = load_csv(ward, target="y", reading=first.reading, missing_in={"age": ["21"]})
    assert more.blanked["age"] == {"-9": 8, "21": 1}
    assert more.reading.missing_in == {"age": ("-9", "21")}
    groups = load_groups(ward, "age", reading=first.reading)
    assert np.isnan(groups).sum() == 8


def test_a_code_is_found_with_decimals(tmp_path):
    """Some programs write -9.0 where a column has missing values; 007 is no 7, and 9.000 may be nine thousand."""
    path = tmp_path / "d.csv"
    path.write_text("a;b;c;d\n" + "-9.0;-9,0;007;9.000\n" + "1.5;1,5;7;1.234\n" * 3 + "-9;-9,00;x;2.345\n")
    codes = {"a": ["-9"], "b": ["-9.0"], "c": ["7"], "d": ["9"]}
    csv = load_csv(path, missing_in=codes, categorical=["c"], decimal_in={"d": "."})
    assert csv.blanked == {"a": {"-9": 2}, "b": {"-9.0": 2}, "c": {"7": 3}, "d": {}}
    assert np.isnan(csv.table.X).sum(axis=0).tolist() == [2, 2, 3, 0]


def test_fit_says_it_and_every_verb_keeps_it(ward, tmp_path):
    model = tmp_path / "m.json"
    done = run("fit", ward, "-t", "y", "--missing", "age=-9", "--max-depth", 1, "-o", model)
    assert done.exit_code == 0, done.output
    assert "Note: '-9' is taken as missing in age (8 rows)." in done.stderr
    content = load_model(model)
    assert content.result.loss == 0  # the temperature -9 is still there
    assert content.reading.missing_in == {"age": ("-9",)}
    assert run("verify", model, ward).exit_code == 0
    labels = run("predict", model, ward).stdout.split()[1:]
    assert labels == ["bad"] * 5 + ["good"] * 35
    page = tmp_path / "r.html"
    done = run("report", model, ward, "--no-models", "--group", "age", "-o", page)
    assert done.exit_code == 0, done.output
    assert "unknown" in page.read_text()


def test_a_code_for_all_columns_says_where_it_was(ward):
    done = run("fit", ward, "-t", "y", "--missing", "-9", "--missing", "n.v.", "--missing", "temperature=77")
    assert done.exit_code == 0, done.output
    assert (
        "Note: '-9' is taken as missing in age (8 rows), temperature (5 rows). If it is a value in one of them, name "
        "the others: --missing COLUMN=-9." in done.stderr
    )
    assert "Note: No column holds 'n.v.'." in done.stderr
    assert "Note: temperature holds no '77', which was to mean missing." in done.stderr


def test_look_proposes_it_and_fix_keeps_it(tmp_path):
    path = tmp_path / "d.csv"
    rows = "".join(f"{-999 if k % 9 == 0 else k % 31},{k % 30},{'uv'[k % 2]}\n" for k in range(90))
    path.write_text("size,other,y\n" + rows)
    assert look(path, target="y").options() == "--missing size=-999"
    settings = tmp_path / "columns.yaml"
    assert run("look", path, "-t", "y", "--fix", "-o", settings).exit_code == 0
    assert read_settings(settings).missing_in == {"size": ("-999",)}
    assert "Nothing to decide." in run("look", path, "-t", "y", "--columns", settings).stdout
    again = tmp_path / "again.yaml"
    assert run("look", path, "-t", "y", "--columns", settings, "--fix", "-o", again).exit_code == 0
    assert again.read_text() == settings.read_text()
    model = tmp_path / "m.json"
    done = run("fit", path, "-t", "y", "--columns", settings, "--missing", "other=29", "-o", model)
    assert done.exit_code == 0, done.output
    assert load_model(model).reading.missing_in == {"size": ("-999",), "other": ("29",)}


def test_a_folder_is_read_by_it(ward, tmp_path):
    folder, model = tmp_path / "rows", tmp_path / "m.json"
    folder.mkdir()
    ward.rename(folder / "ward.csv")
    done = run(
        "fit", folder, "-t", "y", "--missing", "age=-9", "--shard-rows", 40, "--max-depth", 1, "-o", model
    )
    assert done.exit_code == 0, done.output
    assert load_model(model).result.loss == 0
    assert load_model(model).reading.missing_in == {"age": ("-9",)}
    assert run("verify", model, folder).exit_code == 0


@pytest.mark.parametrize(
    ("entries", "everywhere", "of_column"),
    [
        (None, (), {}),
        (["-9", "=NA()"], ("-9", "=NA()"), {}),
        (["age=-9", "age=99", "a=b=0"], (), {"age": ("-9", "99"), "a=b": ("0",)}),
    ],
)
def test_entries(entries, everywhere, of_column):
    assert missing_by_column(entries) == (everywhere, of_column)


def test_bad_entries(ward, tmp_path):
    assert "empty field is missing anyhow" in run("fit", ward, "-t", "y", "--missing", "age=").stderr
    done = run("fit", ward, "-t", "y", "--missing", "aeg=-9")
    assert done.exit_code == 2
    assert "Did you mean 'age'" in done.stderr
    model = tmp_path / "m.json"
    assert run("fit", ward, "-t", "y", "--missing", "age=-9", "-o", model).exit_code == 0
    content = json.loads(model.read_text())
    for broken in ([], {"age": "-9"}, {"age": [-9]}):
        content["reading"]["missing_in"] = broken
        model.write_text(json.dumps(content))
        done = run("predict", model, ward)
        assert done.exit_code == 2
        assert "missing_in" in done.stderr
    settings = tmp_path / "columns.yaml"
    settings.write_text("columns: {age: {missing: -9}}")
    assert "column 'age', missing: give a list" in run("fit", ward, "-t", "y", "--columns", settings).stderr
