"""Integers for additive losses, so that the search compares exactly.

Longer than 400 lines: the units of three losses, each with the proof of its rounding.

The engine minimises integers: a leaf of loss L costs ``(floor(L / 2**shift) << tie_bits) + leaf``, where L is computed
from whole numbers (rounded, scaled weights and targets), ``leaf`` is the leaf penalty, and the lowest bits count
leaves, so that of trees of equal cost the one with the fewest leaves wins. What all this rounding may move is kept as a
tolerance.

A leaf costs one unit beside its penalty. For each floor may save up to one unit: without it a split between two leaves
of equal mean could pay by rounding alone. With it, k leaves that save nothing cost at least one leaf's floor less
k - 1 units plus k - 1 units, and the tie bits decide for the one leaf.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError

__all__ = [
    "ActionUnits",
    "SquaredErrorUnits",
    "SurvivalUnits",
    "action_units",
    "slack_of",
    "squared_error_units",
    "survival_units",
    "whole_weights",
]

LARGEST_SUM = 2**46  # of the weights, and of the weighted targets of an output
LARGEST_SQUARES = 2.0**96  # of the rows' squares, all outputs together (target_table.hpp)
LEAST_MASS = (
    2.0**-460
)  # of differences beside the largest target: what they are scaled by has a square in float64
LOSS_BITS = 44  # of the loss of one leaf, unless spans need the room
MANY_LEAVES = 2**12  # from here on each unit that a leaf may hide counts, and ties need not all be told apart
LOSS_BITS_OF_MANY = 48
MOST_TIE_BITS = 10
COST_BITS = 58
TERM_BITS = 51  # of all events times the largest logarithm


@dataclass(frozen=True, eq=False)
class SquaredErrorUnits:
    """Integer weights and targets, and what one unit of the engine's cost stands for.

    Parameters
    ----------
    weight : ndarray of shape (n_rows,), int64
    weighted : ndarray of shape (n_outputs, n_rows), int64
        Weight times target.
    shift, tie_bits : int
    leaf : int
        Cost of a leaf without loss.
    unit : float
        Loss of one unit of cost above the tie bits, in the user's units.
    target_rounding : float
        What the rounding of targets may move the root of any tree's loss, in the user's units.
    weight_rounding : float
        What the rounding of weights may move any tree's loss, in the user's units.
    """

    weight: NDArray[np.int64]
    weighted: NDArray[np.int64]
    shift: int
    tie_bits: int
    leaf: int
    unit: float
    target_rounding: float
    weight_rounding: float

    of_one_tree: ClassVar[bool] = True

    @property
    def room(self) -> float:
        """How far a tree's loss as it is measured may be above `loss`, or below, beside the `tolerance` of one tree.

        `tolerance` takes the root of the loss that was measured. That of whole weights may be above it by w, the
        rounding of weights, and with t that of targets 2 t sqrt(loss + w) <= 2 t sqrt(loss) + t^2 + w. Where all
        targets are alike, their loss is what float64 makes of it.
        """
        return self.weight_rounding if self.unit > 0 else math.inf

    def loss(self, cost: float) -> float:
        """Return what an engine cost stands for, leaf penalties included."""
        return cost / 2.0**self.tie_bits * self.unit

    def tolerance(self, loss: float, n_leaves: int) -> float:
        """Return how far the true objective of a tree of this loss may be from what the engine says.

        A root of a sum of squares is a norm, so rounded targets move it by at most the norm of the rounding. Each leaf
        loses less than one unit to the floor, costs one more and its tie bit, and has half a unit of a rounded penalty;
        the squares of the rows, rounded up, are one unit before the shift each.
        """
        moved = 2 * self.target_rounding * math.sqrt(max(loss, 0.0)) + self.target_rounding**2
        units = (2.5 + 0.5**self.tie_bits) * n_leaves + len(self.weight) / 2.0**self.shift
        return moved + self.weight_rounding + units * self.unit


def squared_error_units(
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    *,
    leaf_penalty: float,
    max_leaves: int,
    needs_spans: bool,
) -> SquaredErrorUnits:
    """Return squared error in integers.

    Parameters
    ----------
    y : ndarray of shape (n_rows, n_outputs)
        Finite targets.
    weight : ndarray of shape (n_rows,)
        Finite, not negative, one at least positive.
    leaf_penalty : float
        Of one leaf, in units of the weighted squared error.
    max_leaves : int
        Of any tree in question.
    needs_spans : bool
        Whether the sum of the rows' largest losses must fit too.

    Raises
    ------
    InputError
        The targets differ by nothing beside their size.
    """
    n, n_outputs = y.shape
    whole, weight_scale = whole_weights(weight)
    # Powers of two keep extreme numbers clear of overflow and lose nothing.
    size = max((float(np.abs(y[:, k]).max(initial=0.0)) for k in range(n_outputs)), default=0.0)
    exponent = math.frexp(size)[1] if size > 0 else 0
    # Passes over a million rows count: weights are converted once, and rows without weight masked if there are any.
    share, unused = whole.astype(np.float64), whole == 0
    masked = bool(unused.any())
    total = float(whole.sum())
    # One output after the other, each in its own row: of a million rows all together take new pages again and again.
    centred = np.empty((n_outputs, n))
    mass = 0.0
    for k, own in enumerate(centred):
        scaled = np.ldexp(y[:, k], -exponent)
        np.subtract(scaled, (share * scaled).sum() / total, out=own)
        if masked:
            own[unused] = 0.0
        # Once more, for targets far from zero: their differences are exact, their mean was not.
        own -= (share * own).sum() / total
        if masked:
            own[unused] = 0.0
        mass = max(mass, float((share * np.abs(own)).sum()))
    if 0 < mass < LEAST_MASS:
        raise InputError(
            f"The targets differ by no more than about {math.ldexp(mass, exponent):.2g}, which is nothing beside their "
            f"size of {size:.2g}: squares of such differences are not told from 0. Subtract its mean from each output."
        )
    # Room for the rounding of every row.
    step = 2.0 ** (math.floor(math.log2((LARGEST_SUM - n) / mass)) if mass > 0 else 0)
    # Of each output the squares are at most LARGEST_SUM**2; those of hundreds of outputs need a coarser step.
    squares = sum(float((share * (own * step) ** 2).sum()) for own in centred)
    step *= 2.0 ** -max(0, math.ceil(math.log2(max(squares, 1.0) / LARGEST_SQUARES) / 2))
    weighted = np.empty((n_outputs, n), dtype=np.int64)
    weight_error = np.abs(share / weight_scale - weight)
    needs_reach = needs_spans or bool(weight_error.any())
    divisor = np.maximum(share, 1.0)
    # Squares of the distance from the farthest value of a leaf: among the rows that the integers know, and among all.
    reach = far = np.zeros(n)
    moved = squares = 0.0
    for k, (own, integers) in enumerate(zip(centred, weighted, strict=True)):
        stepped = own * step
        rounded = share * stepped
        np.rint(rounded, out=rounded)
        integers[:] = rounded
        error = np.divide(rounded, divisor, out=rounded)
        error -= stepped
        if masked:
            error[unused] = 0.0
        moved += float((share * error**2).sum())
        squares += float((share * stepped**2).sum())
        if needs_reach and not unused.all():
            reach = reach + _reach(own, ~unused if masked else None)
            # A row whose weight is rounded to nothing is missing in the integers, and in the tree's loss it is not.
            far = far + _reach(np.ldexp(y[:, k], -exponent), weight > 0) if masked else reach
    moved = math.sqrt(moved)
    tie_bits = MOST_TIE_BITS if max_leaves > MANY_LEAVES else max_leaves.bit_length()
    spans = squares
    if needs_spans:
        spans = float((share * (reach * step**2)).sum()) * 1.001 + 2 * n
    loss_bits = LOSS_BITS if max_leaves <= MANY_LEAVES else LOSS_BITS_OF_MANY
    shift = max(
        0,
        math.ceil(math.log2(max(squares, 1.0))) - loss_bits,
        math.ceil(math.log2(max(spans, 1.0) + n)) - (COST_BITS + 1 - tie_bits),
    )
    # One unit of cost above the tie bits, in the user's units of w y^2.
    unit = math.ldexp(2.0**shift / step**2 / weight_scale, 2 * exponent) if squares > 0 else 0.0
    most = squares / 2.0**shift + 1  # a penalty above the loss of one leaf is as good as this: no split pays
    leaf = round(min(leaf_penalty / unit, most)) if unit > 0 else 0
    return SquaredErrorUnits(
        whole,
        weighted,
        shift,
        tie_bits,
        ((leaf + 1) << tie_bits) + 1,
        unit,
        math.ldexp(moved / step / math.sqrt(weight_scale), exponent),
        math.ldexp(float((weight_error * far).sum()), 2 * exponent),
    )


def _reach(values: NDArray[np.float64], among: NDArray[np.bool_] | None) -> NDArray[np.float64]:
    """Square of the distance of each value from the farthest one among some."""
    seen = values if among is None else values[among]
    return np.asarray(np.maximum(values - seen.min(), seen.max() - values) ** 2)


def whole_weights(
    weight: NDArray[np.float64], largest_sum: int = LARGEST_SUM
) -> tuple[NDArray[np.int64], float]:
    """Return integer weights and their number per unit of weight: exact where they are small whole numbers."""
    largest = float(weight.max())
    exponent = math.frexp(largest)[1]
    scaled = np.ldexp(weight, -exponent)  # below 1
    for power in range(31):
        tried = scaled * 2.0**power
        whole = np.rint(tried)
        if np.array_equal(whole, tried) and whole.sum() <= largest_sum / 2**16:
            return whole.astype(np.int64), math.ldexp(1.0, power - exponent)
    total, room = float(scaled.sum()), largest_sum - len(weight)
    power = math.floor(math.log2(room / total))
    power -= int(
        math.ldexp(total, power) > room
    )  # the logarithm of what is just below a power of two is its own
    return np.rint(scaled * 2.0**power).astype(np.int64), math.ldexp(1.0, power - exponent)


@dataclass(frozen=True, eq=False)
class ActionUnits:
    """Integer costs of actions, each row's least cost taken off.

    Parameters
    ----------
    cost : ndarray of shape (n_rows, n_actions), int64
    base : float
        What every tree pays, in the user's units.
    tie_bits : int
    leaf : int
        Cost of a leaf without loss.
    unit : float
        Loss of one unit of cost above the tie bits, in the user's units.
    rounding : float
        What the rounding of costs may move any tree's loss, in the user's units; 0 where the costs are multiples of the
        unit.
    room : float
        What float64 may lose when it adds up costs of rows, one after the other: 2^-53 of all of them for each.
    """

    cost: NDArray[np.int64]
    base: float
    tie_bits: int
    leaf: int
    unit: float
    rounding: float
    room: float

    of_one_tree: ClassVar[bool] = True

    def loss(self, cost: float) -> float:
        """Return what an engine cost stands for, leaf penalties included."""
        return self.base + cost / 2.0**self.tie_bits * self.unit

    def tolerance(self, loss: float, n_leaves: int) -> float:
        """Return how far the true objective of a tree may be from what the engine says."""
        return self.rounding + (0.5 * n_leaves + 1) * self.unit + 1e-15 * (abs(self.base) + abs(loss))


def action_units(cost: NDArray[np.float64], *, leaf_penalty: float, max_leaves: int) -> ActionUnits:
    """Return costs of actions in integers.

    Parameters
    ----------
    cost : ndarray of shape (n_rows, n_actions)
        Finite, weights included.
    leaf_penalty : float
        Of one leaf, in units of the costs.
    max_leaves : int
        Of any tree in question.
    """
    n = len(cost)
    largest = float(np.abs(cost).max(axis=1).sum())
    cheapest = cost.min(axis=1)
    exponent = math.frexp(float(np.abs(cost).max(initial=0.0)))[1]
    reduced = np.ldexp(cost, -exponent) - np.ldexp(cheapest, -exponent)[:, None]
    total = float(reduced.max(axis=1).sum())
    tie_bits = max(1, max_leaves.bit_length())
    bits = COST_BITS - tie_bits
    step = 2.0 ** math.floor(math.log2((2.0**bits - n) / total)) if total > 0 else 1.0
    scaled = reduced * step
    whole = np.rint(scaled)
    unit = math.ldexp(1 / step, exponent) if total > 0 else 0.0
    leaf = round(min(leaf_penalty / unit, 2.0**bits)) if unit > 0 else 0
    return ActionUnits(
        whole.astype(np.int64),
        float(cheapest.sum()),
        tie_bits,
        (leaf << tie_bits) + 1,
        unit,
        # And of the difference to the row's least cost, in floating point.
        float(np.abs(whole - scaled).max(axis=1).sum()) * unit + 2.0**-52 * largest,
        2.0**-52 * n * largest,
    )


@dataclass(frozen=True, eq=False)
class SurvivalUnits:
    """Whole events and hazards, and what one unit of the engine's cost stands for.

    Parameters
    ----------
    events, hazard : ndarray of shape (n_rows,), int64
    scale : int
        The engine's loss has ``2**scale`` units in one of the user's.
    tie_bits : int
    leaf : int
        Cost of a leaf without loss.
    offset : float
        Units that every tree has at most besides its loss (survival.hpp).
    leaf_error : int
        Units by which a leaf may differ from its loss and penalty.
    """

    events: NDArray[np.int64]
    hazard: NDArray[np.int64]
    scale: int
    tie_bits: int
    leaf: int
    offset: float
    leaf_error: int

    of_one_tree: ClassVar[bool] = False

    @property
    def unit(self) -> float:
        """Loss of one unit of cost above the tie bits, in the user's units."""
        return math.ldexp(1.0, -self.scale)

    @property
    def room(self) -> float:
        """How far a tree's loss as it is measured may be above `loss`, which takes all of `offset` off."""
        return self.offset * self.unit

    def loss(self, cost: float) -> float:
        """Return what an engine cost stands for at least, leaf penalties included."""
        return (cost / 2.0**self.tie_bits - self.offset) * self.unit

    def tolerance(self, loss: float, n_leaves: int) -> float:
        """Return how far the true objective of a tree may be from what the engine says."""
        return self.leaf_error * n_leaves * self.unit + 1e-15 * abs(loss)


