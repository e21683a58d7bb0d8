"""Additive losses: what a leaf costs, its integers, and the engine that minimises it.

A loss is additive if a leaf's cost is a function of sums over its rows. `_pinball`, `_log_loss` and `_ratio_deviance`
have others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.errors import InputError
from treewright.search._additive_units import (
    ActionUnits,
    SquaredErrorUnits,
    SurvivalUnits,
    action_units,
    squared_error_units,
    survival_units,
)
from treewright.search._kept import engine_answer
from treewright.search._loss_rows import check_lengths
from treewright.search._prune_additive import DEVIANCE, LEAST, SQUARES, RowSums
from treewright.search._ratio_deviance import half_deviance
from treewright.search._single_split import one_split, split_of_sums
from treewright.table import Table
from treewright.tree import Split

__all__ = ["ActionLoss", "AdditiveLoss", "SquaredErrorLoss", "SurvivalLoss", "Units"]


ROWS_AT_ONCE = 2**12  # whose numbers are made together


class Units(Protocol):
    """Integers of a loss, and what the engine's costs stand for."""

    of_one_tree: ClassVar[bool]
    """Whether `tolerance` is that of one tree; else it is that of the difference of two, and `loss` too small."""

    @property
    def leaf(self) -> int:
        """Cost of a leaf without loss."""

    @property
    def room(self) -> float:
        """How far a tree's loss as it is measured may be above `loss`, or below, beside the `tolerance` of one tree."""

    def loss(self, cost: float) -> float:
        """Return what an engine cost stands for at least, leaf penalties included."""

    def tolerance(self, loss: float, n_leaves: int) -> float:
        """Return how far the true objective of a tree may be from what the engine says."""


class AdditiveLoss(Protocol):
    """What a leaf costs, and how the engine is asked."""

    def leaf_loss(self, rows: NDArray[np.intp] | slice = slice(None)) -> float:
        """Return the loss of one leaf with these rows."""

    def unavoidable(self) -> float:
        """Return the loss that every tree has."""

    def check(self, n: int) -> None:
        """Refuse numbers that are no loss of `n` rows."""

    def units(self, leaf_penalty: float, max_leaves: int, needs_spans: bool) -> Units:
        """Return the loss in integers."""

    def row_sums(self) -> RowSums | None:
        """Return the numbers of which a leaf's loss is a function, for its prunings; None if they are many."""

    def best_split(self, table: Table, min_leaf: int, below: float = math.inf) -> list[Split | None] | None:
        """Return the best tree of one split, found without ranks; None where that takes ranks.

        It is one leaf where no split costs less than the share `below` of one leaf's loss.
        """

    def native(self, rank: NDArray[np.uint32], units: Any, **rest: Any) -> dict[str, Any]:
        """Run the engine."""


