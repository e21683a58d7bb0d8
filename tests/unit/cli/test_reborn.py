"""The verb `reborn` for models of classes, from files and tables."""

import csv
import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from typer.testing import CliRunner

from shared_folder import shared
from treewright.binarize import quantiles
from treewright.bornagain import Ensemble, solve
from treewright.cli import app
from treewright.cli._reborn_rows import bin_numbers, edges_of, in_units
from treewright.convert import load_model
from treewright.result import BornAgainResult, SolveStatus
from treewright.table import table_from


def run(verb, *words):
    return CliRunner().invoke(app, [verb, *map(str, words)])


@pytest.fixture
def table(tmp_path):
    iris = load_iris()
    path = tmp_path / "iris.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["sepal length", "sepal width", "petal length", "petal width", "kind"])
        writer.writerows([*x, iris.target_names[k]] for x, k in zip(iris.data, iris.target, strict=True))
    return path


FOREST = """DATASET_NAME: tiny.csv
ENSEMBLE: RF
NB_TREES: 1
NB_FEATURES: 2
NB_CLASSES: 2
MAX_TREE_DEPTH: 3
Format: node

[TREE 0]
NB_NODES: 3
0 IN 1 2 0 0.5 0 -1
1 LN -1 -1 -1 -1 1 0
2 LN -1 -1 -1 -1 1 1
"""


@pytest.fixture
def forest(tmp_path):
    path = tmp_path / "tiny.RF1.txt"
    path.write_text(FOREST)
    return path


def test_a_model_file(forest, tmp_path):
    out = tmp_path / "tree.json"
    result = run("reborn", forest, "--out", out)
    assert result.exit_code == 0, result.output
    assert "Proven faithful" in result.output
    assert "x0 <= 0.5" in result.output
    kept = load_model(out).result
    assert isinstance(kept, BornAgainResult)
    assert kept.status is SolveStatus.OPTIMAL
    assert (kept.objective, kept.lower_bound) == (2, 2)
    assert kept.sentence() == solve(Ensemble.load(forest)).sentence()
    assert kept.sentence() in result.output
    assert kept.sentence() in run("show", out).output


def test_verify_against_the_ensemble(forest, tmp_path):
    out = tmp_path / "tree.json"
    assert run("reborn", forest, "-o", out).exit_code == 0
    result = run("verify", out, "--ensemble", forest)
    assert result.exit_code == 0, result.output
    assert "Proven faithful" in result.output
    document = json.loads(out.read_text())
    document["nodes"][0]["split"]["threshold"] = 0.75
    out.write_text(json.dumps(document))
    result = run("verify", out, "--ensemble", forest)
    assert result.exit_code == 1
    assert "Not faithful: on the row" in result.output


def test_verify_needs_something_to_compare_with(forest, table, tmp_path):
    out = tmp_path / "tree.json"
    assert run("reborn", forest, "-o", out).exit_code == 0
    for words, message in [((out,), "--ensemble FILE"), ((out, table), "add --ensemble")]:
        result = run("verify", *words)
        assert result.exit_code == 2
        assert message in result.stderr


def test_a_table_is_trained_on_first(table):
    result = run("reborn", table, "--trees", 3, "--depth", 2)
    assert result.exit_code == 0, result.output
    assert "RandomForestClassifier" in result.output
    assert "petal" in result.output
    again = run("reborn", table, "--trees", 3, "--depth", 2, "-t", "kind")

    def without_seconds(text):
        return [line for line in text.splitlines() if not line.startswith("Reading: ")]

    assert without_seconds(again.stdout) == without_seconds(result.stdout)


def test_bins_are_cut_at_thresholds_of_the_columns(table, tmp_path):
    out = tmp_path / "tree.json"
    result = run("reborn", table, "--trees", 5, "--depth", 3, "--bins", 5, "-o", out)
    assert result.exit_code == 0, result.output
    tree, X = load_model(out).tree, load_iris().data
    allowed = {(split.column, split.threshold) for split in quantiles(table_from(X), 5).splits}
    used = {(split.column, split.threshold) for split in tree.splits if split is not None}
    assert len(used) > 3
    assert used <= allowed
    assert run("reborn", table, "--bins", 1).exit_code == 2


def test_an_ensemble_over_bins_decides_like_the_forest(tmp_path):
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(300, 3)), 1)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) > 0
    table = table_from(X)
    edges = edges_of(table, 6)
    numbers = bin_numbers(table.X, edges)
    forest = RandomForestClassifier(5, max_depth=4, random_state=0).fit(numbers, y)
    ensemble = in_units(Ensemble.from_model(forest, missing="route"), edges)
    new = np.vstack([X, np.column_stack([np.resize(own, 40) for own in edges]), rng.normal(size=(500, 3))])
    np.testing.assert_array_equal(ensemble.predict(new), forest.predict(bin_numbers(new, edges)))


