"""The verb `reborn` for models of numbers: their predictions in a table, forests that are trained, model files."""

import csv
import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from typer.testing import CliRunner

from ensemble_texts import FOREST
from treewright.cli import app
from treewright.convert import NumberEnsemble, load_model, save_numbers
from treewright.result import SolveStatus
from treewright.verify import verify_near_everywhere


def run(verb, *words):
    return CliRunner().invoke(app, [verb, *map(str, words)])


@pytest.fixture
def forest(tmp_path):
    """A model of classes."""
    path = tmp_path / "tiny.RF1.txt"
    path.write_text(FOREST)
    return path


@pytest.fixture
def numbers(tmp_path):
    """Rows with the numbers of a model, one column of text, and the target that the model was made for."""
    rng = np.random.default_rng(0)
    paths = [tmp_path / name for name in ("old.csv", "new.csv")]
    for path in paths:
        with path.open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["colour", "size", "y", "yhat"])
            for _ in range(80):
                colour, size = str(rng.choice(["red", "green", "blue"])), round(float(rng.normal()), 3)
                said = 5 * (colour == "red") + (size > 0) + rng.normal() / 50
                writer.writerow([colour, size, rng.normal(), said])
    return paths


def test_a_small_tree_near_the_numbers_of_a_column(numbers, tmp_path):
    old, new = numbers
    out = tmp_path / "tree.json"
    asked = ("--predictions", "yhat", "--ignore", "y", "--within", 0.2, "--tolerance", 0)
    result = run("reborn", old, *asked, "--new-rows", new, "-o", out)
    assert result.exit_code == 0, result.output
    assert (
        "This tree of depth 2 and 4 leaves is within 0.2 of the model's numbers on 80 of 80 rows"
        in result.output
    )
    assert "Tree and model are at most 0.2 apart on 80 of 80 rows" in result.output
    kept = load_model(out)
    assert kept.result.status is SolveStatus.OPTIMAL
    assert [column.name for column in kept.tree.columns] == ["colour", "size"]
    assert kept.result.sentence() in run("show", out).output
    checked = run("verify", out, old)
    assert checked.exit_code == 0, checked.output
    assert "Verified: 21 of 21 checks hold." in checked.output
    assert run("verify", out, old, "--target", "y").exit_code == 1  # other numbers
    assert run("verify", out, new).exit_code == 1  # other rows
    predicted = run("predict", out, new)
    assert predicted.exit_code == 0, predicted.output
    assert run("verify", out, "--ensemble", old).exit_code == 2
    target = run("reborn", old, "--predictions", "yhat", "--target", "y", "--within", 0.2, "--tolerance", 0)
    assert kept.result.sentence() in target.output  # the target is no column to split on


def test_the_default_tolerance_and_what_is_missed(numbers):
    old, _ = numbers
    result = run("reborn", old, "--predictions", "yhat", "-x", "y")
    with old.open() as stream:
        deviation = np.std([float(row["yhat"]) for row in csv.DictReader(stream)])
    assert f"is within {deviation / 2:.4g} of the model's numbers" in " ".join(result.output.split())
    missed = run("reborn", old, "--predictions", "yhat", "-x", "y", "--max-leaves", 1, "--tolerance", 0)
    assert "Raise --within, --tolerance, --max-leaves, --max-depth or --time-limit." in missed.output


def test_mistakes_about_predictions_are_explained(numbers, forest, tmp_path):
    old, _ = numbers
    for words, message in [
        ((old, "--predictions", "colour"), "--predictions needs a column of numbers"),
        ((old, "--predictions", "size2"), "no column 'size2'"),
        ((forest, "--predictions", "yhat"), "is no CSV, Parquet or Arrow file"),
        ((old, "--predictions", "yhat", "--prune", "rows"), "--prune is for a model of classes"),
        (
            (old, "--predictions", "yhat", "--domain", "rows"),
            "--domain is for a tree that is near everywhere",
        ),
        ((old, "--predictions", "yhat", "--rows", old), "rows of its own"),
        ((old, "--within", 3), "name their column"),
        ((old, "--task", "guess"), "--task 'guess'"),
        ((old, "--task", "regression", "-t", "yhat"), "'colour' holds text"),
        ((old, "--task", "regression", "-t", "colour"), "--task regression needs a target of numbers"),
        ((old, "--task", "regression", "--bins", 4), "--bins is for a model of classes"),
        ((old, "-t", "yhat", "-x", "colour"), "Add --task regression"),
    ]:
        result = run("reborn", *words)
        assert result.exit_code == 2, result.output
        assert message in result.stderr
    path, out = tmp_path / "plain.json", tmp_path / "tree.json"
    assert run("reborn", old, "--predictions", "yhat", "-x", "y", "-o", out).exit_code == 0
    document = json.loads(out.read_text())
    document["certificate"]["terms"]["target"] = None
    path.write_text(json.dumps(document))
    nameless = run("verify", path, old)
    assert nameless.exit_code == 2
    assert "add --target NAME" in nameless.stderr
    assert run("verify", path, old, "--target", "yhat").exit_code == 0


