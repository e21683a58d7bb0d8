"""Ranked columns: a table as the sweep engine sees it, and the way back from a cut to a split.

A ranked column gives every row a rank; a cut sends the rows of low rank left. Numbers are ranked by value. A
column with missing values is ranked twice, with missing lowest (missing goes left with every threshold) and
highest (it goes right); the outermost cut of each asks only whether the value is known. A categorical column
gives one ranked column with two ranks per category, again twice if values are missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.binarize import Cuts
from treewright.table import Table
from treewright.tree import CategorySplit, Column, ColumnKind, Split, ThresholdSplit

__all__ = [
    "Ranked",
    "RankedColumn",
    "RankedCuts",
    "midpoint",
    "ranked_columns",
    "ranked_cuts",
    "splits_of",
]


class Ranked(Protocol):
    """Ranks of the rows, and the split between two of them."""

    @property
    def rank(self) -> NDArray[np.uint32]:
        """Rank of each row."""

    def split(self, low: int, high: int) -> tuple[Split, bool]:
        """Return the split between two ranks, and whether its left side has the high ranks."""


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


@dataclass(frozen=True, eq=False)
class RankedCuts:
    """Nested cuts as one ranked column: rank k is the number of them that send the row right.

    Parameters
    ----------
    rank : ndarray of shape (n_rows,), uint32
    splits : tuple of Split
        Cut k (between the ranks k and k + 1) is ``splits[k]``.
    """

    rank: NDArray[np.uint32]
    splits: tuple[Split, ...]

    def split(self, low: int, high: int) -> tuple[Split, bool]:
        """Return a split between ranks `low` < `high`, the middle one, and that its left side has the low ranks."""
        return self.splits[(low + high - 1) // 2], False


def ranked_cuts(cuts: Cuts, table: Table) -> list[RankedCuts]:
    """Return given cuts as ranked columns, those that separate no rows left out.

    Thresholds of one column that send missing values to the same side are nested; every other split is a column
    of its own.

    Parameters
    ----------
    cuts : Cuts
    table : Table
        That the cuts were made from.
    """
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, split in enumerate(cuts.splits):
        if isinstance(split, ThresholdSplit):
            side = split.missing_left and table.columns[split.column].has_missing
            groups.setdefault((split.column, int(side)), []).append(number)
        else:
            groups[split.column, -1, number] = [number]
    ranked = []
    for numbers in groups.values():
        # By threshold: row x has rank > k exactly if x > threshold k.
        numbers.sort(key=lambda k: getattr(cuts.splits[k], "threshold", 0.0))
        rank = cuts.goes_right[numbers].sum(axis=0, dtype=np.uint32)
        if rank.size and rank.min() != rank.max():
            ranked.append(RankedCuts(rank, tuple(cuts.splits[k] for k in numbers)))
    return ranked


def splits_of(nodes: Sequence[tuple[int, int, int] | None], ranked: Sequence[Ranked]) -> list[Split | None]:
    """Return the splits of an engine's tree depth-first, where a swapped split exchanges the subtrees.

    Parameters
    ----------
    nodes : sequence of (column, low, high) or None
        Depth-first; rows of rank <= low go left, all others in the node have rank >= high. None is a leaf.
    ranked : sequence of Ranked
        The columns as the engine had them.
    """
    position = 0

    def read() -> list[Split | None]:
        nonlocal position
        node = nodes[position]
        position += 1
        if node is None:
            return [None]
        column, low, high = node
        split, swapped = ranked[column].split(low, high)
        left, right = read(), read()
        return [split, *right, *left] if swapped else [split, *left, *right]

    return read()
