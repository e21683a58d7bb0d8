"""Absolute error and quantile loss of one value for each leaf, and their integers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.search._additive_units import MOST_TIE_BITS, whole_weights
from treewright.search._exact_sum import exact_sum
from treewright.search._kept import engine_answer
from treewright.search._loss_rows import check_lengths, check_positive
from treewright.search._single_split import one_split, split_of_targets
from treewright.table import Table
from treewright.tree import ColumnKind, Split, quantile_of

__all__ = ["PinballLoss", "PinballUnits"]

COST_BITS = 57  # of the largest losses of all rows, tie bits included
TARGET_BITS = 44
WEIGHT_BITS = 42  # of their sum


@dataclass(frozen=True, eq=False)
class PinballUnits:
    """Whole targets and weights, and what one unit of the engine's cost stands for.

    Parameters
    ----------
    target : ndarray of shape (n_targets,), int64
        Distinct, ascending, from 0.
    place : ndarray of shape (n_rows,), uint32
        Of each row's target.
    weight : ndarray of shape (n_rows,), int64
    shift, tie_bits, leaf : int
    unit : float
        Loss of one unit of cost above the tie bits, in the user's units.
    rounding : float
        What the rounding of targets and weights may move any tree's loss, in the user's units.
    """

    target: NDArray[np.int64]
    place: NDArray[np.uint32]
    weight: NDArray[np.int64]
    shift: int
    tie_bits: int
    leaf: int
    unit: float
    rounding: float

    of_one_tree: ClassVar[bool] = False
    room: ClassVar[float] = 0.0  # losses are added up exactly (`exact_sum`), and floors are in `tolerance`

    def loss(self, cost: float) -> float:
        """Return what an engine cost stands for, leaf penalties included."""
        return cost / 2.0**self.tie_bits * self.unit

    def tolerance(self, loss: float, n_leaves: int) -> float:
        """Return how far the true objective of a tree may be from what the engine says."""
        return 2 * self.rounding + (2.5 * n_leaves + 1) * self.unit + 1e-15 * abs(loss)


@dataclass(frozen=True, eq=False)
class PinballLoss:
    """Quantile loss: a leaf of value q costs ``sum_i weight_i (up (y_i - q)+ + down (q - y_i)+)``, at its best q.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), float64
        Finite targets.
    weight : ndarray of shape (n_rows,), float64
        Finite and positive.
    share : Fraction, default=1/2
        The quantile; up / (up + down). One half is absolute error.
    """

    y: NDArray[np.float64]
    weight: NDArray[np.float64]
    share: Fraction = Fraction(1, 2)

    @property
    def up(self) -> int:
        """What a target above the value of its leaf loses for each unit."""
        return self.share.numerator

    @property
    def down(self) -> int:
        """What a target below the value of its leaf loses for each unit."""
        return self.share.denominator - self.share.numerator

    def leaf_loss(self, rows: NDArray[np.intp] | slice = slice(None)) -> float:
        """Return the loss of one leaf with these rows."""
        y, weight = self.y[rows], self.weight[rows]
        if len(y) == 0:
            return 0.0
        apart = y - quantile_of(y, weight, self.share)
        return exact_sum(weight * np.where(apart > 0, self.up * apart, -self.down * apart))

    def unavoidable(self) -> float:
        """Return the loss that every tree has: none."""
        return 0.0

    def check(self, n: int) -> None:
        """Refuse numbers that are no loss of `n` rows."""
        check_lengths(n, targets=self.y, weights=self.weight)
        check_positive(self.weight)

    def units(self, leaf_penalty: float, max_leaves: int, needs_spans: bool) -> PinballUnits:
        """Return the loss in integers.

        Notes
        -----
        A target off by e moves the loss of its row at any value by at most ``weight max(up, down) e``; a weight off by
        e moves it by at most e times the row's largest loss at any target. A leaf costs one unit more than its penalty
        where units are rounded: two floors may save one against that of the leaf they split.
        """
        tie_bits = min(MOST_TIE_BITS, max_leaves.bit_length())
        weight, per_weight = whole_weights(self.weight, 2**WEIGHT_BITS)
        weight = np.maximum(weight, 1)
        factor = max(self.up, self.down)
        apart = self.y - self.y.min()
        exponent = math.frexp(float(apart.max()))[1]
        scaled = np.ldexp(apart, -exponent)  # at most 1
        # Losses without a shift where targets can do with so few bits: then equal losses are equal integers.
        bits = COST_BITS - tie_bits - (factor * (int(weight.sum()) + 1)).bit_length()
        if not 0 <= bits <= TARGET_BITS or not _is_whole(np.ldexp(scaled, bits)):
            bits = TARGET_BITS
        whole = np.rint(np.ldexp(scaled, bits))
        target, place = np.unique(whole.astype(np.int64), return_inverse=True)
        most = factor * int(target[-1]) * int(weight.sum()) + len(weight)
        shift = max(0, most.bit_length() - (COST_BITS - tie_bits))
        of_target = math.ldexp(1.0, bits - exponent)
        unit = 2.0**shift / (of_target * per_weight)
        off = self.weight * np.abs(whole / of_target - apart)
        of_weight = np.abs(weight / per_weight - self.weight) * float(apart.max())
        below = 2.0**-53 * float((self.weight * apart).sum())  # a difference of floating-point numbers
        leaf = round(min(leaf_penalty / unit, 2.0 ** (COST_BITS - tie_bits))) + (shift > 0)
        return PinballUnits(
            target,
            place.reshape(-1).astype(np.uint32),
            weight,
            shift,
            tie_bits,
            (leaf << tie_bits) + 1,
            unit,
            factor * (exact_sum(off) + exact_sum(of_weight) + below),
        )

    def row_sums(self) -> None:
        """Return nothing: a leaf's loss is no function of few sums."""

    def best_split(self, table: Table, min_leaf: int, below: float = math.inf) -> list[Split | None] | None:
        """Return the best tree of one split, found without ranks; None where categories may be split."""
        if any(column.kind is ColumnKind.CATEGORICAL for column in table.columns):
            return None
        sides = (self.up, self.down)
        return one_split(split_of_targets(table, self.y, self.weight, sides, min_leaf, below))

    def native(self, rank: NDArray[np.uint32], units: Any, **rest: Any) -> dict[str, Any]:
        """Run the engine."""
        return engine_answer(
            core.pinball_solve,
            rank=rank,
            target=units.target,
            place=units.place,
            weight=units.weight,
            up=self.up,
            down=self.down,
            shift=units.shift,
            tie_bits=units.tie_bits,
            leaf=units.leaf,
            **rest,
        )


def _is_whole(numbers: NDArray[np.float64]) -> bool:
    return bool(np.array_equal(np.rint(numbers), numbers))
