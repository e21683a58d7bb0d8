"""Ctrl-C after the search of a fit: the tree stays with all that is said of it, and a loop over fits ends."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import treewright
from treewright import (
    HybridTreeClassifier,
    LatentTreeClassifier,
    LatentTreeRegressor,
    LeafAccuracyTreeClassifier,
    LeafAccuracyTreeClassifierCV,
    NearOptimalTreeClassifier,
    OptimalPolicyTree,
    OptimalProbabilityTree,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
)
from treewright.errors import InputError
from treewright.estimators import _end_of_fit, _interrupt, _leaf_accuracy
from treewright.result import SolveStatus, StopReason

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(400, 12)), rng.integers(0, 2, 400)


@pytest.fixture(autouse=True)
def long_ago(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The last Ctrl-C was long before the test."""
    monkeypatch.setattr(_interrupt, "_last", -math.inf)
    return iter([None])


@pytest.fixture
def pressed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Ctrl-C while samples are searched for the advice of a fit that reached its limit; counts how often."""
    times: list[Any] = []

    def press(*given: Any, **_: Any) -> Any:
        times.append(given)
        raise KeyboardInterrupt

    monkeypatch.setattr(_end_of_fit, "smaller_in_words", press)
    monkeypatch.setattr(_leaf_accuracy, "smaller_in_words", press)
    return times


KEPT: list[tuple[Any, Any, str, str]] = [
    (OptimalTreeClassifier(0.05, max_depth=2, progress=False), Y, "_optimal_tree", "own_importances"),
    (
        OptimalTreeClassifier(0.05, max_depth=2, progress=False, objective="f1"),
        Y,
        "_optimal_tree",
        "f1_importances",
    ),
    (
        OptimalTreeRegressor(0.05, max_depth=2, progress=False),
        X[:, 0],
        "_optimal_regressor",
        "own_importances",
    ),
    (OptimalProbabilityTree(0.05, max_depth=2, progress=False), Y, "_optimal_probability", "own_importances"),
    (
        OptimalPolicyTree(0.05, max_depth=2, progress=False),
        np.eye(2)[Y],
        "_optimal_policy",
        "own_importances",
    ),
    (
        OptimalSurvivalTree(0.05, max_depth=2, progress=False),
        (Y > 0, 1 + X[:, 0] ** 2),
        "_optimal_survival",
        "censoring_curve",
    ),
]


@pytest.mark.parametrize(("model", "target", "module", "part"), KEPT)
def test_ctrl_c_while_a_proven_tree_is_described(
    model: Any, target: Any, module: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What else a fit keeps is made again, and the result and a loop over fits learn of the Ctrl-C."""
    whole = clone(model).fit(X, target)
    described: list[Any] = []
    real = getattr(sys.modules[f"treewright.estimators.{module}"], part)

    def press_at_first(*given: Any) -> Any:
        described.append(given)
        if len(described) == 1:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(f"treewright.estimators.{module}.{part}", press_at_first)
    model = clone(model).fit(X, target)
    assert len(described) == 2
    assert (model.result_.status, model.result_.stop_reason) == (SolveStatus.OPTIMAL, None)
    assert model.result_.asked_to_stop is StopReason.INTERRUPT
    assert np.array_equal(model.feature_importances_, whole.feature_importances_)
    assert np.array_equal(model.predict(X), whole.predict(X))
    described.clear()
    with pytest.raises(KeyboardInterrupt), treewright.raise_on_interrupt():
        model.fit(X, target)
    assert np.array_equal(model.predict(X), whole.predict(X))


STOPPED = [
    OptimalTreeClassifier(1e-4, max_depth=6, step_limit=1, progress=False),
    OptimalTreeRegressor(1e-4, max_depth=6, step_limit=1, progress=False),
    LeafAccuracyTreeClassifier(max_depth=6, step_limit=1, min_samples_leaf=5, progress=False),
]


@pytest.mark.parametrize("model", STOPPED, ids=lambda model: type(model).__name__)
def test_ctrl_c_while_the_advice_is_sought(model: Any, pressed: list[Any]) -> None:
    with pytest.warns(ConvergenceWarning, match="make the problem smaller: a smaller max_depth"):
        model.fit(X, Y)
    assert len(pressed) == 1
    assert model.result_.status is SolveStatus.FEASIBLE
    assert model.result_.stop_reason is StopReason.STEP_LIMIT  # of the search
    assert model.tree_ is model.result_.tree
    assert len(model.predict(X)) == 400


