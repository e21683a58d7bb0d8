"""A cross-validation that Ctrl-C or a callback ended says so in its result, whatever was proven of the tree before."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import treewright
from treewright import LeafAccuracyTreeClassifierCV, OptimalTreeClassifierCV, OptimalTreeRegressorCV
from treewright.estimators import _front_cv, _held_back_scores, _interrupt
from treewright.result import SolveStatus, StopReason

rng = np.random.default_rng(3)
X, Y = rng.integers(0, 4, (90, 3)), rng.integers(0, 2, 90)
FRONTS = [OptimalTreeClassifierCV, OptimalTreeRegressorCV]


@pytest.fixture(autouse=True)
def long_ago(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The last Ctrl-C was long before the test."""
    monkeypatch.setattr(_interrupt, "_last", -math.inf)
    return iter([None])


def front(kind: Any, progress: Any = False) -> Any:
    return kind(max_leaves=4, cv=3, time_limit=None, n_jobs=1, progress=progress)


def press_ctrl_c(*_: Any, **__: Any) -> Any:
    signal.raise_signal(signal.SIGINT)
    raise AssertionError("Ctrl-C had no effect")


@pytest.mark.parametrize("kind", FRONTS)
def test_ctrl_c_between_folds(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_front_cv, "search_fold", press_ctrl_c)
    with pytest.warns(ConvergenceWarning, match="^Interrupted"):
        model = front(kind).fit(X, Y)
    assert model.result_.status is SolveStatus.OPTIMAL  # the front of all rows was searched before
    assert model.result_.stop_reason is None
    assert model.result_.asked_to_stop is StopReason.INTERRUPT
    assert model.tree_ is model.result_.tree


@pytest.mark.parametrize("kind", FRONTS)
def test_a_callback_after_a_fold(kind: Any) -> None:
    with pytest.warns(ConvergenceWarning, match="^Stopped by the progress callback"):
        model = front(kind, lambda state: state.done == 1).fit(X, Y)
    assert model.result_.asked_to_stop is StopReason.CALLBACK


@pytest.mark.parametrize("kind", FRONTS)
def test_the_end_of_all_folds_is_nothing(kind: Any) -> None:
    assert front(kind).fit(X, Y).result_.asked_to_stop is None


@pytest.mark.parametrize("kind", FRONTS)
def test_a_loop_over_fits_ends(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_front_cv, "search_fold", press_ctrl_c)
    model = front(kind)
    with (
        pytest.warns(ConvergenceWarning),
        pytest.raises(KeyboardInterrupt),
        treewright.raise_on_interrupt(),
    ):
        model.fit(X, Y)
    assert model.result_.asked_to_stop is StopReason.INTERRUPT


def test_ctrl_c_between_fits_of_leaf_accuracy(monkeypatch: pytest.MonkeyPatch) -> None:
    score, scored = _held_back_scores._score, []

    def second_is_interrupted(*given: Any) -> Any:
        if scored:
            press_ctrl_c()
        scored.append(score(*given))
        return scored[-1]

    monkeypatch.setattr(_held_back_scores, "_score", second_is_interrupted)
    model = LeafAccuracyTreeClassifierCV(
        max_depths=[1, 2],
        min_samples_leaves=[10],
        criteria=["accuracy"],
        cv=3,
        time_limit=None,
        progress=False,
    ).fit(X, Y)
    assert model.result_.status is SolveStatus.OPTIMAL
    assert model.stop_reason_ is model.result_.asked_to_stop is StopReason.INTERRUPT
