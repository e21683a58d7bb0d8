"""BornAgainTreeRegressor: what it hands to the search, what it says of rows, what it refuses."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from treewright import BornAgainTreeRegressor
from treewright.bornagain import Domain, distil_values, near_everywhere
from treewright.convert import Model, from_json, to_json
from treewright.errors import InputError
from treewright.result import SolveStatus, StopReason
from treewright.table import table_from
from treewright.tree import CategorySplit
from treewright.verify import verify_near_everywhere

QUICK = {"max_depth": 2, "max_leaves": 4, "time_limit": None, "progress": False}


@pytest.fixture(scope="module")
def rows():
    X, y = load_diabetes(return_X_y=True)
    return X[:300], y[:300], X[300:]


def test_it_is_the_search_on_the_models_numbers(rows):
    X, y, new = rows
    model = BornAgainTreeRegressor(GradientBoostingRegressor(n_estimators=20), random_state=3, **QUICK)
    model.fit(X, y)
    numbers = model.estimator_.predict(X)
    assert model.estimator_.random_state == 3
    assert model.tolerance_ == float(f"{numbers.std() / 2:.4g}")
    again = distil_values(
        numbers, X, tolerance=model.tolerance_, share=0.1, max_depth=2, max_leaves=4, time_limit=None
    )
    assert model.result_.status is SolveStatus.OPTIMAL
    assert model.result_.sentence() == again.sentence()
    near = np.abs(model.predict(X) - numbers) <= model.tolerance_
    assert near.sum() == model.result_.stats["rows_alike"]
    counted = model.agreement(new)
    truly = np.abs(model.predict(new) - model.estimator_.predict(new)) <= model.tolerance_
    assert (counted.n_rows, counted.n_alike) == (len(new), truly.sum())
    assert 0 < counted.lower_bound < counted.share
    assert model.rows_.tolist() == list(range(300))
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(new), model.predict(new))
    saved = from_json(to_json(Model.of(model.result_)))
    np.testing.assert_array_equal(saved.tree.predict(new), model.predict(new))
    assert saved.result.sentence() == model.result_.sentence()


def test_the_units_of_the_tolerance(rows):
    X, y, _ = rows
    for units, tolerance in (("target", 25.0), ("deviations", 25.0 / y.std())):
        model = BornAgainTreeRegressor(
            GradientBoostingRegressor(n_estimators=5, random_state=0),
            units=units, tolerance=tolerance, **QUICK,
        ).fit(X, y)  # fmt: skip
        spread = model.estimator_.predict(X).std()
        assert model.tolerance_ == pytest.approx(
            25.0 if units == "target" else 25.0 / y.std() * spread, rel=1e-3
        )
    constant = BornAgainTreeRegressor(DummyRegressor(), **QUICK).fit(X, y)
    assert (constant.tolerance_, constant.get_n_leaves()) == (0.0, 1)
    huge = BornAgainTreeRegressor(KNeighborsRegressor(1), **QUICK).fit(X[:20], y[:20] * 1e300)
    assert np.isfinite(huge.tolerance_)
    assert huge.result_.status is SolveStatus.OPTIMAL


def test_at_most_so_many_rows_are_drawn(rows):
    X, y, _ = rows
    model = BornAgainTreeRegressor(max_rows=80, random_state=1, **QUICK).fit(X, y)
    assert len(set(model.rows_)) == 80 == model.result_.stats["rows"]
    assert "of 80 rows" in model.result_.sentence()
    again = BornAgainTreeRegressor(max_rows=80, random_state=1, **QUICK).fit(X, y)
    assert again.rows_.tolist() == model.rows_.tolist()
    other = BornAgainTreeRegressor(max_rows=80, random_state=2, **QUICK).fit(X, y)
    assert other.rows_.tolist() != model.rows_.tolist()
    near = (
        np.abs(model.predict(X[model.rows_]) - model.estimator_.predict(X[model.rows_])) <= model.tolerance_
    )
    assert near.sum() == model.result_.stats["rows_alike"]


def test_a_pipeline_over_text_gives_a_tree_over_text():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"colour": rng.choice(["red", "green", "blue"], 200), "size": rng.normal(size=200)})
    y = np.where(frame["colour"] == "red", 5.0, 0.0) + np.where(frame["size"] > 0, 1.0, 0.0)
    encoded = make_column_transformer((OneHotEncoder(), ["colour"]), (StandardScaler(), ["size"]))
    model = BornAgainTreeRegressor(
        make_pipeline(encoded, GradientBoostingRegressor(n_estimators=200, random_state=0)),
        tolerance=0.1, units="target", share=0.0, **QUICK,
    ).fit(frame, y)  # fmt: skip
    assert model.get_n_leaves() == 4
    assert any(isinstance(split, CategorySplit) for split in model.tree_.splits)
    assert (
        "over all thresholds and all single categories against the rest of depth 2"
        in model.result_.sentence()
    )
    assert model.agreement(frame).n_alike == 200
    assert list(model.feature_names_in_) == ["colour", "size"]
    ready = BornAgainTreeRegressor.from_fitted(
        model.estimator_, frame, tolerance=0.1, units="target", share=0.0
    )
    assert ready.get_n_leaves() == 4
    np.testing.assert_allclose(ready.predict(frame), model.predict(frame))


def test_codes_may_be_categories_for_the_tree(rows):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 6, 120), rng.normal(size=120)])
    y = np.where(X[:, 0] == 3, 1.0, 0.0)
    model = BornAgainTreeRegressor(
        GradientBoostingRegressor(random_state=0), categorical_features=[0], share=0.0, **QUICK
    ).fit(X, y)
    assert model.get_n_leaves() == 2  # by thresholds it were three
    assert model.agreement(X).n_alike == 120


def test_what_is_open_is_said(rows):
    """The fewest leaves may be proven before it is known whether another tree of as many is near on more rows."""
    X, y = rows[0][:60], rows[1][:60]
    asked = {"max_depth": 3, "max_leaves": 8, "time_limit": None, "progress": False, "random_state": 0}
    proven = BornAgainTreeRegressor(**asked).fit(X, y).result_
    assert proven.status is SolveStatus.OPTIMAL
    seen = set()
    for steps in (1, 10, 40, 160, 640, 2560):
        if steps >= proven.stats["steps"]:
            break
        with pytest.warns(ConvergenceWarning):
            stopped = BornAgainTreeRegressor(step_limit=steps, **asked).fit(X, y).result_
        assert stopped.status is SolveStatus.FEASIBLE
        assert stopped.stop_reason is StopReason.STEP_LIMIT
        assert stopped.lower_bound <= proven.objective <= stopped.objective
        keeps = stopped.loss <= 0.1
        open_only = keeps and stopped.lower_bound == stopped.objective
        assert ("Whether one with as many leaves" in stopped.sentence()) == open_only
        assert ("Its size is not proven least" in stopped.sentence()) == (not open_only)
        seen.add(open_only)
    assert False in seen


def test_the_callback_stops_it(rows):
    X, y, _ = rows
    with pytest.warns(ConvergenceWarning):
        model = BornAgainTreeRegressor(
            tolerance=0.1, max_depth=5, time_limit=None, progress=lambda state: True
        ).fit(X, y)
    assert model.result_.stop_reason is StopReason.CALLBACK
    assert model.get_n_leaves() >= 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"units": "percent"}, 'give "deviations" or "target"'),
        ({"tolerance": -1}, "tolerance=-1; give a distance"),
        ({"tolerance": "wide"}, "tolerance='wide'"),
        ({"tolerance": True}, "tolerance=True"),
        ({"share": 1.5}, "share=1.5"),
        ({"faithful": "always"}, 'give "rows" or "everywhere"'),
        ({"max_leaves": "many"}, 'give a number or "auto"'),
        ({"faithful": "everywhere", "max_leaves": 0}, "max_leaves=0"),
        ({"faithful": "everywhere", "tolerance": "wide"}, "tolerance='wide'"),
        ({"faithful": "everywhere", "categorical_features": [0]}, 'is for faithful="rows"'),
        ({"faithful": "everywhere", "share": 0.2}, 'share=0.2 is for faithful="rows"'),
        ({"faithful": "everywhere", "max_depth": 2}, 'max_depth=2 is for faithful="rows"'),
        ({"faithful": "everywhere", "max_rows": None}, 'max_rows=None is for faithful="rows"'),
        ({"domain": "rows"}, 'domain=.rows. is for faithful="everywhere"'),
        ({"faithful": "everywhere", "domain": "columns"}, "domain='columns'; give \"rows\""),
        ({"max_depth": -1}, "max_depth=-1"),
        ({"max_leaves": 0}, "max_leaves=0"),
        ({"max_rows": 0}, "max_rows=0"),
        ({"max_rows": 2.5}, "max_rows=2.5"),
        ({"progress": 3}, "progress=3"),
        ({"time_limit": -1}, "time_limit=-1"),
        ({"categorical_features": ["no"]}, "no"),
    ],
)
def test_bad_parameters_are_refused(rows, wrong, message):
    X, y, _ = rows
    with pytest.raises(InputError, match=message):
        BornAgainTreeRegressor(**wrong).fit(X[:30], y[:30])


def test_models_that_cannot_be_used(rows):
    X, y, _ = rows
    with pytest.raises(InputError, match="one number per row"):
        BornAgainTreeRegressor(LinearRegression()).fit(X, np.column_stack([y, y]))
    with pytest.raises(InputError, match="has no method predict"):
        BornAgainTreeRegressor.from_fitted("model.json", X)
    with pytest.raises(NotFittedError):
        BornAgainTreeRegressor().predict(X)
    with pytest.warns(DataConversionWarning):
        column = BornAgainTreeRegressor(LinearRegression(), **QUICK).fit(X, y[:, None])
    assert column.predict(X).shape == y.shape


def test_a_table_may_be_given_to_the_search(rows):
    X, y, _ = rows
    tables = [distil_values(y[:40], rows, tolerance=30, max_depth=2) for rows in (X[:40], table_from(X[:40]))]
    assert tables[0].sentence() == tables[1].sentence()


def test_near_everywhere_is_its_own_search_on_the_models_trees(rows):
    X, y, new = rows
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    forest = RandomForestRegressor(6, max_depth=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a size that is not proven least is no reason to warn
        model = BornAgainTreeRegressor(forest, faithful="everywhere", random_state=3, progress=False).fit(
            frame, y
        )
    assert model.estimator_.random_state == 3
    again = near_everywhere(model.estimator_, tolerance=model.tolerance_, X=X)
    assert model.result_.sentence() == again.sentence()
    assert model.result_.loss <= model.tolerance_ == float(f"{model.estimator_.predict(frame).std() / 2:.4g}")
    far = pd.DataFrame(np.vstack([new, 1e6 * new]), columns=frame.columns)
    assert np.abs(model.predict(far) - model.estimator_.predict(far)).max() <= model.result_.loss
    assert model.agreement(far).share == 1.0
    assert model.tree_.n_node_samples[0] == len(X) == len(model.rows_)
    assert [column.name for column in model.tree_.columns] == list(frame.columns)
    assert verify_near_everywhere(model.ensemble_, model.result_).ok
    saved = from_json(to_json(Model.of(model.result_)))
    assert saved.result.sentence() == model.result_.sentence()
    assert verify_near_everywhere(model.ensemble_, saved.result).ok
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(far), model.predict(far))
    ready = BornAgainTreeRegressor.from_fitted(model.estimator_, frame, faithful="everywhere", progress=False)
    assert ready.result_.sentence() == model.result_.sentence()


def test_near_within_a_domain():
    rng = np.random.default_rng(0)
    colour, age = rng.integers(0, 3, 80), rng.integers(18, 40, 80)
    frame = pd.DataFrame({"red": colour == 0, "green": colour == 1, "blue": colour == 2, "age": age}).astype(
        float
    )
    y = 10.0 * colour + age * (colour == 1)
    domain = Domain.of(list(frame), {"age": (18, 39)}, integers=["age"], one_hot=[["red", "green", "blue"]])
    asked = {
        "faithful": "everywhere",
        "tolerance": 1.0,
        "units": "target",
        "random_state": 0,
        "progress": False,
    }
    model = BornAgainTreeRegressor(domain=domain, **asked).fit(frame, y)
    assert model.domain_ is domain
    assert model.ensemble_.domain is domain
    assert verify_near_everywhere(model.ensemble_, model.result_).ok
    inside = pd.DataFrame([[*c, a] for c in np.eye(3) for a in range(18, 40)], columns=frame.columns)
    far = np.abs(model.predict(inside) - model.estimator_.predict(inside)).max()
    assert far <= model.result_.loss <= 1.0
    assert len(model.predict(inside - 5)) == len(inside)  # rows outside are answered
    assert model.agreement(inside - 5).n_rows == len(inside)
    plain = BornAgainTreeRegressor(**asked).fit(frame, y)
    assert plain.domain_ is None
    assert model.tree_.n_leaves < plain.tree_.n_leaves
    of_rows = BornAgainTreeRegressor.from_fitted(model.estimator_, frame, domain="rows", **asked)
    assert of_rows.domain_.words(list(frame)).startswith("red from 0 to 1 (whole numbers), ")
    assert verify_near_everywhere(of_rows.ensemble_, of_rows.result_).ok
    again = near_everywhere(of_rows.ensemble_, tolerance=1.0)
    assert of_rows.result_.sentence() == again.sentence()
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(inside), model.predict(inside))
    with pytest.raises(InputError, match="of 80 rows are outside the domain: column 'age' has"):
        BornAgainTreeRegressor(domain=Domain.of(list(frame), {"age": (18, 30)}), **asked).fit(frame, y)
    with pytest.raises(InputError, match="The domain has 1 columns, the ensemble 4"):
        BornAgainTreeRegressor(domain=Domain([0.0], [1.0], [False]), **asked).fit(frame, y)
    assert BornAgainTreeRegressor(max_depth=1, progress=False).fit(frame, y).domain_ is None


def test_a_tree_that_is_not_near_enough_everywhere_is_told(rows):
    X, y, _ = rows
    asked = {"faithful": "everywhere", "tolerance": 0.1, "random_state": 0, "progress": False}
    with pytest.warns(ConvergenceWarning, match="max_leaves is too small.*Raise tolerance") as caught:
        model = BornAgainTreeRegressor(max_leaves=5, **asked).fit(X, y)
    assert caught[0].filename == __file__
    assert model.get_n_leaves() <= 5
    assert model.result_.loss > model.tolerance_
    with pytest.warns(ConvergenceWarning, match="step limit reached"):
        model = BornAgainTreeRegressor(step_limit=100, **asked).fit(X, y)
    assert model.result_.stop_reason is StopReason.STEP_LIMIT


def test_models_whose_trees_cannot_be_read_are_refused_everywhere(rows):
    X, y, _ = rows
    with pytest.raises(InputError, match="cannot be read as a sum of regression trees"):
        BornAgainTreeRegressor(LinearRegression(), faithful="everywhere").fit(X, y)
    gaps = X.copy()
    gaps[0, 0] = np.nan
    with pytest.raises(InputError, match="missing values"):
        BornAgainTreeRegressor(faithful="everywhere").fit(gaps, y)
    scaled = make_pipeline(StandardScaler(), RandomForestRegressor(2, max_depth=2))
    with pytest.raises(InputError, match="changes rows before the ensemble sees them"):
        BornAgainTreeRegressor(scaled, faithful="everywhere").fit(X, y)
    found = GridSearchCV(RandomForestRegressor(3, random_state=0), {"max_depth": [1, 2]}, cv=2)
    model = BornAgainTreeRegressor(found, faithful="everywhere", progress=False).fit(X, y)
    assert model.result_.loss <= model.tolerance_
