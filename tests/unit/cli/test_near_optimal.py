"""`treewright near-optimal`: the tables, the rules, the saved tree, its checks and its exit codes."""

import csv
import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from treewright import near_optimal_trees
from treewright.cli import app
from treewright.errors import SolverError
from treewright.near_optimal import _trees, load_near_optimal, save_near_optimal, solve_near_optimal
from treewright.problem import make_problem
from treewright.table import table_from
from yes_no_file import written, yes_no_rows

ASKED = ("--max-depth", 3, "--cost-complexity", 0.02, "--epsilon", 0.3)


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def rows():
    return yes_no_rows()


@pytest.fixture
def data(tmp_path, rows):
    return written(tmp_path / "data.csv", *rows)


@pytest.fixture
def expected(rows):
    return near_optimal_trees(rows[0], rows[1], max_depth=3, cost_complexity=0.02, epsilon=0.3)


def test_tables(data, expected, tmp_path):
    out = tmp_path / "table.csv"
    answer = run("near-optimal", data, "--target", "y", *ASKED, "--table", out)
    assert answer.exit_code == 0, answer.output
    assert f"{expected.n_trees_:,} trees have an objective of at most {expected.bound_:.6g}" in answer.stdout
    with open(out, newline="") as file:
        table = [
            (int(r["leaves"]), float(r["loss"]), float(r["objective"]), int(r["trees"]))
            for r in csv.DictReader(file)
        ]
    assert table == expected.table()
    lines = answer.stdout.splitlines()
    at = lines.index(next(line for line in lines if line.split()[:2] == ["leaves", "loss"]))
    assert int(lines[at + 1].split()[-1].replace(",", "")) == expected.table()[0].n_trees
    for use, name in zip(expected.columns(), "abcde", strict=True):
        line = next((line for line in lines if line.startswith(f"{name} ")), None)
        assert (line is None) == (use.share == 0)
        if line is not None:
            assert f"{use.share:.1%}" in line
            assert ("needed" in line) == (use.best_without is None)


def test_rules_and_the_proof_that_there_is_no_such_tree(data, expected):
    answer = run("near-optimal", data, "-t", "y", *ASKED, "--without", "c", "--max-leaves", 3)
    assert answer.exit_code == 0, answer.output
    n = expected.where(without="x2", max_leaves=3).n_trees_
    assert re.search(rf"\b{n} trees? without 'c' and of at most 3 leaves", answer.stdout)
    answer = run("near-optimal", data, "-t", "y", *ASKED, "--only", "d", "--only", "e", "--root", "d")
    assert answer.exit_code == 0, answer.output
    assert expected.where(only=["x3", "x4"], root="x3").n_trees_ == 0
    assert "no tree with no columns but 'd', 'e' and with the first split on 'd'" in answer.stdout
    assert "leaves  " not in answer.stdout


@pytest.mark.parametrize("place", [1, 2, -1], ids=["best", "second", "last"])
def test_a_saved_tree_verifies(data, expected, tmp_path, place):
    place = expected.n_trees_ if place == -1 else place
    model = tmp_path / "model.json"
    answer = run("near-optimal", data, "-t", "y", *ASKED, "--tree", place, "--out", model)
    assert answer.exit_code == 0, answer.output
    assert "├" in answer.stdout or "+" in answer.stdout
    saved = json.loads(model.read_text())
    assert f"number {place:,} in order of the objective" in json.dumps(saved)
    verified = run("verify", model, data)
    assert verified.exit_code == 0, verified.output
    result = expected.result(place - 1)
    assert result.objective == pytest.approx(expected.best.objective if place == 1 else result.objective)
    assert result.lower_bound == pytest.approx(expected.best.objective)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--tree", "0"], "--tree 0; give a rank of at least 1"),
        (["--tree", "999999", "--max-depth", "1"], "--tree 999999: Among all trees"),
        (["--epsilon", "-1"], "--epsilon -1"),
        (["--without", "age"], "--without 'age': the table has the columns a, b"),
        (["--max-leaves", "0"], "--max-leaves 0; give an integer of at least 1"),
        (["--thresholds", "few"], "--thresholds 'few'"),
        (["--time-limit", "0"], "--time-limit 0"),
        (["--slack", "0.1", "--max-objective", "0.3"], "--slack and --max-objective are bounds of their own"),
        (["--epsilon", "0.05", "--slack", "0.1"], "--epsilon and --slack are bounds of their own; give one"),
        (["--epsilon", "0.1", "--max-objective", "0.3"], "--epsilon and --max-objective are bounds"),
        (["--slack", "-1"], "--slack -1"),
        (["--max-objective", "0.001"], "--max-objective 0.001"),
        (["--leaf-labels", "best"], "--leaf-labels 'best'; choose cheapest or any"),
    ],
    ids=str,
)
def test_bad_input(data, options, words):
    answer = run("near-optimal", data, "-t", "y", *options)
    assert answer.exit_code == 2, answer.output
    assert words in answer.stderr


