"""Where a column of numbers can be cut, and which cuts to keep when not all can be.

A cut lies between two neighbouring distinct values a < b. Its threshold t is a float64 with a <= t < b, so
``x <= t`` separates them exactly; it is the midpoint, and `a` itself where the midpoint rounds up to b.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Gaps", "between", "gaps_of", "keep_label_changes", "spread"]


@dataclass(frozen=True)
class Gaps:
    """The gaps between neighbouring distinct known values of one column.

    Parameters
    ----------
    below, above : ndarray of shape (n_gaps,), float64
        Values on both sides of each gap, ascending.
    n_left : ndarray of shape (n_gaps,), int64
        Known rows with a value of at most `below`.
    n_known : int
        Rows with a known value.
    n_missing : int
        Rows without.
    """

    below: NDArray[np.float64]
    above: NDArray[np.float64]
    n_left: NDArray[np.int64]
    n_known: int
    n_missing: int

    def keep(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> Gaps:
        """Return only the chosen gaps."""
        return Gaps(self.below[chosen], self.above[chosen], self.n_left[chosen], self.n_known, self.n_missing)


def between(below: NDArray[np.float64], above: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return thresholds t with ``below <= t < above``, elementwise, for finite ``below < above``.

    Halving before adding cannot overflow. Halving a subnormal may round, and for neighbouring floats the
    midpoint may round to `above`; there `below` is taken, which is always right.
    """
    middle = below / 2 + above / 2
    return np.where((middle >= below) & (middle < above), middle, below)


def gaps_of(x: NDArray[np.float64]) -> Gaps:
    """Find all gaps of a column (NaN = missing). Cost: one sort."""
    ordered = np.sort(x)  # NaN last
    n_known = len(x) - int(np.isnan(x).sum())
    ordered = ordered[:n_known]
    n_left = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return Gaps(ordered[n_left - 1], ordered[n_left], n_left, n_known, len(x) - n_known)


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
      which may send them to a leaf of another class on another column. The test of this module holds a table
      of few rows, found by brute force, where the best tree of depth 2 errs less with all gaps than with
      these.

    So a proof over these gaps is a proof over these trees only, and `Cuts.scope` says so.
    """
    known = ~np.isnan(x)
    order = np.argsort(x[known], kind="stable")
    labels = y[known][order]
    if len(labels) == 0:
        return gaps
    starts = np.concatenate(([0], gaps.n_left)).astype(np.int64)
    low = np.minimum.reduceat(labels, starts)
    high = np.maximum.reduceat(labels, starts)
    same = (low[:-1] == high[:-1]) & (low[1:] == high[1:]) & (low[:-1] == low[1:])
    return gaps.keep(~same)


def spread(gaps: Gaps, n_cuts: int) -> Gaps:
    """Keep exactly ``min(n_cuts, n_gaps)`` gaps that split the known rows as evenly as ties allow.

    Cuts are placed from the left; each aims at an equal share of the rows that remain. So a value that holds
    most rows uses one cut, and the others still spread over the rest (plain quantiles would fall on it again
    and again and leave, say, a long right tail without any cut).
    """
    n_gaps = len(gaps.n_left)
    if n_cuts >= n_gaps:
        return gaps
    chosen = np.empty(max(n_cuts, 0), dtype=np.int64)
    first, rows_before = 0, 0
    for i in range(n_cuts):
        remaining = n_cuts - i  # cuts still to place, this one included
        target = rows_before + (gaps.n_known - rows_before) / (remaining + 1)
        j = int(np.searchsorted(gaps.n_left, target))
        if j > 0 and (j == n_gaps or target - gaps.n_left[j - 1] <= gaps.n_left[j] - target):
            j -= 1
        j = min(max(j, first), n_gaps - remaining)  # a free gap, and enough of them left for the others
        chosen[i] = j
        first, rows_before = j + 1, int(gaps.n_left[j])
    return gaps.keep(chosen)
