"""Prunings for additive losses: never dearer, none left that is better, no refuted proof handed out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from prunings import prunings
from treewright import SolveStatus
from treewright.errors import RefutedProofWarning
from treewright.problem import make_policy_problem, make_regression_problem, make_survival_problem
from treewright.search import _additive_result, _solve_policy, solve_policy, solve_regression, solve_survival
from treewright.search._additive import loss_of
from treewright.search._additive_losses import ActionLoss, AdditiveLoss, SquaredErrorLoss, SurvivalLoss
from treewright.search._log_loss import LogLoss
from treewright.search._prune_additive import pruned_splits
from treewright.table import Table, table_from
from treewright.tree import Split, ThresholdSplit
from treewright.verify import verify_policy, verify_regression, verify_survival
from unit.search.test_prune import random_splits

KINDS = ("regression", "policy", "survival")
LOSSES = (*KINDS, "several outputs", "log loss")


def random_loss(kind: str, rng: np.random.Generator, n: int) -> AdditiveLoss:
    if kind == "regression":
        return SquaredErrorLoss(rng.normal(size=n) * 10.0 ** rng.integers(-3, 4), rng.integers(0, 4, n) + 0.1)
    if kind == "several outputs":
        return SquaredErrorLoss(np.eye(3)[rng.integers(0, 3, n)], rng.integers(0, 4, n) + 0.1)
    if kind == "log loss":
        return LogLoss(rng.integers(0, 3, n), 3, rng.integers(0, 4, n) + 0.1)
    if kind == "policy":
        cost = rng.integers(0, 9, (n, 3)) / 7
        return ActionLoss(cost - cost.min(axis=1, keepdims=True))
    events = rng.integers(0, 2, n)
    events[0] = 1
    return SurvivalLoss(events, rng.integers(1, 1000, n))


def random_table(rng: np.random.Generator) -> Table:
    X = rng.integers(0, 5, (int(rng.integers(5, 60)), 4)).astype(float)
    X[rng.random(X.shape) < 0.05] = np.nan
    return table_from(X)


@pytest.mark.parametrize("kind", LOSSES)
def test_no_pruning_is_left_that_is_better(kind: str) -> None:
    rng = np.random.default_rng(4)
    improved = 0
    for _ in range(60):
        table = random_table(rng)
        loss = random_loss(kind, rng, table.n_rows)
        one_leaf = loss.leaf_loss()
        if one_leaf == 0:
            continue
        price = float(rng.choice([0.0, 0.01, 0.05]))

        def cost(
            splits: list[Split | None],
            table: Table = table,
            loss: AdditiveLoss = loss,
            one: float = one_leaf,
            price: float = price,
        ) -> float:
            return loss_of(splits, table, loss) / one + price * sum(split is None for split in splits)

        splits = random_splits(rng, 4, 4)
        found = pruned_splits(
            table, splits, loss.row_sums(), one_leaf=one_leaf, cost_complexity=price, seconds=1e6
        )
        after = splits if found is None else found
        assert cost(after) <= cost(splits) + 1e-12
        for other in prunings(after):
            assert cost(other) > cost(after) - 1e-12
        improved += found is not None
    assert improved > 20


def problem_and_solve(kind: str) -> tuple[Any, Callable[..., Any]]:
    """Two columns of noise and one of signal."""
    rng = np.random.default_rng(5)
    n = 80
    X = rng.integers(0, 4, (n, 3)).astype(float)
    about = {"cost_complexity": 0.02, "max_depth": 3}
    table = table_from(X)
    if kind == "regression":
        return make_regression_problem(table, X[:, 2] + rng.random(n), **about), solve_regression
    if kind == "policy":
        rewards = np.column_stack([X[:, 2] + rng.random(n), np.full(n, 2.0)])
        return make_policy_problem(table, rewards, **about), solve_policy
    time = rng.exponential(1 + X[:, 2])
    return make_survival_problem(table, (rng.random(n) < 0.8, time), **about), solve_survival


VERIFY = {"regression": verify_regression, "policy": verify_policy, "survival": verify_survival}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("proven", [True, False])
def test_a_result_that_a_pruning_refutes(kind: str, proven: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine's tree below two splits of noise: as a proof it is refuted, as an unfinished result it is pruned."""
    problem, solve = problem_and_solve(kind)
    honest = solve(problem)
    noise = ThresholdSplit(0, 1.5)

    def worse(answer: Any) -> Any:
        splits = (noise, *answer.splits, ThresholdSplit(1, 1.5), None, None)
        loss = losses[-1]
        share = loss_of(list(splits), problem.table, loss)
        return replace(
            answer,
            splits=splits,
            proven=proven,
            loss=share,
            lower_bound=answer.lower_bound if not proven else share,
        )

    losses: list[AdditiveLoss] = []
    true_search = _additive_result.solve_additive

    def search(table: Table, loss: AdditiveLoss, **rest: Any) -> Any:
        losses.append(loss)
        return worse(true_search(table, loss, **rest))

    def cuts(problem: Any, space: Any, cost: Any, **rest: Any) -> Any:
        losses.append(ActionLoss(cost))
        return worse(true_cuts(problem, space, cost, **rest))

    true_cuts = _solve_policy.solve_binary_policy
    monkeypatch.setattr(_additive_result, "solve_additive", search)
    monkeypatch.setattr(_solve_policy, "solve_binary_policy", cuts)
    with monkeypatch.context() as unpruned:
        unpruned.setattr(_additive_result, "pruned_splits", lambda *_, **__: None)
        told = solve(problem)
        assert told.tree.n_leaves > honest.tree.n_leaves
        assert "no pruning and no subtree is better" in str(VERIFY[kind](problem, told))
        assert not VERIFY[kind](problem, told).ok
    if proven:
        with pytest.warns(RefutedProofWarning, match="That proof is wrong"):
            result = solve(problem)
        assert result.lower_bound == pytest.approx(0.02)
        assert "report it" in result.notes[-1]
    else:
        result = solve(problem)
        assert result.lower_bound == pytest.approx(honest.lower_bound, abs=1e-9)
    assert result.status is SolveStatus.FEASIBLE
    assert honest.objective - 1e-9 <= result.objective < told.objective - 0.02
    assert VERIFY[kind](problem, result).ok