def test_a_limit_is_told(tmp_path):
    rng = np.random.default_rng(1)
    path = tmp_path / "noise.csv"
    columns = [f"c{k}" for k in range(60)]
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(
            [
                [*columns, "y"],
                *np.column_stack([rng.integers(0, 2, (600, 60)), rng.integers(0, 6, 600)]).tolist(),
            ]
        )
    answer = run(
        "near-optimal", path, "-t", "y", "--cost-complexity", 0.0005, "--max-depth", 6, "--time-limit", 0.01,
        "--categorical", "y",
    )  # fmt: skip
    assert answer.exit_code == 0, answer.output
    assert "time limit reached" in answer.stdout
    assert "not proven" in answer.stdout
    assert "Not all are found" in answer.stderr


def test_the_table_of_columns_has_what_is_left_of_the_time(data, monkeypatch):
    """It had no limit, so that a run of ten seconds took three times as long."""
    limits = []

    def late(trees, reliance, watch, threads):
        limits.append(watch.limits.time_limit)
        raise SolverError(
            "time_limit ended when 0 of 5 columns were known; give more time, or a smaller set."
        )

    monkeypatch.setattr(_trees, "column_uses", late)
    answer = run("near-optimal", data, "--target", "y", *ASKED, "--time-limit", 50)
    assert answer.exit_code == 0, answer.output
    assert (
        "The table of columns is left out: --time-limit ended when 0 of 5 columns were known" in answer.stdout
    )
    assert "have an objective of at most" in answer.stdout
    run("near-optimal", data, "--target", "y", *ASKED, "--time-limit", 1e-6)
    assert 0 < limits[0] < 50
    assert limits[1:] in ([], [0.1])


def test_a_saved_set_is_asked_again(data, expected, rows, tmp_path):
    from treewright.near_optimal import load_near_optimal

    file, smaller, model = tmp_path / "set.json", tmp_path / "smaller.json", tmp_path / "model.json"
    answer = run("near-optimal", data, "--target", "y", *ASKED, "--out", file)
    assert answer.exit_code == 0, answer.output
    assert f"treewright query {file}" in answer.stdout
    assert load_near_optimal(file).table() == expected.table()
    answer = run(
        "query", file, "--uses", "a", "--max-leaves", 4, "--out", smaller, "--table", tmp_path / "t.csv"
    )
    assert answer.exit_code == 0, answer.output
    renamed = expected.where(uses="x0", max_leaves=4)
    assert f"{renamed.n_trees_:,} trees with a split on 'a' and of at most 4 leaves" in answer.stdout
    assert load_near_optimal(smaller).table() == renamed.table()
    answer = run("query", smaller, "--tree", 2, "--out", model)
    assert answer.exit_code == 0, answer.output
    assert run("verify", model, data).exit_code == 0
    answer = run("query", file, "--without", "a", "--without", "b")
    assert answer.exit_code == 0
    assert "no tree without 'a' or 'b'" in answer.stdout
    page = tmp_path / "choose.html"
    assert run("choose", file, "--out", page, "--title", "Which tree?").exit_code == 0
    assert "<title>Which tree?</title>" in page.read_text(encoding="utf-8")
    assert 'id="gap-at"' not in page.read_text(encoding="utf-8")
    label = str(load_near_optimal(file).graph.problem.classes[0])
    assert run("choose", file, "--out", page, "--group", "c", "--label", label).exit_code == 0
    assert 'id="gap-at"' in page.read_text(encoding="utf-8")
    for bad in (["--label", label], ["--group", "c", "--label", "?"], ["--group", "?"]):
        assert run("choose", file, "--out", page, *bad).exit_code == 2
    assert run("choose", model, "--out", page).exit_code == 2
    for bad in (["--without", "age"], ["--tree", 0]):
        assert run("query", file, *bad).exit_code == 2
    answer = run("query", file, "--tree", 10**9)
    assert answer.exit_code == 2
    assert "Give a smaller rank, or make a larger set: treewright near-optimal --epsilon." in answer.stderr
    assert run("query", model).exit_code == 2


