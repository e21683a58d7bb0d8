"""Hybrid trees: they predict like their parts, and pure, small and plain leaves are what Appendix A.6 says."""

import pickle
import sys
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from treewright import HybridTreeClassifier, OptimalTreeClassifier
from treewright.errors import InputError, MissingDependencyError
from treewright.leaf_accuracy import Treatment
from treewright.leaf_accuracy._inputs import Inputs
from treewright.leaf_accuracy._leaf_models import simple_model
from treewright.leaf_accuracy._tune import RANGES, XGBOOST_DEFAULTS, Range, tune_model
from treewright.result import StopReason
from treewright.table import encode_like
from treewright.tree import Column, ColumnKind, ThresholdSplit, grow

QUICK = HistGradientBoostingClassifier(max_iter=5)


def untuned(*args, **options):
    """As in the paper: every leaf gets its model as it comes."""
    return HybridTreeClassifier(*args, **{"tune": None, **options})


def made(seed=0, n_rows=400, n_classes=3, labels=("no", "perhaps", "yes")):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    y = (X[:, 0] > 0).astype(int) + ((X[:, 1] * X[:, 2] > 0.3) if n_classes > 2 else 0)
    return X, np.asarray(labels)[np.where(rng.random(n_rows) < 0.1, 0, y)]


def stump(y_left, y_right, predict=None):
    """A tree that splits x0 <= 0.5, made from rows with these labels; and these rows."""
    y = np.array([*y_left, *y_right], dtype=np.int32)
    X = np.zeros((len(y), 2))
    X[len(y_left) :, 0] = 1.0
    X[:, 1] = np.arange(len(y))
    columns = (Column("side", ColumnKind.BINARY), Column("order", ColumnKind.CONTINUOUS))
    classes = np.unique(y)
    splits = [ThresholdSplit(0, 0.5), None, None]
    tree = grow(columns, classes, splits, X, y, np.ones(len(y)), 1.0 - np.eye(len(classes)))
    return tree, X, y


