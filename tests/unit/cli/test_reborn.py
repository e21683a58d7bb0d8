"""The verb `reborn`, on model files and on tables."""

import csv

import pytest
import typer
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from treewright.cli._reborn import check_against_ensemble, register


@pytest.fixture
def run():
    app = typer.Typer()
    app.command("other")(lambda: None)
    register(app)
    runner = CliRunner()
    return lambda *words: runner.invoke(app, ["reborn", *map(str, words)], env={"COLUMNS": "300"})


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


def test_a_model_file(run, forest):
    result = run(forest)
    assert result.exit_code == 0, result.output
    assert "Proven faithful" in result.output
    assert "if x0 <= 0.5: 0" in result.output


def test_a_table_is_trained_on_first(run, table):
    result = run(table, "--trees", 3, "--depth", 2)
    assert result.exit_code == 0, result.output
    assert "RandomForestClassifier" in result.output
    assert "petal" in result.output


@pytest.mark.parametrize("kind", ["rows", "active"])
def test_pruning(run, table, kind):
    result = run(table, "--trees", 4, "--depth", 2, "--bins", 6, "--prune", kind)
    assert result.exit_code == 0, result.output
    assert "setosa" in result.output


def test_mistakes_are_explained(run, forest, table, tmp_path):
    for words, message in [
        ((tmp_path / "nowhere.txt",), "no file"),
        ((forest, "--prune", "rows"), "--rows"),
        ((table, "--target", "colour"), "no column 'colour'"),
        ((table, "--prune", "hard"), "--prune must be"),
        ((table, "--objective", "size"), "objective must be"),
    ]:
        result = run(*words)
        assert result.exit_code == 1
        assert message in result.output


def test_check_against_a_model_file(forest):
    from treewright.bornagain import Ensemble, solve

    tree = solve(Ensemble.load(forest)).tree
    faithful, words = check_against_ensemble(tree, forest)
    assert faithful
    assert "Proven faithful" in words
