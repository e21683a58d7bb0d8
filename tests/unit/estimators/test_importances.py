"""What a column is worth: the bound that every fit brings, and the exact value of further fits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectFromModel

from treewright import LeafAccuracyTreeClassifier, OptimalTreeClassifier, OptimalTreeRegressor
from treewright.binarize import SplitMatrix, auto_splits
from treewright.errors import InputError
from treewright.estimators import importances_without
from treewright.problem import make_problem
from treewright.search import solve_binary
from treewright.table import table_from


def table(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (40, 4)).astype(float)
    return X, (X[:, 0] + X[:, 1] > 2 + rng.normal(0, 0.7, 40)).astype(int), rng


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", ["plain", "weights", "costs", "regression"])
def test_the_bound_is_one_and_the_exact_value_is_that_of_a_table_without_the_column(seed, kind):
    X, y, rng = table(seed)
    weight = rng.random(40) + 0.1 if kind == "weights" else None
    if kind == "regression":
        model = OptimalTreeRegressor(0.02, max_depth=2).fit(X, y + rng.normal(0, 0.2, 40))
        target = y
        model.fit(X, target)
    else:
        costs = [[0, 1], [3, 0]] if kind == "costs" else None
        model = OptimalTreeClassifier(0.02, max_depth=3, costs=costs).fit(X, y, sample_weight=weight)
    exact = {one.column: one for one in importances_without(model, X, y, sample_weight=weight)}
    for j in range(4):
        bound = model.feature_importances_[j]
        if j not in model.tree_.asked:
            assert bound == 0
            continue
        other = type(model)(**model.get_params()).fit(np.delete(X, j, axis=1), y, sample_weight=weight)
        worth = exact[f"x{j}"]
        assert worth.proven
        assert worth.at_most == pytest.approx(other.result_.objective - model.result_.objective, abs=1e-9)
        assert bound >= worth.at_most - 1e-9


def test_a_root_that_becomes_a_leaf_loses_all_that_the_tree_gains():
    X, y, _ = table(1)
    model = OptimalTreeRegressor(0.02, max_depth=2).fit(X, y)
    root = model.tree_.splits[0].column
    assert model.feature_importances_[root] == pytest.approx(1.02 - model.result_.objective)


def test_targets_far_apart_do_not_overflow():
    X, y, _ = table(2)
    model = OptimalTreeRegressor(0.02, max_depth=1).fit(X, np.where(y > 0, 1.5e308, -1.5e308))
    assert np.isfinite(model.feature_importances_).all()


def test_scikit_learn_selects_by_them():
    X, y, _ = table(3)
    chosen = SelectFromModel(OptimalTreeClassifier(0.02, max_depth=2), threshold=1e-9).fit(X, y)
    assert set(np.flatnonzero(chosen.get_support())) <= set(chosen.estimator_.tree_.asked)


def test_frames_keep_their_kind():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X, y, _ = table(4)
    colours = np.array(["red", "green", "blue"])[X[:, 0].astype(int)]
    for frame in (pd.DataFrame(X[:, 1:], columns=list("abc")).assign(colour=colours),
                  pl.DataFrame(X[:, 1:], schema=list("abc")).with_columns(colour=pl.Series(colours))):  # fmt: skip
        model = OptimalTreeClassifier(0.02, max_depth=2).fit(frame, y)
        assert {one.column for one in importances_without(model, frame, y)} == {
            model.tree_.columns[j].name for j in model.tree_.asked
        }


def test_other_estimators_are_refused():
    X, y, _ = table(5)
    model = LeafAccuracyTreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(InputError, match="LeafAccuracyTreeClassifier; give a fitted"):
        importances_without(model, X, y)


def test_a_sparse_table_is_told_its_size_and_what_to_do():
    X = sparse.random(1000, 5000, 0.01, format="csr", random_state=0)
    with pytest.raises(InputError, match=r"38\.1 MiB.*SelectKBest"):
        OptimalTreeClassifier().fit(X, np.arange(1000) % 2)


def words_of(seed):
    """Return a table of three columns of words, more of them than a search may hold below, and labels."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 6, (60, 3))
    y = ((codes[:, 0] < 2) ^ (codes[:, 1] == 5) ^ (codes[:, 2] == 3) ^ (rng.random(60) < 0.1)).astype(int)
    return pd.DataFrame(np.array(list("abcdef"))[codes], columns=["one", "two", "three"]), y


