"""What one column offers to a tree: its splits, all of them or the most even few.

Missing values. A column with missing values in the table offers each threshold twice, with the missing rows
left and with them right, and the question whether the value is known; so the direction is learned with the
split. Where the table has no missing value, a split sends a missing value of later rows to the side that
holds more rows.

Categories. Each category that occurs is offered against the rest (a missing value belongs to the rest, and
"is the value known?" is offered besides). A union of categories arises by nesting: "red or blue" is the pair
of leaves under "is red" and, on its right side, "is blue".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.binarize._thresholds import Gaps, between, gap_of_zero_one, gaps_of, spread
from treewright.tree import CategorySplit, Column, ColumnKind, Split, ThresholdSplit

__all__ = ["Offer", "offer_of", "threshold_splits"]


@dataclass(frozen=True)
class Offer:
    """Choices of one column: gaps of numbers, or categories with their weights.

    Parameters
    ----------
    position : int
        Position of the column in the table.
    gaps : Gaps or None
        For numbers.
    categories : ndarray of shape (n_present,), int64
        Codes that occur, heaviest first; empty for numbers.
    weights : ndarray of shape (n_present,), float64
        Weight of the rows of each.
    known, missing : float
        Weight of the rows with and without a value.
    """

    position: int
    gaps: Gaps | None
    categories: NDArray[np.int64]
    weights: NDArray[np.float64]
    known: float
    missing: float

    @property
    def asks_known(self) -> bool:
        """Whether "is the value known?" separates rows."""
        return self.known > 0 and self.missing > 0

    @property
    def n_choices(self) -> int:
        """Gaps or categories."""
        return len(self.gaps) if self.gaps is not None else len(self.categories)

    def n_splits(self, level: int) -> int:
        """Count the splits if at most `level` choices are kept; the twin of ``len(splits(level))``."""
        kept = min(level, self.n_choices)
        if self.gaps is not None:
            return 2 * kept + 1 if self.asks_known else kept
        if self.n_choices == 1:
            return int(self.asks_known)
        if self.n_choices == 2 and not self.missing:
            return min(kept, 1)
        return kept + self.asks_known

    def splits(self, level: int) -> list[Split]:
        """Return the splits if at most `level` choices are kept."""
        known = [ThresholdSplit(self.position, np.inf, missing_left=False)] if self.asks_known else []
        if self.gaps is not None:
            kept = spread(self.gaps, level)
            return threshold_splits(self.position, between(kept.below, kept.above), kept) + known
        if self.n_choices == 1:
            return list(known)
        chosen = list(zip(self.categories.tolist(), self.weights.tolist(), strict=True))
        if self.n_choices == 2 and not self.missing:
            chosen = sorted(chosen)[: min(level, 1)]  # the second is the first with its sides exchanged
        chosen = sorted(chosen[:level])
        ones: list[Split] = [
            CategorySplit(self.position, (code,), missing_left=not self.missing and 2 * weight >= self.known)
            for code, weight in chosen
        ]
        return ones + known


NO_CATEGORIES = np.empty(0, dtype=np.int64)
NO_WEIGHTS = np.empty(0, dtype=np.float64)


def offer_of(
    x: NDArray[np.float64], position: int, column: Column, weight: NDArray[np.float64] | None = None
) -> Offer:
    """Look at one encoded column and return what it offers; weight None is 1 for each row."""
    if column.kind is not ColumnKind.CATEGORICAL:
        is_plain = column.kind is ColumnKind.BINARY and not column.has_missing and weight is None
        gaps = gap_of_zero_one(x) if is_plain else gaps_of(x, weight)
        return Offer(position, gaps, NO_CATEGORIES, NO_WEIGHTS, gaps.known, gaps.missing)
    known = ~np.isnan(x)
    codes = x[known].astype(np.int64)
    n = len(column.categories)
    rows = np.bincount(codes, minlength=n)
    weights = np.bincount(codes, None if weight is None else weight[known], minlength=n).astype(np.float64)
    order = np.lexsort((np.arange(n), -weights))  # heaviest first, then lowest code
    order = order[rows[order] > 0]
    missing = float(np.count_nonzero(~known) if weight is None else weight[~known].sum())
    return Offer(position, None, order, weights[order], float(weights.sum()), missing)


def threshold_splits(position: int, thresholds: NDArray[np.float64], gaps: Gaps) -> list[Split]:
    """Return one split a threshold, or one for each direction of the missing rows where there are any."""
    if gaps.missing:
        return [ThresholdSplit(position, t, side) for t in thresholds.tolist() for side in (True, False)]
    return [
        ThresholdSplit(position, t, missing_left=2 * left >= gaps.known)
        for t, left in zip(thresholds.tolist(), gaps.left.tolist(), strict=True)
    ]
