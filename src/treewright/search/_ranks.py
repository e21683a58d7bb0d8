"""Ranked columns: a table as the sweep engine sees it, and the way back from a cut to a split.

A ranked column gives every row a rank; a cut sends the rows of low rank left. Numbers are ranked by value. A
column with missing values is ranked twice, with missing lowest (missing goes left with every threshold) and
highest (it goes right); the outermost cut of each asks only whether the value is known. A categorical column
gives one ranked column with two ranks per category, again twice if values are missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.table import Table
from treewright.tree import CategorySplit, Column, ColumnKind, Split, ThresholdSplit

__all__ = ["RankedColumn", "midpoint", "ranked_columns"]


@dataclass(frozen=True, eq=False)
class RankedColumn:
    """Ranks of the rows, and what a cut between two ranks means.

    Parameters
    ----------
    rank : ndarray of shape (n_rows,), uint32
    column : int
        Position of the table's column.
    values : ndarray of shape (n_ranks,), float64, or None
        Value of each rank, NaN for the rank of missing values; None if there is one cut only.
    only : Split or None
        The split of the one cut.
    """

    rank: NDArray[np.uint32]
    column: int
    values: NDArray[np.float64] | None = None
    only: Split | None = None

    def split(self, low: int, high: int) -> tuple[Split, bool]:
        """Return the split between ranks `low` < `high`, and whether its left side has the high ranks."""
        if self.only is not None:
            return self.only, False
        assert self.values is not None
        a, b = float(self.values[low]), float(self.values[high])
        if np.isnan(a):
            return ThresholdSplit(self.column, np.inf, missing_left=False), True
        if np.isnan(b):
            return ThresholdSplit(self.column, np.inf, missing_left=False), False
        return ThresholdSplit(self.column, midpoint(a, b), missing_left=bool(np.isnan(self.values[0]))), False


def midpoint(a: float, b: float) -> float:
    """Return a threshold t with a <= t < b: the midpoint where float64 has one, else `a`."""
    with np.errstate(invalid="ignore", over="ignore"):
        t = float(np.float64(a) / 2 + np.float64(b) / 2)
    return t if a <= t < b else a


def ranked_columns(table: Table) -> list[RankedColumn]:
    """Return the ranked columns of `table`, those with a single rank left out.

    Parameters
    ----------
    table : Table
    """
    ranked: list[RankedColumn] = []
    for position, column in enumerate(table.columns):
        x = table.X[:, position]
        make = _categories if column.kind is ColumnKind.CATEGORICAL else _numbers
        ranked += make(x, position, column)
    return [r for r in ranked if r.rank.size and r.rank.min() != r.rank.max()]


def _numbers(x: NDArray[np.float64], position: int, column: Column) -> list[RankedColumn]:
    missing = np.isnan(x)
    values, inverse = np.unique(x[~missing], return_inverse=True)
    if not missing.any():
        return [RankedColumn(inverse.astype(np.uint32), position, values)]
    nan = np.array([np.nan])
    lowest = np.zeros(len(x), dtype=np.uint32)
    lowest[~missing] = inverse + 1
    highest = np.full(len(x), len(values), dtype=np.uint32)
    highest[~missing] = inverse
    return [
        RankedColumn(lowest, position, np.concatenate([nan, values])),
        RankedColumn(highest, position, np.concatenate([values, nan])),
    ]


def _categories(x: NDArray[np.float64], position: int, column: Column) -> list[RankedColumn]:
    missing = np.isnan(x)
    codes = [int(k) for k in np.unique(x[~missing])]
    ranked = []
    # With two categories and nothing missing, the second asks the same question as the first.
    for k in codes[:1] if len(codes) == 2 and not missing.any() else codes:
        ranked.append(RankedColumn((x != k).astype(np.uint32), position, only=CategorySplit(position, (k,))))
        if missing.any():
            rank = ((x != k) & ~missing).astype(np.uint32)
            ranked.append(RankedColumn(rank, position, only=CategorySplit(position, (k,), missing_left=True)))
    if missing.any() and codes:
        known = CategorySplit(position, tuple(range(max(len(column.categories), codes[-1] + 1))))
        ranked.append(RankedColumn(missing.astype(np.uint32), position, only=known))
    return ranked