def test_a_saved_set_is_verified(data, tmp_path):
    file = tmp_path / "set.json"
    assert run("near-optimal", data, "--target", "y", *ASKED[:-1], 1.5, "--out", file).exit_code == 0
    answer = run("verify", file, data)
    assert answer.exit_code == 0, answer.output
    assert "counted again" in answer.stdout
    content = json.loads(file.read_text())
    content["open_splits"] = [0, 1]  # trees are missing, and nothing says so
    file.write_text(json.dumps(content))
    answer = run("verify", file, data)
    assert answer.exit_code == 1, answer.output
    other = tmp_path / "other.csv"
    lines = data.read_text().splitlines()
    other.write_text("\n".join([*lines[:-1], lines[1]]))
    assert run("verify", file, other).exit_code == 1
    assert run("verify", file).exit_code == 2


def test_a_set_with_costs_is_verified(data, tmp_path):
    """Costs that are no whole numbers have no plain count, which ended with an error."""
    file = tmp_path / "set.json"
    for cost, said in ((2.5, "were not recomputed"), (2, "counted again")):
        made = run(
            "near-optimal", data, "-t", "y", *ASKED[:-1], 1.5, "--cost", f"no:yes={cost}", "--out", file
        )
        assert made.exit_code == 0, made.output
        answer = run("verify", file, data)
        assert answer.exit_code == 0, answer.output
        assert said in answer.stdout


@pytest.mark.parametrize(
    ("table", "asked"),
    [
        # A bound beyond what any tree costs: the set holds all trees, and is not asked for more.
        ("a,y\n1,no\n", []),
        ("a,y\n1,no\n2,yes\n", ["--max-objective", 2]),
        # Words in an order have a split between neighbours, none for each word.
        ("a,y\nmid,no\nlow,no\ntop,yes\n", ["--columns", "columns.yaml"]),
        ("a,y\nmid,no\nlow,no\ntop,yes\n", ["--columns", "columns.yaml", "--thresholds", 2]),
        # Weights that costs make whole: the penalty of a leaf is a share of 7.4, not of 7.
        (
            "a,y,w\n0,0,2.2\n1,0,.5\n1,1,.8\n1,1,2.4\n1,1,.2\n1,1,.4\n0,1,.9\n",
            ["--weight", "w", "--max-depth", 2, "--cost", "0:1=1000", "--cost", "1:0=100"],
        ),
        # Splits that no tree may have are not in a set.
        ("a,y\n0,no\n1,yes\n", ["--categorical", "a", "--min-samples-leaf", 2]),
    ],
    ids=["one row", "beyond all trees", "order", "quantiles", "weights", "few rows"],
)
def test_a_set_of_few_rows_is_verified(tmp_path, monkeypatch, table, asked):
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(table)
    Path("columns.yaml").write_text("columns: {a: {order: [low, mid, top]}}")
    assert run("near-optimal", "data.csv", "-t", "y", *asked, "--out", "set.json").exit_code == 0
    how = asked[:2] if "--columns" in asked else []
    answer = run("verify", "set.json", "data.csv", *how)
    assert answer.exit_code == 0, answer.output


