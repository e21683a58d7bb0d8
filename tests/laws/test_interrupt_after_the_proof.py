"""Law: Ctrl-C after the proof of the loss is known to the result and to every loop, in each search that goes on then.

At ``cost_complexity=0`` a search goes on for the fewest leaves once the least loss is proven. The tables are of rows
without a pattern, all different: no loss at all is proven within milliseconds, the fewest leaves not within hours.
"""

from __future__ import annotations

import math
import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

import treewright
from treewright import (
    BornAgainTreeClassifier,
    OptimalPolicyTree,
    OptimalTreeClassifier,
    fit_shards,
    near_optimal_trees,
)
from treewright.bornagain import distil_values
from treewright.estimators import _born_again, _interrupt
from treewright.result import SolveStatus, StopReason

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

rng = np.random.default_rng(0)
BITS, LABELS = rng.integers(0, 2, (200, 30)).astype(float), rng.integers(0, 2, 200)
NUMBERS, FEW_LABELS = rng.normal(size=(60, 6)), rng.integers(0, 2, 60)
ENDLESS: dict[str, Any] = {"cost_complexity": 0.0, "max_depth": None, "time_limit": None}


class AfterTheProof:
    """A progress callback during which a user acts once, when the loss is proven."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self.act = act
        self.acted = 0

    def __call__(self, now: Any) -> Any:
        if now.objective - now.lower_bound > 1e-9:
            return False
        self.acted += 1
        return self.act()

    def __deepcopy__(self, memo: Any) -> AfterTheProof:
        return self  # of all clones of an estimator


def press_ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


def stop() -> bool:
    return True


@pytest.fixture(autouse=True)
def long_ago(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The last Ctrl-C was long before the test."""
    monkeypatch.setattr(_interrupt, "_last", -math.inf)
    return iter([None])


def classes_of_bits(report: AfterTheProof) -> Any:
    return OptimalTreeClassifier(**ENDLESS, progress=report), (BITS, LABELS), {}


def classes_of_numbers(report: AfterTheProof) -> Any:
    return OptimalTreeClassifier(**ENDLESS, progress=report), (NUMBERS, FEW_LABELS), {}


def row_costs(report: AfterTheProof) -> Any:
    costs = np.ones((200, 2))
    costs[np.arange(200), LABELS] = 0
    return OptimalTreeClassifier(**ENDLESS, progress=report), (BITS, LABELS), {"row_costs": costs}


def policy(report: AfterTheProof) -> Any:
    return OptimalPolicyTree(**ENDLESS, progress=report), (BITS, np.eye(2)[LABELS]), {}


SEARCHES = [classes_of_bits, classes_of_numbers, row_costs, policy]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.__name__)
@pytest.mark.parametrize(
    ("act", "reason"), [(press_ctrl_c, StopReason.INTERRUPT), (stop, StopReason.CALLBACK)]
)
def test_the_result_knows(search: Any, act: Any, reason: StopReason) -> None:
    report = AfterTheProof(act)
    model, data, more = search(report)
    model.fit(*data, **more)
    result = model.result_
    assert report.acted == 1
    assert result.status is SolveStatus.OPTIMAL  # the loss is proven as before
    assert result.stop_reason is None
    assert result.asked_to_stop is reason
    assert any("fewer leaves" in note for note in result.notes)


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.__name__)
def test_a_loop_ends(search: Any) -> None:
    report = AfterTheProof(press_ctrl_c)
    model, data, more = search(report)

    def loop() -> None:
        with treewright.raise_on_interrupt():
            for _ in range(3):
                model.fit(*data, **more)

    with pytest.raises(KeyboardInterrupt):
        loop()
    assert report.acted == 1
    assert model.tree_ is model.result_.tree


def test_a_grid_search_ends() -> None:
    report = AfterTheProof(press_ctrl_c)
    model = OptimalTreeClassifier(**ENDLESS, progress=report)
    search = GridSearchCV(model, {"min_samples_leaf": [1, 2, 3]}, cv=2, n_jobs=1)
    with pytest.raises(KeyboardInterrupt):
        search.fit(rng.integers(0, 2, (400, 40)).astype(float), rng.integers(0, 2, 400))
    assert report.acted == 1


def test_no_end_of_a_run_is_nothing() -> None:
    result = OptimalTreeClassifier(0.05, progress=False).fit(BITS, LABELS).result_
    assert result.asked_to_stop is None
    assert not {"interrupted", "stopped_by_callback"} & set(result.stats)


def test_near_optimal_trees_search_no_further() -> None:
    report = AfterTheProof(press_ctrl_c)
    found = near_optimal_trees(
        BITS, LABELS, cost_complexity=0.0, max_depth=None, time_limit=None, progress=report
    )
    assert report.acted == 1
    assert found.stop_reason is StopReason.INTERRUPT


def test_trees_near_a_regression_model_are_searched_no_further() -> None:
    report = AfterTheProof(press_ctrl_c)
    result = distil_values(
        LABELS.astype(float),
        BITS,
        tolerance=0.1,
        max_depth=30,
        max_leaves=150,
        time_limit=None,
        progress=report,
    )
    assert report.acted == 1
    assert result.asked_to_stop is StopReason.INTERRUPT


def test_shards_are_searched_no_further() -> None:
    acted = []

    def report(now: Any) -> None:
        acted.append(now)
        press_ctrl_c()

    model = fit_shards(
        np.vstack([BITS, BITS]), np.tile(LABELS, 2), **ENDLESS, shard_rows=200, n_jobs=1, progress=report
    )
    assert len(acted) == 1
    assert model.result_.asked_to_stop is StopReason.INTERRUPT


def test_born_again_trees_pass_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any, **options: Any) -> Any:
        return _distil(*args, **options, progress=lambda _: press_ctrl_c())

    _distil = _born_again.distil
    monkeypatch.setattr(_born_again, "distil", interrupted)
    model = BornAgainTreeClassifier(faithful="rows", tolerance=0.0, max_leaves=100, time_limit=None)
    with pytest.raises(KeyboardInterrupt), treewright.raise_on_interrupt():
        model.fit(BITS, LABELS)
    assert model.result_.asked_to_stop is StopReason.INTERRUPT
    assert model.tree_ is model.result_.tree
