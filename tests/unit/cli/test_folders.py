"""A folder given to a command that reads one file: what to do instead, which works as it is written."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from treewright.cli import app


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def parts(tmp_path):
    folder, model = tmp_path / "parts", tmp_path / "m.json"
    folder.mkdir()
    for part in range(2):
        rows = "".join(f"{k},{'uv'[k % 2]},{'no' if k < 15 else 'yes'}\n" for k in range(part, 30, 2))
        (folder / f"{part}.csv").write_text(f"age,sex,ill\n{rows}")
    done = run("fit", folder / "0.csv", "-t", "ill", "-x", "sex", "-o", model)
    assert done.exit_code == 0, done.output
    return folder, model


@pytest.mark.parametrize("command", ["audit", "report", "verify", "frontier", "near-optimal", "extend"])
def test_the_advice_works(parts, tmp_path, monkeypatch, command):
    import polars

    folder, model = parts
    more = {
        "audit": (model, "DATA", "--group", "sex"),
        "report": (model, "DATA", "--out", tmp_path / "r.html", "--no-models"),
        "verify": (model, "DATA"),
        "extend": (model, "DATA"),
    }.get(command, ("DATA", "-t", "ill"))
    refused = run(command, *(folder if part == "DATA" else part for part in more))
    assert refused.exit_code == 2
    advised = re.search(
        r"polars\.scan_csv\('(.*)'\)\.sink_csv\('all\.csv'\)", refused.output.replace("\n", "")
    )
    assert advised is not None, refused.output
    assert "settings apply to all" not in refused.output
    if command == "verify":  # whose rows are those of the fit
        assert run(command, model, folder / "0.csv").exit_code == 0
        return
    monkeypatch.chdir(tmp_path)
    polars.scan_csv(advised[1]).sink_csv("all.csv")
    done = run(command, *("all.csv" if part == "DATA" else part for part in more))
    assert done.exit_code == 0, done.output
