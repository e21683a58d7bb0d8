"""The first Ctrl-C ends a run within half a second with the best tree so far; limits and callbacks end it in time."""

import os
import signal
import threading
import time
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from born_again_oracle import random_ensemble
from treewright._native import core
from treewright.bornagain import Domain, Ensemble, _engine, _prune, _solve, _solve_groups, solve, solve_active
from treewright.errors import SolverError
from treewright.estimators import BornAgainTreeClassifier
from treewright.result import StopReason

LATE = 0.5  # processor seconds


@cache
def continuous():
    """A forest on thirty columns of numbers: no exact tree, and an active search without end."""
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(12, max_depth=4, random_state=0).fit(X, y)
    return forest, Ensemble.from_model(forest), X


@cache
def grid():
    """An ensemble of 10^6 cells, whose exact tree takes many seconds."""
    return random_ensemble(3, n_features=9, trees=14)


def reason(run, *args, **options):
    """What ended a run, in the words of its result or, if there was no tree yet, of its error."""
    try:
        return run(*args, **options).stop_reason.value
    except SolverError as error:
        return str(error)


class CtrlC:
    """Sends Ctrl-C after some processor seconds of this process; then `late` tells how long the run went on."""

    def __init__(self, seconds):
        self.due = time.process_time() + seconds
        self.sent = None
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.wait)

    def wait(self):
        while not self.over.wait(0.02):
            if time.process_time() >= self.due:
                self.sent = time.process_time()
                os.kill(os.getpid(), signal.SIGINT)
                return

    def __enter__(self):
        self.before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.late = None if self.sent is None else time.process_time() - self.sent
        self.over.set()
        self.thread.join()
        signal.signal(signal.SIGINT, self.before)


@pytest.mark.parametrize("objective", ["leaves", "depth-leaves"])
@pytest.mark.clock
def test_ctrl_c_in_the_exact_method(objective):
    with CtrlC(1.5) as stop:
        result = solve(grid(), objective=objective)
    assert stop.late < LATE
    assert result.stop_reason is StopReason.INTERRUPT


@pytest.mark.parametrize("seconds", [0.05, 0.3])
@pytest.mark.clock
def test_ctrl_c_before_any_tree(seconds):
    _, ensemble, _ = continuous()
    with CtrlC(seconds) as stop, pytest.raises(KeyboardInterrupt):
        solve(ensemble, objective="heuristic", max_leaves=None)
    assert stop.late < LATE


@pytest.mark.clock
def test_ctrl_c_in_active_pruning():
    forest, _, X = continuous()
    with CtrlC(2.0) as stop:
        model = BornAgainTreeClassifier.from_fitted(forest, X, prune="active", time_limit=None)
    assert stop.late < LATE
    assert model.result_.stop_reason is StopReason.INTERRUPT
    np.testing.assert_array_equal(model.predict(X), forest.predict(X))


@pytest.mark.parametrize("limit", [0.1, 1.5])
@pytest.mark.clock
def test_the_time_limit_of_active_pruning(limit):
    _, ensemble, X = continuous()
    start = time.process_time()
    assert "time limit" in reason(solve_active, ensemble, X, time_limit=limit)
    assert time.process_time() - start < limit + 0.2


@pytest.mark.clock
def test_a_callback_ends_active_pruning():
    _, ensemble, X = continuous()
    calls = []

    def progress(now):
        calls.append(now)
        return now.seconds > 1.0

    start = time.process_time()
    assert "callback" in reason(solve_active, ensemble, X, time_limit=None, progress=progress)
    assert calls
    assert time.process_time() - start < 1.0 + LATE + 1.0


def test_memory_and_steps_end_active_pruning():
    _, ensemble, X = continuous()
    assert "memory limit" in reason(solve_active, ensemble, X, memory_limit=2**20, time_limit=None)
    assert "step limit" in reason(solve_active, ensemble, X, step_limit=1, time_limit=None)


def test_a_tree_beyond_max_leaves_is_refused_by_what_was_found_first():
    """The exact run that follows ends by its steps; the message is about leaves, not about the run."""
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    with pytest.raises(SolverError, match="more than max_leaves=20 leaves"):
        solve(Ensemble.from_model(forest), max_leaves=20, time_limit=60, step_limit=1)


