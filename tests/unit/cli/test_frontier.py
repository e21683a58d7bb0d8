"""`treewright frontier`: the table, the saved point, its checks and its exit codes."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from treewright import accuracy_frontier, regression_frontier
from treewright.cli import app
from treewright.convert import load_model
from yes_no_file import written, yes_no_rows


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def rows():
    return yes_no_rows()


@pytest.fixture
def data(tmp_path, rows):
    return written(tmp_path / "data.csv", *rows)


def test_table(data, rows, tmp_path):
    out = tmp_path / "table.csv"
    answer = run("frontier", data, "--target", "y", "--max-leaves", 6, "--table", out)
    assert answer.exit_code == 0, answer.output
    expected = accuracy_frontier(*rows, max_leaves=6)
    lines = [line.split() for line in answer.stdout.splitlines()]
    at = next(i for i, line in enumerate(lines) if line[:2] == ["leaves", "depth"])
    for line, point in zip(lines[at + 1 :], expected, strict=False):
        assert int(line[0]) == point.tree.n_leaves
        assert float(line[2]) == pytest.approx(point.loss, abs=5e-6)
        assert line[3] == "yes"
    assert "Proven over" in answer.stdout
    with open(out, newline="") as file:
        table = list(csv.DictReader(file))
    assert [int(row["leaves"]) for row in table] == [point.tree.n_leaves for point in expected]
    assert [float(row["loss"]) for row in table] == [point.loss for point in expected]


def test_a_saved_point_verifies(data, tmp_path):
    model = tmp_path / "model.json"
    answer = run(
        "frontier", data, "-t", "y", "--max-leaves", 6, "--leaves", 3, "--out", model, "--cost", "yes:no=3"
    )
    assert answer.exit_code == 0, answer.output
    assert "no tree of at most 3 leaves has a smaller objective" in answer.stdout
    assert "├" in answer.stdout or "+" in answer.stdout
    assert json.loads(model.read_text())
    verified = run("verify", model, data)
    assert verified.exit_code == 0, verified.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--out", "model.json"], "say which with --leaves"),
        (["--max-leaves", "0"], "--max-leaves 0; give an integer of at least 1"),
        (
            ["--leaves", "9", "--max-leaves", "5"],
            "--leaves 9; give a number from 1 to --max-leaves, which is 5",
        ),
        (["--thresholds", "few"], "--thresholds 'few'"),
        (["--time-limit", "0"], "--time-limit 0"),
    ],
    ids=str,
)
def test_bad_input(data, options, words):
    answer = run("frontier", data, "-t", "y", *options)
    assert answer.exit_code == 2
    assert words in answer.stderr


def test_a_limit_is_told(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "noise.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(
            [[*"abcdefgh", "y"], *np.column_stack([rng.random((200, 8)), rng.integers(0, 2, 200)]).tolist()]
        )
    answer = run("frontier", path, "-t", "y", "--max-leaves", 8, "--step-limit", 100)
    assert answer.exit_code == 0, answer.output
    assert "step limit reached" in answer.stdout
    assert ">=0." in answer.stdout
    assert "Not all proven" in answer.stderr


def test_rounded_numbers_are_told_and_not_advised_away(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 3))
    y = np.where(rng.random(60) < 0.85, X[:, 0] > 0, rng.integers(0, 2, 60)).astype(int)
    weight = np.where(y == (X[:, 0] > 0), 1.0, 10.0 ** rng.uniform(-16, -13, 60))
    path = tmp_path / "data.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(
            [[*"abcwy"], *([*row, repr(float(w)), k] for row, w, k in zip(X, weight, y, strict=True))]
        )
    answer = run("frontier", path, "--target", "y", "--weight", "w", "--max-leaves", 4)
    assert answer.exit_code == 0, answer.output
    assert "of 4 (numbers were rounded); beyond" in answer.stdout
    assert "Note: The weights and costs were rounded" in answer.stdout
    assert "more time brings no proof" in answer.stderr
    assert "--max-depth" not in answer.stderr
    found = accuracy_frontier(X, y, sample_weight=weight, max_leaves=4, time_limit=None)
    assert found.is_only_rounded
    assert not accuracy_frontier(X, y, max_leaves=4, time_limit=None).is_only_rounded


@pytest.fixture
def prices(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (80, 3))
    w = rng.integers(1, 4, 80)
    y = 1 + 10 * X[:, 0] + rng.integers(0, 20, 80)
    path = tmp_path / "prices.csv"
    np.savetxt(path, np.column_stack([X, w, y]), "%d", ",", header="a,b,c,w,price", comments="")
    return path, X, y, w


def test_numbers(prices, tmp_path):
    path, X, y, w = prices
    out, model = tmp_path / "table.csv", tmp_path / "model.json"
    asked = (
        "-t",
        "price",
        "--task",
        "regression",
        "--weight",
        "w",
        "--max-leaves",
        5,
        "--min-samples-leaf",
        4,
    )
    answer = run("frontier", path, *asked, "--table", out, "--leaves", 3, "--out", model)
    assert answer.exit_code == 0, answer.output
    expected = regression_frontier(X, y, max_leaves=5, min_samples_leaf=4, sample_weight=w)
    with open(out, newline="") as file:
        table = list(csv.DictReader(file))
    assert [float(row["loss"]) for row in table] == [point.loss for point in expected]
    assert expected.sentence() in answer.stdout
    assert f"Labels in {path.name}" not in answer.stderr
    assert load_model(model).certificate.terms.objective == "squared_error"
    assert "checks hold" in run("verify", model, path).stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--task", "survival"), "--task 'survival'; give 'classification' or 'regression'"),
        (
            ("--task", "regression", "--thresholds", "8"),
            "--task regression takes no --thresholds (it searches all)",
        ),
        (("--task", "regression", "--cost", "1:2=3"), "--task regression takes no --cost"),
        (("--task", "regression", "-t", "word"), "needs a target of numbers"),
        (("--criterion", "poisson"), "--criterion is for --task regression; leave it out"),
        (
            ("--task", "regression", "--criterion", "brier"),
            "--task regression has 'squared-error', 'poisson'",
        ),
        (("--task", "regression", "--criterion", "quantile"), "--criterion quantile needs --quantile"),
        (
            ("--task", "regression", "--quantile", "0.9"),
            "--quantile is for --task regression --criterion quantile",
        ),
    ],
)
def test_what_numbers_refuse(tmp_path, options, message):
    path = tmp_path / "rows.csv"
    path.write_text("a,word,price\n" + "".join(f"{k % 5},{'xy'[k % 2]},{k}\n" for k in range(30)))
    answer = run("frontier", path, "-t", "price", *options)
    assert answer.exit_code == 2
    assert message in " ".join(answer.stderr.split())


def test_numbers_without_a_proof(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "noise.csv"
    np.savetxt(path, rng.normal(size=(400, 9)), "%.3f", ",", header="a,b,c,d,e,f,g,h,y", comments="")
    answer = run("frontier", path, "-t", "y", "--task", "regression", "--max-depth", 5, "--step-limit", 50)
    assert answer.exit_code == 0, answer.output
    assert "Not all proven" in answer.stderr
    assert "--thresholds" not in answer.stderr


@pytest.mark.parametrize("criterion", ["poisson", "gamma", "absolute_error", "quantile"])
def test_other_losses_of_numbers(prices, tmp_path, criterion):
    path, X, y, w = prices
    out, model = tmp_path / "table.csv", tmp_path / "model.json"
    level = {"quantile": 0.75} if criterion == "quantile" else {}
    options = [part for name, value in level.items() for part in (f"--{name}", value)]
    answer = run(
        "frontier", path, "-t", "price", "--task", "regression", "--criterion", criterion.replace("_", "-"), *options,
        "--weight", "w", "--max-leaves", 3, "--max-depth", 2, "--table", out, "--leaves", 3, "--out", model,
    )  # fmt: skip
    assert answer.exit_code == 0, answer.output
    expected = regression_frontier(
        X, y, criterion=criterion, max_leaves=3, max_depth=2, sample_weight=w, **level
    )
    with open(out, newline="") as file:
        assert [float(row["loss"]) for row in csv.DictReader(file)] == [point.loss for point in expected]
    terms = load_model(model).certificate.terms
    assert (terms.objective, terms.quantile) == (criterion, level.get("quantile"))
    assert "checks hold" in run("verify", model, path).stdout


def test_penalties_of_trees_that_are_not_proven_are_not_either(prices):
    path = prices[0]
    words = "The penalties compare the trees found here"
    assert words not in run("frontier", path, "-t", "price", "--task", "regression", "--max-leaves", 3).stdout
    stopped = run("frontier", path, "-t", "w", "--max-leaves", 9, "--step-limit", 3)
    assert words in stopped.stdout
    assert "Or raise --step-limit." in stopped.stderr
