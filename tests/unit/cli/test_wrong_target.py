"""A target that is a quantity, and a file that is not text: one message with the way out, before any search."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from treewright.cli import app


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.mark.parametrize(
    "write", [lambda k: f'"${k * 613 + 1000:,}"', lambda k: f"{k / 7:.2f} %", lambda k: str(k * 31)]
)
def test_each_number_is_no_class(tmp_path, write):
    path = tmp_path / "pay.csv"
    path.write_text("a,pay\n" + "".join(f"{k % 7},{write(k)}\n" for k in range(100)), encoding="utf-8")
    done = run("fit", path, "-t", "pay")
    assert done.exit_code == 2
    assert "The target pay has 100 different numbers: it is a quantity" in done.stderr
    assert "--task regression" in done.stderr
    assert run("fit", path, "-t", "pay", "--task", "regression", "--max-depth", 1).exit_code == 0


def test_many_classes_that_are_numbers_stay_classes(tmp_path):
    path = tmp_path / "letters.csv"
    path.write_text("a,y\n" + "".join(f"{k % 40},{k % 40}\n" for k in range(1600)))
    done = run("fit", path, "-t", "y", "--max-depth", 1, "--time-limit", 5)
    assert done.exit_code == 0
    assert "--task regression" in done.stderr  # said, where it may be meant


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0"])
def test_a_spreadsheet_is_no_text(tmp_path, start):
    path = tmp_path / "data.xlsx"
    path.write_bytes(start + b"\0" * 100)
    done = run("look", path)
    assert done.exit_code == 2
    assert "save the sheet as CSV" in done.stderr


def test_codes_of_diagnoses_are_classes_and_short_amounts_are_none(tmp_path):
    file = tmp_path / "cases.csv"
    rows = [f"{k % 40},{'EJIF'[k % 4]}{10 + k % 40 // 4},${300 + k}k" for k in range(400)]
    file.write_text("age,diagnosis,price\n" + "\n".join(rows) + "\n")
    codes = run("fit", file, "--target", "diagnosis", "--ignore", "price", "--max-depth", "1")
    assert codes.exit_code == 0, codes.stderr
    assert "quantity" not in codes.stderr
    amounts = run("fit", file, "--target", "price", "--ignore", "diagnosis", "--max-depth", "1")
    assert amounts.exit_code == 2
    assert "The target price has 400 different numbers: it is a quantity" in amounts.stderr


@pytest.mark.parametrize(("command", "way"), [("near-optimal", "fit or frontier with"), ("frontier", "add")])
def test_a_set_of_trees_for_each_number_is_refused(tmp_path, command, way):
    file = tmp_path / "houses.csv"
    file.write_text("size,price\n" + "".join(f'{k % 50},"${k * 731:,}"\n' for k in range(100)))
    done = run(command, file, "--target", "price", "--max-depth", 2)
    assert done.exit_code == 2
    assert "The target price has 100 different numbers: it is a quantity" in done.stderr
    assert f"{way} --task regression" in done.stderr


def test_how_a_target_of_numbers_is_read_is_said(tmp_path):
    """Once: of money, of times and of rewards, as of a feature."""
    path = tmp_path / "pay.csv"
    rows = [f'{k % 7},"${k * 613 + 1000:,}",{k + 1},{k % 2}' for k in range(40)]
    path.write_text("\n".join(["a,pay,b,seen", *rows]) + "\n")
    said = "Column 'pay' is read as numbers with commas between thousands and the unit $: '$1,000' is 1000."
    for more in (
        ["--task", "regression", "-t", "pay"],
        ["--task", "survival", "-t", "pay", "--event", "seen"],
        ["--task", "policy", "--reward", "pay", "--reward", "b"],
    ):
        done = run("fit", path, *more, "--max-depth", 1)
        assert done.exit_code == 0, done.output
        assert done.stderr.count(said) == 1
    one = run("fit", path, "--task", "policy", "--reward", "pay")
    assert "doubly_robust_scores(X, action, outcome)" in one.stderr