def test_the_tree_of_a_table_reads_its_columns_again(tmp_path):
    rng = np.random.default_rng(0)
    path, out = tmp_path / "data.csv", tmp_path / "tree.json"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "age", "smoker", "sick"])
        for k in range(120):
            age, smoker = int(rng.integers(20, 80)), bool(rng.integers(2))
            label = "yes" if smoker and age > 50 else "no"
            writer.writerow([k, "" if k % 9 == 0 else age, "true" if smoker else "false", label])
    result = run(
        "reborn",
        path,
        "-x",
        "id",
        "--trees",
        3,
        "--depth",
        2,
        "--bins",
        8,
        "--objective",
        "leaves",
        "-o",
        out,
    )
    assert result.exit_code == 0, result.output
    assert "missing values included" in result.output
    predicted = run("predict", out, path)
    assert predicted.exit_code == 0, predicted.output
    with path.open() as stream:
        labels = [row["sick"] for row in csv.DictReader(stream)]
    assert np.mean(np.array(predicted.stdout.split()[1:]) == labels) > 0.8


@pytest.mark.parametrize("kind", ["rows", "active"])
def test_pruning(table, kind, tmp_path):
    out = tmp_path / "tree.json"
    options = ("--trees", 6, "--depth", 3, "--bins", 6)
    result = run("reborn", table, *options, "--prune", kind, "-o", out)
    assert result.exit_code == 0, result.output
    assert "setosa" in result.output
    assert "may differ from the ensemble" in result.output
    whole = run("reborn", table, *options, "-o", tmp_path / "whole.json")
    assert whole.exit_code == 0, whole.output
    tree, unpruned = load_model(out).tree, load_model(tmp_path / "whole.json").tree
    assert tree.n_leaves < unpruned.n_leaves
    assert run("predict", out, table).stdout == run("predict", tmp_path / "whole.json", table).stdout


def test_pruning_keeps_the_proof_where_every_split_is_needed(forest, tmp_path):
    rows, out = tmp_path / "rows.csv", tmp_path / "tree.json"
    rows.write_text("x0,x1\n0,3\n1,5\n")
    result = run("reborn", forest, "--rows", rows, "--prune", "rows", "-o", out)
    assert result.exit_code == 0, result.output
    assert "Pruning removes nothing" in result.output
    assert load_model(out).result.status is SolveStatus.OPTIMAL


