"""`leaf_model="simple_linear"`: lines in one column, and the tree that is best for them."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from brute_force_additive import best_tree, simple_lines
from treewright import OptimalTreeRegressor, OptimalTreeRegressorCV
from treewright.convert import from_json, to_c, to_json, to_python
from treewright.errors import InputError, NoGainWarning
from treewright.problem import make_regression_problem
from treewright.result import SolveStatus
from treewright.search import Limits, solve_simple_lines
from treewright.table import table_from
from treewright.tree import ColumnKind
from treewright.verify import verify_regression

SIMPLE = {"leaf_model": "simple_linear"}
pytestmark = pytest.mark.filterwarnings(f"ignore::{NoGainWarning.__module__}.NoGainWarning")


def made(seed=0, n=150):
    """Two lines, one for each side of the first column."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(2)
    return X, np.where(X[:, 0] > 0, 5 + 2 * X[:, 1], -5 - X[:, 2]) + 0.3 * rng.normal(size=n).round(4)


def random_case(rng):
    n, n_columns = int(rng.integers(3, 10)), int(rng.integers(1, 4))
    X = pd.DataFrame(
        {
            f"x{j}": [
                rng.integers(0, rng.integers(2, 6), n).astype(float),
                rng.normal(size=n).round(int(rng.integers(1, 9))),
            ][rng.integers(2)]
            for j in range(n_columns)
        }
    )
    if rng.random() < 0.3:
        X.loc[rng.random(n) < 0.4, "x0"] = np.nan
    if rng.random() < 0.3:
        X["text"] = rng.choice(["red", "green", "blue"], n)
    y = [rng.normal(size=n), rng.integers(0, 4, n).astype(float)][rng.integers(2)] * 10.0 ** rng.integers(
        -9, 9
    )
    weight = [np.ones(n), rng.integers(0, 4, n).astype(float), rng.integers(1, 9, n) / 8][rng.integers(3)]
    weight[0] = max(weight[0], 1)
    return X, y, weight, {
        "cost_complexity": float(rng.choice([0, 0.125, 0.03125, 1])),
        "max_depth": [0, 1, 2, 3, None][rng.integers(5)],
        "max_leaf_nodes": [None, None, 1, 2, 3][rng.integers(5)],
        "min_samples_leaf": int(rng.choice([1, 1, 2, 3])),
    }  # fmt: skip


