"""How long a search will take: the arithmetic of the estimate, its limits, and what it leaves alone."""

import math
import time
from dataclasses import fields

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from treewright import (
    OptimalPolicyTree,
    OptimalProbabilityTree,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
)
from treewright.errors import InputError
from treewright.problem import TreeProblem, make_problem
from treewright.search import Limits, SearchForecast, SearchTrial, forecast_search, solve
from treewright.table import table_from

rng = np.random.default_rng(3)
N = 500
X = rng.normal(size=(N, 4)).round(2)
LABEL = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=N) > 0).astype(int)
TIMES = rng.exponential(np.exp(X[:, 0]))
ESTIMATORS = [
    (OptimalTreeClassifier(max_depth=2), LABEL, {}),
    (OptimalTreeClassifier(max_depth=2), LABEL, {"row_costs": rng.random((N, 2))}),
    (OptimalTreeClassifier(max_depth=2, thresholds=4), LABEL, {"sample_weight": rng.integers(1, 3, N)}),
    (OptimalTreeRegressor(max_depth=2), X[:, 0] + rng.normal(size=N), {}),
    (OptimalProbabilityTree(max_depth=2), LABEL, {}),
    (OptimalPolicyTree(max_depth=2), rng.normal(size=(N, 3)), {}),
    (OptimalSurvivalTree(max_depth=2), (TIMES < 2, np.minimum(TIMES, 2)), {}),
]


@pytest.mark.parametrize(("model", "y", "more"), ESTIMATORS, ids=lambda x: type(x).__name__)
def test_every_exact_estimator_says_how_long_it_takes(model, y, more) -> None:
    found = model.forecast(X, y, seconds=20.0, **more)
    assert found.trials[-1] == SearchTrial(N, found.seconds, True, found.memory)
    assert "it was run" in str(found)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)


@pytest.mark.parametrize(("model", "y", "more"), ESTIMATORS, ids=lambda x: type(x).__name__)
def test_some_rows_of_a_problem_are_some_rows_of_all_that_it_has_by_row(model, y, more) -> None:
    whole: TreeProblem = model._question(X, y, **more).problem
    rows = np.array([3, 1, 400])
    some = whole.take(rows, 2)
    assert some.min_samples_leaf == 2
    assert np.array_equal(some.table.X, whole.table.X[rows])
    for field in fields(whole):
        value = getattr(whole, field.name)
        if isinstance(value, np.ndarray) and len(value) == N:
            assert np.array_equal(getattr(some, field.name), value[rows]), field.name


def power_law(exponent: float, unit: float, clock: list[float]):
    """A search that takes ``unit * rows ** exponent`` seconds of a clock that only it moves."""

    def search(problem: TreeProblem, limits: Limits):
        needed = unit * problem.table.n_rows**exponent
        assert limits.time_limit is not None
        stopped = needed > limits.time_limit
        clock[0] += limits.time_limit if stopped else needed
        stop = Limits(step_limit=1) if stopped else None
        return solve(problem, limits=stop) if stopped else solve(replace_one_leaf(problem))

    return search


def replace_one_leaf(problem: TreeProblem) -> TreeProblem:
    return make_problem(problem.table, problem.y, max_depth=0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    return now


LARGE = rng.normal(size=(20_000, 2))
LARGE_LABEL = (LARGE[:, 0] + rng.normal(size=20_000) > 0).astype(int)


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
def test_a_power_of_the_rows_is_found(exponent: float, clock: list[float]) -> None:
    problem = make_problem(table_from(LARGE), LARGE_LABEL, max_depth=3)
    unit = 0.02 / 64**exponent
    found = forecast_search(problem, power_law(exponent, unit, clock), seconds=2.0, time_limit=1.0)
    truth = unit * 20_000**exponent
    assert found.shortest < truth < found.longest
    assert truth / 3 < found.seconds < 3 * truth
    assert not found.trials[-1].ended
    assert [trial.rows for trial in found.trials] == [64 * 2**k for k in range(len(found.trials))]
    assert sum(trial.seconds for trial in found.trials) <= 2.0 + 0.2 + 1e-9
    assert "within the time limit of 1 seconds" in str(found)


def test_a_search_that_never_ends_has_no_upper_limit(clock: list[float]) -> None:
    problem = make_problem(table_from(LARGE), LARGE_LABEL, max_depth=3)
    found = forecast_search(problem, power_law(1.0, 1.0, clock), seconds=1.0)
    assert math.isinf(found.longest)
    assert found.shortest >= 1.0
    assert "no upper limit" in str(found)


def test_words_for_times() -> None:
    trials = (SearchTrial(64, 0.5, True, 10**6),)
    said = str(SearchForecast(10_000, 7200.0, 600.0, 86_400.0, 3 * 10**9, 60.0, trials))
    assert "about 2 hours (likely range: 10 minutes to 24 hours) and about 3,000 MB" in said
    assert "is unlikely to end within the time limit of 60 seconds" in said


@pytest.mark.parametrize("seconds", [0, -1.0, math.inf, math.nan, True, "1"])
def test_seconds_that_are_none_are_refused(seconds: object) -> None:
    with pytest.raises(InputError, match="seconds="):
        OptimalTreeClassifier().forecast(X, LABEL, seconds=seconds)  # type: ignore[arg-type]
