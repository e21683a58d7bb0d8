"""Where a column of numbers can be cut, and which cuts to keep when not all can be.

A cut lies between two neighbouring distinct values a < b. Its threshold t is a float64 with a <= t < b, so
``x <= t`` separates them exactly; it is the midpoint, and `a` itself where the midpoint rounds up to b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.binarize._value_ranks import running_weights
from treewright.table import ValueRanks

__all__ = ["Gaps", "UnsortedGaps", "between", "gaps_of_ranks", "keep_label_changes", "spread"]

ROUNDING = (
    2.0**-40
)  # of the weight: above what sums of float64 can be off by, below any difference that matters


@dataclass(frozen=True)
class Gaps:
    """The gaps between neighbouring distinct known values of one column.

    Parameters
    ----------
    below, above : ndarray of shape (n_gaps,), float64
        Values on both sides of each gap, ascending.
    counted : ndarray of shape (n_gaps,), float64, or ValueRanks
        `left`, or the ranks that it is counted from when it is first asked for.
    known : float
        Weight of the rows with a known value.
    missing : float
        Weight of the rows without.
    """

    below: NDArray[np.float64]
    above: NDArray[np.float64]
    counted: NDArray[np.float64] | ValueRanks
    known: float
    missing: float

    @property
    def left(self) -> NDArray[np.float64]:
        """Weight of the known rows with a value of at most `below`; shape (n_gaps,)."""
        counted = self.counted
        return self._left_by_ranks if isinstance(counted, ValueRanks) else counted

    @cached_property
    def _left_by_ranks(self) -> NDArray[np.float64]:
        assert isinstance(self.counted, ValueRanks)
        return self.counted.before[1:].astype(np.float64)

    def left_of(self, gap: int) -> float:
        """Return ``left[gap]``; the others are not counted for it."""
        if isinstance(self.counted, ValueRanks) and "_left_by_ranks" not in vars(self):
            return float(np.count_nonzero(self.counted.rank <= gap))
        return float(self.left[gap])

    def first_with(self, weight: float) -> int:
        """Return the first gap with at least so much weight on its left, or the number of gaps."""
        return int(self.left.searchsorted(weight))

    def __len__(self) -> int:
        return len(self.below)

    def keep(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> Gaps:
        """Return only the chosen gaps."""
        if chosen.dtype == np.bool_ or not self.are_single_rows:
            left = self.left[chosen]
        else:
            left = chosen.astype(np.float64) + 1
        return Gaps(self.below[chosen], self.above[chosen], left, self.known, self.missing)

    def every(self) -> Gaps:
        """Return all gaps."""
        return self

    def separating(self, thresholds: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return those of ascending thresholds that separate known rows, and the weight on the left of each."""
        gap = np.searchsorted(self.below, thresholds, side="right") - 1
        useful = (gap >= 0) & (thresholds < (self.above[-1] if len(self) else -np.inf))
        return thresholds[useful], self.keep(gap[useful]).left

    @property
    def are_single_rows(self) -> bool:
        """Whether every value is that of one row of weight 1: then a gap's number says what is on its left."""
        return isinstance(self.counted, ValueRanks) and len(self.counted.values) == self.counted.n_known


@dataclass(frozen=True)
class RowGaps:
    """The gaps of a column whose `n` values are those of one row of weight 1 each, without the values."""

    n: int

    @property
    def known(self) -> float:
        """Weight of the rows."""
        return float(self.n)

    def __len__(self) -> int:
        return self.n - 1

    def left_of(self, gap: int) -> float:
        """Return the weight on the left of a gap."""
        return gap + 1.0

    def first_with(self, weight: float) -> int:
        """Return the first gap with at least so much weight on its left, or the number of gaps."""
        return min(max(math.ceil(weight) - 1, 0), len(self))


