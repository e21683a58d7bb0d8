"""Ctrl-C after a search, while its tree is looked at: the tree is kept, and loops over fits end."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from treewright import (
    LeafAccuracyTreeClassifier,
    LeafAccuracyTreeClassifierCV,
    MIPTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressorCV,
    SolveStatus,
    raise_on_interrupt,
)
from treewright.estimators import _front_cv, _interrupt, _leaf_accuracy, _leaf_accuracy_cv, _mip
from treewright.result import StopReason
from treewright.search import _leaf_accuracy as leaf_accuracy_search

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

rng = np.random.default_rng(0)
X, Y = rng.integers(0, 4, (40, 2)).astype(float), rng.integers(0, 2, 40)


@pytest.fixture(autouse=True)
def long_ago(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The last Ctrl-C was long before the test."""
    monkeypatch.setattr(_interrupt, "_last", -math.inf)
    return iter([None])


class Pressed:
    """In place of a function: its first call ends with Ctrl-C, just before it returns."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, *given: Any, **named: Any) -> Any:
        answer = self.function(*given, **named)
        self.calls += 1
        if self.calls == 1:
            raise KeyboardInterrupt
        return answer


def press_in(monkeypatch: pytest.MonkeyPatch, where: Any, name: str) -> Pressed:
    pressed = Pressed(getattr(where, name))
    # A function, so that it is bound where it stands in for a method.
    monkeypatch.setattr(where, name, lambda *given, **named: pressed(*given, **named))
    return pressed


CASES: dict[str, tuple[Callable[[], Any], Any, str]] = {
    "front of classes": (
        lambda: OptimalTreeClassifierCV(max_leaves=3, cv=2),
        _front_cv.FrontCV,
        "_choose",
    ),
    "front, importances": (
        lambda: OptimalTreeClassifierCV(max_leaves=3, cv=2),
        _front_cv,
        "collapse_importances",
    ),
    "front of numbers": (
        lambda: OptimalTreeRegressorCV(max_leaves=3, cv=2),
        _front_cv,
        "node_losses",
    ),
    "worst leaf": (
        lambda: LeafAccuracyTreeClassifier(max_depth=2),
        _leaf_accuracy,
        "worst_leaf_importances",
    ),
    "worst leaf, result": (
        lambda: LeafAccuracyTreeClassifier(max_depth=2),
        leaf_accuracy_search,
        "leaf_accuracy_result_of",
    ),
    "worst leaf, engine": (
        lambda: LeafAccuracyTreeClassifier(max_depth=2),
        leaf_accuracy_search.Choice,
        "sign",
    ),
    "worst leaf, folds": (
        lambda: LeafAccuracyTreeClassifierCV(max_depths=(1, 2), min_samples_leaves=(3,), cv=2),
        _leaf_accuracy_cv.LeafAccuracyTreeClassifierCV,
        "_choose",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_tree_is_kept(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, where, name = CASES[case]
    undisturbed = make().fit(X, Y)
    pressed = press_in(monkeypatch, where, name)
    model = make().fit(X, Y)
    assert pressed.calls > 1
    assert (model.predict(X) == undisturbed.predict(X)).all()
    assert model.result_.objective == undisturbed.result_.objective
    assert model.result_.status is undisturbed.result_.status
    assert (model.feature_importances_ == undisturbed.feature_importances_).all()


@pytest.mark.parametrize("case", CASES)
def test_a_loop_ends_and_the_tree_is_there(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, where, name = CASES[case]
    model = make()
    press_in(monkeypatch, where, name)
    with raise_on_interrupt(), pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert model.tree_ is model.result_.tree
    assert len(model.predict(X)) == len(Y)


def place_in_programs(name: str) -> tuple[Any, str]:
    from treewright.mip import _highs, _solve, _strategies

    places: dict[str, tuple[Any, str]] = {
        "values": (_highs, "_outcome"),
        "trees": (_strategies, "_plans_of"),
        "tree": (_solve, "tree_of"),
        "result": (_solve, "result_of"),
        "importances": (_mip, "own_importances"),
    }
    return places[name]


@pytest.mark.parametrize("name", ["values", "trees", "tree", "result", "importances"])
def test_the_tree_of_a_program_is_kept(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("highspy", reason="needs the extra mip")
    undisturbed = MIPTreeClassifier("oct", max_depth=1).fit(X, Y)
    pressed = press_in(monkeypatch, *place_in_programs(name))
    model = MIPTreeClassifier("oct", max_depth=1).fit(X, Y)
    assert pressed.calls > 1
    assert model.result_.objective == undisturbed.result_.objective
    assert model.result_.status is undisturbed.result_.status is SolveStatus.OPTIMAL
    assert (model.feature_importances_ == undisturbed.feature_importances_).all()
    if name != "importances":  # after the result
        assert model.result_.asked_to_stop is StopReason.INTERRUPT
