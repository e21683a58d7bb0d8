"""Ranked columns: a table as the search over ranked columns sees it, and the way back from a split to a split.

A ranked column gives every row a rank; a split sends the rows of low rank left. Which splits there are is said in
`treewright.binarize.CandidateSplits` alone. Numbers are ranked by value: once, or twice where values are missing, with
missing lowest (missing goes left with every threshold) and highest (it goes right); the outermost cut of each asks only
whether the value is known. Each split of a categorical column is a ranked column of two ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from treewright._garbage import without_collections
from treewright._native import core
from treewright.binarize import (
    CandidateSplits,
    SplitMatrix,
    candidates_of_text,
    gaps_of_ranks,
    known_split,
    ranks_of,
)
from treewright.table import Table, ValueRanks
from treewright.tree import Column, ColumnKind, Split, ThresholdSplit

__all__ = [
    "Ranked",
    "RankedColumn",
    "RankedSplits",
    "cut_numbers",
    "rank_matrix",
    "ranked_columns",
    "ranked_splits",
    "splits_of",
]


AT_ONCE = 32  # splits that are unpacked to bytes together


class Ranked(Protocol):
    """Ranks of the rows, and the split between two of them."""

    @property
    def rank(self) -> NDArray[np.uint32]:
        """Rank of each row."""

    def split(self, low: int, high: int) -> tuple[Split, bool]:
        """Return the split between two ranks, and whether its left side has the high ranks."""


@dataclass(frozen=True, eq=False)
class RankedColumn:
    """Ranks of the rows, and what a split between two ranks means.

    Parameters
    ----------
    rank : ndarray of shape (n_rows,), uint32
    column : int
        Position of the table's column.
    values : ndarray of shape (n_ranks,), float64, or None
        Value of each rank, NaN for the rank of missing values; None if there is one split only.
    only : Split or None
        The split of the one split.
    offered : CandidateSplits or None
        Of the table's column; needed with `values`.
    """

    rank: NDArray[np.uint32]
    column: int
    values: NDArray[np.float64] | None = None
    only: Split | None = None
    offered: CandidateSplits | None = None

    def split(self, low: int, high: int) -> tuple[Split, bool]:
        """Return the split between ranks `low` < `high`, and whether its left side has the high ranks."""
        if self.only is not None:
            return self.only, False
        assert self.values is not None
        assert self.offered is not None
        a, b = float(self.values[low]), float(self.values[high])
        if np.isnan(a):
            return known_split(self.column), True
        if np.isnan(b):
            return known_split(self.column), False
        side = bool(np.isnan(self.values[0])) if self.offered.missing else None
        return self.offered.threshold_split(a, b, side), False


@without_collections()
def ranked_columns(table: Table, candidates: Sequence[CandidateSplits] | None = None) -> list[RankedColumn]:
    """Return the splits that the table's columns offer as ranked columns, those with a single rank left out.

    Parameters
    ----------
    table : Table
    candidates : sequence of CandidateSplits, default=None
        What the columns offer; None is every split.

    Returns
    -------
    list of RankedColumn
        Their ranks are the rows of one matrix; see `rank_matrix`.
    """
    known = candidates_of_text(table) if candidates is None else {c.position: c for c in candidates}
    alone = all(
        column.kind is not ColumnKind.CATEGORICAL and not column.has_missing for column in table.columns
    )
    n_ranked = (
        0 if alone else sum(_most_ranked(known.get(j), column) for j, column in enumerate(table.columns))
    )
    # Beside that of the table, where a column needs more than its own ranks.
    matrix = np.empty((n_ranked, table.n_rows), dtype=np.uint32)
    ranked: list[RankedColumn] = []
    for j in range(len(table.columns)):
        rows, offered = matrix[len(ranked) :], known.get(j)
        if offered is not None and (offered.gaps is None or len(offered.gaps) == 0):
            ranked += _questions(table.X[:, j], offered, rows)
            continue
        values = ranks_of(table, j)
        if offered is None:
            offered = CandidateSplits.of_numbers(j, gaps_of_ranks(values))
        ranked += (
            _numbers(values, offered, rows) if offered.n_choices else _questions(table.X[:, j], offered, rows)
        )
    return ranked


def _most_ranked(offered: CandidateSplits | None, column: Column) -> int:
    """Return how many ranked columns a column makes at most."""
    if offered is None:
        return 2 if column.has_missing else 1
    if offered.gaps is None:
        return len(offered.category_splits()) + offered.asks_known
    return bool(len(offered.gaps)) + offered.asks_known


def rank_matrix(ranked: Sequence[Ranked], n_rows: int) -> NDArray[np.uint32]:
    """Return the ranks of all columns, shape (n_ranked, n_rows); without a copy where they are one matrix already."""
    if not ranked:
        return np.zeros((0, n_rows), dtype=np.uint32)
    base = ranked[0].rank.base
    if isinstance(base, np.ndarray) and base.dtype == np.uint32 and base.shape[1:] == (n_rows,):
        first = base.__array_interface__["data"][0]
        places = (r.rank.__array_interface__["data"][0] for r in ranked)
        if all(place == first + 4 * n_rows * k for k, place in enumerate(places)):
            return base[: len(ranked)]
    return np.vstack([r.rank for r in ranked])


def _numbers(values: ValueRanks, offered: CandidateSplits, rows: NDArray[np.uint32]) -> list[RankedColumn]:
    """Rank a column of numbers by value: once, or with missing values lowest and highest."""
    if not offered.asks_known:
        rank = values.rank
        if len(rows):
            rank = rows[0]
            rank[:] = values.rank
        return [RankedColumn(rank, offered.position, values.values, offered=offered)]
    nan = np.array([np.nan])
    lowest, highest = rows[:2]
    highest[:] = values.rank
    np.add(values.rank, 1, out=lowest)
    lowest[values.rank == len(values.values)] = 0
    return [
        RankedColumn(lowest, offered.position, np.concatenate([nan, values.values]), offered=offered),
        RankedColumn(highest, offered.position, np.concatenate([values.values, nan]), offered=offered),
    ]


def _questions(
    x: NDArray[np.float64], offered: CandidateSplits, rows: NDArray[np.uint32]
) -> list[RankedColumn]:
    """Make a column of two ranks of each category split, and one that asks whether the value is known."""
    splits = [*offered.category_splits(), *([None] if offered.asks_known else [])]
    if not splits:
        return []
    missing = np.flatnonzero(np.isnan(x))
    by_code = np.argsort(x, kind="stable")  # missing last
    codes = x[by_code]
    ranked = []
    for split, row in zip(splits, rows, strict=False):
        if split is None:
            row.fill(0)
            row[missing] = 1
        else:
            row.fill(1)
            first, last = np.searchsorted(codes, [split.left[0], split.left[0] + 1])
            row[by_code[first:last]] = 0
            if split.missing_left and len(missing):
                row[missing] = 0
        ranked.append(RankedColumn(row, offered.position, only=split or known_split(offered.position)))
    return ranked


@without_collections()
def cut_numbers(
    ranked: Sequence[RankedColumn], split_matrix: SplitMatrix, table: Table
) -> list[NDArray[np.int32]]:
    """Return which split of a matrix each cut of ranked columns is: cut k lies between the ranks k and k + 1.

    Parameters
    ----------
    ranked : sequence of RankedColumn
    split_matrix : SplitMatrix
        All splits of these columns, and perhaps some that separate no rows.
    table : Table
        That both were made from.

    Returns
    -------
    list of ndarray of shape (n_cuts,), int32
        Of each column; -1 where a later column has the same split: whether a value is known is the first cut of the
        column that ranks missing values lowest, and the last of the one that ranks them highest.

    Examples
    --------
    >>> from treewright.binarize import midpoints
    >>> from treewright.search import cut_numbers, ranked_columns
    >>> from treewright.table import table_from
    >>> table = table_from([[20], [30], [40]])
    >>> cut_numbers(ranked_columns(table), midpoints(table), table)[0].tolist()
    [0, 1]
    """
    thresholds: dict[tuple[int, bool], list[int]] = {}
    others: dict[Split, int] = {}
    for number, split in enumerate(split_matrix.splits):
        if isinstance(split, ThresholdSplit):
            left = split.missing_left and table.columns[split.column].has_missing
            thresholds.setdefault((split.column, left), []).append(number)
        else:
            others[split] = number

    def by_threshold(column: int, missing_left: bool) -> list[int]:
        numbers = thresholds[column, missing_left]
        of_number = cast("list[ThresholdSplit]", split_matrix.splits)
        return sorted(numbers, key=lambda number: of_number[number].threshold)

    def of(column: RankedColumn) -> list[int]:
        if column.only is not None:
            asks_known = isinstance(column.only, ThresholdSplit)
            return thresholds[column.column, False] if asks_known else [others[column.only]]
        assert column.values is not None
        assert column.offered is not None
        lowest = bool(np.isnan(column.values[0]))
        if not column.offered.ordered:
            return [-1] * lowest + by_threshold(column.column, lowest)
        cuts = [column.split(k, k + 1) for k in range(len(column.values) - 1)]
        return [
            -1 if swapped else others[split] if split in others else by_threshold(column.column, False)[-1]
            for split, swapped in cuts
        ]

    numbers = [np.array(of(column), dtype=np.int32) for column in ranked]
    for column, found in zip(ranked, numbers, strict=True):
        assert len(found) == (1 if column.values is None else len(column.values) - 1)
    return numbers


@dataclass(frozen=True, eq=False)
class RankedSplits:
    """Nested splits as one ranked column: rank k is the number of them that send the row right.

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


