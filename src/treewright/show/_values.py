"""The values of leaves that say numbers: as numbers in words, and as places between the smallest and the largest."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from treewright.show._printable import printable
from treewright.tree import Tree

__all__ = ["MINUS", "place_of", "reward_words", "signed", "value_words"]

MINUS = "\u2212"
LARGEST_WRITTEN_OUT = 15  # digits before the point
SPREAD_DIGITS = 2  # digits of the difference between the leaves that are always written
MOST_TERMS = 3  # of a line that is written with a number of digits
TERM_DIGITS = 4  # of slopes and centers, at most
MOST_DIGITS = 17  # of a float64


def value_words(tree: Tree, node: int, digits: int | None, *, plain: bool = True) -> str:
    """Return the value of a node with `digits` significant digits; for people with typographic signs, if not `plain`.

    Digits before the point are never rounded away, and more digits are written where the leaves differ only in later
    ones. For people, thousands are grouped (``240,043``), as in all tables of the report; text that programs may read
    has the number as it is. None writes the shortest decimal that reads back as the same float64. Several outputs stand
    in brackets. A line is written as mean and largest terms: ``22.5 + 9.1 * (rooms - 6.2) and 11 more terms``; None
    writes all.
    """
    words = [
        signed(_written(float(tree.value[node, output]), _range(tree, output), digits, plain), plain=plain)
        + _terms(tree, node, output, digits, plain)
        for output in range(tree.n_outputs)
    ]
    between = ", " if plain else "; "  # grouped thousands have commas
    return words[0] if len(words) == 1 else f"({between.join(words)})"


def signed(number: str, *, plain: bool = False) -> str:
    """Return a written number with a minus sign in the place of the hyphen, unless it has to stay `plain`."""
    return MINUS + number[1:] if number.startswith("-") and not plain else number


def _terms(tree: Tree, node: int, output: int, digits: int | None, plain: bool) -> str:
    """Return the terms of a line behind the mean; an empty string without one."""
    line = None if tree.lines is None else tree.lines[node]
    if line is None:
        return ""
    shown = len(line.columns) if digits is None or len(line.columns) <= MOST_TERMS else MOST_TERMS - 1
    minus, times = ("-", "*") if plain else (MINUS, "\u00d7")
    written = ""
    for column, center, slope in list(zip(line.columns, line.centers, line.slopes[output], strict=True))[
        :shown
    ]:
        sign = minus if slope < 0 else "+"
        size = _plain(abs(slope), digits)
        from_center = f"{'+' if center < 0 else minus} {_plain(abs(center), digits)}"
        written += f" {sign} {size} {times} ({printable(tree.columns[column].name)} {from_center})"
    more = len(line.columns) - shown
    return written + (f" and {more} more terms" if more else "")


def _plain(number: float, digits: int | None) -> str:
    return repr(number) if digits is None else f"{number:.{min(digits, TERM_DIGITS)}g}"


def reward_words(
    tree: Tree,
    node: int,
    digits: int | None,
    costs: NDArray[np.float64] | None = None,
    *,
    plain: bool = True,
) -> str:
    """Return the mean reward of the action that a node of a policy tree takes, as `value_words` writes numbers."""
    values = tree.value if costs is None else tree.value - costs
    leaves = np.flatnonzero(tree.is_leaf)
    own = values[leaves, tree.prediction[leaves]]
    ends = (float(own.min()), float(own.max()))
    return signed(_written(float(values[node, tree.prediction[node]]), ends, digits, plain), plain=plain)


def _written(value: float, ends: tuple[float, float], digits: int | None, plain: bool) -> str:
    if digits is None or not math.isfinite(value):
        return repr(value)
    if value == 0:
        return "0"
    smallest, largest = ends
    spread = largest - smallest
    if 0 < spread < math.inf:
        later = _exponent(max(abs(smallest), abs(largest))) - _exponent(spread)
        digits = min(max(digits, later + SPREAD_DIGITS), MOST_DIGITS)
    grouped = "" if plain else ","
    if digits <= _exponent(value) < LARGEST_WRITTEN_OUT:
        return f"{value:{grouped}.0f}"
    return f"{value:{grouped}.{digits}g}"


def place_of(tree: Tree, node: int) -> float:
    """Return where the value of a leaf lies: 0 is the smallest of all leaves, 1 the largest; 0.5 if all are equal.

    Of several outputs the first one decides.
    """
    smallest, largest = (number / 2 for number in _range(tree))  # halves: the difference cannot overflow
    if not largest > smallest:
        return 0.5
    return float((tree.value[node, 0] / 2 - smallest) / (largest - smallest))


def _range(tree: Tree, output: int = 0) -> tuple[float, float]:
    values = tree.value[tree.is_leaf, output]
    return float(np.min(values)), float(np.max(values))


def _exponent(number: float) -> int:
    """Power of ten of the first digit of a positive or negative number; 0 of zero."""
    return math.floor(math.log10(abs(number))) if number else 0
