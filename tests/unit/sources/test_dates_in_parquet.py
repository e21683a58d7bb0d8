"""A typed file in pieces, whose dates were left out of the fit: it is told; later files need not leave them out."""

from __future__ import annotations

import datetime
from pathlib import Path

import polars as pl
from typer.testing import CliRunner

from treewright.cli import app


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

    in_pieces = ("--target", "y", "--shard-rows", 300)
    code, told = run("fit", path, *in_pieces)
    assert code == 2
    assert "wards.parquet: Column 'seen' holds dates" in told
    assert "--ignore NAME" in told
    assert "expand_dates" not in told
    code, told = run("fit", path, *in_pieces, "--ignore", "seen", "--out", model)
    assert code == 0
    assert "risk at most medium" in told
    assert run("verify", model, path)[0] == 0
    assert run("predict", model, path, "--out", tmp_path / "answers.csv")[0] == 0