@without_collections()
def ranked_splits(split_matrix: SplitMatrix, table: Table) -> list[RankedSplits]:
    """Return given splits as ranked columns; splits that separate no rows are left out.

    Thresholds of one column that send missing values to the same side are nested; every other split is a column
    of its own.

    Parameters
    ----------
    split_matrix : SplitMatrix
    table : Table
        That the splits were made from.

    Examples
    --------
    >>> from treewright.binarize import midpoints
    >>> from treewright.search import ranked_splits
    >>> from treewright.table import table_from
    >>> table = table_from([[20], [30], [40]])
    >>> len(ranked_splits(midpoints(table), table))
    1
    """
    order, begin, threshold = _nested(split_matrix.splits, table)
    splits = [split_matrix.splits[number] for number in order.tolist()]
    heads = [splits[first] for first in begin[:-1].tolist()]
    matrix = np.empty((len(heads), split_matrix.n_rows), dtype=np.uint32)
    core.rank_by_thresholds(
        np.ascontiguousarray(table.X.T),
        np.array([split.column for split in heads], dtype=np.uint32),
        begin,
        threshold,
        np.array([split.missing_left for split in heads], dtype=np.bool_),
        matrix,
    )
    others = [group for group, split in enumerate(heads) if not isinstance(split, ThresholdSplit)]
    for first in range(0, len(others), AT_ONCE):
        some = others[first : first + AT_ONCE]
        matrix[some] = _unpacked(split_matrix, order[begin[some]].tolist())
    separates = matrix.min(axis=1, initial=2**32 - 1) < matrix.max(axis=1, initial=0)
    kept = np.flatnonzero(separates)
    if len(kept) < len(matrix):
        matrix = matrix[kept]
    return [
        RankedSplits(rank, tuple(splits[begin[group] : begin[group + 1]]))
        for rank, group in zip(matrix, kept.tolist(), strict=True)
    ]


