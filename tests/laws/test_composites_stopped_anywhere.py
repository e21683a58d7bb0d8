"""Law: a run of several searches is honest wherever it is stopped: after any step, and in any search for any reason.

The random cases of the attack, and its comparisons with all trees: the bound holds for every tree, only an optimum is
called one, the tree keeps the question and is no worse than the best tree of one split. Constants are lowered, so that
tiny tables see quick rounds that are cut and turns that follow each other.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from attack.case import Case
from attack.generate import random_case
from attack.laws import attack
from treewright.errors import InputError, SolverError
from treewright.result import StopReason, told_to_stop
from treewright.search import Limits

MOST_STEPS = 30  # at each of which a run is stopped
MOST_SEARCHES = 6  # in each of which a run is stopped
MOST_ROWS = 8
MOST_CASES = 500  # in which enough stops must have been seen
HARD = {"engine": "binary", "greedy_start": False}
REASONS = (
    StopReason.TIME_LIMIT,
    StopReason.MEMORY_LIMIT,
    StopReason.CALLBACK,
)  # Ctrl-C ends a run as a callback does
LIMITS = ("step_limit", "time_limit", "memory_limit")


@dataclass(frozen=True)
class Composite:
    """Where a run of several searches begins each of them, and what makes its phases short."""

    module: str
    search: str
    lowered: dict[str, tuple[int, ...]] = field(default_factory=dict)
    options: dict[str, Any] = field(
        default_factory=dict
    )  # the engine, and what leaves more to be found by each search
    enough: int = 20  # stops that a test must see


COMPOSITES = {
    "f1": Composite("_solve_f1", "search_chosen", {"QUICK_STEPS": (1, 2, 3, 200)}, HARD, 40),
    "roc": Composite("_solve_roc", "search_chosen"),
    "guided": Composite("_beside", "solve_binary", {"FIRST_TURN": (1, 2, 5, 20), "GROWTH": (2, 4)}, HARD, 60),
    "frontier": Composite("_ranked_frontier", "solve_ranked", options={"engine": "ranked"}),
    "regression front": Composite("_regression_frontier", "solve_regression"),
}
# Of these only the steps are counted: folds, shards, and searches that are one.
COUNTED = COMPOSITES | dict.fromkeys(
    ("cv", "leaf cv", "regression cv", "shards", "policy", "survival", "row costs", "probability", "deviance",
     "simple lines", "several outputs"),
    Composite("", ""),
)  # fmt: skip
SOME_STEPS = 10  # of a run that does not say how many it took


class Stopped:
    """A search that is stopped after some steps in one of its calls, and says that something else ended it."""

    def __init__(self, search: Any, at: int = -1, steps: int = 1, reason: StopReason | None = None) -> None:
        self.search, self.at, self.steps, self.reason = search, at, steps, reason
        self.calls = 0
        self.was_stopped = False

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.calls += 1
        if self.calls - 1 != self.at:
            return self.search(*given, **named)
        given, named = self._limited(given, named)
        result = self.search(*given, **named)
        if result.stop_reason is not StopReason.STEP_LIMIT:
            return result
        self.was_stopped = True
        return replace(result, stop_reason=self.reason, stats={**result.stats, **told_to_stop(self.reason)})

    def _limited(
        self, given: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        def fewer(limits: Limits | None) -> Limits:
            limits = limits or Limits()
            steps = self.steps if limits.step_limit is None else min(self.steps, limits.step_limit)
            return replace(limits, step_limit=steps)

        if any(isinstance(value, Limits) for value in given):
            return tuple(fewer(value) if isinstance(value, Limits) else value for value in given), named
        return given, named | {"limits": fewer(named.get("limits"))}


def without_limits(method: str, rng: np.random.Generator) -> Case:
    """A case of a method that is not stopped by itself, and guesses nothing but bounds: those run beside others."""
    while True:
        case = random_case(rng, {method: 1.0}).without(*LIMITS)
        if COUNTED[method].options:
            case = case.but(options=dict(case.options) | {"search_options": COUNTED[method].options})
        guessed = (case.options.get("max_depth"), str(case.options.get("thresholds")))
        if case.n_rows <= MOST_ROWS and "guess" not in guessed:
            return case


@contextlib.contextmanager
def lowered(composite: Composite, rng: np.random.Generator) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for name, values in composite.lowered.items():
            constant = f"treewright.search.{composite.module}.{name}"
            stack.enter_context(patch(constant, int(rng.choice(values))))
        yield


def steps_of(case: Case) -> int | None:
    """How many steps the whole run takes; None where there is none."""
    try:
        found = case.run()
    except (InputError, SolverError):
        return None
    return int(getattr(found, "result_", found).stats.get("steps", SOME_STEPS))


@pytest.mark.parametrize("method", COUNTED)
def test_after_any_number_of_steps(method: str) -> None:
    stops = number = 0
    while stops < COUNTED[method].enough and number < MOST_CASES:
        number += 1
        rng = np.random.default_rng(number)
        case = without_limits(method, rng)
        with lowered(COUNTED[method], rng):
            for steps in range(1, min((steps_of(case) or 0) + 2, MOST_STEPS)):
                stopped = case.but(options=dict(case.options) | {"step_limit": steps})
                broken = attack(stopped).mismatches
                assert not broken, f"{broken}\n{stopped.script(broken[0].law)}"
                stops += 1
    assert number < MOST_CASES


@pytest.mark.parametrize("method", COMPOSITES)
def test_in_any_search_for_any_reason(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    composite = COMPOSITES[method]
    module = import_module(f"treewright.search.{composite.module}")
    whole = getattr(module, composite.search)
    stops = number = 0
    while stops < COMPOSITES[method].enough and number < MOST_CASES:
        number += 1
        rng = np.random.default_rng(number)
        case = without_limits(method, rng)
        # A limit that ends nothing by itself, so that the checks know of one.
        limited = case.but(options=dict(case.options) | {"time_limit": 1e6})
        with lowered(composite, rng):
            counted = Stopped(whole)
            monkeypatch.setattr(module, composite.search, counted)
            if steps_of(limited) is None:
                continue
            for at in range(min(counted.calls, MOST_SEARCHES)):
                reason = REASONS[rng.integers(len(REASONS))]
                stopping = Stopped(whole, at, int(rng.choice([1, 2, 3, 5])), reason)
                monkeypatch.setattr(module, composite.search, stopping)
                broken = attack(limited).mismatches
                about = f"search {at} stopped after {stopping.steps} steps: {reason}"
                assert not broken, f"{about}\n{broken}\n{limited.script(broken[0].law)}"
                stops += stopping.was_stopped
    assert number < MOST_CASES
