"""What is proposed after a time limit: smaller problems, tried on samples of the rows, with the time they take."""

from __future__ import annotations

import math
import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import treewright.search._smaller_problems as module
from treewright import (
    LeafAccuracyTreeClassifier,
    OptimalPolicyTree,
    OptimalProbabilityTree,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
)
from treewright.errors import SolverError
from treewright.problem import make_problem
from treewright.search import (
    Ended,
    Limits,
    SearchForecast,
    SearchTrial,
    SmallerProblems,
    solve,
    solve_frontier,
    trial_of,
)
from treewright.table import table_from

rng = np.random.default_rng(0)
WIDE = rng.normal(size=(4000, 12)).round(3)
LABEL = (WIDE[:, 0] * WIDE[:, 1] + WIDE[:, 2] + rng.normal(size=4000) > 0).astype(int)


def search(some, cuts, limits):
    return solve(some, cuts, limits=limits)


def trial_over(X, y, *, time_limit=60.0, loss=0.0, each=2.0, total=10.0, **asked):
    problem = make_problem(table_from(X), y, **asked)
    return trial_of(problem, search, Limits(time_limit), thresholds="auto", loss=loss, each=each, total=total)


def test_a_small_table_is_searched_to_the_end():
    trial = trial_over(WIDE[:60, :3].round(0), LABEL[:60], cost_complexity=0.01, max_depth=3)
    for change in ({"max_depth": 2}, {"thresholds": 2}, {"cost_complexity": 0.1}):
        assert trial(change).tried


def told(monkeypatch, *trials, longest=30.0, seconds=3.0):
    asked = []

    def forecast(some, search, *, seconds=seconds):
        asked.append((some.max_depth, seconds))
        return SearchForecast(4000, 3.0, 1.0, longest, 10, None, trials)

    monkeypatch.setattr(module, "forecast_search", forecast)
    return asked


def test_what_does_not_end_is_judged_by_the_largest_sample_that_did(monkeypatch):
    ended, stopped = SearchTrial(1000, 0.4, True, 10, 0.2), SearchTrial(2000, 0.5, False, 10, 0.3)
    asked = told(monkeypatch, ended, stopped)
    trial = trial_over(WIDE, LABEL, time_limit=10.0, max_depth=3, each=1.0)
    assert trial({"max_depth": 2}) == Ended(3.0, False, 30.0, 1000, 4000, True)
    assert asked == [(2, 1.0)]


def test_it_is_likely_if_it_ends_within_the_limit_or_half_a_minute(monkeypatch):
    sample = SearchTrial(1000, 0.4, True, 10, 0.2)
    for longest, time_limit, likely in ((29.0, 0.01, True), (31.0, 0.01, False), (31.0, 40.0, True)):
        told(monkeypatch, sample, longest=longest)
        assert trial_over(WIDE, LABEL, time_limit=time_limit)({"max_depth": 2}).likely is likely


def test_samples_that_are_easier_than_the_table_say_nothing(monkeypatch):
    told(monkeypatch, SearchTrial(64, 0.01, True, 10, 0.04))
    assert trial_over(WIDE, LABEL, loss=0.1)({"max_depth": 5}) is None
    assert trial_over(WIDE, LABEL, loss=0.05)({"max_depth": 5}) is not None


def test_nothing_is_concluded_where_no_sample_ended(monkeypatch):
    told(monkeypatch, SearchTrial(64, 0.1, False, 10, 0.3), longest=math.inf)
    assert trial_over(WIDE, LABEL)({"max_depth": 5}) is None


def test_a_question_that_few_rows_cannot_answer_says_nothing(monkeypatch):
    def refused(*given, **named):
        raise SolverError("no")

    monkeypatch.setattr(module, "forecast_search", refused)
    assert trial_over(WIDE, LABEL)({"max_depth": 2}) is None