@pytest.mark.parametrize("leaf", [None, "xgboost", RandomForestClassifier(5), LogisticRegression()], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_it_predicts_like_its_parts(leaf, weighted):
    """Each row is answered by the tree, or by a model that was fitted on the rows of its leaf alone."""
    X, y = made()
    new = made(seed=1)[0]
    weight = np.random.default_rng(2).integers(0, 4, len(y)).astype(float) if weighted else None
    top = OptimalTreeClassifier(0.01, max_depth=2, thresholds=4)
    model = untuned(top, leaf_estimator=leaf, random_state=0).fit(X, y, weight)
    kept = np.flatnonzero(weight > 0) if weighted else np.arange(len(y))
    leaf_of_row, leaf_of_new = model.tree_.apply(X), model.tree_.apply(new)
    assert sorted(model.extensions_) == np.flatnonzero(model.tree_.is_leaf).tolist()
    answered, shares = np.empty(len(new), dtype=y.dtype), np.zeros((len(new), 3))
    for node, part in model.extensions_.items():
        rows, here = kept[leaf_of_row[kept] == node], leaf_of_new == node
        assert part.n_rows == len(rows)
        if part.treatment is Treatment.KEPT:
            answered[here] = model.classes_[model.tree_.prediction[node]]
            shares[here] = model.tree_.predict_proba(new[here])
            continue
        own_classes, own = np.unique(y[rows], return_inverse=True)
        twin = clone(part.model)  # with the seed that it was given
        places = np.searchsorted(model.classes_, own_classes)
        twin.fit(X[rows], own, **({"sample_weight": weight[rows]} if weighted else {}))
        if here.any():
            answered[here] = own_classes[twin.predict(new[here])]
            shares[np.ix_(here, places)] = twin.predict_proba(new[here])
    assert np.array_equal(model.predict(new), answered)
    assert np.allclose(model.predict_proba(new), shares)
    assert np.allclose(model.predict_proba(new).sum(axis=1), 1)
    assert np.array_equal(model.apply(new), leaf_of_new)


def test_a_pure_leaf_keeps_the_tree():
    tree, X, y = stump([0] * 10, [0] * 4 + [1] * 6)
    model = untuned(tree).fit(X, y)
    assert [part.treatment for part in model.extensions_.values()] == [Treatment.KEPT, Treatment.MODEL]
    assert model.extensions_[1].model is None
    assert (model.predict(X[:10]) == 0).all()
    assert (model.predict_proba(X[:10])[:, 0] == 1).all()


@pytest.mark.parametrize("rare", [1, 2, 3])
@pytest.mark.parametrize("n_folds", [2, 3])
@pytest.mark.parametrize("leaf", [None, "xgboost", LogisticRegression()], ids=str)
def test_a_leaf_too_small_gets_a_single_tree(rare, n_folds, leaf):
    tree, X, y = stump([0] * 20 + [1] * 10, [1] * 40 + [0] * rare)
    model = untuned(tree, leaf_estimator=leaf, n_folds=n_folds).fit(X, y)
    part = model.extensions_[2]
    small = rare < n_folds
    assert part.treatment is (Treatment.SIMPLE if small else Treatment.MODEL)
    params = part.model.get_params()
    if leaf is None:
        assert (params["max_iter"], params["max_depth"]) == ((1, 5) if small else (100, None))
        assert len(part.model._predictors) == params["max_iter"]
    elif leaf == "xgboost":
        assert (params["n_estimators"], params["max_depth"]) == ((1, 5) if small else (None, None))
        assert part.model.get_booster().num_boosted_rounds() == (1 if small else 100)
    else:
        assert isinstance(part.model, DecisionTreeClassifier if small else LogisticRegression)
        assert not small or params["max_depth"] == 5


def test_leaves_below_a_tree_from_elsewhere():
    """A leaf without rows keeps the tree; one whose rows are all of another class says that class."""
    tree, _, _ = stump([0] * 10, [1] * 10)
    X, y = np.array([[0.0, 1.0], [0.0, 2.0]]), np.array([1, 1])
    model = untuned(tree).fit(X, y)
    assert [part.treatment for part in model.extensions_.values()] == [Treatment.ONE_CLASS, Treatment.KEPT]
    assert [part.n_rows for part in model.extensions_.values()] == [2, 0]
    new = np.array([[0.0, 0.0], [1.0, 0.0]])
    assert model.predict(new).tolist() == [1, 1]
    assert model.predict_proba(new).tolist() == [[0, 1], [0, 1]]
    assert model.report(new).overruled.tolist() == [True, False]


def test_sibling_leaves_of_one_class_are_merged_first():
    tree, X, y = stump([0] * 10 + [1] * 5, [0] * 10 + [1] * 5)
    merged, whole = (untuned(tree, reduce=reduce).fit(X, y) for reduce in (True, False))
    assert (merged.get_n_leaves(), whole.get_n_leaves()) == (1, 2)
    assert merged.extensions_[0].n_rows == 30


def test_weights_equal_copies():
    X, y = made(n_rows=120)
    times = np.random.default_rng(0).integers(0, 3, len(y))
    leaf = DecisionTreeClassifier(max_depth=2)  # histogram boosting counts rows, not weight, in its leaves
    top = OptimalTreeClassifier(0.02, max_depth=1, thresholds=4)
    model = untuned(top, leaf_estimator=leaf, random_state=0, n_folds=2)
    by_weight = clone(model).fit(X, y, times).predict_proba(X)
    by_copies = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times)).predict_proba(X)
    assert np.allclose(by_weight, by_copies)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_categories_and_missing_values(frame):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "blue", "green"], 300).astype(object)
    size = rng.normal(size=300)
    y = (colour == "red") ^ (size > 0.5)
    colour[:20], size[20:40] = None, np.nan
    table = frame({"colour": colour.tolist(), "size": size})
    top = OptimalTreeClassifier(0.02, max_depth=1)
    model = untuned(top, random_state=0).fit(table, y)
    assert model.score(table, y) > 0.9 > model.top_.score(table, y)
    part = next(part for part in model.extensions_.values() if part.model is not None)
    assert part.model.n_features_in_ == 4  # blue, green, red, size
    encoded = encode_like(table, model.tree_.columns)
    here = np.flatnonzero(model.apply(table) == part.leaf)
    inputs = Inputs.of(model.tree_.columns).matrix(encoded[here])
    assert np.array_equal(
        model.predict(table)[here], model.classes_[part.classes[part.model.predict(inputs)]]
    )
    with pytest.raises(InputError, match="missing values, which leaf_estimator, a LogisticRegression"):
        untuned(top, leaf_estimator=LogisticRegression()).fit(table, y)


