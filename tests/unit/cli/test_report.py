"""`treewright report`: from files to one page, and what it refuses."""

from __future__ import annotations

import csv
import html
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from treewright.cli import app


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


def write_csv(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture
def folder(tmp_path):
    """train.csv, test.csv and model.json, with a weight column."""
    rng = np.random.default_rng(0)
    header = ["age", "colour", "w", "sick"]
    rows = []
    for _ in range(160):
        age, colour = int(rng.integers(20, 80)), str(rng.choice(["red", "green", "blue"]))
        sick = (age > 50) ^ (colour == "red")
        rows.append(
            ["" if rng.random() < 0.1 else age, colour, int(rng.integers(1, 4)), "yes" if sick else "no"]
        )
    write_csv(tmp_path / "train.csv", [header, *rows[:110]])
    write_csv(tmp_path / "test.csv", [header[::-1], *[row[::-1] for row in rows[110:]]])  # other order
    fit = ("fit", tmp_path / "train.csv", "-t", "sick", "--weight", "w", "-c", 0.02, "--out")
    assert run(*fit, tmp_path / "model.json").exit_code == 0
    return tmp_path


def test_report(folder):
    out = folder / "report.html"
    done = run(
        "report", folder / "model.json", folder / "train.csv", "--test", folder / "test.csv", "--out", out
    )
    assert done.exit_code == 0, done.output
    text = out.read_text(encoding="utf-8")
    assert "Proven optimal" in text
    assert "of 50" in text
    assert "CART with as many leaves" in text
    assert "treewright verify model.json train.csv" in text
    held, checks = text[text.index("it been checked?") :].split("<bdi>")[1].split(" checks")[0].split(" of ")
    assert held == checks


def test_other_trees_are_compared(folder):
    small = folder / "small.json"
    run("fit", folder / "train.csv", "-t", "sick", "--weight", "w", "--max-depth", 1, "--out", small)
    out = folder / "report.html"
    command = ("report", folder / "model.json", folder / "train.csv", "--out", out, "--no-models")
    assert run(*command, "--compare", f"the small one={small}").exit_code == 0
    text = out.read_text(encoding="utf-8")
    assert "the small one" in text
    assert "CART" not in text
    assert run(*command, "--compare", small).exit_code == 2


def test_the_frontier_is_found_on_the_models_own_terms(folder):
    out = folder / "report.html"
    command = (
        "report",
        folder / "model.json",
        folder / "train.csv",
        "--test",
        folder / "test.csv",
        "--no-models",
    )
    assert run(*command, "--frontier", 6, "--out", out).exit_code == 0
    text = out.read_text(encoding="utf-8")
    assert '<h2 id="frontier-title"' in text
    assert text.count('<circle class="dot"') >= 3
    assert text.count('<circle class="ring"') == 1 or "is not among these" in text


@pytest.mark.parametrize(
    ("thresholds", "scope"),
    [
        ("6", "the given splits (at most 5 quantiles a column)"),
        ("2", "the given splits (at most 1 quantile a column)"),
        ("auto", "all thresholds"),
    ],
)
def test_the_frontier_is_over_the_splits_of_the_tree(tmp_path, thresholds, scope):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(180, 3)).round(4)
    y = (X[:, 0] > 0.4) ^ (X[:, 1] > 1) ^ (rng.random(180) < 0.1)
    data = write_csv(tmp_path / "data.csv", [["a", "b", "c", "y"], *np.column_stack([X, y]).tolist()])
    model, out = tmp_path / "model.json", tmp_path / "report.html"
    fit = run("fit", data, "-t", "y", "--max-depth", 2, "--thresholds", thresholds, "--out", model)
    assert fit.exit_code == 0, fit.output
    assert f"Proven optimal over {scope}" in fit.stdout
    assert run("report", model, data, "--frontier", 4, "--no-models", "--out", out).exit_code == 0
    text = out.read_text(encoding="utf-8")
    assert f"Proven over {scope}: for each number of leaves" in text
    assert "Yes, with other splits" not in text


def test_the_frontier_of_a_table_of_numbers(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).round(4)
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    rows = [[*map(float, x), label] for x, label in zip(X, y, strict=True)]
    data = write_csv(tmp_path / "numbers.csv", [["a", "b", "c", "d", "y"], *rows])
    model, out = tmp_path / "model.json", tmp_path / "report.html"
    assert run("fit", data, "-t", "y", "--max-depth", 2, "--out", model).exit_code == 0
    done = run("report", model, data, "--frontier", 4, "--no-models", "--out", out)
    assert done.exit_code == 0, done.output
    assert "frontier-title" in out.read_text(encoding="utf-8")


