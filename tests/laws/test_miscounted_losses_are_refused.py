"""Law: a proof that counts its own tree wrongly is refused, whatever the loss, and no honest proof is.

What rounding explains is computed by the units of each loss (`Units.room`, `Units.tolerance`).
"""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from treewright.errors import InputError, RefutedProofWarning
from treewright.problem import make_policy_problem, make_regression_problem
from treewright.result import SolveStatus, StopReason
from treewright.search import BinaryOptions, _additive, _binary_policy, solve_policy, solve_regression
from treewright.search._additive import AdditiveAnswer, solve_additive
from treewright.search._additive_losses import ActionLoss, SquaredErrorLoss, SurvivalLoss
from treewright.search._binary_run import search_bits
from treewright.search._log_loss import LogLoss
from treewright.search._pinball import PinballLoss
from treewright.search._ratio_deviance import RatioDeviance
from treewright.search._simple_lines import SimpleLinesLoss
from treewright.table import Table, table_from
from treewright.verify import verify_regression

LOSSES = ("squared", "outputs", "action", "survival", "deviance", "log", "absolute", "quantile", "lines")
LIE = 1e-6  # of the loss of one leaf: far above what any rounding moves


def numbers(rng: np.random.Generator, n: int) -> Any:
    """Targets as they hurt: far from zero, of very different size, one above all, long ties, or in order."""
    kind = rng.integers(7)
    if kind == 0:
        return rng.normal(size=n) + 10.0 ** rng.integers(0, 9)
    if kind == 1:
        return rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-8, 8, n)
    if kind == 2:
        return np.where(np.arange(n) == rng.integers(n), 1e9, rng.normal(size=n))
    if kind == 3:
        return np.repeat(rng.normal(size=3), -(-n // 3))[:n]
    if kind == 4:
        return np.sort(rng.normal(size=n)) * 10.0 ** rng.integers(-200, 100)
    if kind == 5:
        return rng.integers(-5, 6, n) / 10
    return np.nextafter(1.0, 2.0) ** rng.integers(0, 4, n)


def weights(rng: np.random.Generator, n: int) -> Any:
    kind = rng.integers(5)
    if kind == 0:
        return np.ones(n)
    if kind == 1:
        return 10.0 ** rng.uniform(-9, 9, n)
    if kind == 2:
        return rng.integers(1, 5, n) * 0.1
    if kind == 3:
        return np.where(np.arange(n) == rng.integers(n), 1e12, 1.0)
    return rng.random(n) + 1e-3


def random_table(rng: np.random.Generator, n: int) -> Table:
    column = rng.integers(0, rng.integers(2, n + 1), (n, int(rng.integers(1, 4)))).astype(float)
    if rng.random() < 0.3:
        column[:, 0] = np.arange(n) // int(rng.integers(1, 5))  # in order, with ties
    return table_from(column)


def random_loss(name: str, rng: np.random.Generator, n: int) -> Any:
    y, w = numbers(rng, n), weights(rng, n)
    if name == "squared":
        w[rng.random(n) < 0.1] = 0.0
        w[0] = 1.0
        return SquaredErrorLoss(y, w)
    if name == "outputs":
        return SquaredErrorLoss(np.column_stack([y, y[::-1] * rng.integers(0, 2, n)]), w)
    if name == "action":
        return ActionLoss(np.column_stack([numbers(rng, n) for _ in range(int(rng.integers(2, 4)))]))
    if name == "survival":
        events = rng.integers(0, 2, n) * rng.integers(1, 2 ** int(rng.integers(1, 30)), n)
        return SurvivalLoss(events, events + rng.integers(0, 2 ** int(rng.integers(1, 40)), n))
    if name == "deviance":
        return RatioDeviance(np.abs(rng.normal(size=n)) * rng.integers(0, 2, n) + (np.arange(n) == 0), w)
    if name == "log":
        return LogLoss(rng.integers(0, 3, n), 3, w)
    if name == "absolute":
        return PinballLoss(y, w)
    if name == "quantile":
        return PinballLoss(y, w, Fraction(int(rng.integers(1, 20)), 20))
    X = np.column_stack([rng.normal(size=n).round(3), rng.integers(0, 9, n) + 1e5])
    return SimpleLinesLoss(rng.normal(size=n).round(3), np.ones(n), X, ("a", "b"))


def solved(name: str, rng: np.random.Generator) -> AdditiveAnswer | None:
    n = int(rng.integers(2, 30))
    table, loss = random_table(rng, n), random_loss(name, rng, n)
    about: dict[str, Any] = {
        "cost_complexity": float(rng.choice([0, 0, 1e-6, 0.01, 0.3])),
        "max_depth": int(rng.integers(1, 4)),
        "max_leaf_nodes": [None, None, 3][rng.integers(3)],
        "min_samples_leaf": int(rng.integers(1, 3)),
    }
    try:
        return solve_additive(table, loss, **about) if loss.leaf_loss() > 0 else None
    except InputError:  # such numbers do not fit into whole ones
        return None


@pytest.mark.parametrize("name", LOSSES)
def test_no_honest_proof_is_refused(name: str) -> None:
    rng = np.random.default_rng(LOSSES.index(name))
    proven = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", RefutedProofWarning)
        for _ in range(60):
            answer = solved(name, rng)
            if answer is not None:
                assert not answer.refuted
                assert answer.proven
                proven += 1
    assert proven >= 20


def plain_loss(name: str, rng: np.random.Generator, n: int) -> Any:
    """Numbers that rounding hardly moves."""
    y, w = rng.normal(size=n).round(2), np.ones(n)
    if name == "squared":
        return SquaredErrorLoss(y, w)
    if name == "outputs":
        return SquaredErrorLoss(np.column_stack([y, y[::-1]]), w)
    if name == "action":
        return ActionLoss(np.column_stack([y + 2, y[::-1] + 2]))
    if name == "survival":
        events = rng.integers(0, 2, n) * 1000
        return SurvivalLoss(events, events + rng.integers(1, 3000, n))
    if name == "deviance":
        return RatioDeviance(np.abs(y), w)
    if name == "log":
        return LogLoss(rng.integers(0, 3, n), 3, w)
    if name in ("absolute", "quantile"):
        return PinballLoss(y, w, Fraction(1, 2) if name == "absolute" else Fraction(9, 10))
    return SimpleLinesLoss(y, w, rng.normal(size=(n, 2)).round(2), ("a", "b"))


def with_lie(monkeypatch: pytest.MonkeyPatch, loss: Any, share: float) -> None:
    """Let the engine say that its tree, and so every tree, costs more by `share` of the loss of one leaf."""
    native = type(loss).native

    def told(self: Any, rank: Any, units: Any, **rest: Any) -> dict[str, Any]:
        answer: dict[str, Any] = native(self, rank, units, **rest)
        more = round(share * loss.leaf_loss() / units.unit * 2.0**units.tie_bits)
        return answer | {"lower": answer["lower"] + more, "upper": answer["upper"] + more}

    monkeypatch.setattr(type(loss), "native", told)


@pytest.mark.parametrize("share", [-LIE, LIE])
@pytest.mark.parametrize("name", LOSSES)
def test_a_tree_that_costs_another_sum_refutes_its_proof(
    name: str, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(LOSSES.index(name))
    table, loss = table_from(rng.integers(0, 6, (40, 2)).astype(float)), plain_loss(name, rng, 40)
    honest = solve_additive(table, loss, max_depth=2)
    assert honest.proven
    with_lie(monkeypatch, loss, share)
    with pytest.warns(RefutedProofWarning, match="its own tree has"):
        answer = solve_additive(table, loss, max_depth=2)
    assert not answer.proven
    assert answer.loss == honest.loss
    assert answer.lower_bound <= 0
    assert "report it" in answer.refuted[0]


@pytest.mark.parametrize("name", LOSSES)
def test_a_tree_cut_short_by_a_stop_is_not_proven(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is stopped while it writes its tree may leave a worse one: no defect, and no proof."""
    rng = np.random.default_rng(LOSSES.index(name))
    table, loss = table_from(rng.integers(0, 6, (40, 2)).astype(float)), plain_loss(name, rng, 40)
    honest = solve_additive(table, loss, max_depth=2)
    with_lie(monkeypatch, loss, -LIE)
    monkeypatch.setattr(_additive, "stop_reason", lambda _: StopReason.INTERRUPT)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RefutedProofWarning)
        answer = solve_additive(table, loss, max_depth=2)
    assert not answer.proven
    assert not answer.refuted
    assert answer.lower_bound <= honest.objective


@pytest.mark.parametrize("lie", [0.0, 1e-6])
def test_policies_over_cuts(lie: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search over binary columns is held to its tree, too; without a lie it is proven."""
    search = search_bits

    def told(*about: Any, **rest: Any) -> dict[str, Any]:
        answer = search(*about, **rest)
        return answer | {name: answer[name] * (1 - lie) for name in ("lower_bound", "upper_bound")}

    monkeypatch.setattr(_binary_policy, "search_bits", told)
    rng = np.random.default_rng(0)
    for _ in range(20):
        problem = make_policy_problem(
            table_from(rng.integers(0, 2, (40, 4)).astype(float)), rng.normal(size=(40, 3)), max_depth=2,
            cost_complexity=float(rng.choice([0, 0.01, 1])),
        )  # fmt: skip
        if lie == 0:
            assert solve_policy(problem, options=BinaryOptions(engine="binary")).status is SolveStatus.OPTIMAL
            continue
        with pytest.warns(RefutedProofWarning, match="a tree with a regret of"):
            result = solve_policy(problem, options=BinaryOptions(engine="binary"))
        assert result.status is SolveStatus.FEASIBLE
        assert result.lower_bound == pytest.approx(problem.cost_complexity)


def test_the_result_makes_no_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    problem = make_regression_problem(
        table_from(rng.integers(0, 6, (40, 2)).astype(float)),
        rng.normal(size=40),
        max_depth=2,
        cost_complexity=0.01,
    )
    with_lie(monkeypatch, SquaredErrorLoss(problem.y), -1e-9)  # a tenth of what is still called optimal
    with pytest.warns(RefutedProofWarning, match="a tree with a loss of"):
        result = solve_regression(problem)
    assert result.status is SolveStatus.FEASIBLE
    assert result.lower_bound == pytest.approx(0.01)
    assert any("report it" in note for note in result.notes)
    assert verify_regression(problem, result).ok