def test_the_number_of_jobs_changes_nothing():
    X, y = made()
    model = untuned(leaf_estimator=RandomForestClassifier(5), random_state=3)
    one = clone(model).fit(X, y)
    with joblib.parallel_config(backend="threading"):  # processes take seconds to start
        two = clone(model).set_params(n_jobs=2).fit(X, y)
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    seeds = [part.model.random_state for part in one.extensions_.values() if part.model is not None]
    assert len(set(seeds)) == len(seeds) > 1


def test_a_leaf_model_keeps_its_own_seed():
    X, y = made()
    leaf = RandomForestClassifier(3, random_state=5)
    model = untuned(leaf_estimator=leaf, random_state=3).fit(X, y)
    full = [part for part in model.extensions_.values() if part.treatment is Treatment.MODEL]
    assert {part.model.random_state for part in full} == {5}


def test_report_by_row_and_by_leaf():
    X, y = made()
    new, new_y = made(seed=1)
    model = untuned(DecisionTreeClassifier(max_depth=3), random_state=0).fit(X, y)
    report = model.report(new, new_y)
    explained, predicted = model.tree_.predict(new), model.predict(new)
    assert np.array_equal(report.overruled, explained != predicted)
    assert report.accuracy == pytest.approx((predicted == new_y).mean())
    assert report.top_accuracy == pytest.approx((explained == new_y).mean())
    assert 0 < report.n_overruled < len(new)
    assert report.share_explained == pytest.approx(1 - report.n_overruled / len(new))
    assert sum(entry.n_rows for entry in report.leaves) == len(new)
    assert sum(entry.n_overruled for entry in report.leaves) == report.n_overruled
    leaf = model.apply(new)
    for entry in report.leaves:
        here = leaf == entry.leaf
        assert entry.n_rows == here.sum()
        assert entry.n_overruled == (explained != predicted)[here].sum()
        assert entry.says == model.tree_.classes[model.tree_.prediction[entry.leaf]]
        assert entry.accuracy == (pytest.approx((predicted == new_y)[here].mean()) if here.any() else None)
    frame = pd.DataFrame(report.records())
    assert frame["n_rows"].sum() == len(new)
    text = str(report)
    assert f"{len(new) - report.n_overruled:,} of {len(new):,} rows" in text
    assert report.leaves[0].rule[:20] in text
    assert "right" not in str(model.report(new)).lower()  # without labels
    with pytest.raises(InputError, match=r"y has shape \(3,\)"):
        model.report(new, new_y[:3])


def test_a_report_with_weights_is_that_of_repeated_rows():
    X, y = made()
    new, new_y = made(seed=1)
    model = untuned(DecisionTreeClassifier(max_depth=3), random_state=0).fit(X, y)
    times = np.random.default_rng(0).integers(0, 4, len(new))
    times[model.apply(new) == model.apply(new[:1])[0]] = 0  # a leaf without weight
    report = model.report(new, new_y, sample_weight=times)
    repeated = model.report(np.repeat(new, times, axis=0), np.repeat(new_y, times))
    for share in ("accuracy", "top_accuracy", "share_explained"):
        assert getattr(report, share) == pytest.approx(getattr(repeated, share))
        assert getattr(report, share) != pytest.approx(getattr(model.report(new, new_y), share))
    for entry, of_repeated in zip(report.leaves, repeated.leaves, strict=True):
        assert entry.accuracy == pytest.approx(of_repeated.accuracy)
    assert sum(entry.n_rows for entry in report.leaves) == len(new)
    assert "% of the weight)" in report.sentence()
    with pytest.raises(InputError, match=r"sample_weight has shape \(3,\)"):
        model.report(new, new_y, sample_weight=times[:3])


