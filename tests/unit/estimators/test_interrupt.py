"""The rule for Ctrl-C: a fit keeps its tree in any case, and a caller that loops over fits sees KeyboardInterrupt."""

import math
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import treewright
from treewright import LatentTreeClassifier, MIPTreeClassifier, OptimalTreeClassifier
from treewright.estimators import _interrupt
from treewright.estimators._interrupt import inner_fits_return, settle_interrupt
from treewright.result import StopReason

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

rng = np.random.default_rng(0)
X, y = rng.integers(0, 2, (400, 40)).astype(float), rng.integers(0, 2, 400)


class CtrlC:
    """A progress callback during which Ctrl-C is pressed; counts the fits that it has met."""

    met = 0

    def __call__(self, _: Any) -> None:
        CtrlC.met += 1
        raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def long_ago(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The last Ctrl-C was long before the test."""
    monkeypatch.setattr(_interrupt, "_last", -math.inf)
    monkeypatch.setattr(CtrlC, "met", 0)
    return iter([None])


def endless(**parameters: Any) -> OptimalTreeClassifier:
    return OptimalTreeClassifier(0.002, time_limit=None, progress=CtrlC(), **parameters)


def test_a_fit_by_itself_returns_its_tree() -> None:
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = endless().fit(X, y)
    assert model.result_.stop_reason is StopReason.INTERRUPT
    assert model.result_.lower_bound < model.result_.objective <= 0.502
    assert len(model.predict(X)) == 400


def test_a_pipeline_is_one_fit() -> None:
    pipeline = make_pipeline(FunctionTransformer(), endless()).fit(X, y)
    assert pipeline[-1].result_.stop_reason is StopReason.INTERRUPT


def test_an_uninterrupted_fit_never_raises() -> None:
    with treewright.raise_on_interrupt():
        OptimalTreeClassifier(0.05, progress=False).fit(X, y)
        OptimalTreeClassifier(0.002, step_limit=1, progress=False).fit(X, y)


def test_a_second_interrupt_soon_after_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    endless().fit(X, y)
    second = endless()
    with pytest.raises(KeyboardInterrupt):
        second.fit(X, y)
    assert second.result_.stop_reason is StopReason.INTERRUPT  # the tree is kept all the same
    monkeypatch.setattr(_interrupt, "_last", _interrupt._last - 3.0)
    endless().fit(X, y)


def test_a_loop_can_ask_for_the_exception() -> None:
    models = [endless(), endless(), endless()]

    def loop() -> None:
        with treewright.raise_on_interrupt():
            for model in models:
                model.fit(X, y)

    with pytest.raises(KeyboardInterrupt):
        loop()
    assert models[0].tree_ is models[0].result_.tree
    assert not hasattr(models[1], "tree_")
    settle_interrupt(None)  # outside nothing is left of it


@pytest.mark.parametrize("n_jobs", [1, None])
def test_searches_of_scikit_learn_end(n_jobs: int | None) -> None:
    search = GridSearchCV(endless(), {"cost_complexity": [0.001, 0.002, 0.003]}, n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    assert CtrlC.met == 1


def test_cross_validation_ends() -> None:
    with pytest.raises(KeyboardInterrupt):
        cross_val_score(endless(), X, y)
    assert CtrlC.met == 1


def test_a_pipeline_in_a_search_ends() -> None:
    search = GridSearchCV(
        make_pipeline(FunctionTransformer(), endless()),
        {"optimaltreeclassifier__cost_complexity": [0.001, 0.002]},
    )
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    assert CtrlC.met == 1


@pytest.mark.parametrize("meta", [OneVsRestClassifier, CalibratedClassifierCV])
def test_other_meta_estimators_end(meta: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        meta(endless()).fit(X, y)
    assert CtrlC.met == 1


def test_a_loop_of_another_library_ends() -> None:
    optimize = types.ModuleType("optuna.study._optimize")
    exec("def run(objective):\n    for _ in range(3):\n        objective()", optimize.__dict__)
    with pytest.raises(KeyboardInterrupt):
        optimize.run(lambda: endless().fit(X, y))
    assert CtrlC.met == 1


def test_fits_inside_an_estimator_return() -> None:
    with treewright.raise_on_interrupt():
        with inner_fits_return():
            model = endless().fit(X, y)
        assert model.result_.stop_reason is StopReason.INTERRUPT
        with pytest.raises(KeyboardInterrupt):
            settle_interrupt(model.result_.stop_reason)


@pytest.mark.parametrize(
    "model",
    [
        MIPTreeClassifier("oct", max_depth=3, time_limit=None, progress=CtrlC()),
        LatentTreeClassifier(depth=2, epochs=1000, progress=CtrlC()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_kind_of_estimator_keeps_the_rule(model: Any) -> None:
    pytest.importorskip("torch")
    model.fit(X, y)
    assert model.result_.stop_reason is StopReason.INTERRUPT
    with pytest.raises(KeyboardInterrupt), treewright.raise_on_interrupt():
        model.fit(X, y)
