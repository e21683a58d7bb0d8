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

from treewright.binarize._thresholds import Gaps, between, gaps_of, spread
from treewright.tree import CategorySplit, Column, ColumnKind, Split, ThresholdSplit

__all__ = ["Offer", "offer_of", "threshold_splits"]


@dataclass(frozen=True)
class Offer:
    """Choices of one column: gaps of numbers, or categories with their row counts.

    Parameters
    ----------
    position : int
        Position of the column in the table.
    gaps : Gaps or None
        For numbers.
    categories, counts : ndarray of shape (n_present,), int64
        Codes that occur and their rows, most frequent first; empty for numbers.
    n_missing, n_rows : int
    """

    position: int
    gaps: Gaps | None
    categories: NDArray[np.int64]
    counts: NDArray[np.int64]
    n_missing: int
    n_rows: int

    @property
    def n_choices(self) -> int:
        """Gaps or categories."""
        return len(self.gaps.n_left) if self.gaps is not None else len(self.categories)

    def n_splits(self, level: int) -> int:
        """Count the splits if at most `level` choices are kept; the twin of ``len(splits(level))``."""
        kept = min(level, self.n_choices)
        asks_known = 0 < self.n_missing < self.n_rows
        if self.gaps is not None:
            return 2 * kept + 1 if asks_known else kept
        if self.n_choices == 1:
            return int(asks_known)
        if self.n_choices == 2 and not self.n_missing:
            return min(kept, 1)
        return kept + asks_known

    def splits(self, level: int) -> list[Split]:
        """Return the splits if at most `level` choices are kept."""
        asks_known = 0 < self.n_missing < self.n_rows
        known = [ThresholdSplit(self.position, np.inf, missing_left=False)] if asks_known else []
        if self.gaps is not None:
            kept = spread(self.gaps, level)
            return threshold_splits(self.position, between(kept.below, kept.above), kept, self.n_rows) + known
        if self.n_choices == 1:
            return list(known)
        chosen = sorted(zip(self.categories[:level].tolist(), self.counts[:level].tolist(), strict=True))
        if self.n_choices == 2 and not self.n_missing:
            chosen = chosen[:1]  # the second question would be the first one with its sides exchanged
        ones: list[Split] = [
            CategorySplit(
                self.position, (code,), missing_left=not self.n_missing and 2 * count >= self.n_rows
            )
            for code, count in chosen
        ]
        return ones + known


def offer_of(x: NDArray[np.float64], position: int, column: Column) -> Offer:
    """Look at one encoded column and return what it offers."""
    none = np.empty(0, dtype=np.int64)
    if column.kind is not ColumnKind.CATEGORICAL:
        gaps = gaps_of(x)
        return Offer(position, gaps, none, none, gaps.n_missing, len(x))
    missing = np.isnan(x)
    counts = np.bincount(x[~missing].astype(np.int64), minlength=len(column.categories))
    order = np.lexsort((np.arange(len(counts)), -counts))  # most frequent first, then lowest code
    order = order[counts[order] > 0]
    return Offer(position, None, order, counts[order], int(missing.sum()), len(x))


def threshold_splits(position: int, thresholds: NDArray[np.float64], gaps: Gaps, n_rows: int) -> list[Split]:
    """Return one split a threshold, or one for each direction of the missing rows where there are any."""
    if gaps.n_missing:
        return [ThresholdSplit(position, t, side) for t in thresholds.tolist() for side in (True, False)]
    return [
        ThresholdSplit(position, t, missing_left=2 * n_left >= n_rows)
        for t, n_left in zip(thresholds.tolist(), gaps.n_left.tolist(), strict=True)
    ]
