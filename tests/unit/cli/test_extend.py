"""The verb `extend`: what it prints and writes, and that it says no in time."""

import csv
import sys

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits
from typer.testing import CliRunner

from treewright import HybridTreeClassifier
from treewright.cli import app
from treewright.convert import Model, load_model, save_model
from treewright.errors import InputError, NoGainWarning
from treewright.leaf_accuracy._held_out import held_out_answers
from treewright.leaf_accuracy._hybrid import Tuning, classify, extend_leaves
from treewright.leaf_accuracy._leaf_models import make_leaf_model
from treewright.leaf_accuracy._shared import shared_model
from treewright.table import load_csv


@pytest.fixture(autouse=True)
def one_thread():
    with threadpool_limits(limits=1):  # a busy machine makes OpenMP's threads wait for each other
        yield


def run(verb, *words):
    return CliRunner().invoke(app, [verb, *map(str, words)])


def write_rows(path, n_rows, seed, labels=True):
    rng = np.random.default_rng(seed)
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["age", "colour", "income", *(["sick"] if labels else [])])
        for _ in range(n_rows):
            age, colour = int(rng.integers(20, 80)), str(rng.choice(["red", "green", "blue"]))
            income = round(float(rng.normal(30, 10)), 1)
            sick = ((age > 50 and income < 35) or (colour == "red" and age > 35)) ^ (rng.random() < 0.1)
            known = "" if rng.random() < 0.05 else income
            writer.writerow([age, colour, known, *(["yes" if sick else "no"] if labels else [])])
    return path


@pytest.fixture
def files(tmp_path):
    train = write_rows(tmp_path / "train.csv", 300, 0)
    model = tmp_path / "model.json"
    assert run("fit", train, "-t", "sick", "--max-depth", 2, "-c", 0, "-o", model).exit_code == 0
    return model, train


def read(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_rows_held_back(files, tmp_path):
    """The answers are those of the estimator on the same tree, and the counts are right."""
    model, train = files
    rows, out = write_rows(tmp_path / "new.csv", 120, 1), tmp_path / "answers.csv"
    result = run("extend", model, train, "--rows", rows, "--out", out, "--seed", 3)
    assert result.exit_code == 0, result.output
    answers, truth = read(out), [row["sick"] for row in read(rows)]
    tree = load_model(model).tree
    data, new = (load_csv(path, target="sick", columns=tree.columns) for path in (train, rows))
    assert [row["tree"] for row in answers] == tree.predict(new.table.X).tolist()
    numbers = tree.is_leaf.cumsum()[tree.apply(new.table.X)]  # as `predict --leaf` counts them
    assert [int(row["leaf"]) for row in answers] == numbers.tolist()
    y = np.searchsorted(tree.classes, data.target)
    random = np.random.RandomState(3)
    random.randint(2**31 - 1)  # the estimator draws a seed for its top first
    shared = shared_model(
        tree, data.table.X, y, None, make_leaf_model(None), random_state=random, try_settings=True
    )
    parts = extend_leaves(
        tree, data.table.X, y, None, make_leaf_model(None), tuning=Tuning(how="rounds"), shared=shared,
        random_state=random,
    )  # fmt: skip
    assert [row["prediction"] for row in answers] == tree.classes[classify(tree, parts, new.table.X)].tolist()
    assert [row["explained"] == "yes" for row in answers] == [
        row["tree"] == row["prediction"] for row in answers
    ]
    right = np.mean([row["prediction"] == label for row, label in zip(answers, truth, strict=True)])
    assert f"the hybrid tree {100 * right:.2f}%" in result.output
    kept = sum(row["explained"] == "yes" for row in answers)
    assert f"explains the answer for {kept} of 120 rows" in result.output


def test_rows_without_labels_get_answers(files, tmp_path):
    model, train = files
    rows, out = write_rows(tmp_path / "new.csv", 50, 1, labels=False), tmp_path / "answers.csv"
    result = run("extend", model, train, "--rows", rows, "--out", out, "--leaf-model", "xgboost")
    assert result.exit_code == 0, result.output
    assert len(read(out)) == 50
    assert "right" not in result.output.lower()


def test_cross_validated(files, tmp_path):
    model, train = files
    first, again = tmp_path / "a.csv", tmp_path / "b.csv"
    result = run("extend", model, train, "--folds", 3, "-o", first)
    assert result.exit_code == 0, result.output
    assert "cross-validated" in result.output
    assert "that of training, which is optimistic" in result.output.replace("\n", " ")
    assert run("extend", model, train, "--folds", 3, "-o", again).exit_code == 0
    assert first.read_bytes() == again.read_bytes()  # the same command gives the same answers
    assert len(read(first)) == 300


def test_every_row_is_answered_by_models_that_have_not_seen_it():
    """With a leaf model that repeats what it has seen, held-out answers on distinct noise cannot."""
    from sklearn.tree import DecisionTreeClassifier

    from treewright.leaf_accuracy._top import make_top

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 1)), rng.integers(0, 2, 300)
    tree = make_top(DecisionTreeClassifier(max_depth=1), X, y).tree
    parrot = DecisionTreeClassifier()
    parts = extend_leaves(tree, X, y, None, parrot, random_state=np.random.RandomState(0))
    assert (classify(tree, parts, X) == y).all()
    held_out, alone = held_out_answers(
        tree, X, y, None, parrot, folds=5, random_state=np.random.RandomState(0)
    )
    assert alone is None  # no leaf may share it
    assert 0.35 < (held_out == y).mean() < 0.65
    for folds in (1, 301):
        with pytest.raises(InputError, match=f"folds={folds}"):
            held_out_answers(tree, X, y, None, parrot, folds=folds, random_state=np.random.RandomState(0))