def test_bad_input(folder):
    model, train, out = folder / "model.json", folder / "train.csv", folder / "report.html"
    fewer = write_csv(folder / "fewer.csv", [["age", "w", "sick"], [30, 1, "no"]])
    violet = write_csv(folder / "violet.csv", [["age", "colour", "sick"], [30, "violet", "no"]])
    unlabelled = write_csv(folder / "unlabelled.csv", [["age", "colour"], [30, "red"]])
    newer = folder / "newer.json"
    newer.write_text(json.dumps({**json.loads(model.read_text()), "version": 99}))
    nameless = folder / "nameless.json"
    nameless.write_text(json.dumps({**json.loads(model.read_text()), "certificate": None}))
    for command, words in (
        ((model, fewer), "colour"),
        ((model, train, "--test", fewer), "colour"),
        ((model, train, "--test", violet), "violet"),
        ((model, train, "--test", unlabelled), "sick"),
        ((model, train, "--target", "nonsense"), "nonsense"),
        ((model, train, "--target", "colour"), "label"),
        ((newer, train), "Upgrade"),
        ((nameless, train), "--target"),
        ((folder / "absent.json", train), "absent.json"),
        ((train, train), "model file"),
    ):
        done = run("report", *command, "--out", out)
        assert done.exit_code == 2, command
        assert words in done.stderr
        assert not out.exists()
    done = run("report", model, train, "--out", folder / "no" / "report.html")
    assert done.exit_code == 2
    assert "no folder" in done.stderr
    assert run("report", nameless, train, "--target", "sick", "--no-models", "--out", out).exit_code == 0
    assert "Nothing claimed" in out.read_text(encoding="utf-8")
    assert "These fail: " in out.read_text(encoding="utf-8")  # the file no longer names the weights


def test_a_failed_report_leaves_the_old_file(folder):
    out = folder / "report.html"
    out.write_text("old")
    assert run("report", folder / "model.json", folder / "absent.csv", "--out", out).exit_code == 2
    assert out.read_text() == "old"


def test_groups_are_read_as_columns_are(tmp_path):
    """Words that stand for another one are one group, codes keep their zeros, and rows without a value are a group."""
    words = ["Yes", "YES", "no", "", "no"]
    lines = [f"{i},{words[i % 5]},{'007' if i % 2 else '012'},{int(i > 9)}" for i in range(20)]
    (tmp_path / "data.csv").write_text("x,owner,branch,y\n" + "\n".join(lines) + "\n")
    (tmp_path / "columns.yaml").write_text(
        "columns:\n  owner: {use: ignore, words: {YES: 'Yes'}}\n  branch: {use: ignore}\n"
    )
    model, out = tmp_path / "model.json", tmp_path / "report.html"
    settings = ("--columns", tmp_path / "columns.yaml")
    fitted = run("fit", tmp_path / "data.csv", "-t", "y", *settings, "--max-depth", "1", "--out", model)
    assert fitted.exit_code == 0, fitted.output
    groups = ("--group", "owner", "--group", "branch")
    done = run("report", model, tmp_path / "data.csv", *settings, *groups, "--no-models", "--out", out)
    assert done.exit_code == 0, done.output
    text = out.read_text(encoding="utf-8")
    for group in ("Yes", "no", "unknown", "007", "012"):
        assert f"<bdi>{group}</bdi>" in text, group
    assert "<bdi>YES</bdi>" not in text


def test_settings_and_groups_of_the_command_line(folder):
    settings = folder / "columns.yaml"
    settings.write_text(
        "about: {purpose: tells who needs a visit, owner: the clinic}\n"
        "columns:\n  age: {name: age of the patient, unit: years, change: never}\n  colour: {use: ignore}\n"
        "label-names: {'yes': sick, 'no': healthy}\n"
    )
    out = folder / "report.html"
    common = ("report", folder / "model.json", folder / "train.csv", "--no-models", "--out", out)
    done = run(*common, "--columns", settings, "--group", "colour", "--group", "w")
    assert done.exit_code == 0, done.output
    text = out.read_text(encoding="utf-8")
    for words in (
        "tells who needs a visit",
        "age of the patient",
        "Error rates by <bdi>colour",
        "<bdi>healthy",
    ):
        assert words in text
    assert "SHA-256 of the file" in text
    assert run(*common, "--group", "colourr").exit_code == 2
    model, rows = folder / "model.json", folder / "train.csv"
    assert run("verify", model, rows, "--columns", settings).exit_code == 0
    assert run("predict", model, rows, "--columns", settings).exit_code == 0