class UnsortedGaps:
    """The gaps of a column of which only a few are asked for: it is not sorted, see ``space/value_buckets.hpp``.

    Each row has weight 1.

    Parameters
    ----------
    x : ndarray of shape (n_rows,), float64
        NaN = missing.
    """

    def __init__(self, x: NDArray[np.float64]) -> None:
        self._x = x
        self.missing = float(np.count_nonzero(np.isnan(x)))
        self.known = len(x) - self.missing

    @cached_property
    def _buckets(self) -> Any:
        return core.ValueBuckets(np.ascontiguousarray(self._x))

    def __len__(self) -> int:
        return int(self._buckets.n_gaps)

    def left_of(self, gap: int) -> float:
        """Return how many rows are on the left of a gap."""
        return float(self._buckets.gap(gap)[2])

    def first_with(self, weight: float) -> int:
        """Return the first gap with at least so many rows on its left, or the number of gaps."""
        return int(self._buckets.first_with(weight))

    def keep(self, chosen: NDArray[np.int64]) -> Gaps:
        """Return only the chosen gaps."""
        below, above, left = np.array([self._buckets.gap(k) for k in chosen.tolist()]).reshape(-1, 3).T
        return Gaps(below, above, left, self.known, self.missing)

    def every(self) -> Gaps:
        """Return all gaps."""
        return self.keep(np.arange(len(self)))

    def separating(self, thresholds: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return those of the thresholds that separate known rows, and how many rows are on the left of each."""
        left = np.array([np.count_nonzero(self._x <= t) for t in thresholds.tolist()], dtype=np.float64)
        useful = (left > 0) & (left < self.known)
        return thresholds[useful], left[useful]


def between(below: NDArray[np.float64], above: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return thresholds t with ``below <= t < above``, elementwise, for ``below < above``.

    Halving before adding cannot overflow. Halving a subnormal may round, and for neighbouring floats the
    midpoint may round to `above`; there `below` is taken, which is always right, beside an infinity too.
    """
    if len(below) == 1:  # as of every column of zeros and ones: numpy would take ten times as long
        low, high = float(below[0]), float(above[0])
        half = low / 2 + high / 2
        return np.array([half if low <= half < high else low])
    with np.errstate(invalid="ignore"):
        middle = below / 2 + above / 2
    return np.where((middle >= below) & (middle < above), middle, below)


def gaps_of_ranks(ranks: ValueRanks, weight: NDArray[np.float64] | None = None) -> Gaps:
    """Return all gaps of a ranked column.

    Parameters
    ----------
    ranks : ValueRanks
    weight : ndarray of shape (n_rows,), default=None
        Of the rows; None is 1 for each.

    Returns
    -------
    Gaps

    Notes
    -----
    Weights are added row by row, rows of equal value in the order of the table, so that sums are rounded in one way.
    With whole weights they are exact: a row of weight 2 is counted as two rows are.

    Examples
    --------
    >>> from treewright.binarize import gaps_of_ranks, ranks_of
    >>> from treewright.table import table_from
    >>> gaps = gaps_of_ranks(ranks_of(table_from([[30], [20], [30]]), 0))
    >>> gaps.below, gaps.above, gaps.left
    (array([20.]), array([30.]), array([1.]))
    """
    n_missing = len(ranks.rank) - ranks.n_known
    if weight is None:
        return Gaps(ranks.values[:-1], ranks.values[1:], ranks, float(ranks.n_known), float(n_missing))
    running = running_weights(ranks, weight)
    known = float(running[-1]) if len(running) else 0.0
    missing = float(weight[ranks.rank == len(ranks.values)].sum()) if n_missing else 0.0
    return Gaps(ranks.values[:-1], ranks.values[1:], running[:-1], known, missing)


def gap_of_zero_one(x: NDArray[np.float64]) -> Gaps:
    """Find the gap of a column of zeros and ones, none missing, each row of weight 1; without a sort."""
    n, ones = len(x), float(np.count_nonzero(x))
    if ones in (0, n):
        return Gaps(_ZERO[:0], _ONE[:0], _ZERO[:0], float(n), 0.0)
    return Gaps(_ZERO, _ONE, np.array([n - ones]), float(n), 0.0)


_ZERO, _ONE = np.zeros(1), np.ones(1)


def _first_of_each_value(ordered: NDArray[np.float64]) -> NDArray[np.int64]:
    """Position of the first row of each distinct value of a sorted column."""
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.concatenate((np.zeros(min(1, len(ordered)), dtype=np.int64), changes))


def keep_label_changes(gaps: Gaps, x: NDArray[np.float64], y: NDArray[np.int32]) -> Gaps:
    """Drop each gap whose two neighbouring values have all their rows in one and the same class.

    When does this keep the optimum? Let a < b < c be neighbouring values such that all rows at b are of class
    k, and at a and c too, so that the gaps (a, b) and (b, c) are dropped, and consider a split inside such a
    run.

    * For the LAST split on a path (both children are leaves, labels L and R), for any subset of rows: move
      the threshold from one end of the pure run to the other. The loss changes by (cost[k, L] - cost[k, R])
      times the weight passed, which has one sign along the whole run, so one of its two ends is at least as
      good. The ends are gaps that are kept (or the end of the column: then the split is not needed). So a
      tree of depth 1, and the last level of any tree, loses nothing. Needs ``min_samples_leaf = 1``: an end
      may make a leaf smaller.
    * If the table has ONE column, the same exchange moves any border between two neighbouring leaves of the
      tree, since leaves are intervals: nothing is lost either. (A tree of minimal depth for the same
      intervals exists as before, the number of leaves does not grow.)
    * For HIGHER splits with two or more columns it is WRONG: the rows that change sides meet another subtree,
      which may send them to a leaf of another class on another column. Seven rows (x0, x1): class show it,
      (0, 0): 1, (0, 1): 0, (1, 3): 0, (2, 0): 0, (2, 1): 0, (4, 1): 0, (4, 3): 1. The values 1 and 2 of x0
      are all of class 0, so x0 <= 1.5 is dropped. With it at the root, x1 <= 0.5 on the left and x1 <= 2 on
      the right make no error; without it every tree of depth 2 makes one (found and tested by brute force).

    So a proof over these gaps is a proof over these trees only, and `SplitMatrix.scope` says so.
    """
    known = ~np.isnan(x)
    order = np.argsort(x[known], kind="stable")
    labels = y[known][order]
    if len(labels) == 0:
        return gaps
    starts = _first_of_each_value(x[known][order])
    low = np.minimum.reduceat(labels, starts)
    high = np.maximum.reduceat(labels, starts)
    same = (low[:-1] == high[:-1]) & (low[1:] == high[1:]) & (low[:-1] == low[1:])
    return gaps.keep(~same)


def spread(gaps: Gaps | UnsortedGaps, n_cuts: int) -> Gaps:
    """Keep exactly ``min(n_cuts, n_gaps)`` gaps that split the known weight as evenly as ties allow.

    SplitMatrix are placed from the left; each aims at an equal share of the weight that remains. So a value that
    holds most of it uses one cut, and the others still spread over the rest (plain quantiles would fall on it
    again and again and leave, say, a long right tail without any cut). Of two gaps equally far from the aim the left
    one is taken; gaps count as equally far up to `ROUNDING` of the weight, for sums of weights such as
    ``class_weight="balanced"`` makes are not exact, and must not choose the splits.
    """
    if n_cuts >= len(gaps):
        return gaps.every()
    if isinstance(gaps, Gaps) and gaps.are_single_rows:  # in thousands of columns, perhaps: the same of each
        return gaps.keep(_even_rows(RowGaps(int(gaps.known)), n_cuts))
    return gaps.keep(np.array(_even(gaps, n_cuts), dtype=np.int64))


@lru_cache
def _even_rows(gaps: RowGaps, n_cuts: int) -> NDArray[np.int64]:
    chosen = np.array(_even(gaps, n_cuts), dtype=np.int64)
    chosen.flags.writeable = False  # it is handed out again
    return chosen


def _even(gaps: Gaps | UnsortedGaps | RowGaps, n_cuts: int) -> tuple[int, ...]:
    """Return which `n_cuts` gaps `spread` keeps, fewer than there are."""
    n_gaps = len(gaps)
    chosen = []
    tie = ROUNDING * gaps.known
    first, before = 0, 0.0
    for i in range(n_cuts):
        remaining = n_cuts - i  # cuts still to place, this one included
        target = before + (gaps.known - before) / (remaining + 1)
        j = gaps.first_with(target)
        if j > 0 and (j == n_gaps or target - gaps.left_of(j - 1) <= gaps.left_of(j) - target + tie):
            j -= 1
        j = min(max(j, first), n_gaps - remaining)  # a free gap, and enough of them left for the others
        chosen.append(j)
        first, before = j + 1, gaps.left_of(j)
    return tuple(chosen)
