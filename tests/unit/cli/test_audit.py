"""`treewright audit` reads groups as columns are read, and says and writes the figures of the library."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from treewright import audit_groups
from treewright.cli import app
from treewright.convert import load_model
from treewright.table import load_csv


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def court(tmp_path):
    """Rows of a court; sex is spelt in two ways, district 007 keeps its zeros, age -9 is unknown."""
    path = tmp_path / "court.csv"
    lines = ["priors;age;sex;district;again"]
    for k in range(240):
        sex = ("F", "M", "f ", "M")[k % 4]
        age = -9 if k % 20 == 0 else 18 + k * 7 % 60
        lines.append(
            f"{k % 9};{age};{sex};{('007', '7')[k % 3 == 0]};{'yes' if (k % 9) + k % 5 > 6 else 'no'}"
        )
    path.write_text("\n".join(lines) + "\n")
    model = tmp_path / "m.json"
    asked = (
        "--merge-words",
        "sex",
        "--missing",
        "age=-9",
        "--categorical",
        "district",
        "--max-depth",
        2,
        "-o",
        model,
    )
    done = run("fit", path, "-t", "again", *asked)
    assert done.exit_code == 0, done.output
    return path, model


def test_table_and_json_agree_with_the_library(court, tmp_path):
    data, model = court
    out = tmp_path / "audit.json"
    asked = ("--group", "sex", "-g", "age", "--cut", "age=25,45", "-g", "district", "--out", out)
    done = run("audit", model, data, *asked)
    assert done.exit_code == 0, done.output
    content = json.loads(out.read_text())
    assert [part["group"] for part in content["groups"]["sex"]] == ["F", "M"]
    assert [part["group"] for part in content["groups"]["district"]] == ["007", "7"]
    ages = content["groups"]["age"]
    assert [part["group"] for part in ages] == ["up to 25", "above 25 to 45", "above 45", "unknown"]
    assert ages[-1]["rows"] == 12
    assert content["positive"] == "yes"
    own = load_model(model)
    csv = load_csv(data, target="again", columns=own.tree.columns, reading=own.reading)
    audit = audit_groups(own.tree, csv.table, csv.target, {})
    assert content["all"] == audit.to_dict()["all"]
    error = audit.everyone.error
    assert f"{100 * error.share:.1f}%" in done.stdout
    assert "These are counts on these rows." in done.stdout


def test_titles_are_shown(court, tmp_path):
    data, model = court
    settings = tmp_path / "columns.yaml"
    settings.write_text(
        "columns: {priors: {name: earlier convictions, codes: {'0': none}}}\nlabel-names: {'yes': convicted again}\n"
    )
    done = run("audit", model, data, "-g", "priors", "--columns", settings)
    assert done.exit_code == 0, done.output
    assert "\nearlier convictions\n" in done.stdout
    assert "\n  none " in done.stdout
    assert "decisions 'convicted again'" in done.stdout


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (["-g", "sx"], "Did you mean 'sex'"),
        (["-g", "age"], "Say where to cut it, such as --cut age=35,55"),
        (["-g", "age", "--cut", "age"], "give COLUMN=NUMBER,NUMBER"),
        (["-g", "age", "--cut", "age=x"], "give COLUMN=NUMBER,NUMBER"),
        (["-g", "sex", "--cut", "age=30"], "add --group age"),
        (["-g", "sex", "--cut", "sex=30"], "leave its --cut out"),
        (["-g", "sex", "--positive", "maybe"], "--positive 'maybe'"),
        (["-g", "sex", "--confidence", "2"], "--confidence 2"),
        ([], "Missing option"),
    ],
)
def test_bad_input_says_what_to_do(court, asked, says):
    data, model = court
    if asked == ["-g", "age"]:
        data.write_text(data.read_text() + "".join(f"1;{k}.5;F;7;no\n" for k in range(60)))
    done = run("audit", model, data, *asked)
    assert done.exit_code == 2
    assert says in done.stderr


def test_a_tree_without_classes_is_refused(court, tmp_path):
    data, _ = court
    model = tmp_path / "r.json"
    assert (
        run("fit", data, "-t", "priors", "--task", "regression", "--max-depth", 1, "-o", model).exit_code == 0
    )
    done = run("audit", model, data, "-g", "sex")
    assert done.exit_code == 2
    assert "regression tree" in done.stderr