@pytest.mark.parametrize("seed", range(12))
def test_where_the_second_search_is_over_other_splits_nothing_is_called_exact(seed, monkeypatch):
    """ "auto" takes fewer categories of three columns than of two; the truth is that of the first splits."""
    monkeypatch.setattr("treewright.search._space.MOST_SPLITS", 8)
    X, y = words_of(seed)
    model = OptimalTreeClassifier(0.01, max_depth=3).fit(X, y)
    offered = auto_splits(table_from(X), 8)
    assert model.result_.scope == offered.scope
    problem = make_problem(table_from(X), y, cost_complexity=0.01, max_depth=3)
    assert model.result_.objective == pytest.approx(solve_binary(problem, offered).objective)
    for worth in importances_without(model, X, y):
        column = X.columns.get_loc(worth.column)
        left = [j for j, split in enumerate(offered.splits) if split.column != column]
        without = SplitMatrix([offered.splits[j] for j in left], offered.packed[left], 60, offered.scope)
        true = solve_binary(problem, without).objective - model.result_.objective
        assert worth.at_least <= true + 1e-9
        assert worth.at_most >= true - 1e-9
        assert not worth.proven or worth.at_most < 1e-6


@pytest.mark.parametrize("thresholds", [3, {f"x{j}": [0.5, 1.5] for j in range(4)}])
def test_quantiles_and_given_thresholds_of_a_column_do_not_depend_on_the_others(thresholds):
    X, y, _ = table(6)
    model = OptimalTreeClassifier(0.02, max_depth=3, thresholds=thresholds).fit(X, y)
    assert len(model.tree_.asked) > 0
    for worth in importances_without(model, X, y):
        other = OptimalTreeClassifier(0.02, max_depth=3).fit(np.delete(X, int(worth.column[1:]), axis=1), y)
        assert worth.proven
        assert worth.at_most == pytest.approx(other.result_.objective - model.result_.objective, abs=1e-12)


@pytest.mark.parametrize("options", [{"thresholds": "guess"}, {"max_depth": "guess"}])
def test_guessed_splits_are_not_those_of_the_second_guess(options):
    X, y, rng = table(7)
    X = X + rng.normal(0, 0.3, X.shape)
    model = OptimalTreeClassifier(0.02, **{"max_depth": 3} | options).fit(X, y)
    found = importances_without(model, X, y)
    assert found
    if "thresholds" in options:
        assert all(worth.at_least == 0 for worth in found)
    for worth in found:
        assert worth.at_least <= worth.at_most <= model.feature_importances_.max() + model.result_.gap


def test_costs_of_rows_are_asked_for_and_used():
    X, y, rng = table(8)
    costs = rng.integers(0, 9, (40, 2)).astype(float)
    model = OptimalTreeClassifier(0.02, max_depth=2).fit(X, y, row_costs=costs)
    with pytest.raises(InputError, match="row_costs must be those of fit"):
        importances_without(model, X, y)
    found = importances_without(model, X, y, row_costs=costs)
    assert found
    for worth in found:
        less = np.delete(X, int(worth.column[1:]), axis=1)
        other = OptimalTreeClassifier(0.02, max_depth=2).fit(less, y, row_costs=costs)
        assert worth.proven
        assert worth.at_most == pytest.approx(other.result_.objective - model.result_.objective, abs=1e-6)


@pytest.mark.filterwarnings("error")
def test_large_weights_do_not_overflow():
    rng = np.random.default_rng(4)
    X, y, weight = rng.normal(size=(60, 2)), rng.normal(size=60), np.ldexp(rng.random(60) + 0.1, 1000)
    weight[0] = 0.3  # weights that are all whole are added exactly, and not so large
    importances = OptimalTreeRegressor(max_depth=2).fit(X, y, sample_weight=weight).feature_importances_
    assert np.isfinite(importances).all()
    assert importances.max() > 0
