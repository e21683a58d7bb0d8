"""The gap between a group of rows and all others as whole numbers by row, which add up without overflow.

With the weight ``G`` of the group and ``H`` of the others, a row of weight ``w`` that gets the label adds
``w / G`` to the gap in the group and ``-w / H`` outside. Over the common unit ``1 / lcm(G, H)`` these are
whole numbers, and no sum of them passes ``lcm(G, H)``. Where that does not fit (weights that were balanced,
or of many decimals, are large whole numbers) or the weights have no common unit, a row adds its share
rounded to ``UNIT``. For n rows that moves a gap by at most n halves of a unit, and by the rounding of the
shares themselves, 2^-51. Sums that differ by up to ``EQUAL``, or by 2 n units if that is more, count as
equal: equal gaps differ by at most n units and 2^-50.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.problem import Problem
from treewright.search import whole_weights

__all__ = ["GapKind", "RowGap", "row_gaps"]

GapKind = Literal["parity", "opportunity", "odds"]

LARGEST_SUM = 2**60  # of an exact gap in units; two of them can be added in 64 bits
UNIT = Fraction(1, 2**60)  # of a rounded share
EQUAL = Fraction(1, 2**40)  # gaps of rounded shares that differ by so little are the same


@dataclass(frozen=True, eq=False)
class RowGap:
    """A gap as a sum over rows.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_classes), int64
        What a row adds by the label it gets, in units.
    unit : Fraction
    tolerance : int
        Sums that differ by at most so many units are equal; 0 where the values are exact.
    """

    values: NDArray[np.int64]
    unit: Fraction
    tolerance: int

    def signed(self, predicted: NDArray[np.int32]) -> Fraction:
        """Return the gap of the labels of all rows."""
        gap = int(self.values[range(len(predicted)), predicted].sum()) * self.unit
        return max(min(gap, Fraction(1)), Fraction(-1))

    def of(self, predicted: NDArray[np.int32]) -> Fraction:
        """Return the absolute gap of the labels of all rows."""
        return abs(self.signed(predicted))

    def at_most(self, limit: Fraction) -> int:
        """Return the largest absolute sum of a gap within a limit."""
        return math.floor(limit / self.unit) + self.tolerance

    def below(self, limit: Fraction) -> int:
        """Return the largest absolute sum of a gap that is smaller; negative if there is none."""
        return math.ceil(limit / self.unit) - 1 - self.tolerance


def row_gaps(problem: Problem, inside: NDArray[np.bool_], kind: GapKind, positive: int) -> list[RowGap]:
    """Return each gap of a kind; two for "odds".

    Parameters
    ----------
    problem : Problem
    inside : ndarray of bool, shape (n_rows,)
        The rows of the group.
    kind : {"parity", "opportunity", "odds"}
    positive : int
        Class index of the label that the gap is about.

    Raises
    ------
    InputError
        The group or its complement has no rows, among those that count.
    """
    among = {
        "parity": [np.ones(problem.table.n_rows, dtype=np.bool_)],
        "opportunity": [problem.y == positive],
        "odds": [problem.y == positive, problem.y != positive],
    }[kind]
    exact = whole_weights(problem)
    out = []
    for rows in among:
        group, others = rows & inside, rows & ~inside
        if not group.any() or not others.any():
            where = "" if kind == "parity" else " among the rows with (or without) the label"
            raise InputError(
                f"group: the group or its complement has no rows{where}; there is no gap between them."
            )
        column, unit, tolerance = _exact_column(exact, group, others) or _rounded_column(
            problem.sample_weight, group, others
        )
        values = np.zeros((problem.table.n_rows, problem.n_classes), dtype=np.int64)
        values[:, positive] = column
        out.append(RowGap(values, unit, tolerance))
    return out


Column = tuple[NDArray[np.int64], Fraction, int]  # by row, its unit, and how many of it are nothing


def _exact_column(
    weight: NDArray[np.int64] | None, group: NDArray[np.bool_], others: NDArray[np.bool_]
) -> Column | None:
    """Return what each row adds, exactly; None if that does not fit 64 bits, or weights have no common unit."""
    if weight is None:
        return None
    of_group, of_others = int(weight[group].sum()), int(weight[others].sum())
    largest = math.lcm(of_group, of_others)
    if largest > LARGEST_SUM:
        return None
    column = np.zeros(len(weight), dtype=np.int64)
    column[group] = weight[group] * (largest // of_group)
    column[others] = -weight[others] * (largest // of_others)
    return column, Fraction(1, largest), 0


def _rounded_column(
    weight: NDArray[np.float64], group: NDArray[np.bool_], others: NDArray[np.bool_]
) -> Column:
    """Return what each row adds, rounded to `UNIT`."""
    column = np.zeros(len(weight), dtype=np.int64)
    for rows, sign in ((group, 1), (others, -1)):
        largest = float(weight[rows].max())
        parts = weight[rows] / largest  # no sum of extreme weights overflows
        shares = parts / math.fsum(parts.tolist())
        column[rows] = sign * np.rint(shares * float(1 / UNIT)).astype(np.int64)
    return column, UNIT, max(int(EQUAL / UNIT), 2 * len(weight))
