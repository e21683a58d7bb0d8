"""Titles of columns, codes and labels change what people read and nothing else."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from typer.testing import CliRunner

from treewright import OptimalTreeClassifier, OptimalTreeRegressor, near_optimal_trees
from treewright.cli import app
from treewright.convert import load_model, to_sql
from treewright.errors import InputError
from treewright.show import (
    choose_page,
    notebook_html,
    plot_decision_regions,
    report,
    to_rules,
    to_text,
    tree_figure,
    with_titles,
)
from treewright.show._report._rules import leaf_rule
from treewright.table import ColumnNote, Settings, table_from
from treewright.tree import Column, ColumnKind, LinearSplit, ThresholdSplit, describe, grow

YAML = """
columns:
  s1: {name: smoker, codes: {'0': smoke-free, '1': smoking}}
  w: {use: category, name: ward, codes: {'1': surgery, '2': paediatrics}}
  t: {name: temperature on admission}
label-names: {'1': readmitted}
"""
SETTINGS = Settings(
    notes={
        "s1": ColumnNote("smoker", codes={"0": "smoke-free", "1": "smoking"}),
        "w": ColumnNote("ward", codes={"1": "surgery", "2": "paediatrics"}),
        "t": ColumnNote("temperature on admission"),
    },
    label_names={"1": "readmitted"},
)


def made(n: int = 240):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"s1": rng.integers(0, 2, n), "w": rng.integers(1, 4, n), "t": rng.integers(360, 400, n) / 10}
    )
    y = np.where(X["s1"] == 1, X["t"] > 38, X["w"] == 2).astype(int)
    return X, y


@pytest.fixture
def files(tmp_path):
    X, y = made()
    X.assign(y=y).to_csv(tmp_path / "d.csv", index=False)
    (tmp_path / "columns.yaml").write_text(YAML)
    return tmp_path / "d.csv", tmp_path / "columns.yaml", tmp_path / "m.json"


def run(*args):
    done = CliRunner().invoke(app, [str(arg) for arg in args])
    assert done.exit_code == 0, done.output
    return done.stdout


TITLES = ("smoker = smoke-free", "temperature on admission <= ", "ward = paediatrics", "→ readmitted")


def test_a_titled_tree_decides_as_before():
    X, y = made()
    tree = OptimalTreeClassifier(max_depth=3, categorical_features=["w"]).fit(X, y).tree_
    said = with_titles(tree, SETTINGS)
    encoded = table_from(X, categorical_features=["w"]).X
    np.testing.assert_array_equal(said.apply(encoded), tree.apply(encoded))
    np.testing.assert_array_equal(said.value, tree.value)
    assert said.columns[1].categories == ("surgery", "paediatrics", "3")
    assert with_titles(tree, None) is tree
    assert with_titles(tree, Settings()) is tree


def test_a_result_keeps_what_it_says_beside_its_titled_tree():
    X, y = made()
    result = OptimalTreeClassifier(max_depth=2, categorical_features=["w"]).fit(X, y).result_
    said = with_titles(result, SETTINGS)
    assert said.tree.columns == with_titles(result.tree, SETTINGS).columns
    assert said.sentence() == result.sentence()


def test_names_stay_different():
    X, y = made()
    tree = OptimalTreeClassifier(max_depth=1, categorical_features=["w"]).fit(X, y).tree_
    notes = {
        "w": ColumnNote("a", codes={"1": "north", "2": "north"}),
        "t": ColumnNote("a"),
        "s1": ColumnNote("b"),
    }
    columns = with_titles(tree, Settings(notes=notes)).columns
    assert [column.name for column in columns] == ["b", "a [w]", "a [t]"]
    assert columns[1].categories == ("north [1]", "north [2]", "3")


def test_a_code_with_zeros_is_not_its_number():
    X = pd.DataFrame({"d": ["007", "7", "8"] * 20})
    tree = OptimalTreeClassifier(max_depth=1).fit(X, [0, 1, 1] * 20).tree_
    columns = with_titles(tree, Settings(notes={"d": ColumnNote(codes={"7": "north"})})).columns
    assert columns[0].categories == ("007", "north", "8")


def test_trees_of_numbers_have_titled_columns():
    X, y = made()
    tree = OptimalTreeRegressor(max_depth=1).fit(X, y * 2.0).tree_
    assert with_titles(tree, SETTINGS).columns[0].name == "smoker"


@pytest.mark.parametrize(
    "task", [[], ["--objective", "leaf-accuracy"], ["--task", "probability"], ["--shard-rows", 240]]
)
def test_fit_shows_them_and_keeps_the_names_of_the_file(files, task):
    data, settings, model = files
    shown = run("fit", data, "-t", "y", "--columns", settings, "--max-depth", 3, *task, "-o", model)
    assert "smoker = smoke-free" in shown
    tree = load_model(model).tree
    assert [column.name for column in tree.columns] == ["s1", "w", "t"]
    assert tree.classes.tolist() == [0, 1]


def test_every_verb_shows_them(files, tmp_path):
    data, settings, model = files
    asked = ("-t", "y", "--columns", settings, "--max-depth", 3)
    fitted = run("fit", data, *asked, "-o", model)
    front = run("frontier", data, *asked, "--max-leaves", 5, "--leaves", 5)
    found = tmp_path / "set.json"
    near = run("near-optimal", data, *asked, "--thresholds", 4, "--tree", 1)
    run("near-optimal", data, *asked, "--thresholds", 4, "-o", found)
    asked_again = run("query", found, "--tree", 1, "--columns", settings)
    shown = run("show", model, "--columns", settings)
    dot = run("show", model, "--columns", settings, "--format", "dot")
    for text in (fitted, shown, front, near, asked_again):
        for title in TITLES:
            assert title in text
    for text in (near, asked_again):
        assert re.search(r"^temperature on admission +100\.0%", text, flags=re.MULTILINE)
    assert "ward" in dot
    assert "paediatrics" in dot
    assert "s1 = 0" in run("show", model)


def test_pictures_show_them():
    X, y = made()
    tree = OptimalTreeClassifier(max_depth=3, categorical_features=["w"]).fit(X, y).tree_
    figure = tree_figure(with_titles(tree, SETTINGS))
    words = " ".join(text.get_text() for text in figure.findobj(Text))
    assert "smoker" in words
    assert "readmitted" in words


def test_the_page_for_choosing_shows_them_and_saves_the_names_of_the_file():
    X, y = made()
    trees = near_optimal_trees(X, y, max_depth=2, thresholds=3, categorical_features=["w"])
    page = choose_page(trees, settings=SETTINGS)
    data = json.loads(
        re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1]
    )
    assert data["columns"] == ["smoker", "ward", "temperature on admission"]
    assert data["classes"] == ["0", "readmitted"]
    assert any(split["left"] == "smoker = smoke-free" for split in data["splits"])
    assert [column["name"] for column in data["model"]["columns"]] == ["s1", "w", "t"]
    assert "readmitted" not in json.dumps(data["model"])


def test_the_report_shows_words_of_codes_where_values_are_chosen():
    X, y = made()
    model = OptimalTreeClassifier(max_depth=3, categorical_features=["w"]).fit(X, y)
    assert model.tree_.columns[0].kind is ColumnKind.BINARY
    page = report(model, X, y, fit_models=False, settings=SETTINGS)
    data = json.loads(
        re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1]
    )
    smoker = next(column for column in data["columns"] if column["name"] == "smoker")
    assert smoker["categories"] == ["smoke-free", "smoking"]
    assert smoker["typical"] is not None
    ward = next(column for column in data["columns"] if column["name"] == "ward")
    assert ward["categories"] == ["surgery", "paediatrics", "3"]


def test_every_number_of_a_column_has_its_unit(tmp_path):
    X = pd.DataFrame({"months": np.arange(60.0), "paid": [0, 1] * 30})
    y = ((X["months"] > 20) & (X["months"] <= 40) & (X["paid"] == 1)).astype(int)
    model = OptimalTreeClassifier(max_depth=3, cost_complexity=0.001).fit(X, y)
    units = Settings(
        notes={"months": ColumnNote("duration", unit="months"), "paid": ColumnNote(unit="times")}
    )
    said = with_titles(model.tree_, units)
    text, rules = to_text(said), to_rules(said)
    assert re.search(r"duration <= \d+\.5 months  ?", text)
    assert re.search(r"duration > \d+\.5 months", text)
    assert "20.5 months < duration <= 39.5 months" in rules
    assert "paid = 1" in text  # a word, not a number
    assert "times" not in text + rules
    words = " ".join(text.get_text() for text in tree_figure(said).findobj(Text))
    assert "20.5 months" in words
    for page in (report(model, X, y, settings=units, fit_models=False), notebook_html(said)):
        assert "≤ 39.5 months" in re.sub("<[^>]*>", "", page)
    found = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=1, thresholds=4)
    assert " months" in choose_page(found, settings=units)
    assert "months" not in to_sql(model.tree_).replace('"months"', "")


def test_a_sum_of_columns_has_no_unit():
    columns = [Column("a", ColumnKind.CONTINUOUS, unit="m"), Column("b", ColumnKind.CONTINUOUS, unit="kg")]
    assert describe(LinearSplit((0, 1), (1.0, 2.0), 3.0), columns) == "a + 2*b <= 3"


def test_an_interval_is_cut_at_its_name_whatever_its_unit():
    column = Column("age", ColumnKind.CONTINUOUS, unit="< years")
    X = np.array([[1.0], [2.0], [3.0]])
    splits = [ThresholdSplit(0, 1.5), None, ThresholdSplit(0, 2.5), None, None]
    tree = grow(
        [column], np.array([0, 1]), splits, X, np.array([0, 1, 0], np.int32), np.ones(3), 1.0 - np.eye(2)
    )
    leaf = int(tree.apply(np.array([[2.0]]))[0])
    ((before, subject, after),) = ((c.before, c.subject, c.after) for c in leaf_rule(tree, leaf, None))
    assert (before, subject, after) == ("1.5 < years < ", "age", "≤ 2.5 < years")


def test_axes_of_decision_regions_have_units():
    X = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0)[::-1] % 7, "c": np.arange(40.0) % 5})
    y = (X["a"] > 20) & (X["b"] > 3) | (X["c"] > 3)
    model = OptimalTreeClassifier(max_depth=3, cost_complexity=0.001).fit(X, y)
    units = Settings(
        notes={name: ColumnNote(unit=unit) for name, unit in (("a", "m"), ("b", "kg"), ("c", "%"))}
    )
    axes = plot_decision_regions(with_titles(model.tree_, units), X, columns=("a", "b"))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("a (m)", "b (kg)")
    assert axes.get_title(loc="left").endswith(" %")


def test_a_change_that_there_is_not_is_refused_at_once():
    """The report failed in its template, with an error that named neither the column nor the value."""
    with pytest.raises(InputError, match="change='none'; choose one of any, never, only-up, only-down"):
        ColumnNote(change="none")
