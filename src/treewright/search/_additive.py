"""Exact search over all thresholds for additive losses: regression trees and their kin.

A loss is additive if a leaf's cost is a function of sums over its rows. The engine is that of ``_sweep.py`` with
another objective (cpp/include/treewright/objective/); what a loss adds here is its integers and its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.binarize import CandidateSplits
from treewright.errors import InputError, SolverError
from treewright.result import StopReason
from treewright.search._additive_units import (
    ActionUnits,
    SquaredErrorUnits,
    SurvivalUnits,
    action_units,
    squared_error_units,
    survival_units,
)
from treewright.search._limits import Limits, ProgressCallback, stop_reason
from treewright.search._options import SweepOptions
from treewright.search._prune_additive import DEVIANCE, LEAST, SQUARES, RowSums
from treewright.search._ranked_run import NOTHING_COUNTED, counts_of, run_arguments
from treewright.search._ranks import rank_matrix, ranked_columns, splits_of
from treewright.search._ratio_deviance import half_deviance
from treewright.table import Table
from treewright.tree import Split

__all__ = [
    "ActionLoss",
    "AdditiveAnswer",
    "AdditiveLoss",
    "SquaredErrorLoss",
    "SurvivalLoss",
    "loss_of",
    "solve_additive",
]


class Units(Protocol):
    """Integers of a loss, and what the engine's costs stand for."""

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
        if len(y) != n or weight.shape != (n,):
            raise InputError(
                f"The loss has {len(y)} targets and {len(weight)} weights; the table has {n} rows. "
                "Give one of each per row."
            )
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
        y, weight = self.targets(), self.weights()
        y = y - np.average(y, axis=0, weights=weight)
        return RowSums(SQUARES, np.column_stack([weight, weight * (y**2).sum(axis=1), weight[:, None] * y]))

    def native(self, rank: NDArray[np.uint32], units: Any, **rest: Any) -> dict[str, Any]:
        """Run the engine."""
        return core.squared_error_solve(
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
        return float(np.asarray(self.cost, dtype=np.float64).min(axis=1).sum())

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

    def native(self, rank: NDArray[np.uint32], units: Any, **rest: Any) -> dict[str, Any]:
        """Run the engine."""
        return core.action_costs_solve(
            rank=rank, cost=units.cost, tie_bits=units.tie_bits, leaf=units.leaf, **rest
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
        if self.events.shape != (n,) or self.hazard.shape != (n,):
            raise InputError(
                f"The loss has {len(self.events)} events and {len(self.hazard)} hazards; the table has {n} rows. "
                "Give one "
                "of each a row."
            )
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

    def native(self, rank: NDArray[np.uint32], units: Any, **rest: Any) -> dict[str, Any]:
        """Run the engine."""
        return core.survival_solve(
            rank=rank,
            events=units.events,
            hazard=units.hazard,
            scale=units.scale,
            tie_bits=units.tie_bits,
            leaf=units.leaf,
            **rest,
        )


@dataclass(frozen=True, eq=False)
class AdditiveAnswer:
    """A tree for an additive loss, and what is proven of it.

    Parameters
    ----------
    splits : tuple of (Split or None)
        The tree depth-first, None for a leaf; the left subtree comes first.
    proven : bool
        Whether no tree within the limits has a lower objective, up to `tolerance`.
    objective : float
        Of the tree: `loss` plus `leaf_penalty` for each leaf.
    lower_bound : float
        No tree within the limits has a lower objective.
    loss : float
        Of the tree, recomputed from its rows.
    leaf_loss : float
        Of a tree of one leaf.
    leaf_penalty : float
        Of a leaf: ``cost_complexity`` times `leaf_loss`, less what every tree pays.
    tolerance : float
        What rounding to integers may hide, in units of the objective.
    stop : StopReason or None
        What ended the run early.
    stats : dict
        Seconds, steps, subproblems and the rest that the engine counts.
    options : dict
        The switches of the engine.
    """

    splits: tuple[Split | None, ...]
    proven: bool
    objective: float
    lower_bound: float
    loss: float
    leaf_loss: float
    leaf_penalty: float
    tolerance: float
    stop: StopReason | None
    stats: dict[str, Any]
    options: dict[str, Any]

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return sum(split is None for split in self.splits)


def solve_additive(
    table: Table,
    loss: AdditiveLoss,
    *,
    cost_complexity: float = 0.0,
    max_depth: int | None = 3,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int = 1,
    limits: Limits | None = None,
    options: SweepOptions | None = None,
    progress: ProgressCallback | None = None,
    candidates: Sequence[CandidateSplits] | None = None,
    share_of: float | None = None,
) -> AdditiveAnswer:
    """Find a tree of least loss over all thresholds of the table's columns.

    Parameters
    ----------
    table : Table
        Continuous and categorical columns, missing values included.
    loss : AdditiveLoss
        What a leaf costs. The Gini impurity (Brier score) of labels is the squared error of their 0/1 indicators.
    cost_complexity : float, default=0.0
        Leaf penalty as a share of the loss of one leaf over all rows, which is taken without what every tree pays;
        not negative.
    max_depth : int or None, default=3
        Most splits from the root to a leaf; None is no limit.
    max_leaf_nodes : int or None, default=None
        Most leaves; None is no limit.
    min_samples_leaf : int, default=1
        Minimum number of rows in a leaf (rows count, not their weights).
    limits : Limits, default=None
        A step is a pass of the depth-two kernel over up to 4096 rows times columns. None is no limit but the
        machine's memory.
    options : SweepOptions, default=None
    progress : callable, default=None
        Called about 20 times a second with a `Progress`; a true return value stops the search.
    candidates : sequence of CandidateSplits, default=None
        What the columns offer, where that is known already; None is every split.
    share_of : float, default=None
        Loss that `cost_complexity` is a share of, at least that of one leaf; None is that.

    Returns
    -------
    AdditiveAnswer

    Raises
    ------
    InputError
        If the loss has another number of rows than the table, or numbers that are not finite, or no weight.
    SolverError
        If there are fewer rows than ``min_samples_leaf``.

    Notes
    -----
    Integers are compared, so equal is equal and the answer does not depend on the machine. Among trees of equal
    integer loss one with the fewest leaves is returned. What is lost to rounding stands in ``tolerance``, about 1e-11
    of the loss of one leaf.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.search._additive import SquaredErrorLoss, solve_additive
    >>> from treewright.table import Table
    >>> from treewright.tree import Column, ColumnKind
    >>> table = Table((Column("x", ColumnKind.CONTINUOUS, (), False),), np.array([[1.0], [2.0], [3.0], [4.0]]))
    >>> answer = solve_additive(table, SquaredErrorLoss(np.array([5.0, 5.0, 9.0, 9.0])), max_depth=1)
    >>> answer.splits[0].threshold, answer.loss, answer.proven
    (2.5, 0.0, True)
    """
    limits, options = limits or Limits(), options or SweepOptions()
    n = table.n_rows
    loss.check(n)
    if not (cost_complexity >= 0 and np.isfinite(cost_complexity)):
        raise InputError(f"cost_complexity={cost_complexity!r}; give a finite number not below 0.")
    if n < min_samples_leaf:
        raise SolverError(
            f"No tree has {min_samples_leaf} rows in every leaf: the table has {n}. Lower min_samples_leaf."
        )
    leaf_loss = loss.leaf_loss()
    unavoidable = loss.unavoidable()
    max_leaves = min(
        n,
        2 ** min(30, n if max_depth is None else max_depth),
        n if max_leaf_nodes is None else max_leaf_nodes,
    )
    if cost_complexity > 0:  # more leaves would cost more than one
        max_leaves = int(min(max_leaves, 1 + 1 / cost_complexity))
    leaf_penalty = cost_complexity * (max(leaf_loss - unavoidable, 0.0) if share_of is None else share_of)
    units = loss.units(leaf_penalty, max_leaves, min_samples_leaf > 1)
    if max_depth == 0 or max_leaf_nodes == 1:  # nothing to search, and no column to rank
        tolerance = units.tolerance(leaf_loss + leaf_penalty, 1)
        return AdditiveAnswer(
            (None,),
            True,
            leaf_loss + leaf_penalty,
            leaf_loss + leaf_penalty - tolerance,
            leaf_loss,
            leaf_loss,
            leaf_penalty,
            tolerance,
            None,
            NOTHING_COUNTED,
            options.used(),
        )
    ranked = ranked_columns(table, candidates)

    answer = loss.native(
        rank_matrix(ranked, n),
        units,
        **run_arguments(
            n,
            max_depth=max_depth,
            max_leaves=max_leaf_nodes,
            min_samples_leaf=min_samples_leaf,
            limits=limits,
            options=options,
            progress=progress,
            objective=units.loss,
        ),
    )
    splits = splits_of(answer["nodes"], ranked)
    tree_loss = loss_of(splits, table, loss)
    n_leaves = sum(split is None for split in splits)
    objective = tree_loss + leaf_penalty * n_leaves
    lower, upper = answer["lower"], answer["upper"]
    tolerance = units.tolerance(objective, max_leaves)
    return AdditiveAnswer(
        tuple(splits),
        lower == upper,
        objective,
        min(objective, max(unavoidable, units.loss(lower) - tolerance)),
        tree_loss,
        leaf_loss,
        leaf_penalty,
        tolerance,
        stop_reason(answer["stop"]),
        counts_of(answer),
        options.used(),
    )


def loss_of(splits: list[Split | None], table: Table, loss: AdditiveLoss) -> float:
    """Return the loss of a tree, each leaf with its best value."""
    position, total = 0, 0.0
    stack = [np.arange(table.n_rows)]
    while stack:
        rows = stack.pop()
        split = splits[position]
        position += 1
        if split is None:
            total += loss.leaf_loss(rows)
            continue
        left = split.goes_left(table.X, rows)
        stack += [rows[~left], rows[left]]
    return total
