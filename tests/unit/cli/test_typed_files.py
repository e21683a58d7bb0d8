"""The verbs read Parquet and Arrow files as they read CSV files: look, its settings, fit, predict, verify."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from treewright.cli import app


def run(*words: object) -> tuple[int, str]:
    answer = CliRunner().invoke(app, [str(word) for word in words])
    return answer.exit_code, answer.output


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_forest_is_trained_on_one(tmp_path: Path, suffix: str) -> None:
    """It was taken for a model file that nobody knows."""
    path, table = tmp_path / f"loans.{suffix}", tmp_path / "loans.csv"
    frame = pl.DataFrame({"a": [k % 7 for k in range(60)], "y": [k % 7 > 3 for k in range(60)]})
    getattr(frame, "write_parquet" if suffix == "parquet" else "write_ipc")(path)
    frame.write_csv(table)
    asked = ("--target", "y", "--trees", 3, "--depth", 2)
    typed, plain = (run("reborn", data, *asked, "--out", f"{data}.json") for data in (path, table))
    assert typed[0] == plain[0] == 0, typed[1]
    assert run("predict", f"{path}.json", path) == run("predict", f"{table}.json", table)


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_from_a_look_to_a_checked_tree(tmp_path: Path, suffix: str) -> None:
    path, table = tmp_path / f"loans.{suffix}", tmp_path / "loans.csv"
    settings, model = tmp_path / "columns.yaml", tmp_path / "model.json"
    ages = [-999 if k % 50 == 0 else 20 + k % 47 for k in range(300)]
    frame = pl.DataFrame(
        {
            "case": [f"K{1000 + k}" for k in range(300)],
            "age": ages,
            "rate": [f"{k % 19},{k % 7} %" for k in range(300)],
            "tags": [["a"]] * 300,
            "owner": [("Yes", "yes", "no")[k % 3] for k in range(300)],
            "y": [("bad", "BAD")[k % 2] if age > 40 else "good" for k, age in enumerate(ages)],
        }
    )
    getattr(frame, "write_parquet" if suffix == "parquet" else "write_ipc")(path)
    frame.drop("tags").write_csv(table)
    code, told = run("look", path, "--target", "y", "--fix")
    assert code == 0
    assert "--ignore case" in told
    assert "tags" in settings.read_text()
    assert "Nothing to decide." in run("look", path, "--target", "y", "--columns", settings)[1]
    code, told = run("fit", path, "--target", "y", "--columns", settings, "--max-depth", 2, "--out", model)
    assert code == 0
    assert "Proven optimal" in told
    assert "age" in told
    assert run("verify", model, path)[0] == 0
    code, typed = run("predict", model, path)
    assert code == 0
    assert typed.splitlines()[1:] == run("predict", model, table)[1].splitlines()[1:]
    code, told = run(
        "fit", path, "-t", "rate", "--task", "regression", "--max-depth", 1, "-x", "tags", "-x", "case"
    )
    assert code == 0
