"""Models that take their time to answer: how many rows they are asked about, and what is said of the others."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from treewright.bornagain import Ensemble, distil
from treewright.bornagain import _answers_in_time as answers_in_time
from treewright.errors import InputError
from treewright.estimators import BornAgainTreeClassifier, BornAgainTreeRegressor
from treewright.estimators import _born_again_regressor as born_again_regressor
from treewright.result import SolveStatus, StopReason
from treewright.search import Limits

LONG = 1e6  # seconds


@pytest.fixture
def asked(monkeypatch):
    """What models are asked about: rows each time. The time is over after the second question."""
    sizes = []
    left = Limits.left
    monkeypatch.setattr(answers_in_time, "LEAST_ROWS", 8)
    monkeypatch.setattr(answers_in_time, "MOST_ROWS", 32)
    monkeypatch.setattr(Limits, "left", lambda self: 0.0 if len(sizes) >= 2 else left(self))
    return sizes


class Slow(RegressorMixin, BaseEstimator):
    """Predicts the first column, and keeps count."""

    asked: list = []  # noqa: RUF012  (of the test)

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        Slow.asked.append(len(X))
        return np.asarray(X)[:, 0]


class SlowClassifier(ClassifierMixin, Slow):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return super().fit(X, y)

    def predict(self, X):
        return np.where(super().predict(X) > 0, *self.classes_[::-1])


def table(n=200):
    X = np.random.default_rng(0).normal(size=(n, 3))
    return X[np.argsort(X[:, 0])]  # sorted: the first rows alone would say little


def fit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


@pytest.mark.parametrize("max_rows", [None, 100, 20])
def test_a_regressor_uses_the_rows_that_were_answered(asked, monkeypatch, max_rows):
    monkeypatch.setattr(Slow, "asked", asked)
    X = table()
    model = fit(
        BornAgainTreeRegressor(Slow(), max_rows=max_rows, time_limit=LONG, random_state=1), X, X[:, 0]
    )
    assert asked == [8, 16]
    n_used = 24 if max_rows is None or max_rows > 24 else max_rows
    assert len(model.rows_) == n_used == model.result_.stats["rows"] == len(set(model.rows_))
    assert model.rows_.tolist() == sorted(model.rows_)
    assert model.rows_.max() > 100  # from all over the table
    near = np.abs(model.predict(X[model.rows_]) - X[model.rows_, 0]) <= model.tolerance_
    assert near.sum() == model.result_.stats["rows_alike"]
    notes = " ".join(model.result_.notes)
    assert "The deviation is that of the model's numbers on 24 of the 200 rows" in notes
    assert ("made from 24 of the 200 rows" in notes) == (n_used == 24)
    if n_used == 24:
        assert model.result_.status is SolveStatus.FEASIBLE
        assert model.result_.stop_reason is StopReason.TIME_LIMIT
        assert model.result_.lower_bound == 1
    assert model.tolerance_ > 0


def test_with_time_enough_all_rows_are_asked_and_nothing_is_noted(monkeypatch):
    sizes: list = []
    monkeypatch.setattr(Slow, "asked", sizes)
    monkeypatch.setattr(answers_in_time, "LEAST_ROWS", 8)
    X = table()
    limited = fit(BornAgainTreeRegressor(Slow(), max_depth=1, time_limit=LONG, random_state=1), X, X[:, 0])
    assert sum(sizes) == 200 < 8 * len(sizes) * 200
    assert len(sizes) > 1
    sizes.clear()
    whole = fit(BornAgainTreeRegressor(Slow(), max_depth=1, time_limit=None, random_state=1), X, X[:, 0])
    assert sizes == [200]
    assert whole.tolerance_ == limited.tolerance_ == float(f"{X[:, 0].std() / 2:.4g}")
    assert whole.result_.sentence() == limited.result_.sentence()
    assert whole.result_.notes == limited.result_.notes
    assert whole.rows_.tolist() == limited.rows_.tolist() == list(range(200))


@pytest.mark.parametrize("faithful", ["rows", "everywhere"])
def test_a_deviation_takes_no_more_rows_than_it_needs(monkeypatch, faithful):
    """So a step limit, which has no clock, waits for no predictions of a million rows either."""
    X = table()
    forest = RandomForestRegressor(2, max_depth=2, random_state=0).fit(X, X[:, 0])
    sizes = []
    predict = RandomForestRegressor.predict
    monkeypatch.setattr(
        RandomForestRegressor, "predict", lambda self, X: sizes.append(len(X)) or predict(self, X)
    )
    monkeypatch.setattr(born_again_regressor, "MOST_MEASURED", 50)
    asked = {"faithful": faithful, "time_limit": None, "step_limit": 1, "random_state": 0}
    if faithful == "rows":
        asked["max_rows"] = 20
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = BornAgainTreeRegressor.from_fitted(forest, X, **asked)
        assert sizes == [50]
        assert not any("deviation" in note for note in model.result_.notes)
        spread = predict(forest, X).std() / 2
        assert model.tolerance_ == pytest.approx(spread, rel=0.5)
        sizes.clear()
        BornAgainTreeRegressor.from_fitted(forest, X, **asked, units="target", tolerance=1.0)
    assert sizes == ([20] if faithful == "rows" else [])


def test_a_classifier_of_any_kind_is_asked_in_blocks(asked, monkeypatch):
    monkeypatch.setattr(Slow, "asked", asked)
    X = table()
    model = BornAgainTreeClassifier(SlowClassifier(), faithful="rows", time_limit=LONG)
    model = fit(model, X, np.where(X[:, 0] > 0, "yes", "no"))
    assert asked == [8, 16]
    assert model.result_.stats["rows"] == 24 == model.tree_.n_node_samples[0]
    assert "on 24 of 24 rows" in model.result_.sentence()
    assert model.result_.status is SolveStatus.FEASIBLE
    assert model.result_.lower_bound == 1
    assert "The tree was made from 24 of the 200 rows" in model.result_.notes[-1]
    assert set(model.tree_.predict(X)) == {"no", "yes"}  # the rows are from both ends of a sorted table


def test_an_ensemble_is_asked_in_blocks(asked, monkeypatch):
    X = table()
    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, X[:, 0] > 0)
    answers = Ensemble.answers

    def counted(self, X):
        asked.append(len(X))
        return answers(self, X)

    monkeypatch.setattr(Ensemble, "answers", counted)
    ensemble = Ensemble.from_model(forest)
    stopped = distil(ensemble, X, time_limit=LONG)
    assert asked == [8, 16]
    assert stopped.stats["rows"] == 24
    assert "of the 200 rows" in stopped.notes[-1]
    asked.clear()
    whole = distil(ensemble, X, time_limit=None)
    assert asked[0] == 200
    assert whole.stats["rows"] == 200
    assert not any("drawn at random" in note for note in whole.notes)


def test_answers_that_are_not_one_a_row_are_refused():
    class Wrong(Slow):
        def predict(self, X):
            return np.zeros(3)

    X = table(20)
    for limit in (None, LONG):
        with pytest.raises(InputError, match="give one a row"):
            BornAgainTreeRegressor(Wrong(), time_limit=limit).fit(X, X[:, 0])
