"""Ctrl-C after the last look of an engine, or while its answer becomes a result: nothing that was found is lost."""

from __future__ import annotations

import _thread
import operator
from collections.abc import Callable
from dataclasses import replace
from itertools import chain, starmap
from typing import Any

import numpy as np
import pytest

from treewright._native import core
from treewright.binarize import midpoints
from treewright.problem import (
    make_f1_problem,
    make_policy_problem,
    make_probability_problem,
    make_problem,
    make_regression_problem,
    make_survival_problem,
)
from treewright.result import SolveStatus, StopReason, told_to_stop
from treewright.search import (
    BinaryOptions,
    Limits,
    RankedOptions,
    solve,
    solve_f1,
    solve_frontier,
    solve_leaf_accuracy,
    solve_policy,
    solve_probability,
    solve_regression,
    solve_roc,
    solve_survival,
    solve_with_leaf_accuracy,
)
from treewright.search import _additive as additive
from treewright.search import _additive_result as additive_result
from treewright.search import _binary_policy as binary_policy
from treewright.search import _binary_run as binary_run
from treewright.search import _leaf_accuracy as leaf_accuracy
from treewright.search import _leaf_accuracy_bound as bound
from treewright.search import _solve as binary
from treewright.search import _solve_f1 as f1
from treewright.search import _solve_frontier as frontier
from treewright.search import _solve_ranked as ranked
from treewright.search import _solve_roc as roc
from treewright.search._kept import engine_answer, kept_result
from treewright.table import table_from

rng = np.random.default_rng(0)
X = rng.integers(0, 4, (200, 4)).astype(float)
Y = np.where(rng.random(200) < 0.2, rng.integers(0, 2, 200), X[:, 0] > 1).astype(int)
TABLE = table_from(X)
LIMITS: dict[str, Any] = {"cost_complexity": 0.01, "max_depth": 2}


def pressed_as_it_ends(stop: Any) -> Any:
    """What makes an answer, and presses Ctrl-C meanwhile: in one step of the interpreter, as a compiled engine."""
    return zip(
        ["stop", "pressed"], chain([stop], starmap(operator.call, [(_thread.interrupt_main,)])), strict=True
    )


@pytest.mark.parametrize(
    ("stop", "told"), [(core.Stop.NONE, core.Stop.NONE), (core.Stop.TIME, core.Stop.INTERRUPT)]
)
def test_an_answer_that_is_there_is_kept(stop: Any, told: Any) -> None:
    with pytest.raises(KeyboardInterrupt):  # as it is without
        dict(pressed_as_it_ends(stop))
    answer = engine_answer(dict, pressed_as_it_ends(stop))
    assert answer == {"stop": told, "pressed": None, "ended_by": core.Stop.INTERRUPT}
    assert engine_answer(dict, stop=stop) == {"stop": stop}