@pytest.mark.parametrize("block", range(8))
def test_optimum_predictions_and_certificate(block):
    rng = np.random.default_rng(block)
    for _ in range(25):
        X, y, weight, asked = random_case(rng)
        if asked["min_samples_leaf"] > (weight > 0).sum():
            continue
        model = OptimalTreeRegressor(**asked, **SIMPLE).fit(X, y, weight)
        result = model.result_
        assert result.status is SolveStatus.OPTIMAL
        problem = make_regression_problem(table_from(X), y, sample_weight=weight, **asked)
        report = verify_regression(problem, result)
        assert report.ok, str(report)
        assert verify_regression(problem, result.tree).ok
        if problem.y.min() == problem.y.max():
            assert (result.loss, result.tree.n_leaves) == (0, 1)
            continue
        table = problem.table
        numbers = [j for j, column in enumerate(table.columns) if column.kind is not ColumnKind.CATEGORICAL]
        exact, rows = simple_lines(problem.y, problem.sample_weight, table.X[:, numbers]), range(table.n_rows)
        variance = simple_lines(problem.y, problem.sample_weight, table.X[:, :0])(list(rows))
        limits = {name: asked[name] for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf")}
        wanted, _ = best_tree(table, exact, price=Fraction(asked["cost_complexity"]) * variance, **limits)
        assert abs(result.objective - float(wanted / variance)) <= result.stats["tolerance"] + 1e-11
        assert result.lower_bound <= float(wanted / variance) + 1e-14
        apart = (problem.y - result.tree.predict(table.X)) / np.abs(problem.y).max()
        left = float((problem.sample_weight * apart**2).sum()) / float(
            variance / Fraction(np.abs(problem.y).max()) ** 2
        )
        assert left == pytest.approx(result.loss, abs=1e-9)
        read = from_json(to_json(result))
        assert read.result.sentence() == result.sentence()
        np.testing.assert_array_equal(read.tree.predict(table.X), result.tree.predict(table.X))


def test_it_finds_the_lines_that_made_the_data():
    X, y = made()
    model = OptimalTreeRegressor(max_depth=1, min_samples_leaf=5, **SIMPLE).fit(X, y)
    assert model.tree_.asked == {0, 1, 2}
    columns = {line.columns for line in model.tree_.lines if line is not None}
    assert columns == {(1,), (2,)}
    after = OptimalTreeRegressor(max_depth=1, min_samples_leaf=5, leaf_model="linear").fit(X, y)
    assert model.result_.loss == pytest.approx(1 - model.score(X, y))
    assert model.result_.loss < after.result_.loss
    assert (
        "among all trees whose leaves are lines in one column: no tree of depth at most 1"
        in model.result_.sentence()
    )
    again = clone(model).fit(X, y)
    assert again.tree_.lines == model.tree_.lines
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_beyond_its_rows_a_line_goes_on_flat_and_a_missing_value_is_the_mean():
    X, y = made()
    model = OptimalTreeRegressor(max_depth=0, **SIMPLE).fit(X, y)
    line = model.tree_.lines[0]
    (column,) = line.columns
    ends = X[[X[:, column].argmin(), X[:, column].argmax()]]
    assert np.array_equal(model.predict(ends), model.predict(ends + np.array([[-1e6], [1e6]])))
    assert model.predict(np.full((1, 3), np.nan)) == model.tree_.value[0, 0]
    assert model.predict(X).min() == line.low[0]
    assert model.predict(X).max() == line.high[0]


def test_a_column_with_missing_values_has_a_line_where_they_are_split_off():
    x = np.arange(40.0)
    x[20:] = np.nan
    y = np.where(np.isnan(x), 7.0 + np.arange(40) % 2, 3 * x)
    single = OptimalTreeRegressor(max_depth=0, **SIMPLE).fit(x[:, None], y)
    assert single.tree_.lines == (None,)
    split = OptimalTreeRegressor(0.001, max_depth=1, **SIMPLE).fit(x[:, None], y)
    assert sum(line is not None for line in split.tree_.lines) == 1
    assert split.predict(x[:20, None]) == pytest.approx(y[:20])


def test_importances_are_what_the_objective_loses_at_most():
    X, y = made(n=60)
    model = OptimalTreeRegressor(max_depth=2, min_samples_leaf=5, **SIMPLE).fit(X, y)
    for column in range(3):
        other = np.delete(X, column, axis=1)
        without = clone(model).fit(other, y).result_.objective
        assert without - model.result_.objective <= model.feature_importances_[column] + 1e-9
    assert (model.feature_importances_ > 0.01).all()


def test_exported_code_says_the_same():
    X, y = made()
    model = OptimalTreeRegressor(max_depth=2, min_samples_leaf=5, **SIMPLE).fit(X, y)
    space: dict = {}
    exec(to_python(model.tree_), space)
    predict = space["predict"]
    said = [predict(dict(zip(["x0", "x1", "x2"], row, strict=True))) for row in X[:20].tolist()]
    assert said == model.predict(X[:20]).tolist()
    assert "double" in to_c(model.tree_)


@pytest.mark.parametrize(
    "weight",
    [
        np.arange(150) % 4,
        (np.arange(150) % 3 + 1) / 4,
        (np.arange(150) % 7 + 1) / 10,
        np.pi * (np.arange(150) % 3 + 1),
        np.full(150, 0.1),
    ],
)
def test_weights_are_copies(weight):
    X, y = made()
    about = {"max_depth": 1, **SIMPLE}
    weighted = OptimalTreeRegressor(**about).fit(X, y, weight)
    copies = np.rint(weight / weight[weight > 0].min()).astype(int)
    copied = OptimalTreeRegressor(**about).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    assert weighted.result_.objective == pytest.approx(copied.result_.objective, abs=1e-10)


TAMPERED = {
    "loss": lambda r: replace(r, loss=r.loss * 0.9, objective=r.objective - 0.1 * r.loss),
    "bound": lambda r: replace(r, lower_bound=r.objective + 1),
    "no lines": lambda r: replace(r, tree=replace(r.tree, lines=None)),
    "a slope": lambda r: with_line(r, lambda line: replace(line, slopes=((line.slopes[0][0] * 1.1,),))),
    "a slope beyond numbers": lambda r: with_line(r, lambda line: replace(line, slopes=((1e308,),))),
    "another column": lambda r: with_line(
        r, lambda line: replace(line, columns=((line.columns[0] + 1) % 3,))
    ),
    "an end": lambda r: with_line(r, lambda line: replace(line, high=(line.high[0] * 2,))),
    "count": lambda r: replace(r, stats={**r.stats, "lines": 9}),
    "lines afterwards": lambda r: replace(r, options={**r.options, "leaf_model": "linear"}),
    "constants": lambda r: replace(
        r, options={name: value for name, value in r.options.items() if name != "leaf_model"}
    ),
    "tolerance": lambda r: replace(r, stats={**r.stats, "tolerance": 0.1}),
    "depth": lambda r: replace(r, options={**r.options, "max_depth": None}),
}


def with_line(result, change):
    lines = tuple(None if line is None else change(line) for line in result.tree.lines)
    return replace(result, tree=replace(result.tree, lines=lines))


@pytest.mark.parametrize("what", TAMPERED)
def test_tampered_certificates_are_refused(what):
    X, y = made()
    about = {"max_depth": 2, "min_samples_leaf": 5}
    result = OptimalTreeRegressor(**about, **SIMPLE).fit(X, y).result_
    problem = make_regression_problem(table_from(X), y, cost_complexity=0.01, **about)
    assert verify_regression(problem, result).ok
    assert not verify_regression(problem, TAMPERED[what](result)).ok


@pytest.mark.parametrize("steps", [1, 5, 40])
def test_a_stopped_search_keeps_its_bound(steps):
    X, y = made(3, 80)
    problem = make_regression_problem(table_from(X), y, max_depth=3, min_samples_leaf=5)
    proven = solve_simple_lines(problem)
    stopped = solve_simple_lines(problem, limits=Limits(step_limit=steps))
    assert stopped.lower_bound <= proven.objective + 1e-12 <= stopped.objective + 2e-12
    assert verify_regression(problem, stopped).ok
    if stopped.status is not SolveStatus.OPTIMAL:
        assert (
            "; over all thresholds, among all trees whose leaves are lines in one column"
            in stopped.sentence()
        )
        with pytest.warns(ConvergenceWarning):
            OptimalTreeRegressor(max_depth=3, min_samples_leaf=5, step_limit=steps, **SIMPLE).fit(X, y)


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_units_of_power_of_two_change_nothing(scale):
    X, y = made(1, 60)
    scale = 2.0 ** round(np.log2(scale))
    plain = OptimalTreeRegressor(max_depth=2, **SIMPLE).fit(X, y).result_
    other = OptimalTreeRegressor(max_depth=2, **SIMPLE).fit(X * scale, y / scale).result_
    assert other.objective == pytest.approx(plain.objective)
    assert other.status is SolveStatus.OPTIMAL


def test_only_text_is_a_tree_of_constants():
    words = pl.DataFrame({"kind": ["a", "b", "c", "a"] * 5})
    y = np.array([1.0, 2, 3, 1] * 5)
    model = OptimalTreeRegressor(0.001, max_depth=2, **SIMPLE).fit(words, y)
    assert model.result_.loss == 0
    assert set(model.tree_.lines) == {None}


def test_bad_input():
    X, y = made()
    for about, message in (
        ({"criterion": "poisson"}, "leaf_model='simple_linear' fits lines by least squares"),
        ({"leaf_model": "simple"}, "choose one of constant, linear, simple_linear"),
    ):
        with pytest.raises(InputError, match=message):
            OptimalTreeRegressor(**(SIMPLE | about)).fit(X, np.abs(y))
    with pytest.raises(InputError, match="takes one target, y has 2 columns"):
        OptimalTreeRegressor(**SIMPLE).fit(X, np.column_stack([y, y]))
    with pytest.raises(InputError, match="sample_weight: lines are compared as whole numbers"):
        OptimalTreeRegressor(**SIMPLE).fit(X, y, np.random.default_rng(0).random(len(y)))
    with pytest.raises(InputError, match="sample_weight: lines are compared as whole numbers"):
        OptimalTreeRegressor(**SIMPLE).fit(X, y, np.where(np.arange(len(y)) == 0, 1e9, 1e-9))  # past 64 bits
    with pytest.raises(InputError, match="no search for all numbers of leaves"):
        OptimalTreeRegressorCV(**SIMPLE).fit(X, y)
    with pytest.raises(InputError, match=r"Column 'x1' ranges from .* Divide it by a power of ten"):
        OptimalTreeRegressor(**SIMPLE).fit(X * np.array([1, 1e200, 1]), y)
    with pytest.raises(InputError, match=r"Column 'x1' ranges from .* Multiply it by a power of ten"):
        OptimalTreeRegressor(**SIMPLE).fit(X * np.array([1, 1e-200, 1]), y)
    with pytest.raises(InputError, match="Column 'y' ranges from"):
        OptimalTreeRegressor(**SIMPLE).fit(X, y * 1e-200)


def test_the_command_line(tmp_path):
    X, y = made()
    data = tmp_path / "data.csv"
    pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y).to_csv(data, index=False)
    model = tmp_path / "model.json"
    fit = [
        "fit",
        data,
        "--target",
        "y",
        "--task",
        "regression",
        "--leaf-model",
        "simple-linear",
        "--max-depth",
        "1",
    ]
    for words in (
        [*fit, "--min-samples-leaf", "5", "--out", model],
        ["verify", model, data],
        ["predict", model, data],
        ["export", model, "--to", "python"],
    ):
        code = "from treewright.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr + done.stdout
        if words[0] == "fit":
            assert "among all trees whose leaves are lines in one column" in " ".join(done.stdout.split())
