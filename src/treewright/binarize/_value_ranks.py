"""Columns of numbers sorted by the compiled core: the only sort that thresholds and searches over ranks need."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.table import Table, ValueRanks
from treewright.tree import ColumnKind, ThresholdSplit

__all__ = ["ranks_of", "running_weights", "threshold_bits", "thresholds_below", "value_ranks"]

MOST_CODES = 254  # thresholds that the core counts in one byte


def value_ranks(x: NDArray[np.float64], rank: NDArray[np.uint32], *, zero_one: bool = False) -> ValueRanks:
    """Rank the rows of a column (NaN = missing) by value. Cost: one radix sort.

    Parameters
    ----------
    x : ndarray of shape (n_rows,), float64
    rank : ndarray of shape (n_rows,), uint32
        Where the ranks are written.
    zero_one : bool, default=False
        Whether the values are zeros and ones, none missing: then nothing is sorted.

    Returns
    -------
    ValueRanks

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.binarize import value_ranks
    >>> value_ranks(np.array([30.0, 20.0, np.nan, 30.0]), np.empty(4, dtype=np.uint32)).values
    array([20., 30.])
    """
    n = len(x)
    if zero_one:
        ones = int(np.count_nonzero(x))
        if 0 < ones < n:
            rank[:] = x
            return ValueRanks(np.array([0.0, 1.0]), rank, n)
        rank.fill(0)
        return ValueRanks(x[:1], rank, n)
    values, n_known = core.rank_values(np.ascontiguousarray(x), rank)
    return ValueRanks(values, rank, n_known)


def ranks_of(table: Table, column: int) -> ValueRanks:
    """Return the ranks of a table's column of numbers, which are made once and kept with the table.

    Parameters
    ----------
    table : Table
    column : int
        Its position.

    Examples
    --------
    >>> from treewright.binarize import ranks_of
    >>> from treewright.table import table_from
    >>> ranks_of(table_from([[30], [20], [30]]), 0).rank
    array([1, 0, 1], dtype=uint32)
    """
    known = table.columns[column]
    zero_one = known.kind is ColumnKind.BINARY and not known.has_missing
    return table.ranks.of(column, partial(value_ranks, zero_one=zero_one))


def running_weights(ranks: ValueRanks, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of the rows with at most each value, added row by row."""
    sums = core.running_weights(ranks.before, ranks.n_known, ranks.rank, weight)
    return np.asarray(sums, dtype=np.float64)


def thresholds_below(x: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.integer[Any]]:
    """Count for each value the thresholds below it; for a missing one all.

    Parameters
    ----------
    x : ndarray of shape (n_rows,), float64
    thresholds : ndarray of shape (n_thresholds,), float64
        Ascending.

    Returns
    -------
    ndarray of shape (n_rows,), of integers

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.binarize import thresholds_below
    >>> thresholds_below(np.array([20.0, 35.0, np.nan]), np.array([20.0, 30.0])).tolist()
    [0, 2, 2]
    """
    n = len(thresholds)
    if n > MOST_CODES or not np.isfinite(thresholds).all() or (thresholds[1:] <= thresholds[:-1]).any():
        return np.searchsorted(thresholds, x, side="left")
    code = np.empty(len(x), dtype=np.uint8)  # a quarter of the time
    core.code_values(np.ascontiguousarray(x), thresholds, code)
    return np.minimum(code, n, out=code)


def threshold_bits(table: Table, thresholds: Sequence[ThresholdSplit]) -> NDArray[np.uint8]:
    """Send every row through thresholds.

    Parameters
    ----------
    table : Table
    thresholds : sequence of ThresholdSplit
        Those of one column one after another.

    Returns
    -------
    ndarray of shape (n_thresholds, ceil(n_rows / 8)), uint8
        As in `SplitMatrix`.
    """
    n = len(thresholds)
    bits = np.empty((n, (table.n_rows + 7) // 8), dtype=np.uint8)
    core.write_threshold_bits(
        np.ascontiguousarray(table.X.T),
        np.fromiter((split.column for split in thresholds), np.uint32, n),
        np.fromiter((split.threshold for split in thresholds), np.float64, n),
        np.fromiter((split.missing_left for split in thresholds), np.bool_, n),
        bits,
    )
    return bits