@pytest.mark.parametrize(
    ("objective", "said"), [("leaves", "no faithful tree has so few"), ("depth-leaves", 'objective="leaves"')]
)
def test_a_smallest_tree_beyond_max_leaves_says_so(objective, said):
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    result = solve(Ensemble.from_model(forest), objective=objective, max_leaves=3)
    assert result.tree.n_leaves > 3
    (note,) = [note for note in result.notes if "max_leaves=3" in note]
    assert said in note


def interrupted(*_, **__):
    raise KeyboardInterrupt


def test_ctrl_c_while_cells_are_counted(monkeypatch):
    """No tree is there yet, and none is begun."""
    asked = []

    def forecast(*given):
        asked.append(given)
        return {"stop": core.Stop.INTERRUPT, "cells": 1e6}

    monkeypatch.setattr(core, "bornagain_forecast", forecast)
    with pytest.raises(KeyboardInterrupt):
        solve(grid(), time_limit=1)
    assert len(asked) == 1


def test_ctrl_c_while_the_leaves_of_a_tree_are_estimated(monkeypatch):
    """The estimate comes before the tree, which is then not begun."""
    _, ensemble, _ = continuous()
    built = []

    def hybrid(self, *, descents=0, **_):
        built.append(descents)
        return {"stop": core.Stop.INTERRUPT, "estimate": 1.0}

    monkeypatch.setattr(_engine.Engine, "hybrid", hybrid)
    with pytest.raises(KeyboardInterrupt):
        solve(ensemble, objective="heuristic", max_leaves=100)
    assert built == [16]


def test_ctrl_c_within_groups_begins_no_larger_tree(monkeypatch):
    ensemble = random_ensemble(0, n_features=4, trees=3)
    domain = Domain(np.zeros(4), np.ones(4), np.ones(4, dtype=bool), ((0, 1), (2, 3)))
    assert solve(ensemble.within(domain)).tree.n_leaves >= 1
    monkeypatch.setattr(_solve_groups, "smallest", interrupted)
    monkeypatch.setattr(_solve_groups, "_without_groups", pytest.fail)
    with pytest.raises(KeyboardInterrupt):
        solve(ensemble.within(domain))


def pressed_at_first(whole):
    """A function during whose first call Ctrl-C is pressed; it counts them."""

    def called(*given, **named):
        called.times += 1
        if called.times == 1:
            raise KeyboardInterrupt
        return whole(*given, **named)

    called.times = 0
    return called


@pytest.mark.parametrize("objective", ["leaves", "heuristic"])
def test_ctrl_c_while_the_tree_is_written(objective, monkeypatch):
    ensemble = random_ensemble(0, n_features=4, trees=3)
    whole = solve(ensemble, objective=objective)
    monkeypatch.setattr(_engine.Engine, "tree", pressed_at_first(_engine.Engine.tree))
    result = solve(ensemble, objective=objective)
    assert (result.status, result.objective, result.lower_bound) == (
        whole.status,
        whole.objective,
        whole.lower_bound,
    )
    assert whole.asked_to_stop is None
    assert result.asked_to_stop is StopReason.INTERRUPT


def test_the_exact_method_is_not_begun_after_a_late_ctrl_c(monkeypatch):
    """The heuristic had its tree when the key was pressed."""
    hybrid = _engine.Engine.hybrid
    monkeypatch.setattr(_solve, "SURELY_QUICK_BOXES", 0)
    monkeypatch.setattr(_engine.Engine, "exact", pytest.fail)
    monkeypatch.setattr(
        _engine.Engine,
        "hybrid",
        lambda *given, **named: hybrid(*given, **named) | {"ended_by": core.Stop.INTERRUPT},
    )
    result = solve(random_ensemble(0, n_features=4, trees=3))
    assert result.asked_to_stop is StopReason.INTERRUPT
    assert result.tree.n_leaves >= 1


def test_ctrl_c_while_another_tree_is_pruned_keeps_the_first(monkeypatch):
    _, ensemble, X = continuous()
    monkeypatch.setattr(_prune, "_pruned_whole", lambda *_: (None, False))
    first = solve_active(ensemble, X, step_limit=20_000, time_limit=None)
    assert first.stop_reason is StopReason.STEP_LIMIT
    monkeypatch.setattr(_prune, "_pruned_whole", interrupted)
    result = solve_active(ensemble, X, step_limit=20_000, time_limit=None)
    assert result.stop_reason is result.asked_to_stop is StopReason.INTERRUPT
    assert (result.objective, result.lower_bound) == (first.objective, first.lower_bound)