def _nested(
    splits: Sequence[Split], table: Table
) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.float64]]:
    """Order splits group by group, nested ones together by threshold.

    Returns
    -------
    order : ndarray of shape (n_splits,), int64
        Their numbers.
    begin : ndarray of shape (n_groups + 1,), uint64
        Where each group begins in that order, and where the last one ends.
    threshold : ndarray of shape (n_splits,), float64
        In that order; 0 for a split that is none.
    """
    n = len(splits)
    column = np.fromiter(map(attrgetter("column"), splits), np.int64, n)
    left = np.fromiter(map(attrgetter("missing_left"), splits), np.bool_, n)
    side = np.where(left & np.array([c.has_missing for c in table.columns], dtype=np.bool_)[column], 0, 1)
    is_threshold = np.fromiter((isinstance(split, ThresholdSplit) for split in splits), np.bool_, n)
    side[~is_threshold] = 2 + np.flatnonzero(~is_threshold)
    threshold = np.fromiter((getattr(split, "threshold", 0.0) for split in splits), np.float64, n)
    order = np.lexsort((threshold, side, column))
    changes = (np.diff(column[order]) != 0) | (np.diff(side[order]) != 0)
    begin = np.concatenate(([0], np.flatnonzero(changes) + 1, [n]))[int(n == 0) :]
    return order, begin.astype(np.uint64), threshold[order]


def _unpacked(split_matrix: SplitMatrix, numbers: Sequence[int]) -> NDArray[np.uint8]:
    """Return where some splits send each row, 1 for right."""
    return np.unpackbits(split_matrix.packed[numbers], axis=-1, count=split_matrix.n_rows, bitorder="little")


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