def test_pickled_and_cloned():
    X, y = made()
    model = untuned(leaf_estimator="xgboost", random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert str(again.report(X)) == str(model.report(X))
    twin = clone(model)
    assert not hasattr(twin, "tree_")
    assert np.array_equal(twin.fit(X, y).predict_proba(X), model.predict_proba(X))
    of_tree = untuned(model.tree_, leaf_estimator=QUICK)
    assert cross_val_score(of_tree, X, y, cv=2).min() > 0.5


@pytest.mark.parametrize("leaf", ["xgboost", None])
def test_tuning_repeats_itself(leaf):
    pytest.importorskip("optuna", reason="needs the extra tune")
    X, y = made(n_rows=250)
    top = DecisionTreeClassifier(max_depth=1)
    tuned = untuned(top, leaf_estimator=leaf, tune="optuna", n_trials=4, n_folds=2)
    one, two, other = (clone(tuned).set_params(random_state=seed).fit(X, y) for seed in (0, 0, 1))
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    ranges = RANGES["boosting" if leaf is None else "xgboost"]
    parts = [part for part in one.extensions_.values() if part.n_trials]
    assert any(part.model is not None for part in parts)
    for part, same, differs in zip(
        one.extensions_.values(), two.extensions_.values(), other.extensions_.values(), strict=True
    ):
        assert part.parameters == same.parameters
        assert part.cv_accuracy == same.cv_accuracy
        if part.n_trials:
            assert part.n_trials == 4
            assert 0 <= part.cv_accuracy <= 1
            assert sorted(part.parameters) == ([] if part.model is None else sorted(ranges))
            assert all(
                ranges[name].low <= value <= ranges[name].high for name, value in part.parameters.items()
            )
        if part.model is not None and differs.model is not None:
            params = part.model.get_params()
            assert all(params[name] == value for name, value in part.parameters.items())
            assert part.model.random_state == same.model.random_state != differs.model.random_state


def test_tuning_is_never_below_the_models_own_parameters():
    """The first trial is the model's own parameters."""
    pytest.importorskip("optuna", reason="needs the extra tune")
    X, y = made(n_rows=200, n_classes=2)
    own = np.unique(y, return_inverse=True)[1]
    model = HistGradientBoostingClassifier(max_iter=20, max_depth=2, l2_regularization=1.0, random_state=0)
    first = tune_model(model, X, own, None, n_trials=1)
    assert dict(first.parameters) == {
        "max_depth": 2, "max_iter": 20, "min_samples_leaf": 20, "learning_rate": 0.1, "max_features": 1.0,
        "l2_regularization": 1.0,
    }  # fmt: skip
    more = tune_model(model, X, own, None, n_trials=5)
    assert more.accuracy >= first.accuracy
    assert (first.n_trials, more.n_trials) == (1, 5)


def test_table_6():
    """The ranges of the paper, number for number."""
    assert RANGES["xgboost"] == {
        "max_depth": Range(1, 7, whole=True),
        "n_estimators": Range(10, 500, whole=True),
        "min_child_weight": Range(1, 1e2, whole=True, log=True),
        "learning_rate": Range(1e-5, 0.7),
        "subsample": Range(0.5, 1),
        "colsample_bylevel": Range(0.5, 1),
        "colsample_bytree": Range(0.5, 1),
        "gamma": Range(1e-8, 7, log=True),
        "reg_alpha": Range(1e-8, 1e2, log=True),
        "reg_lambda": Range(1, 4, log=True),
    }
    assert XGBOOST_DEFAULTS.keys() == RANGES["xgboost"].keys()
    assert RANGES["boosting"].keys() <= HistGradientBoostingClassifier().get_params().keys()


def test_weights_count_in_tuning():
    pytest.importorskip("optuna", reason="needs the extra tune")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 1)), rng.integers(0, 2, 100)
    weight = np.where(y == 1, 99.0, 1.0)
    weighted = tune_model(QUICK, X, y, weight, n_trials=1)
    plain = tune_model(QUICK, X, y, None, n_trials=1)
    assert weighted.accuracy > 0.9 > plain.accuracy


def test_a_time_limit_ends_tuning():
    pytest.importorskip("optuna", reason="needs the extra tune")
    tree, X, y = stump([0] * 20 + [1] * 10, [1] * 20 + [0] * 10)
    model = untuned(tree, leaf_estimator=QUICK, tune="optuna", time_limit=1e-9, random_state=0)
    with pytest.warns(
        ConvergenceWarning, match=r"ended tuning early in 2 of 2 leaves \(fewest trials: 1 of 50"
    ):
        model.fit(X, y)
    assert {part.n_trials for part in model.extensions_.values()} == {1}
    assert model.stop_reason_ is StopReason.TIME_LIMIT


