"""An auditor gives the wrong file: another number of rows, a renamed column, a model in the place of a table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from treewright.cli import app


def run(*words: object) -> tuple[int, str]:
    answer = CliRunner().invoke(app, [str(word) for word in words])
    return answer.exit_code, re.sub(r"\s+", " ", answer.output)


@pytest.fixture
def fitted(tmp_path: Path) -> tuple[Path, list[str]]:
    lines = [f"{20 + k % 50},{'yn'[k % 2]},{k % 50 + (k % 2)}" for k in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(["age,owner,paid", *lines]) + "\n")
    return tmp_path, lines


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_fewer_rows_are_the_first_thing_that_is_said(fitted: tuple[Path, list[str]], task: str) -> None:
    folder, lines = fitted
    more = ["--task", task] if task != "classification" else []
    target = "owner" if task == "classification" else "paid"
    model = folder / "model.json"
    assert run("fit", folder / "rows.csv", "-t", target, *more, "--max-depth", 1, "-o", model)[0] == 0
    (folder / "fewer.csv").write_text("\n".join(["age,owner,paid", *lines[:-3]]) + "\n")
    code, said = run("verify", model, folder / "fewer.csv")
    assert code == 1
    assert (
        "rows in each node: The data have 57 rows, and the tree was made from 60 rows: give the table" in said
    )


def test_a_renamed_column_is_named_with_the_one_that_it_may_be(fitted: tuple[Path, list[str]]) -> None:
    folder, lines = fitted
    model = folder / "model.json"
    command = (
        "fit",
        folder / "rows.csv",
        "-t",
        "paid",
        "--task",
        "regression",
        "--max-depth",
        1,
        "-o",
        model,
    )
    assert run(*command)[0] == 0
    (folder / "renamed.csv").write_text("\n".join(["Age ,owner,paid", *lines]) + "\n")
    code, said = run("predict", model, folder / "renamed.csv")
    assert code == 2
    assert (
        "lacks columns that the tree needs: 'age'. If the file has them under other names ('Age' for 'age'), rename "
        "them in its header." in said
    )


def test_a_model_file_is_no_table(fitted: tuple[Path, list[str]]) -> None:
    folder, _ = fitted
    model = folder / "model.json"
    run("fit", folder / "rows.csv", "-t", "owner", "--max-depth", 1, "-o", model)
    code, said = run("verify", model, model)
    assert code == 2
    assert "model.json is JSON, such as a model file, not a table" in said


@pytest.mark.parametrize("verb", ["verify", "report"])
@pytest.mark.parametrize(
    ("option", "settings", "cause"),
    [
        ("--missing", "67", "'67' is missing"),
        ("--missing", "age=67", "'67' is missing in age"),
        ("--columns", "missing: ['67']", "'67' is missing"),
        ("--columns", "labels: {y: n}", "'y' stands for 'n' as labels"),
    ],
)
def test_settings_that_the_fit_did_not_have_are_named_where_a_check_fails(
    fitted: tuple[Path, list[str]], verb: str, option: str, settings: str, cause: str
) -> None:
    folder, _ = fitted
    rows = [f"{age},{'yn'[age < 62]}" for age in range(20, 70)]
    (folder / "rows.csv").write_text("\n".join(["age,owner", *rows]) + "\n")
    model, page = folder / "model.json", folder / "page.html"
    fit = ("fit", folder / "rows.csv", "-t", "owner", "--max-depth", 1)
    assert run(*fit, "-o", model)[0] == 0
    given = settings
    if option == "--columns":
        given = str(folder / "columns.yaml")
        Path(given).write_text(settings + "\n")
    more = ("--no-models", "--out", page) if verb == "report" else ()
    code, said = run(verb, model, folder / "rows.csv", option, given, *more)
    assert code == (1 if verb == "verify" else 0)
    told = f"This may be why: the fit did not have these settings: {cause}. Fit again with them, or leave them out"
    assert told in said
    if verb == "report":
        assert f"{cause}. Fit again" in re.sub(r"&#(x27|39);", "'", page.read_text("utf-8"))
    kept = (*fit, option, given, "-o", model)
    assert run(*kept)[0] == 0
    code, said = run(verb, model, folder / "rows.csv", option, given, *more)
    assert code == 0
    assert "Not verified" not in said


@pytest.mark.parametrize("command", ["predict", "verify", "audit"])
def test_a_table_in_the_place_of_the_model(fitted: tuple[Path, list[str]], command: str) -> None:
    folder, _ = fitted
    table, model = folder / "rows.csv", folder / "m.json"
    assert run("fit", table, "-t", "paid", "-o", model)[0] == 0
    more = ("--group", "owner") if command == "audit" else ()
    code, said = run(command, table, model, *more)
    assert code == 2
    assert "it begins with 'age,owner,paid'. If it is the table, give it after the model file." in said
    assert run(command, model, table, *more)[0] == 0


def test_a_tree_or_a_set_in_the_place_of_an_ensemble(fitted: tuple[Path, list[str]]) -> None:
    folder, _ = fitted
    table, model, trees = folder / "rows.csv", folder / "m.json", folder / "set.json"
    assert run("fit", table, "-t", "paid", "-o", model)[0] == 0
    assert run("near-optimal", table, "-t", "paid", "--max-depth", 1, "-o", trees)[0] == 0
    for file, what in ((model, "a model file: `treewright show`"), (trees, "a set of near-optimal trees")):
        code, said = run("reborn", file)
        assert code == 2
        assert f"It holds no ensemble. It is {what}" in said