def test_pruning_a_model_file_with_rows(forest, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b\n0,3\n0.25,5\n")  # all on one side
    result = run("reborn", forest, "--rows", rows, "--prune", "rows")
    assert result.exit_code == 0, result.output
    assert "first columns are taken" in result.stderr
    assert "Before pruning: This tree of depth" in result.output
    assert "Pruned: This tree of depth 0 and 1 leaf" in result.output
    assert "Checked by independent code, before pruning: Proven faithful" in result.output


def test_agreement_on_new_rows_is_that_of_the_pruned_tree(forest, tmp_path):
    """It was that of the tree before, which agrees everywhere."""
    rows, new, out = tmp_path / "rows.csv", tmp_path / "new.csv", tmp_path / "m.json"
    rows.write_text("a,b\n0,3\n0.25,5\n")
    points = np.random.default_rng(0).uniform(0, 9, (200, 2)).round(2)
    np.savetxt(new, points, "%.2f", ",", header="a,b", comments="")
    result = run("reborn", forest, "--rows", rows, "--prune", "rows", "--new-rows", new, "-o", out)
    assert result.exit_code == 0, result.output
    alike = load_model(out).tree.predict(points) == Ensemble.load(forest).predict(points)
    assert not alike.all()
    assert f"decide alike on {alike.sum()} of 200 rows" in result.output


def test_mistakes_are_explained(forest, table, tmp_path):
    words_in_columns = tmp_path / "words.csv"
    words_in_columns.write_text("colour,y\nred,0\nblue,1\n")
    one_column = tmp_path / "one.csv"
    one_column.write_text("a\n1\n2\n")
    for words, message in [
        ((tmp_path / "nowhere.txt",), "No such file"),
        ((forest, "--prune", "rows"), "--rows"),
        ((forest, "--prune", "rows", "--rows", one_column), "1 columns, the model 2"),
        ((table, "--target", "colour"), "no column 'colour'"),
        ((table, "--prune", "hard"), "--prune 'hard'"),
        ((table, "--objective", "size"), "--objective 'size'; choose one of depth"),
        ((words_in_columns,), "holds text"),
        ((table, "-o", tmp_path), "Cannot write"),
    ]:
        result = run("reborn", *words)
        assert result.exit_code == 2, result.output
        assert message in result.stderr
        assert result.stderr.splitlines()[-1].startswith("Error: ")


@pytest.mark.shared
def test_a_published_forest(tmp_path):
    forest = shared("data/born_again/Seeds/forests/Seeds.RF1.txt")
    out = tmp_path / "tree.json"
    result = run("reborn", forest, "--objective", "depth", "-o", out)
    assert result.exit_code == 0, result.output
    assert "no faithful tree is shallower" in result.output
    assert run("verify", out, "--ensemble", forest).exit_code == 0


def test_a_small_tree_that_agrees_on_rows(forest, table, tmp_path):
    out = tmp_path / "tree.json"
    rest = ("--trees", 20, "--faithful", "rows", "--tolerance", 0.05)
    result = run("reborn", table, *rest, "--max-depth", 3, "--max-leaves", 4, "--new-rows", table, "-o", out)
    assert result.exit_code == 0, result.output
    assert "decides like the ensemble (20 trees" in result.output
    assert "Proven: no tree over the ensemble's thresholds of depth 3 or less" in result.output
    assert "Tree and ensemble decide alike on" in result.output
    assert "Checked by independent code" not in result.output
    assert 1 < load_model(out).tree.n_leaves <= 4
    result = run("reborn", table, *rest, "--max-leaves", 1)
    assert result.exit_code == 0, result.output
    assert "No tree of at most 1 leaf" in result.output or "No tree of at most 1 leaves" in result.output
    for words, message in [
        ((forest, "--faithful", "rows"), "--faithful rows needs rows"),
        ((table, "--faithful", "some"), "--faithful 'some'"),
        ((table, "--faithful", "rows", "--prune", "rows"), "leave it out"),
    ]:
        result = run("reborn", *words)
        assert result.exit_code == 2, result.output
        assert message in result.stderr


def test_limits_of_the_command_line(table):
    result = run("reborn", table, "--trees", 30, "--depth", 8, "--objective", "heuristic", "--max-leaves", 5)
    assert result.exit_code == 2
    assert "--max-leaves" in result.stderr
    result = run("reborn", table, "--trees", 3, "--depth", 2, "--memory-limit", 64, "--no-progress")
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--max-leaves", 2), "more leaves than --max-leaves 2"),
        (("--faithful", "rows", "--max-leaves", 2), "Raise --tolerance, --max-leaves or --max-depth"),
    ],
)
def test_notes_name_the_options_to_change(table, words, said):
    told = run("reborn", table, "-t", "kind", "--trees", 3, "--depth", 2, *words)
    assert told.exit_code == 0, told.output
    assert said in told.output
    assert "max_leaves" not in told.output


def test_a_tree_that_agrees_on_rows_is_not_verified_everywhere(forest, tmp_path):
    rows, out = tmp_path / "rows.csv", tmp_path / "tree.json"
    rows.write_text("a,b,y\n0,3,0\n0.25,5,1\n0.75,5,1\n")
    assert run("reborn", forest, "--rows", rows, "--faithful", "rows", "-o", out).exit_code == 0
    result = run("verify", out, "--ensemble", forest)
    assert result.exit_code == 2
    assert "on 3 of the 3 rows that it was made from, not everywhere" in result.stderr


def test_a_tree_for_the_domain_of_the_rows(forest, table, tmp_path):
    """Outside the rows' ranges the model is not followed: one threshold of whole numbers, another range, one leaf."""
    rows = tmp_path / "rows.csv"
    rows.write_text("x0,x1,y\n1,0,1\n3,5,1\n2,2,0\n")
    out = tmp_path / "tree.json"
    result = run("reborn", forest, "--rows", rows, "--target", "y", "--domain", "rows", "--out", out)
    assert result.exit_code == 0, result.output
    assert load_model(out).tree.n_leaves == 1  # x0 <= .5 splits no row from 1 to 3
    assert "decide alike on all rows of the domain without missing values" in result.output
    assert "The domain: x0 from 1 to 3 (whole numbers), x1 from 0 to 5 (whole numbers)" in result.output
    assert f"verify {out}" in "".join(result.output.split("\n"))
    assert run("verify", out, "--ensemble", forest).exit_code == 0  # the file holds the domain
    assert load_model(out).result.scope == "all rows of the domain without missing values"
    trained = run("reborn", table, "--trees", 2, "--depth", 2, "--domain", "rows")
    assert trained.exit_code == 0, trained.output
    assert "Proven faithful" in trained.output
    for words, message in (
        (("--domain", "all"), "give 'rows'"),
        (("--domain", "rows"), "--domain needs rows"),
        (("--domain", "rows", "--faithful", "rows", "--rows", rows), "leave it out with --faithful rows"),
    ):
        wrong = run("reborn", forest, *words)
        assert wrong.exit_code == 2
        assert message in wrong.output


