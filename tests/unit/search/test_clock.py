"""The time limit runs from the first line of `fit`: what came before the search is taken off. No real clock is used."""

from itertools import groupby
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import treewright.search._accuracy_frontier as frontier_module
import treewright.search._limits as limits_module
from treewright import (
    LeafAccuracyTreeClassifier,
    LeafAccuracyTreeClassifierCV,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
)
from treewright.cli._question import read_limits
from treewright.estimators._tree_estimator import TreeClassifier
from treewright.search import Limits, accuracy_frontier
from treewright.table import Table

READING = 7.0


@pytest.fixture
def clock(monkeypatch):
    """A clock that only moves when something sets it on."""
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(limits_module, "time", SimpleNamespace(perf_counter=lambda: now.seconds))
    return now


@pytest.fixture
def given(monkeypatch):
    """The seconds that engines were given, in order."""
    seconds = []
    native = Limits.native

    def record(self):
        found = native(self)
        seconds.append(found["time_limit"])
        return found

    monkeypatch.setattr(Limits, "native", record)
    return seconds


def slowed(kind, name, clock, monkeypatch):
    """Let a method take as long as reading does."""
    method = getattr(kind, name)

    def slow(self, *args, **kwargs):
        clock.seconds += READING
        return method(self, *args, **kwargs)

    monkeypatch.setattr(kind, name, slow)


@pytest.fixture
def slow_reading(clock, monkeypatch):
    slowed(TreeClassifier, "_training_table", clock, monkeypatch)


@pytest.fixture
def slow_parts(clock, monkeypatch):
    slowed(Table, "take", clock, monkeypatch)


def table():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 3)).astype(float)
    return X, (X[:, 0] > 0) ^ (rng.random(60) < 0.2)


def test_time_runs_from_the_start_and_never_below_nothing(clock):
    assert Limits(10).left() == 10
    assert Limits().started().left() == np.inf
    limits = Limits(10).started()
    clock.seconds += 4
    assert limits.left() == 6
    assert limits.started().left() == 6  # it runs already
    assert limits == Limits(10)
    clock.seconds += 40
    assert limits.left() == 0
    assert 0 < limits.native()["time_limit"] < 0.01


@pytest.mark.parametrize(
    "model",
    [
        OptimalTreeClassifier(time_limit=10, max_depth=2),
        OptimalTreeClassifier(time_limit=10, max_depth=2, min_leaf_accuracy=0.5),
        OptimalTreeClassifier(time_limit=10, max_depth=2, thresholds="guess", guess_lower_bounds=True),
        LeafAccuracyTreeClassifier(2, min_samples_leaf=5, time_limit=10),
    ],
    ids=["plain", "required accuracy", "guessed", "leaf accuracy"],
)
def test_reading_the_table_is_taken_off_the_time(model, slow_reading, given):
    model.fit(*table())
    beside = (
        isinstance(model, OptimalTreeClassifier) and model.guess_lower_bounds
    )  # its exact search gets half
    assert given[0] == (10 - READING) / (2 if beside else 1)


def test_all_thresholds_get_what_is_left(slow_reading, given):
    X = np.random.default_rng(1).normal(size=(200, 2))
    model = OptimalTreeClassifier(time_limit=10, max_depth=1).fit(X, X[:, 0] > 0)
    assert model.result_.engine == "ranked"
    assert given[-1] == 10 - READING


def test_several_searches_share_the_time_of_fit(slow_reading, given):
    OptimalTreeClassifierCV(max_leaves=3, cv=2, time_limit=10).fit(*table())
    left = 10 - READING  # the clock stands still while they search
    assert sorted(set(given)) == [left / 3, left / 2, left]


def test_fits_to_training_parts_leave_time_for_the_last(slow_reading, given):
    model = LeafAccuracyTreeClassifierCV(
        (1, 2), min_samples_leaves=(5,), criteria=("accuracy",), cv=4, time_limit=100
    )
    model.fit(*table())
    last = 2  # it counts as a quarter of the eight fits before it
    # The table is read once, for all fits; the clock stands still while they search.
    shares = [(100 - READING) / (8 - k + last) for k in range(8)]
    left = [*shares, 100 - READING]
    kept = [min(2, share / 10) for share in left]  # for the bound of a stopped search
    seen = [seconds for seconds, _ in groupby(given)]
    assert seen[0::2] == pytest.approx(left)
    assert seen[1::2] == pytest.approx([share - own for share, own in zip(left, kept, strict=True)])


def test_no_fit_is_begun_once_the_time_is_over(slow_reading, slow_parts, given):
    model = LeafAccuracyTreeClassifierCV((1, 2), min_samples_leaves=(5,), cv=2, time_limit=READING + 1)
    with pytest.warns(ConvergenceWarning, match="The time is over: 1 of 8 fits .* chose the candidate"):
        model.fit(*table())  # all rows are read, and the first part is taken
    assert model.best_params_ == {"max_depth": 1, "min_samples_leaf": 5, "criterion": "lower_bound"}
    assert model.cv_results_["leaf_accuracy"].shape == (1, 1)
    with pytest.warns(ConvergenceWarning, match="The time is over: 0 of 8 fits .* the first candidate"):
        model.set_params(time_limit=READING).fit(*table())
    assert np.isnan(model.best_score_)
    assert len(model.predict(table()[0])) == 60


def test_a_frontier_gets_what_is_left(clock, given, monkeypatch):
    read = frontier_module.table_from

    def slow(*args, **kwargs):
        clock.seconds += READING
        return read(*args, **kwargs)

    monkeypatch.setattr(frontier_module, "table_from", slow)
    accuracy_frontier(*table(), max_leaves=3, time_limit=10)
    assert given[-1] == 10 - READING


def test_the_time_of_the_command_line_runs_while_it_reads(clock):
    limits = read_limits(10, None, None)
    clock.seconds += READING
    assert limits.left() == 10 - READING
