"""A typed file whose dates were left out of the fit: it is told, and later files need not leave them out again."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import polars as pl
from typer.testing import CliRunner

from treewright.cli import app
from treewright.table import look


def test_dates_are_told_and_a_tree_without_them_reads_the_file(tmp_path: Path) -> None:
    path, model = tmp_path / "wards.parquet", tmp_path / "model.json"
    risks = [("low", "medium", "high")[k % 3] for k in range(300)]
    rows = {
        "seen": [datetime.date(2024, 1, 1 + k % 28) for k in range(300)],
        "risk": pl.Series(risks, dtype=pl.Enum(["low", "medium", "high"])),
        "y": ["yes" if risk == "high" else "no" for risk in risks],
    }
    pl.DataFrame(rows).write_parquet(path)

    def run(*words: object) -> tuple[int, str]:
        answer = CliRunner().invoke(app, [str(word) for word in words])
        return answer.exit_code, answer.output

    code, told = run("fit", path, "--target", "y")
    assert code == 2
    assert "wards.parquet: Column 'seen' holds dates" in told
    code, told = run("fit", path, "--target", "y", "--ignore", "seen", "--out", model)
    assert code == 0
    assert "risk at most medium" in told
    assert run("verify", model, path)[0] == 0
    assert run("predict", model, path, "--out", tmp_path / "answers.csv")[0] == 0
    code, told = run("look", path, "--target", "y")
    assert code == 2
    frame = re.search(r"polars\.read_parquet\('wards\.parquet'\)", told)
    assert frame is not None
    assert look(pl.read_parquet(path), target="y").kinds["ordered words"] == ("risk",)