def survival_units(
    events: NDArray[np.int64], hazard: NDArray[np.int64], *, leaf_penalty: float, max_leaves: int
) -> SurvivalUnits:
    """Return the deviance of the exponential model in integers.

    Parameters
    ----------
    events, hazard : ndarray of shape (n_rows,), int64
        Whole, not negative; the hazard of a row is at least its events, and the sums are at most 2**50 and 2**61.
    leaf_penalty : float
        Of one leaf, in units of the loss.
    max_leaves : int
        Of any tree in question.

    Notes
    -----
    A leaf is charged what rounding may save, so that a split without a gain never pays by rounding alone. With s the
    engine's `slack`: two leaves lose 3 s more to the constant than the one that they split, 3 s to the three
    logarithms and 2 to the floors. So a leaf costs 6 s + 3 beside its penalty, of which the constant takes 3 s and a
    logarithm and a floor at most s + 1: what is left, 2 s + 2 to 4 s + 3, and half a unit of the penalty, may be the
    difference of two trees, once a leaf.
    """
    n, seen = len(events), int(events.sum())
    tie_bits = min(MOST_TIE_BITS, max_leaves.bit_length())
    logarithm = _largest_logarithm(events, hazard)
    # Of a leaf's loss, and of its penalty, which is no larger.
    term_bits = min(TERM_BITS, COST_BITS + 2 - tie_bits)
    scale = min(60, term_bits - math.frexp(max(seen, 1) * (logarithm + 1))[1])
    slack = slack_of(seen, logarithm, scale)
    extra = 6 * slack + 3
    leaf = round(min(math.ldexp(leaf_penalty, scale), 2.0**term_bits)) + extra
    return SurvivalUnits(
        events,
        hazard,
        scale,
        tie_bits,
        (leaf << tie_bits) + 1,
        # Each row has 4 slack, and the constant of a row with an event is up to 2 slack + 1 too small.
        offset=4.0 * slack * n + (2.0 * slack + 1) * int((events > 0).sum()),
        leaf_error=4 * slack + 5,
    )


def slack_of(most: int, logarithm: float, scale: int) -> int:
    """Return one more than the engine's own: units by which a number times a logarithm may be off (logarithms.hpp)."""
    return math.ceil(math.ldexp(most * (2.1 + 9.2 * logarithm), scale - 53) + 0.5) + 1


def _largest_logarithm(events: NDArray[np.int64], hazard: NDArray[np.int64]) -> float:
    """Return the largest logarithm of a quotient of hazards and events as the engine scales them (survival.cpp)."""
    has_event = events > 0
    if not has_event.any():
        return 0.0
    quotient = hazard[has_event] / events[has_event]
    most = float(hazard.sum()) if (hazard[~has_event] > 0).any() else float(quotient.max())
    return math.log(most) - (math.frexp(float(quotient.min()))[1] - 1) * math.log(2)