def test_a_regression_forest_is_trained_first(numbers, tmp_path):
    old, new = numbers
    out = tmp_path / "tree.json"
    asked = (
        "--task",
        "regression",
        "-t",
        "yhat",
        "-x",
        "y",
        "-x",
        "colour",
        "--trees",
        5,
        "--depth",
        2,
        "--seed",
        1,
    )
    result = run("reborn", old, *asked, "--within", 2, "--new-rows", new, "-o", out)
    assert result.exit_code == 0, result.output
    tree = load_model(out).tree
    with old.open() as stream:
        table = [(float(row["size"]), float(row["yhat"])) for row in csv.DictReader(stream)]
    X, y = np.array(table)[:, :1], np.array(table)[:, 1]
    forest = RandomForestRegressor(5, max_depth=2, random_state=1).fit(X, y)
    near = int((np.abs(tree.predict(X) - forest.predict(X)) <= 2).sum())
    assert f"is within 2 of the model's numbers on {near} of 80 rows; 72 were asked" in result.output
    with new.open() as stream:
        unseen = np.array([[float(row["size"])] for row in csv.DictReader(stream)])
    near = int((np.abs(tree.predict(unseen) - forest.predict(unseen)) <= 2).sum())
    assert f"Tree and model are at most 2 apart on {near} of 80 rows" in result.output
    assert "Check it any time" not in result.output
    refused = run("verify", out, old)
    assert refused.exit_code == 2
    assert "add --target NAME" in refused.stderr


def test_a_tree_near_a_regression_forest_everywhere(numbers, tmp_path):
    old, new = numbers
    out, forest_file = tmp_path / "tree.json", tmp_path / "forest.json"
    asked = (*("-t", "yhat", "-x", "y", "-x", "colour"), "--trees", 5, "--depth", 2, "--seed", 1)
    everywhere = ("--task", "regression", "--faithful", "everywhere", "--within", 1)
    result = run(
        "reborn", old, *asked, *everywhere, "--forest-out", forest_file, "--new-rows", new, "-o", out
    )
    assert result.exit_code == 0, result.output
    kept = load_model(out)
    forest = NumberEnsemble.load(forest_file)
    assert kept.result.loss <= 1
    assert kept.result.sentence() in result.output
    assert verify_near_everywhere(forest, kept.result).ok
    assert "Checked by independent code: the tree is as near everywhere" in result.output
    assert "Tree and model are at most 1 apart on 80 of 80 rows" in result.output
    rows = np.linspace(-9, 9, 500)[:, None]
    assert np.abs(kept.tree.predict(rows) - forest.predict(rows)).max() <= kept.result.loss
    assert f"treewright verify {out} --ensemble {forest_file}" in "".join(result.output.split("\n"))
    checked = run("verify", out, "--ensemble", forest_file)
    assert checked.exit_code == 0, checked.output
    assert "Verified: 20 of 20 checks hold." in checked.output
    assert "Not checked" not in checked.output
    assert run("verify", out, old).exit_code == 2  # rows say nothing about it
    written = tmp_path / "report.html"
    assert run("report", out, old, "--out", written).exit_code == 0
    assert "Near its model on every row" in written.read_text()
    document = json.loads(out.read_text())
    document["certificate"]["loss"] = 0.01
    out.write_text(json.dumps(document))
    refused = run("verify", out, "--ensemble", forest_file)
    assert refused.exit_code == 1
    assert "distance" in refused.output
    document["certificate"] = None
    out.write_text(json.dumps(document))
    plain = run("verify", out, "--ensemble", forest_file)
    assert plain.exit_code == 0
    assert "Tree and ensemble are at most" in plain.output
    again = run("reborn", forest_file, "--task", "regression", "--within", 1)  # the file is read as a model
    assert kept.result.sentence() in again.output
    few = run("reborn", forest_file, "--task", "regression", "--rows", old, "--max-leaves", 2)
    assert few.exit_code == 0
    assert "max_leaves is too small" in few.output
    assert "Raise --within, --max-leaves or --time-limit" in few.output


