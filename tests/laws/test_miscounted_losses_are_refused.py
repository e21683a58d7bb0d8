"""Law: a proof that counts its own tree wrongly is refused, whatever the loss, and no honest proof is.

What rounding explains is computed by the units of each loss (`Units.room`, `Units.tolerance`).
"""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from treewright.errors import RefutedProofWarning
from treewright.result import SolveStatus, StopReason
from treewright.search import _additive, solve_regression
from treewright.search._additive import AdditiveAnswer, solve_additive
from treewright.search._additive_losses import ActionLoss, SquaredErrorLoss, SurvivalLoss
from treewright.search._log_loss import LogLoss
from treewright.search._pinball import PinballLoss
from treewright.search._ratio_deviance import RatioDeviance
from treewright.search._simple_lines import SimpleLinesLoss
from treewright.problem import make_regression_problem
from treewright.table import Table, table_from

LOSSES = ("squared", "outputs", "action", "survival", "deviance", "log", "absolute", "quantile", "lines")
LIE = 1e-6  # of the loss of one leaf: far above what any rounding moves


def numbers(rng: np.random.Generator, n: int) -> np.ndarray:
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


def weights(rng: np.random.Generator, n: int) -> np.ndarray:
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
    about = {
        "cost_complexity": float(rng.choice([0, 0, 1e-6, 0.01, 0.3])),
        "max_depth": int(rng.integers(1, 4)),
        "max_leaf_nodes": [None, None, 3][rng.integers(3)],
        "min_samples_leaf": int(rng.integers(1, 3)),
    }
    try:
        if not loss.leaf_loss() > 0:
            return None
        return solve_additive(table, loss, **about)
    except ValueError as refused:  # InputError: such numbers do not fit
        assert "RefutedProof" not in type(refused).__name__
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
