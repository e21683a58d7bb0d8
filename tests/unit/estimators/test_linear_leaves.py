"""`leaf_model="linear"`: lines in the leaves of a tree that is proven for constants."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from treewright import OptimalTreeRegressor, OptimalTreeRegressorCV
from treewright.errors import InputError
from treewright.lines import _fit, fit_ridge
from treewright.show import to_rules, to_text

OPTIONS = [
    {"max_depth": 0},
    {"max_depth": 1},
    {"max_depth": 2, "min_samples_leaf": 20},
    {"max_depth": None, "max_leaf_nodes": 3},
    {"cost_complexity": 0.0, "max_depth": 2},
    {"max_depth": 3, "cost_complexity": 0.05, "n_jobs": 2},
]


def made(seed=0, n=150):
    """Two lines, one for each side of the first column, with missing values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(2)
    y = np.where(X[:, 0] > 0, 5 + 2 * X[:, 1], -5 - X[:, 2]) + 0.3 * rng.normal(size=n)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_tree_and_its_proof_are_those_of_constants(options, weighted):
    X, y = made()
    weight = np.random.default_rng(1).integers(0, 4, len(y)).astype(float) if weighted else None
    plain = OptimalTreeRegressor(**options).fit(X, y, weight)
    lined = OptimalTreeRegressor(leaf_model="linear", **options).fit(X, y, weight)
    for name in ("status", "objective", "lower_bound", "loss", "scope"):
        assert getattr(lined.result_, name) == getattr(plain.result_, name)
    assert lined.tree_.splits == plain.tree_.splits
    assert np.array_equal(lined.tree_.value, plain.tree_.value)
    assert np.array_equal(lined.apply(X), plain.apply(X))
    assert np.array_equal(lined.feature_importances_, plain.feature_importances_)
    assert lined.result_.sentence().startswith(plain.result_.sentence())
    assert lined.score(X, y, weight) > plain.score(X, y, weight)


def test_predictions_by_hand():
    X, y = made()
    model = OptimalTreeRegressor(max_depth=1, leaf_model="linear").fit(X, y)
    leaf = model.apply(X)
    expected = np.empty(len(y))
    for node in np.unique(leaf):
        line = model.tree_.lines[node]
        for i in np.flatnonzero(leaf == node):
            terms = zip(line.columns, line.centers, line.slopes[0], strict=True)
            known = [slope * (X[i, j] - center) for j, center, slope in terms if not np.isnan(X[i, j])]
            said = y[leaf == node].mean() + sum(known)
            expected[i] = np.clip(said, y[leaf == node].min(), y[leaf == node].max())
    assert model.predict(X) == pytest.approx(expected)
    assert model.result_.stats["loss_with_lines"] == pytest.approx(1 - model.score(X, y))


def test_no_row_gets_more_or_less_than_the_rows_of_its_leaf():
    X, y = made()
    model = OptimalTreeRegressor(max_depth=1, leaf_model="linear").fit(X, y)
    far = np.nan_to_num(X) * 100
    leaf, said = model.apply(far), model.predict(far)
    for node in np.unique(leaf):
        own = y[model.apply(X) == node]
        assert {own.min(), own.max()} <= set(said[leaf == node])
        assert own.min() <= said[leaf == node].min() <= said[leaf == node].max() <= own.max()


def test_it_is_the_same_on_every_run_and_survives_clone_and_pickle():
    X, y = made()
    model = OptimalTreeRegressor(max_depth=2, leaf_model="linear").fit(X, y)
    again = clone(model).fit(X, y)
    assert again.tree_.lines == model.tree_.lines
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_in_a_pipeline():
    X, y = made()
    X = np.nan_to_num(X)
    model = make_pipeline(StandardScaler(), OptimalTreeRegressor(max_depth=1, leaf_model="linear")).fit(X, y)
    assert model.score(X, y) > 0.95


def test_text_has_no_slope_and_a_column_with_a_slope_must_be_there():
    X, y = made()
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "kind": ["u", "v", "w"] * 50})
    model = OptimalTreeRegressor(max_depth=1, leaf_model="linear").fit(frame, y)
    slopes = {model.tree_.columns[j].name for line in model.tree_.lines if line for j in line.columns}
    assert slopes == {"a", "b", "c"}
    assert model.tree_.asked == {0, 1, 2}
    missing = frame.with_columns(pl.lit(None, dtype=pl.Float64).alias("b"))
    assert np.isfinite(model.predict(missing)).all()


def test_several_outputs():
    X, y = made()
    both = np.column_stack([y, 100 * np.nan_to_num(X[:, 1])])
    model = OptimalTreeRegressor(max_depth=1, leaf_model="linear").fit(X, both)
    leaf = model.apply(X)
    for node in np.unique(leaf):
        rows = leaf == node
        found = fit_ridge(X[rows], both[rows], np.ones(rows.sum()), np.arange(3))
        assert model.tree_.lines[node] == found.line
    assert model.predict(X).shape == (150, 2)
    assert model.predict_interval(X).shape == (150, 2, 2)
    assert [set(errors) for errors in model.leaf_errors_] == [set(np.unique(leaf))] * 2


