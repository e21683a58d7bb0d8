"""Regression trees of several outputs: shapes, words, every format, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import OptimalTreeRegressor
from treewright.convert import to_c, to_onnx, to_python, to_sklearn, to_sql
from treewright.errors import InputError
from treewright.estimators._leaf_targets import leaf_targets
from treewright.problem import make_regression_problem
from treewright.result import SolveStatus
from treewright.search import solve_regression
from treewright.search._solve_regression import normalized
from treewright.show import rules, to_graphviz, to_text
from treewright.table import table_from


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 3))
    y = np.column_stack([3.0 * (X[:, 0] > 0), 2.0 * (X[:, 1] > 0.5), rng.normal(size=120)])
    return OptimalTreeRegressor(0.02, max_depth=2).fit(X, y), X, y


def test_predictions_have_a_column_for_each_output(fitted) -> None:
    model, X, y = fitted
    predicted = model.predict(X)
    assert predicted.shape == (120, 3)
    for leaf in np.unique(model.apply(X)):
        rows = model.apply(X) == leaf
        np.testing.assert_allclose(predicted[rows], np.tile(y[rows].mean(axis=0), (rows.sum(), 1)))
    assert model.result_.loss == pytest.approx(
        ((y - predicted) ** 2).sum() / ((y - y.mean(axis=0)) ** 2).sum()
    )
    assert "summed variance of 3 outputs" in model.result_.sentence()


def test_an_output_that_says_nothing_changes_nothing(fitted) -> None:
    _, X, y = fitted
    one = OptimalTreeRegressor(0.0, max_depth=2).fit(X, y[:, 0])
    both = OptimalTreeRegressor(0.0, max_depth=2).fit(X, np.column_stack([y[:, 0], np.ones(120)]))
    assert both.result_.loss == pytest.approx(one.result_.loss)
    np.testing.assert_allclose(both.predict(X)[:, 0], one.predict(X))
    np.testing.assert_array_equal(both.predict(X)[:, 1], 1.0)


def test_constant_outputs_are_one_leaf() -> None:
    model = OptimalTreeRegressor().fit(np.arange(5.0)[:, None], np.tile([2.0, 7.0], (5, 1)))
    assert model.result_.status is SolveStatus.OPTIMAL
    np.testing.assert_array_equal(model.predict([[9.0]]), [[2.0, 7.0]])


def test_intervals_and_records_are_of_each_output(fitted) -> None:
    model, X, y = fitted
    ends = model.predict_interval(X, 0.8)
    assert ends.shape == (120, 3, 2)
    for output in range(3):
        alone = OptimalTreeRegressor(0.02, max_depth=2).fit(X, y)
        assert isinstance(alone.leaf_targets_, list)
        for leaf in np.unique(model.apply(X)):
            rows = model.apply(X) == leaf
            np.testing.assert_array_equal(
                np.unique(ends[rows, output], axis=0)[0],
                [alone.leaf_targets_[output][int(leaf)].quantile(share) for share in (0.1, 0.9)],
            )
    records = model.leaf_records()
    assert [record["output"] for record in records[:3]] == [0, 1, 2]
    assert len(records) == 3 * model.get_n_leaves()
    assert records[1]["prediction"] == model.tree_.value[records[1]["leaf"], 1]


def test_text_rules_and_pictures_say_all_outputs(fitted) -> None:
    model, _, _ = fitted
    leaf = next(rule for rule in rules(model.tree_, digits=6) if rule.leaf)
    assert leaf.prediction == tuple(model.tree_.value[leaf.leaf].tolist())
    assert leaf.label.count(",") == 2
    assert leaf.label in to_text(model.tree_, digits=6)
    assert "(" in to_graphviz(model.tree_)
    assert "predicts 3 numbers" in repr(model.tree_)
    assert leaf.label.split(", ")[2].rstrip(")")[:4] in model._repr_html_()


def test_python_and_scikit_learn_predict_the_same(fitted) -> None:
    model, X, _ = fitted
    code: dict = {}
    exec(to_python(model.tree_), code)
    names = [column.name for column in model.tree_.columns]
    answers = [code["predict"](dict(zip(names, row, strict=True))) for row in X]
    np.testing.assert_array_equal(answers, model.predict(X))
    np.testing.assert_allclose(to_sklearn(model.tree_).predict(X), model.predict(X))


def test_onnx_predicts_the_same(fitted) -> None:
    runtime = pytest.importorskip("onnxruntime")
    model, X, _ = fitted
    session = runtime.InferenceSession(to_onnx(model.tree_, precision="float64").SerializeToString())
    (given,) = session.get_inputs()
    np.testing.assert_array_equal(session.run(["value"], {given.name: X})[0], model.predict(X))


@pytest.mark.parametrize("write", [to_c, to_sql])
def test_code_that_gives_one_number_refuses_several(fitted, write) -> None:
    with pytest.raises(InputError, match=r"predicts 3 numbers a row.*to_python"):
        write(fitted[0].tree_)


@pytest.mark.parametrize("criterion", ["poisson", "gamma", "absolute_error", "quantile"])
def test_other_losses_take_one_output(criterion) -> None:
    with pytest.raises(InputError, match=r"y has 2 columns.*takes one"):
        make_regression_problem(table_from(np.arange(4.0)[:, None]), np.ones((4, 2)), criterion=criterion)


@pytest.mark.parametrize(
    "y", [np.ones((4, 2, 2)), np.ones((4, 0)), np.array([[1, np.nan]] * 4), np.ones((3, 2)), [[1, "a"]] * 4]
)
def test_unusable_targets_are_refused(y) -> None:
    with pytest.raises(InputError, match=r"y\b"):
        make_regression_problem(table_from(np.arange(4.0)[:, None]), y)


def test_a_limit_gives_the_best_tree_so_far_with_its_bound() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 12)), rng.normal(size=(400, 4))
    full = OptimalTreeRegressor(0.0, max_depth=2).fit(X, y).result_
    with pytest.warns(match="limit"):
        cut = OptimalTreeRegressor(0.0, max_depth=2, step_limit=1).fit(X, y).result_
    assert cut.status is SolveStatus.FEASIBLE
    assert cut.lower_bound <= full.objective <= cut.objective + 1e-12


@pytest.mark.parametrize("n_outputs", [255, 512, 1024])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_output_many_times_is_the_same_problem(n_outputs, seed) -> None:
    """The squares of a row, all outputs together, once passed 64 bits: one leaf was then called optimal."""
    y = np.random.default_rng(seed).normal(size=6)
    y[:2] *= 100  # two rows have nearly all squares
    X = np.arange(6.0)[:, None]
    one = OptimalTreeRegressor(1e-4, max_depth=2).fit(X, y).result_
    many = OptimalTreeRegressor(1e-4, max_depth=2).fit(X, np.repeat(y[:, None], n_outputs, axis=1)).result_
    assert many.status is one.status is SolveStatus.OPTIMAL
    assert many.objective == pytest.approx(one.objective, abs=1e-9)
    assert many.tree.n_leaves == one.tree.n_leaves


def test_rows_are_sorted_by_leaf_once_for_all_outputs(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    X, sort, sorted_ = rng.normal(size=(60, 2)), np.argsort, []
    problem = make_regression_problem(table_from(X), rng.normal(size=(60, 3)), max_depth=2)
    tree = solve_regression(problem).tree
    monkeypatch.setattr(np, "argsort", lambda *a, **k: (sorted_.append(len(a[0])), sort(*a, **k))[1])
    assert len(leaf_targets(tree, problem)) == 3
    assert sorted_ == [60]


@pytest.mark.parametrize("unit", [1.0, 5e-324, 1e-300, 1e300])
def test_targets_are_centred_between_their_ends(unit) -> None:
    y = np.random.default_rng(0).integers(-100, 100, size=(50, 3)) * unit
    for one in (y, y[:, 0]):
        exponent = int(np.frexp((one.max(axis=0) / 2 - one.min(axis=0) / 2).max())[1])
        scaled = np.ldexp(one, -exponent)
        centred = scaled - (scaled.max(axis=0) / 2 + scaled.min(axis=0) / 2)
        assert np.array_equal(normalized(one), centred)


class NeverAlongRows(np.ndarray):
    """A table that refuses to look for the largest along its axes."""

    def max(self, axis=None, **rest):
        assert self.ndim == 1
        return np.asarray(self).max(axis, **rest)

    def min(self, axis=None, **rest):
        assert self.ndim == 1
        return np.asarray(self).min(axis, **rest)


def test_ends_of_the_targets_are_sought_column_by_column() -> None:
    y = np.random.default_rng(0).normal(size=(50, 3))
    assert np.array_equal(normalized(y.view(NeverAlongRows)), normalized(y))
