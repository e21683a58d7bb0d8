"""`--objective` in its own words: what is offered, and which label F1 is about."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from treewright import OptimalTreeClassifier
from treewright.cli import app
from treewright.convert import save_model


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


def write(path, labels):
    path.write_text("a,y\n" + "".join(f"{k % 7},{labels[k % 7 % len(labels)]}\n" for k in range(70)))
    return path


@pytest.mark.parametrize(
    ("verb", "objective", "offered"),
    [
        ("frontier", "f1", "'accuracy' or 'balanced-accuracy'."),
        ("frontier", "leaf-accuracy", "'accuracy' or 'balanced-accuracy'."),
        ("fit", "nope", "'accuracy', 'balanced-accuracy', 'f1' or 'leaf-accuracy'."),
    ],
)
def test_the_objectives_of_the_command_are_offered(tmp_path, verb, objective, offered):
    done = run(verb, write(tmp_path / "data.csv", ["no", "yes"]), "-t", "y", "--objective", objective)
    assert done.exit_code == 2
    assert f"--objective {objective!r}; give {offered}" in done.stderr


def test_a_fit_on_shards_offers_its_own(tmp_path):
    data = write(tmp_path / "data.csv", ["no", "yes"])
    done = run("fit", data, "-t", "y", "--shard-rows", 20, "--objective", "nope")
    assert done.exit_code == 2
    assert "--objective 'nope'; give 'accuracy' or 'balanced-accuracy'." in done.stderr


def test_f1_of_four_labels_is_refused_by_the_name_of_the_column(tmp_path):
    done = run("fit", write(tmp_path / "data.csv", ["a", "b", "c", "d"]), "-t", "y", "--objective", "f1")
    assert done.exit_code == 2
    assert "column y has 4: a, b, c, d." in done.stderr


def test_f1_says_which_label_is_positive_and_renaming_changes_it(tmp_path):
    data, model, settings = (
        write(tmp_path / "data.csv", ["ill", "well"]),
        tmp_path / "m.json",
        tmp_path / "c.yaml",
    )
    fit = ("fit", data, "-t", "y", "--objective", "f1", "--max-depth", 2, "--out", model)
    done = run(*fit)
    assert done.exit_code == 0, done.output
    assert "F1 is that of label well, the second in sorted order" in done.stderr
    settings.write_text("labels:\n  ill: zill\n")
    done = run(*fit, "--columns", settings)
    assert done.exit_code == 0, done.output
    assert "F1 is that of label zill" in done.stderr
    assert "of class 'zill'" in done.stdout.replace("\n", " ")
    assert run("verify", model, data, "--columns", settings).exit_code == 0
    assert run("verify", model, data).exit_code == 0  # the file knows how its rows were read


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        ({"objective": "f1"}, 0, "only the tree itself was checked"),
        (
            {"class_weight": {0: 1, 1: 9}},
            1,
            "with weights of rows or classes, or with costs, fails such a check",
        ),
    ],
)
def test_a_saved_estimator_is_checked_without_its_question(tmp_path, options, status, said):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 9, 80), rng.integers(0, 9, 80)
    y = (rng.random(80) < 0.05 * a).astype(int)
    lines = [f"{i},{j},{k}\n" for i, j, k in zip(a, b, y, strict=True)]
    (tmp_path / "data.csv").write_text("a,b,y\n" + "".join(lines))
    frame = pd.read_csv(tmp_path / "data.csv")
    model = OptimalTreeClassifier(max_depth=2, cost_complexity=0, **options).fit(
        frame[["a", "b"]], frame["y"]
    )
    plain = OptimalTreeClassifier(max_depth=2, cost_complexity=0).fit(frame[["a", "b"]], frame["y"])
    assert (
        model.predict(frame[["a", "b"]]) != plain.predict(frame[["a", "b"]])
    ).any()  # errors judge it wrong
    save_model(tmp_path / "m.json", model)
    done = run("verify", tmp_path / "m.json", tmp_path / "data.csv", "-t", "y")
    assert (done.exit_code, said in done.stdout) == (status, True), done.output


def test_a_tree_to_compare_is_named_as_on_the_command_line(tmp_path):
    data, model, other = (
        write(tmp_path / "data.csv", ["0", "1"]),
        tmp_path / "m.json",
        tmp_path / "other.json",
    )
    assert run("fit", data, "-t", "y", "--max-depth", 1, "--out", model).exit_code == 0
    numbers = run("fit", data, "-t", "y", "--task", "regression", "--max-depth", 1, "--out", other)
    assert numbers.exit_code == 0, numbers.output
    done = run("report", model, data, "--compare", f"a={other}", "--out", tmp_path / "report.html")
    assert done.exit_code == 2
    assert "--compare a is a regression tree" in done.stderr
