"""What no worst leaf can exceed: the bounds of stopped searches against brute force."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from brute_force_leaf_accuracy import Oracle
from ranked_problems import make_problem as tiny_problem
from treewright._native import core
from treewright.errors import SolverError
from treewright.problem import make_problem
from treewright.result import SolveStatus, StopReason
from treewright.search import (
    Limits,
    _leaf_accuracy,
    _leaf_accuracy_bound,
    solve_leaf_accuracy,
    solve_with_leaf_accuracy,
)
from treewright.search._choose_engine import choose_engine
from treewright.search._leaf_accuracy_bound import (
    BoundOnTheWay,
    Proven,
    bound_by_classes,
    bound_by_errors,
    split_limits,
)
from treewright.table import table_from


def random_problem(rng: np.random.Generator):
    """A tiny table with ties, missing values, weights and some structure."""
    n, k = int(rng.integers(2, 12)), int(rng.integers(2, 4))
    X = rng.integers(0, n + 1, size=(n, int(rng.integers(1, 4)))).astype(float)
    y = np.where(rng.random(n) < 0.8, X[:, 0] > n / 2, rng.integers(0, k, size=n))
    if rng.random() < 0.2:
        X[rng.random(n) < 0.3, 0] = np.nan
    weight = rng.choice([0.5, 1.0, 3.25], size=n) if rng.random() < 0.4 else None
    depth, least = int(rng.integers(0, 4)), int(rng.integers(1, 4))
    return tiny_problem(X, y, k, weight, max_depth=depth, min_samples_leaf=least)


@pytest.mark.parametrize("seed", range(6))
def test_no_tree_is_above_the_bounds(seed) -> None:
    rng = np.random.default_rng(seed)
    told_something = 0
    for _ in range(60):
        problem = random_problem(rng)
        confidence = float(rng.choice([0.5, 0.6, 0.8, 0.95]))  # .5: the accuracy itself
        z = NormalDist().inv_cdf(confidence)
        best = Oracle(problem, confidence).best((1 << problem.table.n_rows) - 1, problem.max_depth)
        if best is None:  # no tree has so many rows in its leaves
            continue
        space = choose_engine(problem, "all", method="leaf accuracy", limits=Limits()).space
        limits = Limits(step_limit=int(rng.choice([1, 10, 10_000]))).started()
        proven = bound_by_errors(problem, space, z, limits)
        assert best <= proven.upper <= bound_by_classes(problem, z) <= 1, (problem, confidence)
        told_something += proven.upper < bound_by_classes(problem, z)
    assert told_something >= 10


def test_the_bounds_are_reached_where_leaves_are_pure() -> None:
    # Two pure halves of 20 rows each: the best tree has two leaves, and the bounds say so exactly.
    X = np.arange(40.0)[:, None]
    problem = make_problem(table_from(X), X[:, 0] >= 20, cost_complexity=0.0, max_depth=3)
    result = solve_leaf_accuracy(problem, "all", criterion="lower_bound")
    assert bound_by_classes(problem, NormalDist().inv_cdf(0.95)) == pytest.approx(result.objective, abs=2e-9)


@pytest.fixture
def no_clock(monkeypatch) -> None:
    """Steps alone end the searches for the bound: a busy machine gives them fewer of these in two seconds."""
    monkeypatch.setattr(_leaf_accuracy_bound, "MOST_SECONDS", 600)


@pytest.fixture(scope="module")
def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return make_problem(table_from(X), y, cost_complexity=0.0, max_depth=3, min_samples_leaf=29)


def test_fewest_errors_bound_a_real_table(breast_cancer, no_clock) -> None:
    space = choose_engine(breast_cancer, "all", method="leaf accuracy", limits=Limits()).space
    z = NormalDist().inv_cdf(0.95)
    proven = bound_by_errors(breast_cancer, space, z, Limits(step_limit=20_000).started())
    assert 0.9197 <= proven.upper < 0.952  # there is a tree of .9197


def test_a_stopped_search_has_the_bound_of_fewest_errors(breast_cancer, monkeypatch, no_clock) -> None:
    monkeypatch.setattr(_leaf_accuracy_bound, "SHARE", 0.9)
    result = solve_leaf_accuracy(
        breast_cancer, "all", criterion="lower_bound", limits=Limits(step_limit=3000)
    )
    assert result.status is SolveStatus.FEASIBLE
    assert result.stop_reason is StopReason.STEP_LIMIT
    assert result.objective <= result.upper_bound < 0.97
    assert 1500 < result.stats["steps"] <= 3010


def test_a_stopped_search_for_accuracy_has_it_too(breast_cancer, monkeypatch, no_clock) -> None:
    monkeypatch.setattr(_leaf_accuracy_bound, "SHARE", 0.9)
    result = solve_leaf_accuracy(breast_cancer, "all", criterion="accuracy", limits=Limits(step_limit=3000))
    assert result.stop_reason is StopReason.STEP_LIMIT
    errors = 569 * (1 - result.upper_bound)
    assert errors == pytest.approx(round(errors), abs=1e-5)
    assert 8 <= round(errors) <= 569 * (1 - result.objective)
    assert round(errors) == 9
    assert result.stats["steps"] <= 3010


def test_steps_are_shared_between_the_searches(breast_cancer) -> None:
    result = solve_leaf_accuracy(breast_cancer, "all", criterion="lower_bound", limits=Limits(step_limit=50))
    assert result.stats["steps"] <= 60
    assert result.upper_bound < 0.988  # by the classes alone
    assert split_limits(Limits(step_limit=1)).step_limit == 1
    assert split_limits(Limits(time_limit=100)).time_limit == 98


def test_a_callback_that_ends_the_run_waits_for_no_further_search(breast_cancer) -> None:
    result = solve_leaf_accuracy(
        breast_cancer, "all", criterion="lower_bound", progress=lambda seen: seen.subproblems > 0
    )
    assert result.stop_reason is StopReason.CALLBACK
    assert result.upper_bound == bound_by_classes(breast_cancer, NormalDist().inv_cdf(0.95))


def test_the_bound_falls_while_the_search_runs(breast_cancer, no_clock) -> None:
    space = choose_engine(breast_cancer, "all", method="leaf accuracy", limits=Limits()).space
    z = NormalDist().inv_cdf(0.95)
    on_the_way = BoundOnTheWay(breast_cancer, space, z, Limits())
    by_classes = bound_by_classes(breast_cancer, z)
    assert on_the_way.at(0.1) == by_classes
    assert 0.9197 <= on_the_way.at(1e6) < 0.97 < by_classes
    assert on_the_way.at(1e9) == on_the_way.upper  # all of its searches have ended


def test_it_is_searched_for_again_when_the_time_has_doubled(breast_cancer, monkeypatch) -> None:
    limits = []

    def found(problem, space, z, of_these):
        limits.append(of_these.time_limit)
        return Proven(1.0 - len(limits) / 100, 0)

    monkeypatch.setattr(_leaf_accuracy_bound, "bound_by_errors", found)
    on_the_way = BoundOnTheWay(breast_cancer, None, 1.0, Limits())
    assert [on_the_way.at(seconds) for seconds in (1.0, 1.9, 2.0)] == [0.99, 0.99, 0.98]
    assert limits == pytest.approx([0.1, 0.2])


def test_a_progress_function_sees_it_and_the_stopped_run_keeps_it(breast_cancer, monkeypatch) -> None:
    monkeypatch.setattr(_leaf_accuracy_bound, "FIRST", 0.0)
    monkeypatch.setattr(_leaf_accuracy_bound, "FIRST_OF_CELL", 0.0)
    monkeypatch.setattr(_leaf_accuracy_bound, "bound_by_errors", lambda *_: Proven(0.95, 0, complete=True))
    said = []

    def seen(now) -> bool:
        said.append(now.lower_bound)
        return True

    result = solve_leaf_accuracy(breast_cancer, "all", criterion="lower_bound", progress=seen)
    assert result.stop_reason is StopReason.CALLBACK
    assert said == pytest.approx([0.05])
    assert result.upper_bound == pytest.approx(0.95)


def test_ctrl_c_while_it_is_searched_for_ends_the_run(breast_cancer, monkeypatch) -> None:
    monkeypatch.setattr(_leaf_accuracy_bound, "FIRST", 0.0)
    monkeypatch.setattr(_leaf_accuracy_bound, "FIRST_OF_CELL", 0.0)
    monkeypatch.setattr(_leaf_accuracy_bound, "bound_by_errors", lambda *_: Proven(0.96, 0, interrupted=True))
    result = solve_leaf_accuracy(breast_cancer, "all", criterion="lower_bound")
    assert result.stop_reason is StopReason.INTERRUPT
    assert result.upper_bound == pytest.approx(0.96)


def test_weights_are_observations(breast_cancer) -> None:
    weighted = replace(breast_cancer, sample_weight=np.full(569, 7.0))
    for z in (0.3, 1.6):
        assert bound_by_classes(weighted, z) == pytest.approx(bound_by_classes(breast_cancer, z), abs=1e-12)


def test_ctrl_c_before_any_tree_is_no_error(breast_cancer, monkeypatch) -> None:
    """`min_leaf_accuracy` without a tree that has it: a loop over fits must learn of the Ctrl-C."""
    nothing = {"feasible": False, "proven_value": False}
    for stop, raised in ((core.Stop.INTERRUPT, KeyboardInterrupt), (core.Stop.TIME, SolverError)):
        monkeypatch.setattr(_leaf_accuracy, "_run", lambda *_, stop=stop, **__: nothing | {"stop": stop})
        with pytest.raises(raised):
            solve_with_leaf_accuracy(breast_cancer, "auto", 0.9)