@pytest.mark.parametrize("model", STOPPED, ids=lambda model: type(model).__name__)
def test_a_loop_over_fits_learns_of_it(model: Any, pressed: list[Any]) -> None:
    def loop() -> None:
        with treewright.raise_on_interrupt():
            for _ in range(3):
                model.fit(X, Y)

    with pytest.warns(ConvergenceWarning), pytest.raises(KeyboardInterrupt):
        loop()
    assert len(pressed) == 1
    assert model.tree_ is model.result_.tree


def test_a_hybrid_fits_no_models_after_it(pressed: list[Any]) -> None:
    """The advice is a part of the fit of the tree on top: whoever ends it wants no models in the leaves."""
    model = HybridTreeClassifier(clone(STOPPED[0]), random_state=0)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, Y)
    assert len(pressed) == 1
    assert model.stop_reason_ is StopReason.INTERRUPT
    assert all(own.interrupted and own.model is None for own in model.extensions_.values())
    with pytest.warns(ConvergenceWarning), pytest.raises(KeyboardInterrupt), treewright.raise_on_interrupt():
        model.fit(X, Y)


def candidates() -> LeafAccuracyTreeClassifierCV:
    return LeafAccuracyTreeClassifierCV(
        max_depths=[5, 6],
        min_samples_leaves=[5],
        criteria=["accuracy"],
        cv=3,
        step_limit=60,
        time_limit=None,
        progress=False,
    )


def test_a_cross_validation_fits_no_further_candidate(pressed: list[Any]) -> None:
    with pytest.raises(KeyboardInterrupt):  # no candidate was scored
        candidates().fit(X, Y)
    assert len(pressed) == 1


def test_the_last_fit_of_a_cross_validation_tells_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fits: list[Any] = []

    def press_in_the_last(*given: Any) -> str:
        fits.append(given)
        if len(fits) == 7:  # two candidates, three splits
            raise KeyboardInterrupt
        return ""

    monkeypatch.setattr(_leaf_accuracy, "smaller_in_words", press_in_the_last)
    model = candidates()
    with pytest.warns(ConvergenceWarning):
        model.fit(X, Y)
    assert len(fits) == 7
    assert model.stop_reason_ is StopReason.INTERRUPT
    fits.clear()
    with pytest.warns(ConvergenceWarning), pytest.raises(KeyboardInterrupt), treewright.raise_on_interrupt():
        model.fit(X, Y)
    assert model.tree_ is model.result_.tree


@pytest.mark.parametrize("choose", ["best", "small gap", "fewest columns"])
def test_ctrl_c_while_a_near_optimal_tree_is_chosen(choose: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def press(*_: Any) -> Any:
        raise KeyboardInterrupt

    rows = (X[:, :4] > 0).astype(float)
    target = ((rows[:, 0] * rows[:, 1] > 0) ^ (rng.random(400) < 0.1)).astype(int)
    asked: dict[str, Any] = {"cost_complexity": 0.01, "max_depth": 2, "time_limit": None, "progress": False}
    best = NearOptimalTreeClassifier(**asked).fit(rows, target)
    monkeypatch.setattr(NearOptimalTreeClassifier, "_chosen", press)
    model = NearOptimalTreeClassifier(**asked, choose=choose, group="x0" if choose == "small gap" else None)
    with pytest.warns(ConvergenceWarning, match="The choice was interrupted: this is the best tree"):
        model.fit(rows, target)
    assert model.near_optimal_.status_ == "complete"
    assert model.result_.objective == best.result_.objective
    assert np.array_equal(model.predict(rows), best.predict(rows))
    with pytest.warns(ConvergenceWarning), pytest.raises(KeyboardInterrupt), treewright.raise_on_interrupt():
        model.fit(rows, target)
    assert model.tree_ is model.result_.tree


@pytest.mark.parametrize("kind", [LatentTreeClassifier, LatentTreeRegressor])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_ctrl_c_while_a_latent_tree_is_hardened(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The soft model is trained, and stays; the hard tree can be made later."""
    pytest.importorskip("torch")

    def press(*_: Any) -> Any:
        raise KeyboardInterrupt

    model = kind(depth=2, epochs=2, progress=False)
    with monkeypatch.context() as patched:
        patched.setattr(kind, "_refine", press)
        model.fit(X, Y)
        assert model.result_.stop_reason is StopReason.INTERRUPT
        patched.setattr(_interrupt, "_last", -math.inf)
        with pytest.raises(KeyboardInterrupt), treewright.raise_on_interrupt():
            model.fit(X, Y)
    assert len(model.predict(X)) == 400
    with pytest.raises(InputError, match=r"Interrupted before the hard tree was made; call harden\(X, y\)"):
        model.harden()
    assert model.harden(X, Y).tree.n_node_samples[0] == 400
