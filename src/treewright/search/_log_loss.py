"""Log loss of the shares of a leaf, and its integers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.search._additive_units import MOST_TIE_BITS, slack_of, whole_weights
from treewright.search._kept import engine_answer
from treewright.search._loss_rows import check_lengths, check_positive
from treewright.search._prune_additive import ENTROPY, RowSums
from treewright.search._single_split import LOG_LOSS, one_split, split_of_labels
from treewright.table import Table
from treewright.tree import Split

__all__ = ["LogLoss", "LogLossUnits", "log_loss_of"]

LARGEST_SUM = 2**50  # of the whole weights
TERM_BITS = 50  # of the sum of all weights times its logarithm
HALF = 0.5


def log_loss_of(weights: NDArray[np.float64]) -> float:
    """Return the log loss of a leaf with these weights of classes: ``sum_k n_k log(n / n_k)``.

    Of a class with most of the weight the logarithm is taken of what it lacks, so that nothing cancels.
    """
    total = math.fsum(weights.tolist())
    lost = []
    for k, weight in enumerate(weights.tolist()):
        if weight <= 0:
            continue
        if weight > HALF * total:
            others = math.fsum(weights[:k].tolist() + weights[k + 1 :].tolist())
            lost.append(-weight * math.log1p(-others / total))
        else:
            times = total / weight
            # Of a denormal number that is infinite, and a difference of logarithms is near enough.
            many = math.log(times) if times < math.inf else math.log(total) - math.log(weight)
            lost.append(weight * many)
    return math.fsum(lost)


@dataclass(frozen=True, eq=False)
class LogLossUnits:
    """Whole weights, and what one unit of the engine's cost stands for.

    Parameters
    ----------
    weight : ndarray of shape (n_rows,), int64
    scale : int
        A whole weight of one times a logarithm of one is ``2**scale`` units.
    tie_bits : int
    leaf : int
        Cost of a leaf without loss.
    unit : float
        Loss of one unit of cost above the tie bits, in the user's units.
    offset : float
        Units that every tree has at most besides its loss (log_loss.hpp).
    leaf_error : int
        Units by which a leaf may differ from its loss and penalty.
    weight_rounding : float
        What the rounding of weights may move any tree's loss, in the user's units.
    """

    weight: NDArray[np.int64]
    scale: int
    tie_bits: int
    leaf: int
    unit: float
    offset: float
    leaf_error: int
    weight_rounding: float

    of_one_tree: ClassVar[bool] = False

    @property
    def room(self) -> float:
        """How far a tree's loss as it is measured may be above `loss`, which takes all of `offset` off."""
        return self.offset * self.unit

    def loss(self, cost: float) -> float:
        """Return what an engine cost stands for at least, leaf penalties included."""
        return (cost / 2.0**self.tie_bits - self.offset) * self.unit

    def tolerance(self, loss: float, n_leaves: int) -> float:
        """Return how far the true objective of a tree may be from what the engine says."""
        return self.leaf_error * n_leaves * self.unit + 2 * self.weight_rounding + 1e-15 * abs(loss)


@dataclass(frozen=True, eq=False)
class LogLoss:
    """Log loss: a leaf of rows i costs the least ``-sum_i weight_i log(share of the class of i)`` over its shares.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), int
        Classes from 0.
    n_classes : int
    weight : ndarray of shape (n_rows,), float64
        Finite and positive.
    """

    y: NDArray[np.integer[Any]]
    n_classes: int
    weight: NDArray[np.float64]

    def leaf_loss(self, rows: NDArray[np.intp] | slice = slice(None)) -> float:
        """Return the loss of one leaf with these rows."""
        weights = np.bincount(self.y[rows], self.weight[rows], self.n_classes)
        return log_loss_of(np.asarray(weights, dtype=np.float64))

    def unavoidable(self) -> float:
        """Return the loss that every tree has: none."""
        return 0.0

    def check(self, n: int) -> None:
        """Refuse numbers that are no loss of `n` rows."""
        check_lengths(n, labels=self.y, weights=self.weight)
        check_positive(self.weight)

    def units(self, leaf_penalty: float, max_leaves: int, needs_spans: bool) -> LogLossUnits:
        """Return the loss in integers.

        Notes
        -----
        With s the engine's `slack`: two leaves lose 3 s more to the constant than the one that they split, and 3 s to
        the three errors. So a leaf costs 6 s + 1 beside its penalty, and a split without a gain never pays by rounding
        alone. The constant takes 3 s of it and an error at most s: what is left, 2 s + 1 to 4 s + 1, and half a unit
        of the penalty, may be the difference of two trees, once a leaf.

        The loss of a leaf grows with the weight n_k of a class by ``log(n / n_k)`` for each unit, so ``d`` more of
        it cost at most the integral of ``log((n + d) / t)`` over t from 0 to d: ``d (log((n + d) / d) + 1)``. That is
        concave in d, so rows one by one cost at least as much as together, and n is at most the weight of all rows:
        this bounds what rounded weights move any tree.
        """
        n = len(self.weight)
        whole, by = whole_weights(self.weight, LARGEST_SUM)
        total = int(whole.sum())
        logarithm = math.log(max(total, 1))
        tie_bits = min(MOST_TIE_BITS, max_leaves.bit_length())
        scale = min(60, TERM_BITS - math.frexp(max(total, 1) * (logarithm + 1))[1])
        slack = slack_of(total, logarithm, scale) * (self.n_classes + 1)
        extra = 6 * slack + 1
        unit = math.ldexp(1.0, -scale) / by
        moved = np.abs(whole - self.weight * by)
        moved = moved[moved > 0]
        beyond = math.log(total + len(moved)) - np.log(moved)  # of denormal numbers, too
        rounding = float((moved * (beyond + 1)).sum()) / by
        return LogLossUnits(
            whole,
            scale,
            tie_bits,
            ((round(min(leaf_penalty / unit, 2.0**TERM_BITS)) + extra) << tie_bits) + 1,
            unit,
            offset=4.0 * slack * n,
            leaf_error=4 * slack + 3,
            weight_rounding=rounding,
        )

    def row_sums(self) -> RowSums:
        """Return the numbers of which a leaf's loss is a function: the weights of its classes."""
        return RowSums(ENTROPY, np.eye(self.n_classes)[self.y] * self.weight[:, None])

    def best_split(self, table: Table, min_leaf: int, below: float = math.inf) -> list[Split | None]:
        """Return the best tree of one split, found without ranks."""
        return one_split(
            split_of_labels(table, LOG_LOSS, self.y, self.weight, self.n_classes, min_leaf, below=below)
        )

    def native(self, rank: NDArray[np.uint32], units: Any, **rest: Any) -> dict[str, Any]:
        """Run the engine."""
        return engine_answer(
            core.log_loss_solve,
            rank=rank,
            label=self.y.astype(np.uint32),
            weight=units.weight,
            n_classes=self.n_classes,
            scale=units.scale,
            tie_bits=units.tie_bits,
            leaf=units.leaf,
            **rest,
        )
