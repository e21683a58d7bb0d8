"""Folders and Parquet files are read by columns.yaml and by the model file, as single CSV files are."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.convert import load_model

SETTINGS = """
missing: ["-999"]
columns:
  id: {use: ignore}
  branch: {use: category}
  owner: {words: {YES: "Yes", "no ": "no"}}
labels: {BAD: bad}
"""


def run(*args: object) -> str:
    done = CliRunner().invoke(app, [str(arg) for arg in args])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(params=["csv", "parquet"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Rows of two files; -999 and the spellings matter to the tree."""
    n = 600
    owner = ["Yes", "YES", "no"]
    frame = pl.DataFrame(
        {
            "id": list(range(n)),
            "age": [-999 if k % 5 == 0 else 20 + k % 50 for k in range(n)],
            "branch": [k % 4 for k in range(n)],
            "owner": [owner[k % 3] for k in range(n)],
            "y": [
                ("bad", "BAD")[k % 2] if k % 3 < 2 and (k % 5 == 0 or k % 50 > 25) else "good"
                for k in range(n)
            ],
        }
    )
    path = tmp_path / "rows"
    path.mkdir()
    for part, rows in enumerate((frame[:300], frame[300:])):
        if request.param == "csv":
            rows.write_csv(path / f"{part}.csv")
        else:
            rows.write_parquet(path / f"{part}.parquet")
    frame.write_csv(tmp_path / "all.csv")
    (tmp_path / "columns.yaml").write_text(SETTINGS)
    return path


def test_fit_verify_and_predict_read_by_the_settings(folder: Path, tmp_path: Path) -> None:
    model, settings = tmp_path / "m.json", tmp_path / "columns.yaml"
    run("fit", folder, "-t", "y", "--columns", settings, "--shard-rows", 600, "--max-depth", 3, "-o", model)
    content = load_model(model)
    columns = {column.name: column for column in content.tree.columns}
    assert set(columns) == {"age", "branch", "owner"}
    assert columns["age"].has_missing
    assert columns["owner"].categories == ("Yes", "no")
    assert columns["branch"].categories == ("0", "1", "2", "3")
    assert content.tree.classes is not None
    assert content.tree.classes.tolist() == ["bad", "good"]
    assert content.reading is not None
    answers = run("predict", model, tmp_path / "all.csv", "--leaf")
    for given in ([], ["--columns", settings]):  # the model file alone knows them as well
        assert "checks hold" in run("verify", model, folder, *given)
        assert run("predict", model, folder, "--leaf", *given) == answers


def test_a_model_of_one_file_predicts_a_folder_alike(folder: Path, tmp_path: Path) -> None:
    model, settings, table = tmp_path / "m.json", tmp_path / "columns.yaml", tmp_path / "all.csv"
    run("fit", table, "-t", "y", "--columns", settings, "--max-depth", 3, "-o", model)
    assert run("predict", model, folder, "--proba") == run("predict", model, table, "--proba")
    plain = tmp_path / "plain.json"  # what the model file does not say, columns.yaml says
    content = load_model(model)
    run("fit", table, "-t", "y", "-x", "id", "--max-depth", 1, "-o", plain)
    assert content.reading is not None
    assert load_model(plain).reading != content.reading
    with_settings = run("predict", plain, folder, "--columns", settings)
    assert with_settings == run("predict", plain, table, "--columns", settings)


def test_columns_that_no_split_asks_about_may_be_absent_or_odd(tmp_path: Path) -> None:
    model, path = tmp_path / "m.json", tmp_path / "rows"
    path.mkdir()
    (path / "0.csv").write_text("a,b,y\n" + "".join(f"{k},{k % 7},{int(k > 50)}\n" for k in range(100)))
    run("fit", path, "-t", "y", "--shard-rows", 100, "--max-depth", 1, "-o", model)
    (path / "0.csv").write_text("b,a\nx,1\n2,99\n")
    assert run("predict", model, path).splitlines() == ["prediction", "0", "1"]


def test_dates_keep_the_day_from_which_ages_are_counted(tmp_path: Path) -> None:
    model, path = tmp_path / "m.json", tmp_path / "rows"
    path.mkdir()
    lines = [f"{1 + k % 28:02d}.{1 + k % 12:02d}.20{10 + k % 10},{int(k % 10 > 4)}" for k in range(120)]
    (path / "0.csv").write_text("\n".join(["since,y", *lines]))
    run("fit", path, "-t", "y", "--shard-rows", 120, "--max-depth", 1, "-o", model)
    (path / "0.csv").write_text("since\n03.02.2011\n03.02.2018\n")
    assert run("predict", model, path).splitlines() == ["prediction", "0", "1"]