@dataclass(frozen=True, eq=False)
class SquaredErrorLoss:
    """Squared error: a leaf of rows i costs the least ``sum_i weight_i |y_i - c|^2`` over its value ``c``.

    Parameters
    ----------
    y : ndarray of shape (n_rows,) or (n_rows, n_outputs), float64
        Finite targets; several outputs add their squared errors.
    weight : ndarray of shape (n_rows,), float64, or None, default=None
        Finite, not negative, one of them at least positive; None weights all rows one.
    """

    y: NDArray[np.float64]
    weight: NDArray[np.float64] | None = None

    def targets(self) -> NDArray[np.float64]:
        """Return the targets as (n_rows, n_outputs)."""
        y = np.asarray(self.y, dtype=np.float64)
        return y[:, None] if y.ndim == 1 else y

    def weights(self) -> NDArray[np.float64]:
        """Return the weight of each row."""
        if self.weight is None:
            return np.ones(len(self.y))
        return np.asarray(self.weight, dtype=np.float64)

    def leaf_loss(self, rows: NDArray[np.intp] | slice = slice(None)) -> float:
        """Return the loss of one leaf with these rows."""
        weight = self.weights()[rows]
        total = weight.sum()
        if total == 0:
            return 0.0
        loss = 0.0
        # One output after the other: of a million rows all together take new pages.
        for y in self.targets().T:
            centred = y[rows] - (weight * y[rows]).sum() / total
            centred -= (weight * centred).sum() / total  # for targets far from zero
            loss += float((weight * centred**2).sum())
        return loss

    def unavoidable(self) -> float:
        """Return the loss that every tree has: none."""
        return 0.0

    def check(self, n: int) -> None:
        """Refuse numbers that are no loss of `n` rows."""
        y, weight = self.targets(), self.weights()
        check_lengths(n, targets=y[:, 0], weights=weight)
        if not np.isfinite(y).all():
            raise InputError("y has values that are not finite; leave out these rows or replace the values.")
        if not (np.isfinite(weight).all() and (weight >= 0).all() and weight.sum() > 0):
            raise InputError(
                "sample_weight must be finite and not negative, and above 0 for at least one row."
            )

    def units(self, leaf_penalty: float, max_leaves: int, needs_spans: bool) -> SquaredErrorUnits:
        """Return the loss in integers."""
        return squared_error_units(
            self.targets(),
            self.weights(),
            leaf_penalty=leaf_penalty,
            max_leaves=max_leaves,
            needs_spans=needs_spans,
        )

    def row_sums(self) -> RowSums:
        """Return the numbers of which a leaf's loss is a function."""
        targets, weight = self.targets(), self.weights()
        means = np.array([np.average(y, weights=weight) for y in targets.T])
        numbers = np.empty((len(targets), 2 + targets.shape[1]))
        # Some rows at a time stay in the cache.
        for first in range(0, len(targets), ROWS_AT_ONCE):
            rows = slice(first, first + ROWS_AT_ONCE)
            apart = (targets[rows] - means).T
            numbers[rows, 0] = weight[rows]
            numbers[rows, 1] = weight[rows] * reduce(np.add, apart**2)
            numbers[rows, 2:] = (weight[rows] * apart).T
        return RowSums(SQUARES, numbers)

    def best_split(self, table: Table, min_leaf: int, below: float = math.inf) -> list[Split | None]:
        """Return the best tree of one split, found without ranks."""
        return one_split(split_of_sums(table, self.row_sums(), min_leaf, below=below))

    def native(self, rank: NDArray[np.uint32], units: Any, **rest: Any) -> dict[str, Any]:
        """Run the engine."""
        return engine_answer(
            core.squared_error_solve,
            rank=rank,
            weight=units.weight,
            weighted=units.weighted,
            shift=units.shift,
            tie_bits=units.tie_bits,
            leaf=units.leaf,
            **rest,
        )


@dataclass(frozen=True, eq=False)
class ActionLoss:
    """Costs of actions: a leaf of rows i costs the least ``sum_i cost[i, a]`` over its action ``a``.

    Rewards are negative costs. The least cost of each row is paid by every tree.

    Parameters
    ----------
    cost : ndarray of shape (n_rows, n_actions), float64
        Finite, of any sign; weights included.
    """

    cost: NDArray[np.float64]

    def leaf_loss(self, rows: NDArray[np.intp] | slice = slice(None)) -> float:
        """Return the loss of one leaf with these rows."""
        return float(np.asarray(self.cost, dtype=np.float64)[rows].sum(axis=0).min())

    def unavoidable(self) -> float:
        """Return the loss that every tree has: the least cost of each row."""
        return float(reduce(np.minimum, np.asarray(self.cost, dtype=np.float64).T).sum())

    def check(self, n: int) -> None:
        """Refuse numbers that are no loss of `n` rows."""
        cost = np.asarray(self.cost)
        if cost.ndim != 2 or len(cost) != n or cost.shape[1] == 0:
            raise InputError(
                f"cost has shape {cost.shape}; give ({n}, n_actions): one cost for each row and action."
            )
        if not np.isfinite(cost).all():
            raise InputError(
                "cost has values that are not finite; leave out these rows or replace the values."
            )

    def units(self, leaf_penalty: float, max_leaves: int, needs_spans: bool) -> ActionUnits:
        """Return the loss in integers."""
        return action_units(
            np.asarray(self.cost, dtype=np.float64), leaf_penalty=leaf_penalty, max_leaves=max_leaves
        )

    def row_sums(self) -> RowSums:
        """Return the numbers of which a leaf's loss is a function: the costs."""
        return RowSums(LEAST, np.asarray(self.cost, dtype=np.float64))

    def best_split(self, table: Table, min_leaf: int, below: float = math.inf) -> list[Split | None]:
        """Return the best tree of one split, found without ranks."""
        return one_split(split_of_sums(table, self.row_sums(), min_leaf, below=below))

    def native(self, rank: NDArray[np.uint32], units: Any, **rest: Any) -> dict[str, Any]:
        """Run the engine."""
        return engine_answer(
            core.action_costs_solve,
            rank=rank,
            cost=units.cost,
            tie_bits=units.tie_bits,
            leaf=units.leaf,
            **rest,
        )