def test_a_tree_near_a_regression_forest_on_a_domain(tmp_path):
    rng = np.random.default_rng(0)
    data, out, forest_file = (tmp_path / name for name in ("data.csv", "tree.json", "forest.json"))
    colour, age = rng.integers(0, 3, 60), rng.integers(18, 40, 60)
    lines = [
        f"{c == 0:d},{c == 1:d},{c == 2:d},{a},{10 * c + (c == 1) * a}"
        for c, a in zip(colour, age, strict=True)
    ]
    data.write_text("\n".join(["red,green,blue,age,y", *lines]) + "\n")
    asked = ("reborn", data, "-t", "y", "--task", "regression", "--faithful", "everywhere", "--within", 2)
    groups = ("--one-hot", "red, green,blue", "--domain", "rows")
    whole = run(*asked, "--forest-out", forest_file)
    assert whole.exit_code == 0, whole.output
    result = run(*asked, *groups, "--new-rows", data, "-o", out)
    assert result.exit_code == 0, result.output
    kept = load_model(out).result
    assert kept.sentence() in result.output
    assert kept.loss <= 2
    named = f"The domain: age from {age.min()} to {age.max()} (whole numbers), exactly one of red, green, blue is 1."
    assert named in result.output
    assert "the tree is as near everywhere in the domain, and" in result.output
    assert "Tree and model are at most 2 apart on 60 of 60 rows" in result.output
    checked = run("verify", out, "--ensemble", forest_file)
    assert checked.exit_code == 0, checked.output
    assert "Verified: 21 of 21 checks hold." in checked.output
    written = tmp_path / "report.html"
    assert run("report", out, data, "--out", written).exit_code == 0
    assert "Near its model on every row of the domain" in written.read_text()
    again = run("reborn", forest_file, "--task", "regression", "--rows", data, "--within", 2, *groups)
    assert kept.sentence() in again.output
    document = json.loads(out.read_text())
    stated = document["certificate"]["options"]["domain"]
    stated["ranges"]["age"] = [20.0, 21.0]
    out.write_text(json.dumps(document))
    assert run("verify", out, "--ensemble", forest_file).exit_code == 1
    del document["certificate"]["options"]["domain"]
    out.write_text(json.dumps(document))
    refused = run("verify", out, "--ensemble", forest_file)
    assert refused.exit_code == 2
    assert "does not hold the domain" in refused.stderr
    outside = run(*asked, "--one-hot", "red,green")  # blue rows have neither
    assert outside.exit_code == 2
    assert "exactly one of red, green is 1" in outside.stderr


def test_mistakes_about_nearness_everywhere_are_explained(numbers, forest, tmp_path):
    old, _ = numbers
    model = tmp_path / "forest.json"
    save_numbers(model, RandomForestRegressor(2, max_depth=1).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 5.0]))
    everywhere = ("--task", "regression", "--faithful", "everywhere")
    for words, message in [
        ((model,), "--task regression on the command"),
        ((model, "--task", "regression"), "Add --within NUMBER"),
        ((model, "--task", "regression", "--within", 1, "--tolerance", 0.1), "--tolerance is for a tree"),
        ((model, "--task", "regression", "--within", 1, "--max-depth", 3), "--max-depth is for a tree"),
        ((model, "--task", "regression", "--faithful", "rows"), "--predictions COLUMN"),
        (
            (model, "--task", "regression", "--within", 1, "--one-hot", "x0,x1"),
            "the column 'x1'. There are: x0",
        ),
        ((model, "--task", "regression", "--within", 1, "--domain", "rows"), "add --rows FILE.csv"),
        (
            (old, "--task", "regression", "-t", "yhat", "--one-hot", "a,b"),
            "--one-hot is for a tree that is near",
        ),
        ((model, "--task", "regression", "--within", 1, "--forest-out", model), "leave it out here"),
        ((forest, "--task", "regression", "--within", 1), "is no regression model that can be read"),
        ((forest, "--forest-out", model), "--forest-out is for --task regression"),
        ((old, "--predictions", "yhat", "-x", "y", "--faithful", "everywhere"), "give the model's file"),
        ((old, *everywhere, "-t", "yhat", "--rows", old), "rows of its own"),
        ((old, *everywhere, "-t", "yhat"), "'colour' holds text"),
    ]:
        result = run("reborn", *words)
        assert result.exit_code == 2, (words, result.output)
        assert message in result.stderr, (words, result.stderr)


def test_settings_of_the_columns(tmp_path):
    path, settings, out = tmp_path / "d.csv", tmp_path / "columns.yaml", tmp_path / "m.json"
    path.write_text(
        "id;age;y\n" + "".join(f"n{k};{k},5;{2.5 * (k > 9)}\n".replace(".", ",") for k in range(20))
    )
    settings.write_text("decimal: comma\ncolumns: {id: {use: ignore}, age: {name: Age}}\n")
    for way in (
        ["--predictions", "y"],
        ["--task", "regression", "--trees", 2],
        ["--task", "regression", "--trees", 2, "--faithful", "everywhere"],
    ):
        answer = run("reborn", path, *way, "--within", 0.5, "--columns", settings, "-o", out)
        assert answer.exit_code == 0, answer.output
        assert "Age <= " in answer.stdout
        assert [column.name for column in load_model(out).tree.columns] == ["age"]
        out.unlink()
