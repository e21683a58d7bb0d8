"""Weights of rows as whole numbers, in full and as the search for the best worst leaf adds them up.

The depth-two kernels take weights with a sum of some 25 bits. Whole numbers, decimals of a few places and multiples of
one number usually fit. All others go to the engine twice: in full, with a sum below 2^100, which decides every answer,
and rounded, which finds it (``cpp/include/treewright/leaf_accuracy/target.hpp`` has the proof).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from treewright.search._halves import halves_of

__all__ = ["FullWeights", "full_weights"]

FULL_BITS = 100  # of the sum
MOST_RATIOS = 256  # different weights that are tried as multiples of one number
LARGEST_DENOMINATOR = 10**6
LARGEST_EXACT = 2**53  # float64 holds every whole number up to here
DECIMALS = 6


@dataclass(frozen=True, eq=False)
class FullWeights:
    """Whole weights.

    Parameters
    ----------
    weight : ndarray of shape (n_rows,), int32
        At least 1 each.
    full : ndarray of shape (n_rows, 2), uint64, or None
        High and low half of each weight in full; None if `weight` is that.
    shift : int
        One unit of `weight` is ``2**shift`` units in full.
    total : int
        Sum of the weights in full.
    real : bool, default=False
        Whether the weights stand for real numbers that float64 had to round, such as balanced ones: sums that should
        be equal may then differ in the last bits. Whole numbers, decimals and multiples of one number are exact.
    """

    weight: NDArray[np.int32]
    full: NDArray[np.uint64] | None
    shift: int
    total: int
    real: bool = False


def full_weights(weights: NDArray[np.float64], room: int, bits: int = FULL_BITS) -> FullWeights:
    """Return the weights as whole numbers.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        Above 0.
    room : int
        Bound of the sum of the rounded weights; more than twice the number of rows.
    bits : int, default=100
        Of the sum of the weights in full, at most 100.

    Notes
    -----
    Weights that are multiples of one number up to a few units in the last place of float64 (balanced class
    weights) are read as such multiples. Any others are kept as float64 has them, where their sizes differ by less
    than some 2^40; no weight moves by more than ``2**-bits`` of the sum.
    """
    multiples = _multiples(weights)
    if multiples is not None:
        whole, place = multiples
        units = [int(value) for value in whole]
        total = sum(units[k] * int(n) for k, n in enumerate(np.bincount(place)))
        if total <= room:
            return FullWeights(np.array(units, dtype=np.int32)[place], None, 0, total)
        if total < 2**bits:
            return _rounded(units, place, total, room)
    distinct, place = np.unique(weights, return_inverse=True)
    # The largest power of two that keeps the sum below 2**bits; Fractions, for float64 may overflow.
    sizes = [Fraction(value) for value in distinct.tolist()]
    total_size = sum((size * int(n) for size, n in zip(sizes, np.bincount(place), strict=True)), Fraction(0))
    scale = Fraction(2) ** (bits - 2 - _log2(total_size))
    units = [max(1, round(size * scale)) for size in sizes]
    total = sum(unit * int(n) for unit, n in zip(units, np.bincount(place), strict=True))
    return replace(_rounded(units, place, total, room), real=True)


def _log2(value: Fraction) -> int:
    """Return the logarithm rounded down, or one less."""
    return value.numerator.bit_length() - value.denominator.bit_length() - 1


def _rounded(units: list[int], place: NDArray[np.intp], total: int, room: int) -> FullWeights:
    """Return both kinds of weights of rows that have the `place`-th of the units."""
    n_rows = len(place)
    shift = 0
    while (total >> shift) + 2 * n_rows > room:
        shift += 1
    half = (1 << shift) >> 1
    coarse = np.array([max(1, (unit + half) >> shift) for unit in units], dtype=np.int32)
    halves = np.array([halves_of(unit) for unit in units], dtype=np.uint64)
    return FullWeights(coarse[place], np.ascontiguousarray(halves[place]), shift, total)


def _multiples(weights: NDArray[np.float64]) -> tuple[list[int], NDArray[np.intp]] | None:
    """Return the different weights as multiples of one number, and which of them each row has; None if they are not."""
    distinct, place = np.unique(weights, return_inverse=True)
    smallest = float(distinct[0])
    for factor in (1.0, *(10.0**places for places in range(1, DECIMALS + 1))):
        with np.errstate(over="ignore"):
            whole = np.rint(distinct * factor)
        if whole[0] >= 1 and whole.sum() < LARGEST_EXACT and np.array_equal(whole / factor, distinct):
            divisor = int(np.gcd.reduce(whole.astype(np.int64)))
            return [int(value) // divisor for value in whole], place
    if len(distinct) > MOST_RATIOS or float(distinct[-1]) / smallest == math.inf:
        return None
    ratios = []
    for value in distinct.tolist():
        exact = Fraction(value) / Fraction(smallest)
        near = exact.limit_denominator(LARGEST_DENOMINATOR)
        if abs(near - exact) > exact * Fraction(2) ** -50:
            return None
        ratios.append(near)
    common = math.lcm(*(ratio.denominator for ratio in ratios))
    if common >= 2 ** (FULL_BITS // 2):
        return None
    units = [int(ratio * common) for ratio in ratios]
    divisor = math.gcd(*units)
    return [unit // divisor for unit in units], place
