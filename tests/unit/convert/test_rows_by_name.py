"""Rows of frames are read by the names of their columns, as the model was trained on them."""

import lightgbm
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from treewright import BornAgainTreeClassifier
from treewright.bornagain import Ensemble, NumberEnsemble, agreement, distil, near_everywhere, prune, solve
from treewright.errors import InputError


def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 5, (80, 3)).astype(float), columns=["low a", "b", "c"])
    X["c"] += 10
    return X, (X["low a"] > 2).astype(int) + (X["b"] > 3)


def forest():
    return RandomForestClassifier(3, max_depth=3, random_state=0).fit(*table())


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas])
@pytest.mark.parametrize("order", [["c", "b", "low a"], ["low a", "b", "c"], ["b", "c", "low a"]])
def test_the_order_of_columns_does_not_matter(order, make):
    X, _ = table()
    model, moved = forest(), make(X[order])
    ensemble = Ensemble.from_model(model)
    np.testing.assert_array_equal(ensemble.encode(moved), X.to_numpy())
    np.testing.assert_array_equal(ensemble.predict(moved), model.predict(X))
    assert distil(ensemble, moved, max_leaves=9).loss == distil(ensemble, X, max_leaves=9).loss == 0
    tree = solve(ensemble).tree
    assert agreement(tree, ensemble, moved).n_alike == 80
    np.testing.assert_array_equal(prune(tree, moved).predict(X.to_numpy()), model.predict(X))


@pytest.mark.parametrize(
    "params",
    [{"prune": "rows"}, {"prune": "active"}, {"domain": "rows"}, {"faithful": "rows", "tolerance": 0.0}],
)
def test_a_tree_of_a_fitted_model_is_about_the_rows_that_were_given(params):
    X, _ = table()
    model = forest()
    fitted = BornAgainTreeClassifier.from_fitted(model, X[["c", "b", "low a"]], **params)
    np.testing.assert_array_equal(fitted.predict(X), model.predict(X))
    same = BornAgainTreeClassifier.from_fitted(model, X, **params)
    assert fitted.tree_.n_node_samples.tolist() == same.tree_.n_node_samples.tolist()
    if "domain" in params:
        assert fitted.domain_.low.tolist() == X.min().tolist()


def test_numbers_are_added_up_of_the_same_columns():
    X, y = table()
    model = RandomForestRegressor(3, max_depth=3, random_state=0).fit(X, y)
    ensemble = NumberEnsemble.from_model(model)
    np.testing.assert_allclose(ensemble.predict(X[["c", "b", "low a"]]), model.predict(X))
    trees = [near_everywhere(model, tolerance=0.2, X=rows).tree for rows in (X, X[["b", "c", "low a"]])]
    assert trees[0].n_node_samples.tolist() == trees[1].n_node_samples.tolist()


def test_names_as_lightgbm_writes_them():
    X, y = table()
    model = lightgbm.LGBMClassifier(n_estimators=3, verbosity=-1, n_jobs=1).fit(X, y)
    ensemble = Ensemble.from_model(model)
    assert ensemble.feature_names[0] == "low_a"
    np.testing.assert_array_equal(ensemble.predict(X[["c", "low a", "b"]]), model.predict(X))


def test_other_columns_are_refused_where_the_model_knows_names():
    X, y = table()
    named = Ensemble.from_model(forest())
    for other in (X.rename(columns={"c": "d"}), X.set_axis(["b", "b", "c"], axis=1)):
        with pytest.raises(InputError, match="X has the columns"):
            named.encode(other)
    with pytest.raises(InputError, match="must have shape"):
        named.encode(X[["c", "b"]])
    numbered = Ensemble.from_model(RandomForestClassifier(3, random_state=0).fit(X.to_numpy(), y))
    np.testing.assert_array_equal(numbered.encode(X), X.to_numpy())
    np.testing.assert_array_equal(named.encode(X.to_numpy()), X.to_numpy())