def test_one_hot_columns(tmp_path):
    """The model asks about two columns of a group, of which it was never said that both can be 1."""
    model, out = tmp_path / "groups.txt", tmp_path / "tree.json"
    model.write_text(
        FOREST.replace("NB_FEATURES: 2", "NB_FEATURES: 3").replace(
            FOREST[FOREST.index("NB_NODES") :],
            "NB_NODES: 5\n0 IN 1 2 0 0.5 0 -1\n1 LN -1 -1 -1 -1 1 0\n2 IN 3 4 1 0.5 1 -1\n3 LN -1 -1 -1 -1 2 1\n"
            "4 LN -1 -1 -1 -1 2 0\n",
        )
    )
    everywhere = run("reborn", model, "--objective", "leaves", "-o", out)
    assert everywhere.exit_code == 0, everywhere.output
    assert load_model(out).tree.n_leaves == 3
    result = run("reborn", model, "--objective", "leaves", "--one-hot", "x0, x1,x2", "-o", out)
    assert result.exit_code == 0, result.output
    assert load_model(out).tree.n_leaves == 2
    assert load_model(out).result.status is SolveStatus.OPTIMAL
    assert "decide alike on all rows of the domain" in result.output
    assert "The domain: exactly one of x0, x1, x2 is 1" in result.output
    assert run("verify", out, "--ensemble", model).exit_code == 0
    dropped = run("reborn", model, "--objective", "leaves", "--at-most-one", "x0,x1", "-o", out)
    assert dropped.exit_code == 0, dropped.output
    assert load_model(out).tree.n_leaves == 2
    assert "The domain: at most one of x0, x1 is 1" in dropped.output
    for words, message in [
        (("--one-hot", "x0,x7"), "the column 'x7'"),
        (("--one-hot", "x0"), "The group 'x0' has fewer than two columns"),
        (("--one-hot", "x0,x1", "--at-most-one", "x1,x2"), "The column 'x1' is named twice"),
        (("--at-most-one", "x0,x1", "--prune", "rows"), "--at-most-one is for a tree"),
        (("--one-hot", "x0,x1", "--prune", "rows"), "--one-hot is for a tree"),
        (("--one-hot", "x0,x1", "--faithful", "rows"), "--one-hot is for a tree"),
    ]:
        wrong = run("reborn", model, *words)
        assert wrong.exit_code == 2, wrong.output
        assert message in wrong.stderr


SETTINGS = """decimal: comma
separator: ";"
columns:
  id: {use: ignore}
  owner: {use: ignore}
  note: {use: ignore}
  pay: {missing: ["-9"]}
  age: {name: Age of the house, unit: years}
labels: {good: Good}
"""


@pytest.fixture
def settled(tmp_path):
    """A table that cannot be read rightly without its settings; the last column is no label."""
    path, settings = tmp_path / "houses.csv", tmp_path / "columns.yaml"
    lines = ["id;age;pay;owner;y;note"]
    for k in range(1, 41):
        old, pay = k * 7 % 31, k * 13 % 17
        label = "bad" if old > 15 else ("good" if k % 5 else "Good")
        lines.append(f"{k};{old},5;{-9 if pay == 3 else pay};{'JN'[k % 2]};{label};n{k}")
    path.write_text("\n".join([*lines, ""]))
    settings.write_text(SETTINGS)
    return path, settings


@pytest.mark.parametrize("way", [[], ["--faithful", "rows"], ["--prune", "rows"], ["--bins", 4]], ids=str)
def test_settings_of_the_columns(way, settled, tmp_path):
    path, settings = settled
    out = tmp_path / "m.json"
    given = ["--columns", settings, "--trees", 2, "--depth", 2, "-o", out]
    answer = run("reborn", path, *given, *way)
    assert answer.exit_code == 0, answer.output
    assert "Age of the house <= 15" in answer.stdout
    tree = load_model(out).tree
    assert [column.name for column in tree.columns] == ["age", "pay"]
    assert tree.columns[1].has_missing
    assert tree.classes.tolist() == ["Good", "bad"]
    said = run("predict", out, path).stdout.split()[1:]
    assert set(said) == {"Good", "bad"}
    assert run("reborn", path, *given, "--target", "owner").exit_code == 2  # it is left out


def test_settings_of_the_columns_beside_a_model_file(forest, tmp_path):
    rows, settings = tmp_path / "rows.csv", tmp_path / "columns.yaml"
    rows.write_text("no;x0;x1\n" + "".join(f"n{k};{k % 2};{k},25\n" for k in range(6)))
    settings.write_text("columns: {x0: {name: heated}, no: {use: ignore}}\n")
    for more in ([], ["--prune", "rows"], ["--faithful", "rows"], ["--domain", "rows"]):
        given = ["--rows", rows, "--new-rows", rows] if more else []
        answer = run("reborn", forest, *given, *more, "--columns", settings)
        assert answer.exit_code == 0, answer.output
        assert "heated" in answer.stdout
        assert not given or "6 of 6" in answer.stdout
