"""`treewright export` writes every target, and says what is wrong."""

import csv
import sqlite3
import sys
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from made_trees import make_tree
from treewright.cli import app
from treewright.convert import save_model
from treewright.tree import Column, ColumnKind, ThresholdSplit, grow


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """A tree of columns of numbers."""
    X = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]])
    columns = (Column("age", ColumnKind.CONTINUOUS), Column("it's", ColumnKind.CONTINUOUS))
    splits = [ThresholdSplit(0, 2.5), None, ThresholdSplit(1, 7.5), None, None]
    y = np.array([0, 0, 1, 0], dtype=np.int32)
    tree = grow(columns, np.array(["no", "yes"]), splits, X, y, np.ones(4), 1.0 - np.eye(2))
    file = tmp_path_factory.mktemp("model") / "model.json"
    save_model(file, tree)
    return file


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["export", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_texts_are_shown(model):
    assert "def predict(row):" in run(model, "--to", "python")
    assert "int risk(const double *x)" in run(model, "--to", "c", "--name", "risk")
    assert "if age > 2.5 and it's <= 7.5\n    then yes  (100% of 1 row)" in run(model, "--to", "rules")
    with sqlite3.connect(":memory:") as connection:
        connection.execute('CREATE TABLE people (age REAL, "it\'s" REAL)')
        connection.execute("INSERT INTO people VALUES (3, 7), (NULL, NULL)")
        query = run(model, "--to", "sql", "--table", "people")
        assert connection.execute(query).fetchall() == [(3.0, 7.0, "yes"), (None, None, "no")]
    connection.close()


def test_files_are_named_by_their_ending(model, tmp_path):
    run(model, "--out", tmp_path / "tree.joblib")
    fitted = joblib.load(tmp_path / "tree.joblib")
    assert type(fitted).__name__ == "DecisionTreeClassifier"
    assert fitted.tree_.node_count == 5
    run(model, "--out", tmp_path / "rules.csv")
    rows = list(csv.DictReader((tmp_path / "rules.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["prediction"] for row in rows] == ["no", "yes", "no"]
    assert [row["leaf"] for row in rows] == ["1", "2", "3"]  # as `predict --leaf` and the report count them
    for ending in ("py", "c", "sql", "txt"):
        run(model, "-o", tmp_path / f"tree.{ending}")
        assert (tmp_path / f"tree.{ending}").stat().st_size > 100


def test_onnx(model, tmp_path):
    onnx = pytest.importorskip("onnx")
    run(model, "--out", tmp_path / "tree.onnx", "--float32")
    onnx.checker.check_model(onnx.load(tmp_path / "tree.onnx"))


def test_words_that_no_split_asks_about_make_a_pipeline(tmp_path):
    X = np.array([[1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    columns = (Column("age", ColumnKind.CONTINUOUS), Column("town", ColumnKind.CATEGORICAL, ("Bern", "Ulm")))
    y = np.array([0, 0, 1], dtype=np.int32)
    splits = [ThresholdSplit(0, 2.5), None, None]
    save_model(
        tmp_path / "model.json",
        grow(columns, np.array(["no", "yes"]), splits, X, y, np.ones(3), 1.0 - np.eye(2)),
    )
    run(tmp_path / "model.json", "-o", tmp_path / "tree.joblib")
    rows = pd.DataFrame({"age": [1.0, 3.0], "town": ["Ulm", "Bern"]})
    assert joblib.load(tmp_path / "tree.joblib").predict(rows).tolist() == ["no", "yes"]


def test_categories_make_a_pipeline(tmp_path):
    tree = next(t for t in (make_tree(seed, 6).tree for seed in range(50)) if 4 in t.feature)
    save_model(tmp_path / "model.json", tree)
    assert "pipeline" in run(tmp_path / "model.json", "-o", tmp_path / "tree.pkl")
    assert list(joblib.load(tmp_path / "tree.pkl").named_steps) == ["encode", "tree"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "Give the format to write"),
        (("--to", "cobol"), "choose one of sklearn, onnx"),
        (("--to", "onnx"), "add --out"),
        (("--out", "tree.exe"), "names no target"),
        (("--to", "c", "--table", "t"), "--table is for --to sql"),
        (("--to", "sql", "--name", "t"), "--name is for --to python and c"),
        (("--to", "sql", "--float32"), "--float32 is for --to onnx"),
        (("--to", "c", "--name", "int"), "cannot name a C function"),
        (("--to", "c", "--out", "/no/such/folder/x.c"), "no folder"),
    ],
)
def test_bad_options(model, options, words):
    assert words in run(model, *options, code=2)


def test_a_missing_package_is_named(model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert "treewright[onnx]" in run(model, "-o", tmp_path / "tree.onnx", code=2)


def test_a_newer_model_file_is_refused(model, tmp_path):
    newer = tmp_path / "newer.json"
    newer.write_text(model.read_text().replace('"version": 1', '"version": 99'))
    assert "99" in run(newer, "--to", "sql", code=2)


def test_rules_of_several_outputs_are_columns(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("a,low,high\n1,2,20\n2,2,20\n3,5,50\n4,5,50\n")
    fit = ["fit", data, "--task", "regression", "-t", "low,high", "-c", 0, "--max-depth", 1]
    file, out = tmp_path / "model.json", tmp_path / "rules.csv"
    assert CliRunner().invoke(app, [str(word) for word in (*fit, "--out", file)]).exit_code == 0
    run(file, "--out", out)
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert [row["prediction of low"] for row in rows] == ["2.0", "5.0"]
    assert [row["prediction of high"] for row in rows] == ["20.0", "50.0"]
    assert "Use --to python or --to onnx" in run(file, "--to", "sql", code=2)


def test_numbers_beyond_single_precision_are_not_exported_in_it(tmp_path):
    pytest.importorskip("onnx")
    data, file = tmp_path / "data.csv", tmp_path / "model.json"
    data.write_text("a,y\n1,1e100\n2,1e100\n3,5e100\n4,5e100\n")
    fit = ["fit", data, "--task", "regression", "-t", "y", "-c", 0, "--max-depth", 1, "--out", file]
    assert CliRunner().invoke(app, [str(word) for word in fit]).exit_code == 0
    run(file, "--out", tmp_path / "tree.onnx")
    said = run(file, "--out", tmp_path / "single.onnx", "--float32", code=2)
    assert "float32 ends at 3.4e38; leave --float32 out." in said
    assert not (tmp_path / "single.onnx").exists()


def test_what_the_code_expects_of_its_input_is_said(tmp_path):
    """SQL compared -9, which the tree took as missing, with the threshold, and nothing was said."""
    rows = [
        f"{k % 50},5 %;{-9 if k % 7 == 0 else k % 9};{'Yes' if k % 50 > 20 else 'no'}" for k in range(200)
    ]
    file, saved = tmp_path / "a.csv", tmp_path / "a.json"
    file.write_text("\n".join(["share;months;y", *rows]))
    fit = ["fit", file, "--target", "y", "--max-depth", "2", "--missing", "months=-9", "--out", saved]
    assert CliRunner().invoke(app, list(map(str, fit))).exit_code == 0
    shown = CliRunner().invoke(app, ["export", str(saved), "--to", "sql"])
    assert (
        "  share: numbers as code writes them (the file has a decimal comma and the unit %)" in shown.stderr
    )
    assert "months" not in shown.stderr  # the tree does not ask for it
    assert "prepared" not in shown.stdout


def test_a_tree_of_plain_fields_expects_nothing_else(model):
    assert "prepared" not in run(model, "--to", "sql")