def test_an_auditor_sees_how_the_file_was_read(tmp_path):
    """Spellings that became one, fields that mean missing, and the unit that the file writes behind its numbers."""
    rows = []
    for k in range(120):
        sex = "m" if k % 5 == 0 else "M" if k % 2 else "H"
        back = ("Sí", "SI", "sí", "sí")[k % 4] if k % 10 > 4 else ("NO", "no")[k % 2]
        rows.append([f"{90 + k % 10},5 %", 999 if k % 20 == 0 else 20 + k % 60, sex, back])
    data = write_csv(tmp_path / "data.csv", [["saturation", "age", "sex", "back"], *rows])
    model, out = tmp_path / "model.json", tmp_path / "report.html"
    rules = ("--merge-labels", "--merge-words", "sex", "--missing", "age=999", "--separator", ",")
    fit = run("fit", data, "-t", "back", *rules, "-c", 0.01, "--max-depth", 2, "--out", model)
    assert fit.exit_code == 0, fit.output
    done = run("report", model, data, "--no-models", "--out", out)
    assert done.exit_code == 0, done.output
    text = html.unescape(out.read_text(encoding="utf-8"))
    assert "'no' is 'NO'" in text, text[text.index("Labels taken") :][:300]
    assert "are 'sí'" in text
    assert "sex: 'm' is 'M'" in text
    assert "age: '999'" in text
    assert '"unit": "%"' in text or '"unit":"%"' in text


def test_rows_of_weight_zero_are_no_training_rows(tmp_path):
    rows = [[1, 1, "no"], [2, 0, "yes"], [3, 1, "no"], [4, 2, "yes"], [5, 1, "yes"], [6, 1, "yes"]]
    data = write_csv(tmp_path / "data.csv", [["a", "w", "y"], *rows])
    model, out = tmp_path / "model.json", tmp_path / "report.html"
    assert run("fit", data, "-t", "y", "--weight", "w", "-c", 0.01, "--out", model).exit_code == 0
    done = run("report", model, data, "--group", "a", "--no-models", "--out", out)
    assert done.exit_code == 0, done.output
    assert "Note: 1 of 6 rows have weight zero and were left out." in done.stderr
    text = out.read_text(encoding="utf-8")
    assert "5 of 5" in text
    assert "in other numbers" not in text, "the leaves count the rows that weigh something"


def test_survival_rows_of_weight_zero_are_left_out(tmp_path):
    rows = [[k, k % 2, k + 1, int(k != 3)] for k in range(8)]
    data = write_csv(tmp_path / "data.csv", [["a", "e", "t", "w"], *rows])
    model, out = tmp_path / "model.json", tmp_path / "report.html"
    asked = ("--task", "survival", "-t", "t", "--event", "e", "--weight", "w", "--max-depth", 1)
    assert run("fit", data, *asked, "--out", model).exit_code == 0
    assert run("report", model, data, "--out", out).exit_code == 0
    text = out.read_text(encoding="utf-8")
    assert "7 training rows" in text
    assert "in other numbers" not in text


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_models_beside_numbers_that_single_precision_lacks(tmp_path, task):
    rows = [[k % 3 * 1e300, k % 5, k % 2] for k in range(20)]
    data = write_csv(tmp_path / "data.csv", [["a", "b", "y"], *rows])
    model, out = tmp_path / "model.json", tmp_path / "report.html"
    asked = ("--task", task) if task == "regression" else ()
    assert run("fit", data, "-t", "y", *asked, "-c", 0, "--max-depth", 2, "--out", model).exit_code == 0
    done = run("report", model, data, "--out", out)
    assert done.exit_code == 0, done.output
    assert "Random forest" in out.read_text(encoding="utf-8")


def test_no_frontier_of_leaf_accuracy(folder):
    model, out = folder / "leaf.json", folder / "report.html"
    fit = ("fit", folder / "train.csv", "-t", "sick", "--objective", "leaf-accuracy", "--max-depth", 1)
    assert run(*fit, "--out", model).exit_code == 0
    done = run("report", model, folder / "train.csv", "--frontier", 3, "--out", out)
    assert done.exit_code == 2
    assert "--frontier is of trees of fewest errors" in done.stderr
    assert not out.exists()


def test_the_frontier_beside_a_tree_of_shards(tmp_path):
    rows = [[1, 1, "no"], [2, 1, "yes"], [3, 1, "no"], [4, 2, "yes"], [5, 1, "yes"], ["", 0, "yes"]]
    data = write_csv(tmp_path / "data.csv", [["a", "w", "y"], *rows])
    model, out = tmp_path / "model.json", tmp_path / "report.html"
    fit = ("fit", data, "-t", "y", "--weight", "w", "--shard-rows", 3, "-c", 0.01, "--max-depth", 1)
    assert run(*fit, "--out", model).exit_code == 0
    done = run("report", model, data, "--frontier", 2, "--no-models", "--out", out)
    assert done.exit_code == 0, done.output
    assert '<h2 id="frontier-title"' in out.read_text(encoding="utf-8")


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_no_models_where_no_row_has_a_value(tmp_path, task):
    data = write_csv(tmp_path / "data.csv", [["a", "y"], *[["", k % 2] for k in range(6)]])
    model, out = tmp_path / "model.json", tmp_path / "report.html"
    asked = ("--task", task) if task == "regression" else ()
    assert run("fit", data, "-t", "y", *asked, "--out", model).exit_code == 0
    done = run("report", model, data, "--test", data, "--out", out)
    assert done.exit_code == 0, done.output
    assert "Random forest" not in out.read_text(encoding="utf-8")