@pytest.mark.parametrize(
    ("table", "asked", "said"),
    [
        ("a,y\nmid,no\nlow,no\ntop,yes\n", ["--columns", "columns.yaml"], "it lacks a split of 'a'"),
        ("a,y\n1,no\n2,yes\n", ["--epsilon", 0.01], "it claims all trees up to 0.9, and has them up to"),
    ],
    ids=["order", "beyond what it has"],
)
def test_a_set_of_few_rows_that_lacks_trees_is_refused(tmp_path, monkeypatch, table, asked, said):
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(table)
    Path("columns.yaml").write_text("columns: {a: {order: [low, mid, top]}}")
    assert run("near-optimal", "data.csv", "-t", "y", *asked, "--out", "set.json").exit_code == 0
    content = json.loads(Path("set.json").read_text())
    if "split" in said:
        first = content["splits"]["nodes"][0]["split"]
        first["left"] = content["splits"]["nodes"][2]["split"]["left"]
    else:
        content["budget"] = "9/5"  # errors of two rows
    Path("set.json").write_text(json.dumps(content))
    how = asked if "--columns" in asked else []
    answer = run("verify", "set.json", "data.csv", *how)
    assert answer.exit_code == 1, answer.output
    assert said in answer.stdout


@pytest.mark.parametrize("given", ["limits", "stopped", "costs", "weights", "balanced"])
def test_a_set_of_python_is_verified_by_its_own_claims(data, rows, tmp_path, given):
    """Such a file holds no question: its penalty of a leaf was taken for 0, and the set for one of other rows."""
    X, y = rows
    weight = np.where(np.arange(90) % 7 == 0, 0, 1 + np.arange(90) % 2).astype(float)
    asked = {
        "limits": {"max_leaf_nodes": 3, "min_samples_leaf": 2},
        "stopped": {"max_leaf_nodes": 3, "time_limit": 1e-9},
        "costs": {"costs": [[0, 2], [1, 0]]},
        "weights": {"sample_weight": weight},
        "balanced": {"class_weight": "balanced"},
    }[given]
    frame = pd.DataFrame(X, columns=list("abcde"))
    trees = near_optimal_trees(
        frame, np.array(["no", "yes"])[y], max_depth=2, cost_complexity=0.02, epsilon=0.3, **asked
    )
    file = tmp_path / "set.json"
    save_near_optimal(file, trees)
    answer = run("verify", file, data, "--target", "y")
    assert answer.exit_code == 0, answer.output
    words = "" if given in ("limits", "stopped") else ", the weights of its rows and its costs"
    assert f"its limits and its penalty of a leaf{words} are those that the set claims." in answer.stdout
    content = json.loads(file.read_text())
    content["limits"]["cost_complexity"] = 0.01
    file.write_text(json.dumps(content))
    answer = run("verify", file, data, "--target", "y")
    assert answer.exit_code == 1, answer.output
    assert "the unit of its costs is not that of the rows" in answer.stdout


@pytest.mark.parametrize(
    "asked",
    [
        {"slack": 0.12},
        {"max_objective": 0.32},
        {"leaf_labels": "any"},
        {"redundant_splits": True},
        {"slack": 0.1, "leaf_labels": "any", "redundant_splits": True},
    ],
    ids=str,
)
def test_bounds_and_trees_of_the_library_are_had_here(data, rows, tmp_path, asked):
    X, y = rows
    if not {"slack", "max_objective"} & set(asked):
        asked = {"epsilon": 0.9, **asked}
    expected = near_optimal_trees(X, y, max_depth=2, cost_complexity=0.02, **asked)
    given = []
    for name, value in asked.items():
        given += [f"--{name.replace('_', '-')}", *([] if value is True else [value])]
    file, model = tmp_path / "set.json", tmp_path / "model.json"
    ask = ("near-optimal", data, "-t", "y", "--max-depth", 2, "-c", 0.02, *given)
    answer = run(*ask, "--out", file)
    assert answer.exit_code == 0, answer.output
    assert expected.sentence().partition(", ")[2] in answer.stdout
    assert run("verify", file, data).exit_code == 0
    assert run(*ask, "--tree", expected.n_trees_, "--out", model).exit_code == 0
    verified = run("verify", model, data)
    assert verified.exit_code == 0, verified.output
    assert expected.result(-1).sentence() in run("show", model).stdout