@dataclass(frozen=True, eq=False)
class SurvivalLoss:
    """Half the deviance of the exponential survival model: a leaf has one hazard ratio.

    Rows i with events ``d`` and hazards ``h`` cost the least ``sum_i ratio h_i - d_i log(ratio h_i / d_i) - d_i`` over
    the ratio, which is ``sum d / sum h`` (LeBlanc and Crowley 1992).

    Parameters
    ----------
    events : ndarray of shape (n_rows,), int64
        Weight of the event of each row, whole; 0 if it was censored.
    hazard : ndarray of shape (n_rows,), int64
        Weight times cumulative hazard, in any unit in which it is whole and at least `events`.
    """

    events: NDArray[np.int64]
    hazard: NDArray[np.int64]

    def leaf_loss(self, rows: NDArray[np.intp] | slice = slice(None)) -> float:
        """Return the loss of one leaf with these rows."""
        return half_deviance(self.events[rows].astype(np.float64), self.hazard[rows].astype(np.float64))

    def unavoidable(self) -> float:
        """Return the loss that every tree has: none."""
        return 0.0

    def check(self, n: int) -> None:
        """Refuse numbers that are no loss of `n` rows."""
        check_lengths(n, events=self.events, hazards=self.hazard)
        if (self.events < 0).any() or (self.hazard < self.events).any():
            raise InputError("events must be at least 0, and hazard at least as large.")

    def units(self, leaf_penalty: float, max_leaves: int, needs_spans: bool) -> SurvivalUnits:
        """Return the loss in integers."""
        return survival_units(self.events, self.hazard, leaf_penalty=leaf_penalty, max_leaves=max_leaves)

    def row_sums(self) -> RowSums:
        """Return the numbers of which a leaf's loss is a function."""
        events, hazard = self.events.astype(np.float64), self.hazard.astype(np.float64)
        hazard *= events.sum() / hazard.sum()  # logarithms near 0
        seen = events > 0
        own = np.zeros(len(events))
        own[seen] = events[seen] * np.log(hazard[seen] / events[seen])
        return RowSums(DEVIANCE, np.column_stack([events, hazard, own]))

    def best_split(self, table: Table, min_leaf: int, below: float = math.inf) -> list[Split | None]:
        """Return the best tree of one split, found without ranks."""
        return one_split(split_of_sums(table, self.row_sums(), min_leaf, below=below))

    def native(self, rank: NDArray[np.uint32], units: Any, **rest: Any) -> dict[str, Any]:
        """Run the engine."""
        return engine_answer(
            core.survival_solve,
            rank=rank,
            events=units.events,
            hazard=units.hazard,
            scale=units.scale,
            tie_bits=units.tie_bits,
            leaf=units.leaf,
            **rest,
        )