def test_an_engine_without_an_answer_is_interrupted() -> None:
    def pressed() -> dict[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine_answer(pressed)


def pressed_in_call(number: int, whole: Callable[..., Any]) -> Callable[..., Any]:
    """A function during a call of which Ctrl-C is pressed; at 0 during all."""
    calls: list[Any] = []

    def called(*given: Any, **named: Any) -> Any:
        calls.append(given)
        if number in (0, len(calls)):
            raise KeyboardInterrupt
        return whole(*given, **named)

    return called


def classes() -> Any:
    return make_problem(TABLE, Y, **LIMITS)


BITS, RANKS = BinaryOptions(engine="binary"), RankedOptions()
NUMBERS = X[:, 0] * X[:, 1] + rng.normal(size=200)
REWARDS = np.column_stack([X[:, 0], 3 - X[:, 1]])
SURVIVAL = make_survival_problem(TABLE, (Y > 0, 1 + X[:, 2]), **LIMITS)
# What solves, and what of it is called while the result is put together.
PUT_TOGETHER: dict[str, tuple[Callable[[], Any], Any, str]] = {
    "binary": (lambda: solve(classes(), options=BITS), binary, "counted_tree"),
    "ranked": (lambda: solve(classes(), "all", options=RANKS), ranked, "splits_of"),
    "ranked, its end": (lambda: solve(classes(), "all", options=RANKS), ranked, "held_to_one_split"),
    "front": (
        lambda: solve_frontier(make_problem(TABLE, Y, cost_complexity=0, max_leaf_nodes=4), options=BITS),
        frontier,
        "counted_tree",
    ),
    "numbers": (
        lambda: solve_regression(make_regression_problem(TABLE, NUMBERS, **LIMITS)),
        additive,
        "splits_of",
    ),
    "numbers, the end": (
        lambda: solve_regression(make_regression_problem(TABLE, NUMBERS, **LIMITS)),
        additive_result,
        "settle_missing",
    ),
    "policy": (
        lambda: solve_policy(make_policy_problem(TABLE, REWARDS, **LIMITS), options=BITS),
        binary_policy,
        "loss_of",
    ),
    "worst leaf": (
        lambda: solve_leaf_accuracy(
            make_problem(TABLE, Y, cost_complexity=0, max_depth=2, min_samples_leaf=20)
        ),
        leaf_accuracy,
        "counted_tree",
    ),
    "least leaf": (
        lambda: solve_with_leaf_accuracy(classes(), "all", 0.6),
        leaf_accuracy,
        "counted_tree",
    ),
    "f1": (lambda: solve_f1(make_f1_problem(TABLE, Y, **LIMITS)), f1, "settle_missing"),
    "roc": (lambda: solve_roc(make_problem(TABLE, Y, max_depth=2)), roc, "RocFrontier"),
}


def said(result: Any) -> Any:
    """What is claimed, of one tree or of each point."""
    if hasattr(result, "tree"):
        return result.status, result.objective, result.lower_bound, result.tree.n_leaves
    if hasattr(result, "lines"):
        return len(result), result.auc_bound
    return [said(point) for point in result.limits]


@pytest.mark.parametrize("name", PUT_TOGETHER)
def test_a_result_is_put_together_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, module, part = PUT_TOGETHER[name]
    whole = ask()
    assert whole.asked_to_stop is None
    monkeypatch.setattr(module, part, pressed_in_call(1, getattr(module, part)))
    result = ask()
    assert said(result) == said(whole)
    assert result.asked_to_stop is StopReason.INTERRUPT
    assert result.stop_reason is None


@pytest.mark.parametrize("name", sorted(set(PUT_TOGETHER) - {"policy"}))  # that one ends with one split
def test_another_ctrl_c_ends_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, module, part = PUT_TOGETHER[name]
    monkeypatch.setattr(module, part, pressed_in_call(0, getattr(module, part)))
    with pytest.raises(KeyboardInterrupt):
        ask()


def test_what_is_put_together_is_made_once_where_nobody_presses() -> None:
    made: list[int] = []

    def make() -> list[int]:
        made.append(1)
        return made

    assert kept_result(make) is made
    assert made == [1]


def test_a_stopped_run_says_who_ended_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller that goes on after a limit must not go on after Ctrl-C."""
    for name, module in (("counted_tree", binary), ("splits_of", ranked)):
        options = BITS if module is binary else RANKS
        asked = make_problem(TABLE, Y, cost_complexity=1e-4, max_depth=4)
        stopped = solve(asked, "all", options=options, limits=Limits(step_limit=1))
        assert stopped.stop_reason is StopReason.STEP_LIMIT
        with monkeypatch.context() as patched:
            patched.setattr(module, name, pressed_in_call(1, getattr(module, name)))
            result = solve(asked, "all", options=options, limits=Limits(step_limit=1))
        assert result.stop_reason is result.asked_to_stop is StopReason.INTERRUPT
        assert said(result) == said(stopped)


def test_the_bound_of_a_worst_leaf_heeds_a_late_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """It searches one penalty after another: the first that was interrupted is the last, proven or not."""
    problem = make_problem(TABLE, Y, cost_complexity=0, max_depth=2, min_samples_leaf=20)
    whole, calls = bound.bound_by_errors(problem, midpoints(TABLE), 1.0, Limits().started()), []
    real = bound.solve_binary

    def pressed(*given: Any, **named: Any) -> Any:
        calls.append(given)
        found = real(*given, **named)
        return replace(found, stats={**found.stats, **told_to_stop(StopReason.INTERRUPT)})

    monkeypatch.setattr(bound, "solve_binary", pressed)
    found = bound.bound_by_errors(problem, midpoints(TABLE), 1.0, Limits().started())
    assert len(calls) == 1
    assert found.interrupted
    assert not whole.interrupted
    assert found.upper >= whole.upper


def pressed_late(seen: list[Any]) -> Callable[..., Any]:
    """`engine_answer` as it is where Ctrl-C is pressed after the last look of the first engine."""

    def asked(engine: Any, *given: Any, **named: Any) -> Any:
        answer = engine_answer(engine, *given, **named)
        seen.append(engine)
        return engine_answer(dict, chain(answer.items(), pressed_as_it_ends(answer["stop"])))

    return asked


LATE: dict[str, tuple[Callable[[Limits], Any], Any]] = {
    "binary": (lambda limits: solve(classes(), options=BITS, limits=limits), binary_run),
    "policy": (
        lambda limits: solve_policy(
            make_policy_problem(TABLE, REWARDS, **LIMITS), options=BITS, limits=limits
        ),
        binary_run,
    ),
    "ranked": (lambda limits: solve(classes(), "all", options=RANKS, limits=limits), ranked),
    "front": (
        lambda limits: solve_frontier(
            make_problem(TABLE, Y, cost_complexity=0, max_leaf_nodes=4), options=BITS, limits=limits
        ),
        frontier,
    ),
    "worst leaf": (
        lambda limits: solve_leaf_accuracy(
            make_problem(TABLE, Y, cost_complexity=0, max_depth=2, min_samples_leaf=20), limits=limits
        ),
        leaf_accuracy,
    ),
}


@pytest.mark.parametrize("name", LATE)
def test_a_proof_before_a_late_ctrl_c_stays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, module = LATE[name]
    whole, seen = ask(Limits()), []
    monkeypatch.setattr(module, "engine_answer", pressed_late(seen))
    result = ask(Limits())
    assert len(seen) == 1
    assert said(result) == said(whole)
    assert result.stop_reason is None
    assert result.asked_to_stop is StopReason.INTERRUPT


@pytest.mark.parametrize("name", LATE)
def test_a_tree_before_a_late_ctrl_c_stays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, module = LATE[name]
    whole = ask(Limits())
    stopped, seen = ask(Limits(step_limit=1)), []
    monkeypatch.setattr(module, "engine_answer", pressed_late(seen))
    result = ask(Limits(step_limit=1))
    assert len(seen) == 1
    assert result.asked_to_stop is StopReason.INTERRUPT
    if name == "front":
        assert [point.loss for point in result.limits] == [point.loss for point in stopped.limits]
        return
    assert result.objective == stopped.objective
    if stopped.status is SolveStatus.FEASIBLE:
        assert result.status is SolveStatus.FEASIBLE
        assert result.stop_reason is StopReason.INTERRUPT
    if name != "worst leaf":  # a larger value is better there
        assert result.lower_bound <= whole.objective


LOSSES: dict[str, tuple[Callable[[], Any], str]] = {
    "squared error": (
        lambda: solve_regression(make_regression_problem(TABLE, NUMBERS, **LIMITS)),
        "_additive_losses",
    ),
    "absolute error": (
        lambda: solve_regression(
            make_regression_problem(TABLE, np.round(NUMBERS), criterion="absolute_error", **LIMITS)
        ),
        "_pinball",
    ),
    "poisson": (
        lambda: solve_regression(
            make_regression_problem(TABLE, np.abs(np.round(NUMBERS)), criterion="poisson", **LIMITS)
        ),
        "_ratio_deviance",
    ),
    "log loss": (
        lambda: solve_probability(make_probability_problem(TABLE, Y, criterion="log_loss", **LIMITS)),
        "_log_loss",
    ),
    "survival": (lambda: solve_survival(SURVIVAL), "_additive_losses"),
}


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_keeps_its_answer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, module = LOSSES[name]
    whole, seen = ask(), []
    monkeypatch.setattr(f"treewright.search.{module}.engine_answer", pressed_late(seen))
    result = ask()
    assert len(seen) == 1
    assert said(result) == said(whole)
    assert result.asked_to_stop is StopReason.INTERRUPT
