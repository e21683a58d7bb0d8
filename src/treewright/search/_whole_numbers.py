"""Real numbers as whole ones, for sums and products that are computed without an error.

Numbers of few digits become whole when multiplied by a power of two or of ten; others are rounded. What matters for a
line in a column is not how far its values move, but how differences of two of them change as a share of the difference:
lines stretch with their column. For sorted values that share is largest between neighbours, since that of a longer
difference is a mean of those of its parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright.binarize import value_ranks

__all__ = ["WholeNumbers", "whole_numbers"]

EXACT_BITS = 53  # of whole numbers in double precision
HALF_DIGIT = 2.0**-53  # by which a number is off from a decimal that it is nearest to, as a share
MOST_DECIMALS = 12
SMALLEST = 2.0**-1022  # below it numbers lose digits

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WholeNumbers:
    """Whole numbers that stand for real ones.

    Parameters
    ----------
    whole : ndarray of int64
        Moved so that 0 is in the middle of the smallest and the largest.
    unit : float
        What a difference of one stands for.
    largest_error : float
        How far a number is from what its whole number stands for, at most; in the unit of the numbers.
    stretch : float
        Most by which the difference of two numbers changes, as a share of it before or after, whichever is less;
        infinite if two that differ become one.
    """

    whole: NDArray[np.int64]
    unit: float
    largest_error: float
    stretch: float


def whole_numbers(numbers: Floats, bits: int) -> WholeNumbers:
    """Return whole numbers within ``2**bits`` of 0, exact ones where there are.

    Parameters
    ----------
    numbers : ndarray of float64
        Finite, at least one.
    bits : int
        At most 52.

    Examples
    --------
    >>> found = whole_numbers(np.array([0.5, 1.25, 3.0]), 52)
    >>> ((found.whole - found.whole[0]) * found.unit).tolist(), found.stretch
    ([0.0, 0.75, 2.5], 0.0)
    """
    ranks = value_ranks(numbers, np.empty(len(numbers), dtype=np.uint32))
    found = _of_distinct(ranks.values, bits)
    return replace(found, whole=found.whole[ranks.rank])


def _of_distinct(numbers: Floats, bits: int) -> WholeNumbers:
    """Return whole numbers for rising ones."""
    size = math.frexp(float(np.abs(numbers).max()))[1]
    scaled = np.ldexp(numbers, -size)  # below 1
    lost = not np.array_equal(np.ldexp(scaled, size), numbers)  # digits of numbers far below the others
    binary = _binary(scaled, bits)
    binary = WholeNumbers(
        binary.whole,
        math.ldexp(binary.unit, size),
        math.ldexp(binary.largest_error + lost * SMALLEST, size),
        math.inf if lost else binary.stretch,
    )
    return min(
        [binary, *([] if binary.stretch == 0 else _decimal(numbers, bits))], key=lambda one: one.stretch
    )


def _binary(scaled: Floats, bits: int) -> WholeNumbers:
    spread = float(scaled.max()) / 2 - float(scaled.min()) / 2
    power = min(EXACT_BITS, bits - 1 - math.frexp(spread)[1]) if spread > 0 else 0
    moved = np.ldexp(scaled, power)
    rounded = np.rint(moved)
    return _of(rounded, np.abs(moved - rounded), math.ldexp(1.0, -power), moved - rounded)


def _is_decimal(numbers: tuple[float, ...], factor: float) -> bool:
    """Whether none of some numbers shows that all are not whole after multiplication with `factor`."""
    return all(math.isinf(x * factor) or round(x * factor) / factor == x for x in numbers)


def _decimal(numbers: Floats, bits: int) -> list[WholeNumbers]:
    """Return the one of fewest decimals, if the numbers are decimals of so few digits."""
    ends = (float(numbers[0]), float(numbers[-1]))
    for decimals in range(1, MOST_DECIMALS + 1):
        factor = 10.0**decimals
        if not _is_decimal(ends, factor):  # of thousands of short columns, most end here
            continue
        with np.errstate(over="ignore"):
            rounded = np.rint(numbers * factor)
        if not np.abs(rounded).max() < 2.0**EXACT_BITS:
            break
        if np.array_equal(rounded / factor, numbers):
            if rounded.max() - rounded.min() >= 2.0**bits:
                break
            return [_of(rounded, HALF_DIGIT * np.abs(rounded), 1 / factor)]
    return []


def _of(rounded: Floats, error: Floats, unit: float, exact: Floats | None = None) -> WholeNumbers:
    """Return whole numbers, which rise, that are off by `error` at most; by `exact`, where that is known."""
    whole = rounded.astype(np.int64)
    middle = (int(whole.max()) + int(whole.min())) // 2
    largest = float(error.max()) * unit * (1 + 1e-12)
    if exact is not None and not exact.any():
        return WholeNumbers(whole - middle, unit, 0.0, 0.0)
    gap = np.diff(rounded)
    moved = np.diff(exact) if exact is not None else error[1:] + error[:-1]
    differ = (gap != 0) | ((moved != 0) if exact is not None else False)
    gap, moved = gap[differ], np.abs(moved[differ])
    left = gap - moved
    stretch = 0.0
    if len(gap):
        stretch = math.inf if not (left > 0).all() else float((moved / left).max()) * (1 + 1e-9)
    return WholeNumbers(whole - middle, unit, largest, stretch)