def test_intervals_go_with_the_line_and_hold_on_new_rows():
    X, y = made(0, 400)
    new, truth = made(1, 4000)
    model = OptimalTreeRegressor(max_depth=1, leaf_model="linear").fit(X, y)
    low, high = model.predict_interval(new, 0.9).T
    said = model.predict(new)
    assert ((low < said) & (said < high)).all()
    assert 0.85 < ((low <= truth) & (truth <= high)).mean() < 0.95
    plain = OptimalTreeRegressor(max_depth=1).fit(X, y).predict_interval(new, 0.9)
    assert (high - low).mean() < (plain[:, 1] - plain[:, 0]).mean()


def test_errors_are_widened_by_what_the_line_has_learned_of_its_rows():
    X, y = made()
    model = OptimalTreeRegressor(max_depth=0, leaf_model="linear").fit(X, y)
    line = model.tree_.lines[0]
    errors = np.sort(y - model.predict(X)) / (1 - line.freedom / len(y))
    assert model.leaf_errors_[0].y == pytest.approx(errors)
    assert line.freedom > 2


def test_where_no_line_helps_intervals_and_predictions_are_those_of_constants():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (60, 1)).astype(float), rng.normal(size=60)
    y[X[:, 0] > 0] += 9
    plain = OptimalTreeRegressor(max_depth=1).fit(X, y)
    lined = OptimalTreeRegressor(max_depth=1, leaf_model="linear").fit(X, y)
    assert set(lined.tree_.lines) == {None}
    assert np.array_equal(lined.predict(X), plain.predict(X))
    assert np.array_equal(lined.predict_interval(X), plain.predict_interval(X))
    assert lined.leaf_errors_ == {}
    assert lined.result_.sentence().endswith(
        "It was chosen for constant leaves, and none of them has a line."
    )


def test_what_is_shown():
    X, y = made()
    model = OptimalTreeRegressor(max_depth=1, leaf_model="linear").fit(X, y)
    line = model.tree_.lines[2]
    first = f"{line.slopes[0][0]:.4g} * (x{line.columns[0]} "
    for text in (to_text(model), to_rules(model)):
        assert first in text
    assert first.replace("*", "\u00d7") in model._repr_html_()
    assert "the lines in its leaves were fitted afterwards" in model.result_.sentence()
    assert model.leaf_records()[0]["prediction"] == model.tree_.value[1, 0]


@pytest.mark.parametrize("estimator", [OptimalTreeRegressor, OptimalTreeRegressorCV])
@pytest.mark.parametrize(
    "options", [{"leaf_model": "simple"}, {"leaf_model": "linear", "criterion": "absolute_error"}]
)
def test_bad_options(estimator, options):
    X, y = made()
    with pytest.raises(InputError, match="leaf_model="):
        estimator(**options).fit(X, y)


def test_cross_validation_scores_trees_with_their_lines():
    X, y = made(2)
    model = OptimalTreeRegressorCV(choose="leaves", max_leaves=3, leaf_model="linear").fit(X, y)
    rows = np.arange(len(y))
    for f, test in enumerate(np.array_split(rows, 5)):
        train = np.setdiff1d(rows, test)
        for k, leaves in enumerate(model.cv_results_["param_leaves"]):
            options = {"cost_complexity": 0.0, "max_depth": 3, "max_leaf_nodes": int(leaves)}
            fold = OptimalTreeRegressor(leaf_model="linear", **options).fit(X[train], y[train])
            lost = ((y[test] - fold.predict(X[test])) ** 2).mean() / y.var()
            assert model.cv_results_[f"split{f}_test_score"][k] == pytest.approx(-lost)
    assert model.tree_.lines is not None
    assert len(model.leaf_errors_) == sum(line is not None for line in model.tree_.lines)
    assert model.result_.options["leaf_model"] == "linear"


def test_ctrl_c_while_lines_are_fitted_ends_a_loop_over_fits(monkeypatch):
    from treewright import raise_on_interrupt

    X, y = made()

    def interrupted(*arguments, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(_fit, "fit_ridge", interrupted)
    model = OptimalTreeRegressor(max_depth=1, leaf_model="linear")
    with raise_on_interrupt(), pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.predict(X).shape == y.shape  # constants
    chosen = OptimalTreeRegressorCV(max_leaves=2, leaf_model="linear")
    with (
        pytest.warns(ConvergenceWarning, match="Interrupted"),
        pytest.raises(KeyboardInterrupt),
        raise_on_interrupt(),
    ):
        chosen.fit(X, y)
    assert chosen.tree_.n_leaves >= 1
