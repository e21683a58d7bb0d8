"""Columns that hold a number in every row and are no features: what is said where one does not."""

import pytest
from typer.testing import CliRunner

from treewright.cli._app import app

COLUMNS = ("x", "t", "e", "r", "w")
ROLES = {
    "target": ["-t", "t", "--task", "regression"],
    "time": ["-t", "t", "--task", "survival", "--event", "e"],
    "reward": ["--task", "policy", "--reward", "t", "--reward", "r"],
    "row cost": ["-t", "x", "--row-cost", "0=t", "--row-cost", "1=r"],
    "weight": ["-t", "x", "--weight", "t"],
}


def said(tmp_path, fields, role):
    path = tmp_path / "rows.csv"
    rows = [f"{k % 2},{field},{k % 2},{k % 5},1" for k, field in enumerate(fields)]
    path.write_text("\n".join([",".join(COLUMNS), *rows]) + "\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["fit", str(path), *ROLES[role]])
    assert done.exit_code == 2
    return " ".join(done.stderr.split())


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("text", "rows", "advice"),
    [
        ("sold", 1, "1 of 60 fields is text: 'sold' (line 2). Write a number there, or leave this row out."),
        ("sold", 2, "2 of 60 fields are text: 'sold' (lines 2, 3). Write numbers there, or leave these rows out."),
        ("7 kg", 30, "if they are quantities of one unit."),
        ("$3k", 30, "such as 386000 for 386k."),
        ("", 1, "is missing in 1 row of rows.csv (line 2). Leave this row out, or fill it in."),
    ],
)  # fmt: skip
def test_no_value_can_be_missing_and_no_column_categorical(tmp_path, role, text, rows, advice):
    error = said(tmp_path, [text if k < rows else f"{300 + k}" for k in range(60)], role)
    assert error.endswith(advice)
    assert "categorical" not in error
    assert ("The weight 't'" in error) == (role == "weight" and not text)


def test_an_event_is_named_as_a_column(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,t,e\n" + "".join(f"{k % 3},{k + 1},{(1, 0, '')[k % 3]}\n" for k in range(30)))
    done = CliRunner().invoke(app, ["fit", str(path), *ROLES["time"]])
    assert "dead and alive. Column 'e' is missing in 10 rows of rows.csv" in " ".join(done.stderr.split())