def test_all_trials_together_keep_to_their_time(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    asked = told(monkeypatch, SearchTrial(1000, 0.4, True, 10, 0.2))
    trial = trial_over(WIDE, LABEL, each=0.5, total=1.0)
    assert trial({"max_depth": 3}) is not None
    now[0] = 1.1  # and some hundredths, however short the limit was
    assert trial({"max_depth": 4}) is None
    assert trial({"max_depth": 2}) is not None  # the last resort
    assert len(asked) == 2
    now[0] = 2.2
    assert trial({"max_depth": 2}) is None


@pytest.mark.parametrize(
    ("given", "depths", "others"),
    [
        ({"max_depth": 4, "thresholds": "all"}, (2, 3), ({"thresholds": 16},)),
        ({"max_depth": None, "thresholds": 9}, (2, 3, 4, 5), ({"thresholds": 4},)),
        ({"max_depth": 2, "thresholds": 4}, (), ()),
        (
            {"max_depth": 2, "thresholds": {"a": [1.0]}, "cost_complexity": 0.003},
            (),
            ({"cost_complexity": 0.006},),
        ),
        ({"max_depth": 2, "max_leaf_nodes": 9}, (), ({"max_leaf_nodes": 4},)),
        ({"max_depth": 2, "cost_complexity": 0.1}, (), ()),
    ],
)
def test_changes_make_the_problem_smaller(given, depths, others):
    assert SmallerProblems.of(**given) == SmallerProblems(depths, others)


def test_where_nothing_is_likely_to_end_the_smallest_is_told_whatever_it_takes():
    slow = Ended(900.0, False, 9000.0, 64, 4000, likely=False)
    smaller = SmallerProblems.of(max_depth=4, thresholds="auto", cost_complexity=0.01)
    assert smaller.that_end(lambda change: slow) == [({"max_depth": 2, "thresholds": 8}, slow)]
    assert slow.in_words() == "about 15 minutes, perhaps up to 2 hours, judging by 64 of the 4,000 rows"
    assert smaller.that_end(lambda change: None) == []


ESTIMATORS = [
    (OptimalTreeClassifier(0.002), LABEL),
    (OptimalTreeClassifier(0.002, max_depth=5, thresholds=40), LABEL),
    (OptimalTreeRegressor(0.0001, max_depth=5), WIDE[:, 0] * WIDE[:, 1]),
    (OptimalProbabilityTree(0.0001, max_depth=5), LABEL),
    (OptimalPolicyTree(0.0001, max_depth=5), rng.normal(size=(4000, 3))),
    (OptimalSurvivalTree(0.00001, max_depth=5), (LABEL == 1, rng.exponential(size=4000) + 0.1)),
    (LeafAccuracyTreeClassifier(), LABEL),
]


@pytest.mark.clock  # nothing is tried, nor named, where the machine was too busy to keep the limit
@pytest.mark.parametrize("time_limit", [0.01, 1.0])
@pytest.mark.parametrize(("model", "y"), ESTIMATORS, ids=lambda x: type(x).__name__)
def test_every_estimator_names_parameters_that_end_and_their_time(model, y, time_limit):
    with pytest.warns(
        ConvergenceWarning, match=r"smaller: [a-z_]+=[\d.]+(, thresholds=8)? \(about [\d.]+ (s|min)"
    ):
        model.set_params(time_limit=time_limit).fit(WIDE, y)


def test_a_limit_on_steps_is_not_about_time():
    with pytest.warns(ConvergenceWarning, match="a smaller max_depth or a larger cost_complexity"):
        OptimalTreeClassifier(0.002, step_limit=2).fit(WIDE, LABEL)


@pytest.mark.clock
def test_what_is_proposed_does_not_take_longer_than_a_short_run_may():
    model = OptimalTreeClassifier(0.002, time_limit=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(WIDE, LABEL)
        begun = time.process_time()
        model.fit(WIDE, LABEL)
        assert time.process_time() - begun < 0.21 + 0.2


def test_frontiers_can_be_tried_as_well():
    problem = make_problem(table_from(WIDE[:200]), LABEL[:200], max_leaf_nodes=4)
    trial = trial_of(
        problem,
        lambda some, cuts, limits: solve_frontier(some, cuts, limits=limits),
        Limits(10.0),
        thresholds=4,
        each=5.0,
        total=5.0,
    )
    assert trial({"max_depth": 2}).tried


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.001, "0.1 s"),
        (0.42, "0.4 s"),
        (12.3, "12 s"),
        (200, "3 minutes"),
        (9000, "2 hours"),
        (1e6, "12 days"),
    ],
)
def test_times_are_said_in_the_unit_that_people_use(seconds, words):
    assert Ended(seconds).in_words() == f"about {words}, tried just now"


def test_nothing_is_tried_where_the_run_itself_was_late():
    """Such a table takes long whatever is asked of it: a fit of .05 s took two seconds more for the advice."""
    problem = make_problem(table_from(WIDE[:60, :3]), LABEL[:60], max_depth=3)

    def never(some, cuts, limits):
        raise AssertionError("a search")

    late = Limits(0.05, begun=time.perf_counter() - 1.0)
    trial = trial_of(problem, never, late, thresholds="auto", each=0.01, total=0.1)
    assert SmallerProblems.of(max_depth=3, thresholds="auto").that_end(trial) == []