def test_balanced_accuracy_and_words_that_are_one(data, rows, tmp_path):
    X, y = rows
    kept, tree = tmp_path / "set.json", tmp_path / "m.json"
    words = np.array([["No", "no ", "NO"], ["Yes", "YES", "yes"]])
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["a"] = words[X[:, 0], np.arange(len(y)) % 3]
    frame.assign(y=np.array(["no", "yes"])[y]).to_csv(data, index=False)
    asked = (*ASKED, "--objective", "balanced-accuracy", "--merge-words", "a")
    answer = run("near-optimal", data, "-t", "y", *asked, "-o", kept)
    assert answer.exit_code == 0, answer.output
    problem = make_problem(table_from(X), y, objective="balanced_accuracy", cost_complexity=0.02, max_depth=3)
    expected = solve_near_optimal(problem, epsilon=0.3)
    assert load_near_optimal(kept).n_trees_ == expected.n_trees_ > 1
    assert load_near_optimal(kept).best.objective == pytest.approx(expected.best.objective, rel=1e-9)
    assert run("verify", kept, data).exit_code == 0
    assert run("query", kept, "--tree", 2, "-o", tree).exit_code == 0
    assert run("verify", tree, data).exit_code == 0
    assert run("near-optimal", data, "-t", "y", "--objective", "f1").exit_code == 2


def test_a_limit_of_steps_ends_the_search_for_the_best_tree(tmp_path):
    path, kept = tmp_path / "d.csv", tmp_path / "set.json"
    X = np.random.default_rng(0).random((60, 3)).round(3)
    pd.DataFrame(X).assign(y=np.arange(60) % 2).to_csv(path, index=False)
    answers = [
        run("near-optimal", path, "-t", "y", "--max-depth", 3, "-c", 0.001, "--step-limit", steps, "-o", kept)
        for steps in (1, 1, 10**9)
    ]
    assert [answer.exit_code for answer in answers] == [0, 0, 0]
    sentence = [line for line in answers[0].stdout.splitlines() if line.startswith("Among")]
    assert "step limit reached" in sentence[0]
    assert sentence[0] in answers[1].stdout
    assert "or a larger --step-limit." in answers[0].stderr
    assert "The set is complete." in answers[2].stdout
    assert run("verify", kept, path).exit_code == 0
    assert run("near-optimal", path, "-t", "y", "--step-limit", 0).exit_code == 2


def test_a_set_without_trees_is_as_complete_as_the_search_proved(tmp_path):
    """Its graph is a single leaf; the search for the best tree proved more than the errors of that leaf."""
    path, kept = tmp_path / "d.csv", tmp_path / "set.json"
    path.write_text("c,y,w\n0,1,27\n0,0,9\n1,1,18\n0,0,19\n0,1,5\n1,1,4\n")
    asked = (
        "-t",
        "y",
        "--weight",
        "w",
        "--max-depth",
        0,
        "-c",
        0.25,
        "--class-weight",
        "balanced",
        "--epsilon",
        0.1,
    )
    assert run("near-optimal", path, *asked, "--step-limit", 1, "-o", kept).exit_code == 0
    stopped = load_near_optimal(kept)
    assert stopped.n_trees_ == 0
    assert stopped.bound_ > 0.52
    answer = run("verify", kept, path)
    assert answer.exit_code == 0, answer.output
    content = json.loads(kept.read_text())
    content["budget"] = str(Fraction(content["budget"]) * Fraction(11, 10))
    kept.write_text(json.dumps(content))
    assert "it claims all trees up to" in run("verify", kept, path).stdout