@pytest.mark.parametrize("package", ["xgboost", "optuna"])
def test_a_missing_extra_is_named(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    X, y = made()
    model = untuned(**({"leaf_estimator": "xgboost"} if package == "xgboost" else {"tune": "optuna"}))
    extra = {"xgboost": "xgboost", "optuna": "tune"}[package]
    with pytest.raises(MissingDependencyError, match=rf"treewright\[{extra}\]"):
        model.fit(X, y)


class TakesNoWeight(DummyClassifier):
    def fit(self, X, y):
        return super().fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"leaf_estimator": RidgeClassifier()}, "cannot predict probabilities.*CalibratedClassifierCV"),
        ({"leaf_estimator": LinearRegression()}, "not a classifier"),
        ({"leaf_estimator": "lightgbm"}, "leaf_estimator='lightgbm'"),
        ({"leaf_estimator": LogisticRegression}, "the class LogisticRegression"),
        ({"leaf_estimator": 3}, "leaf_estimator is 3"),
        ({"leaf_estimator": LogisticRegression(), "tune": "optuna"}, "knows ranges for"),
        ({"tune": "grid"}, "tune='grid'"),
        ({"n_trials": 0}, "n_trials=0"),
        ({"n_folds": 1}, "n_folds=1"),
        ({"n_folds": 2.5}, "n_folds=2.5"),
        ({"time_limit": 0}, "time_limit=0"),
        ({"time_limit": "1 s"}, "time_limit='1 s'"),
        ({"reduce": 1}, "reduce=1"),
    ],
    ids=str,
)
def test_bad_parameters(parameters, message):
    X, y = made()
    with pytest.raises(InputError, match=message):
        untuned(**parameters).fit(X, y)


def test_weights_that_a_part_does_not_take():
    X, y = made()
    with pytest.raises(InputError, match="leaf_estimator, a TakesNoWeight, takes none"):
        untuned(leaf_estimator=TakesNoWeight()).fit(X, y, np.ones(len(y)))
    assert untuned(leaf_estimator=TakesNoWeight()).fit(X, y).score(X, y) > 0.3


def test_an_error_in_a_leaf_names_the_leaf():
    X, y = made()
    model = untuned(leaf_estimator=LogisticRegression(C=-1.0))
    with pytest.raises(ValueError, match="'C'") as caught:
        model.fit(X, y)
    assert any("LogisticRegression in leaf" in text for text in caught.value.__notes__)


def test_simple_models_leave_the_given_one_alone():
    given = HistGradientBoostingClassifier(max_iter=7)
    assert simple_model(given).max_iter == 1
    assert given.max_iter == 7


def test_quiet_and_nothing_changed():
    X, y = made()
    before = X.copy()
    model = untuned(OptimalTreeClassifier(0.02, max_depth=2, thresholds=4), random_state=0)
    params = {name: repr(value) for name, value in model.get_params().items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y).predict(X)
    assert {name: repr(value) for name, value in model.get_params().items()} == params
    assert np.array_equal(X, before)
    assert model.result_ is model.top_.result_


def test_a_tree_on_top_that_had_time_for_some_rows_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from treewright.leaf_accuracy import _top

    monkeypatch.setattr(_top, "rows_in_time", lambda X, y, seconds, fit: np.arange(0, len(y), 2))
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    with pytest.warns(ConvergenceWarning, match="left the tree on top 150 rows to choose its splits"):
        model = HybridTreeClassifier(tune=None, time_limit=60).fit(X, y)
    assert model.tree_.n_node_samples[0] == 300  # its leaves answer for all rows
    assert model.stop_reason_ is StopReason.TIME_LIMIT


def test_a_kept_leaf_has_no_parameters_of_the_model_that_it_refused() -> None:
    pytest.importorskip("optuna", reason="needs the extra tune")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), (rng.random(60) < 0.2).astype(int)  # nothing to learn
    tree = OptimalTreeClassifier(max_depth=1, cost_complexity=0.5).fit(X, y)
    model = untuned(tree, leaf_estimator=QUICK, tune="optuna", n_trials=2, n_folds=2, random_state=0).fit(
        X, y
    )
    (own,) = model.extensions_.values()
    assert (own.treatment, own.model, own.n_trials) == (Treatment.KEPT, None, 2)
    assert own.parameters == {}