def test_tuned(files):
    pytest.importorskip("optuna", reason="needs the extra tune")
    model, train = files
    result = run("extend", model, train, "--rows", train, "--tune", 2, "--leaf-model", "xgboost")
    assert result.exit_code == 0, result.output
    assert "after 2 trials of tuning" in result.output


def test_rounds_are_chosen_as_in_python(files):
    model, train = files
    result = run("extend", model, train, "--rows", train, "--tune", "rounds")
    assert result.exit_code == 0, result.output
    assert "after choosing its rounds" in result.output
    assert run("extend", model, train, "--rows", train).output == result.output  # the default
    plain = run("extend", model, train, "--rows", train, "--tune", "none")
    kept = [answer.output.count("kept") for answer in (result, plain)]
    assert kept[0] > kept[1]  # noise: in some leaf the tree answers as well as any model


@pytest.mark.parametrize("held_back", [True, False])
def test_a_model_that_does_better_alone_is_noted(files, tmp_path, monkeypatch, held_back):
    """A fifth of the hybrid tree's answers is spoilt: better than a single leaf, worse than the model of all rows."""

    def spoilt(tree, extensions, X):
        answers = classify(tree, extensions, X)
        answers[: len(X) // 5] = 1 - answers[: len(X) // 5]
        return answers

    _, train = files
    leaf = tmp_path / "leaf.json"
    assert run("fit", train, "-t", "sick", "-c", 0.9, "-o", leaf).exit_code == 0
    words = ["--rows", write_rows(tmp_path / "new.csv", 300, 1)] if held_back else ["--folds", 3]
    assert "The leaf model alone" not in run("extend", leaf, train, *words).output
    for place in ("treewright.leaf_accuracy.classify", "treewright.leaf_accuracy._held_out.classify"):
        monkeypatch.setattr(place, spoilt)
    result = run("extend", leaf, train, *words)
    assert result.exit_code == 0, result.output
    assert "The leaf model alone, fitted on all rows, is right on" in result.output.replace("\n", " ")
    assert "Use the model if accuracy counts" in result.output.replace("\n", " ")


def test_a_model_made_in_python(files, tmp_path):
    """No certificate: the target must be named; leaves of one class are merged, and that is said."""
    _, train = files
    data = load_csv(train, target="sick")
    hybrid = HybridTreeClassifier(reduce=False, tune=None).fit(data.table.X[:, [0, 2]], data.target)
    path = tmp_path / "bare.json"
    save_model(path, Model(hybrid.tree_))
    result = run("extend", path, train)
    assert result.exit_code == 2
    assert "--target NAME" in result.output
    result = run("extend", path, write_numbers(tmp_path / "numbers.csv", data), "--target", "sick")
    assert result.exit_code == 0, result.output
    merged = (
        hybrid.get_n_leaves()
        - HybridTreeClassifier(hybrid.tree_, tune=None)
        .fit(data.table.X[:, [0, 2]], data.target)
        .get_n_leaves()
    )
    assert merged > 0
    assert f"{merged} leaves were empty or had a sibling of the same label" in result.output


def write_numbers(path, data):
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["x0", "x1", "sick"])
        rows = data.table.X[:, [0, 2]].tolist()
        writer.writerows(
            [*("" if x != x else x for x in row), label] for row, label in zip(rows, data.target, strict=True)
        )
    return path


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--leaf-model", "forest"], "'boosting' or 'xgboost'"),
        (["--time-limit", "5"], "goes with --tune"),
        (["--time-limit", "5", "--tune", "rounds"], "goes with --tune and a number of trials"),
        (["--tune", "0"], "--tune '0'; give 'rounds', a number of trials above 0, or 'none'"),
        (["--tune", "best"], "--tune 'best'; give 'rounds'"),
        (["--target", "colour"], "labels that are not known here: 'blue', 'green', 'red'"),
        (["--target", "sickk"], "sick"),
        (["--folds", "400"], "at most the number of rows (300)"),
        (["--rows", "nowhere.csv"], "nowhere.csv"),
        (["--out", "no/such/folder.csv"], "there is no folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input(files, words, message):
    model, train = files
    result = run("extend", model, train, *words)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize(
    ("package", "words", "extra"),
    [("xgboost", ["--leaf-model", "xgboost"], "xgboost"), ("optuna", ["--tune", "5"], "tune")],
)
def test_a_missing_extra(files, package, words, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    result = run("extend", *files, *words)
    assert result.exit_code == 2
    assert f"pip install 'treewright[{extra}]'" in result.output
    said = result.output.partition("Error: ")[2]
    assert said.startswith(f"{words[0]} ")
    assert f"leave {words[0]} out" in said
    assert "leaf_estimator" not in said


def test_xgboost_reads_numbers_that_single_precision_lacks(tmp_path):
    pytest.importorskip("xgboost")
    data, model, out = tmp_path / "data.csv", tmp_path / "model.json", tmp_path / "answers.csv"
    data.write_text("a,b,y\n" + "".join(f"{k % 3 - 1}e300,{k % 7},{int(k % 5 > 2)}\n" for k in range(40)))
    assert run("fit", data, "-t", "y", "--max-depth", 1, "-c", 0.01, "-o", model).exit_code == 0
    for tune in ("none", "rounds"):
        words = ("--leaf-model", "xgboost", "--tune", tune, "--rows", data, "--out", out)
        done = run("extend", model, data, *words)
        assert done.exit_code == 0, done.output
        assert len(out.read_text().splitlines()) == 41


def test_the_name_of_one_column_may_hold_another_separator(tmp_path):
    data, rows, model, out = (
        tmp_path / name for name in ("data.csv", "rows.csv", "model.json", "answers.csv")
    )
    data.write_text("weight;kg,y\n" + "".join(f"{k},{int(k > 3)}\n" for k in range(8)))
    rows.write_text("weight;kg\n1\n6\n")
    assert run("fit", data, "-t", "y", "--max-depth", 1, "-o", model).exit_code == 0
    assert run("predict", model, rows).stdout.split() == ["prediction", "0", "1"]
    done = run("extend", model, data, "--rows", rows, "--out", out, "--tune", "none")
    assert done.exit_code == 0, done.output
    assert [line.split(",")[2] for line in out.read_text().splitlines()] == ["prediction", "0", "1"]
    assert run("predict", model, rows, "--separator", ",").exit_code == 0


def test_settings_of_the_columns(files, tmp_path):
    """Labels that the settings merge are those of the tree."""
    model, train = files
    test = write_rows(tmp_path / "test.csv", 20, 1)
    for path in (train, test):
        lines = path.read_text().splitlines()
        changed = [
            line[:-3] + "YES" if k % 2 and line.endswith("yes") else line for k, line in enumerate(lines)
        ]
        path.write_text("\n".join([*changed, ""]))
    settings = tmp_path / "columns.yaml"
    settings.write_text('labels: {"YES": "yes"}\n')
    for more in (["--rows", test], ["--folds", 2]):
        asked = ["extend", model, train, "--tune", "none", *more]
        assert run(*asked).exit_code == 2
        answer = run(*asked, "--columns", settings)
        assert answer.exit_code == 0, answer.output


def test_a_tree_that_asks_nothing_reads_one_column_whose_name_holds_another_separator(tmp_path):
    data, rows, model = (tmp_path / name for name in ("data.csv", "rows.csv", "model.json"))
    data.write_text("c;,y\n" + "u,0\nv,0\n" * 4)
    rows.write_text("c;\nu\n")
    assert run("fit", data, "-t", "y", "-o", model).exit_code == 0
    assert run("predict", model, rows).stdout.split() == ["prediction", "0"]
    done = run("extend", model, data, "--rows", rows, "--tune", "none")
    assert done.exit_code == 0, done.output


def test_folds_of_the_rounds_are_those_of_python(tmp_path):
    """On a few rows the folds decide which leaves get a model."""
    pytest.importorskip("xgboost")
    data, model, out = tmp_path / "data.csv", tmp_path / "model.json", tmp_path / "answers.csv"
    rows = [
        "r,,1,u,1.8",
        "p,p,0,v,2.3",
        "p,p,0,v,1.8",
        "p,,1,w,0.4",
        "q,,1,x,1.2",
        "p,p,0,v,2.0",
        "p,,1,w,2.4",
    ]
    rows += [
        "r,,1,u,1.2",
        "p,p,0,v,1.3",
        "p,p,0,v,0.8",
        "p,,1,w,0.5",
        "q,,1,x,2.8",
        "p,p,0,u,0.1",
        "p,,1,w,2.3",
    ]
    data.write_text("\n".join(["a,b,c,y,weight", *rows, ""]))
    asked = [
        "--objective",
        "leaf-accuracy",
        "--criterion",
        "accuracy",
        "--min-samples-leaf",
        3,
        "--max-depth",
        2,
    ]
    fitted = run("fit", data, "-t", "y", "--weight", "weight", "--thresholds", "all", *asked, "-o", model)
    assert fitted.exit_code == 0
    done = run("extend", model, data, "--leaf-model", "xgboost", "--rows", data, "--out", out)
    assert done.exit_code == 0, done.output
    frame = pd.read_csv(data)
    hybrid = HybridTreeClassifier(
        load_model(model).tree, tune="rounds", leaf_estimator="xgboost", random_state=0
    )
    with pytest.warns(NoGainWarning):
        hybrid.fit(frame[["a", "b", "c"]], frame["y"], sample_weight=frame["weight"])
    assert [row["prediction"] for row in read(out)] == hybrid.predict(frame[["a", "b", "c"]]).tolist()
