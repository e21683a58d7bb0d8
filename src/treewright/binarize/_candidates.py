"""Which splits one column offers to a tree: the only statement of them, read by every engine.

The search over binary columns takes them as a list (`CandidateSplits.splits`); the searches over ranked columns and
the mixed-integer programs read the same object (``search/_ranks.py``). A law test compares the two forms.

Numbers. Every gap between two neighbouring distinct values is a threshold.

Categories. Each category that occurs is offered against the rest. A union of categories arises by nesting: "red or
blue" is the pair of leaves under "is red" and, on its right side, "is blue".

Ordered categories. Their codes are numbers with gaps as above; the split of a gap is the set of the categories below.

Missing values. Where the table has some, they go either way: a threshold and a category are each offered twice, with
the missing rows left and with them right, and so is the question whether the value is known. The direction is learned
with the split. Where the table has none, a split sends a missing value of later rows to the side that holds more rows.

Longer than 400 lines: one statement, and what its methods take and return is written at each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import numbers_of
from treewright.binarize._thresholds import (
    Gaps,
    UnsortedGaps,
    between,
    gap_of_zero_one,
    gaps_of_ranks,
    spread,
)
from treewright.binarize._value_ranks import ranks_of
from treewright.binarize._worth import Worth
from treewright.errors import InputError
from treewright.table import Table
from treewright.tree import CategorySplit, Column, ColumnKind, Split, ThresholdSplit, split_at

__all__ = [
    "ALL",
    "CandidateSplits",
    "candidates_of",
    "candidates_of_text",
    "known_split",
    "scope_of_all",
    "threshold_splits",
]

ALL = 2**62  # a level that keeps every choice
FEW_ROWS = (
    2**13
)  # of a table whose columns are sorted even for a few thresholds: that takes less than a millisecond


@dataclass(frozen=True, eq=False)
class CandidateSplits:
    """Choices of one column: gaps of numbers, or categories with their weights.

    Parameters
    ----------
    position : int
        Position of the column in the table.
    gaps : Gaps, UnsortedGaps or None
        For numbers and ordered categories.
    categories : ndarray of shape (n_offered,), int64
        Codes that are offered, heaviest first; empty where there are gaps.
    weights : ndarray of shape (n_offered,), float64
        Weight of the rows of each.
    alone : ndarray of shape (n_offered,), bool
        Whether "the category, or another value or none" is offered.
    joined : ndarray of shape (n_offered,), bool
        Whether "the category or missing, or another one" is offered.
    known, missing : float
        Weight of the rows with and without a value.
    ordered : bool, default=False
        Whether a gap is one between ordered categories.

    Examples
    --------
    >>> from treewright.binarize import candidates_of
    >>> from treewright.table import table_from
    >>> candidates_of(table_from([[20], [30], [40]]))[0].known
    3.0
    """

    position: int
    gaps: Gaps | UnsortedGaps | None
    categories: NDArray[np.int64]
    weights: NDArray[np.float64]
    alone: NDArray[np.bool_]
    joined: NDArray[np.bool_]
    known: float
    missing: float
    ordered: bool = False

    @staticmethod
    def of_numbers(position: int, gaps: Gaps | UnsortedGaps, ordered: bool = False) -> CandidateSplits:
        """Return the choices of a column of numbers or of ordered categories.

        Parameters
        ----------
        position : int
            Position of the column in its table.
        gaps : Gaps or UnsortedGaps
            The gaps between its neighbouring values; they know how many values are missing.
        ordered : bool, default=False
            The numbers are codes of ordered categories.

        Returns
        -------
        CandidateSplits
        """
        return CandidateSplits(
            position, gaps, NO_CODES, NO_WEIGHTS, NO_FLAGS, NO_FLAGS, gaps.known, gaps.missing, ordered
        )

    @property
    def asks_known(self) -> bool:
        """Whether "is the value known?" separates rows."""
        return self.known > 0 and self.missing > 0

    @cached_property  # asked for again and again, of thousands of columns
    def n_choices(self) -> int:
        """Gaps or categories."""
        return len(self.gaps) if self.gaps is not None else len(self.categories)

    def n_splits(self, level: int = ALL) -> int:
        """Count the splits if at most `level` choices are kept; the twin of ``len(splits(level))``.

        Parameters
        ----------
        level : int, default: all
            Number of choices that are kept: thresholds, or categories.

        Returns
        -------
        int
        """
        if self.gaps is not None:
            kept = min(level, self.n_choices)
            return 2 * kept + 1 if self.asks_known else kept
        return int(self.alone[:level].sum() + self.joined[:level].sum()) + self.asks_known

    def splits(self, level: int = ALL) -> list[Split]:
        """Return the splits if at most `level` choices are kept: the most even thresholds, the heaviest categories.

        Parameters
        ----------
        level : int, default: all
            Number of choices that are kept.

        Returns
        -------
        list of Split
            Thresholds from below, or categories by code; the question whether the value is known comes last.
        """
        known: list[Split] = [known_split(self.position)] if self.asks_known else []
        if self.gaps is not None:
            kept = spread(self.gaps, level)
            return threshold_splits(self, between(kept.below, kept.above), kept.left) + known
        return [*self.category_splits(level), *known]

    def heaviest(self, level: int) -> CandidateSplits:
        """Return the column with its `level` heaviest categories only.

        Parameters
        ----------
        level : int
            Number of categories, 0 or more.

        Returns
        -------
        CandidateSplits
        """
        return replace(
            self,
            categories=self.categories[:level],
            weights=self.weights[:level],
            alone=self.alone[:level],
            joined=self.joined[:level],
        )

    def category_splits(self, level: int = ALL) -> list[CategorySplit]:
        """Return the splits of the `level` heaviest categories, by code; none for numbers.

        Parameters
        ----------
        level : int, default: all
            Number of categories, 0 or more.

        Returns
        -------
        list of CategorySplit
        """
        rest_is_missing = self.missing > 0  # otherwise a missing value of later rows goes to the heavier side
        found = []
        for k in np.argsort(self.categories[:level], kind="stable").tolist():
            code = (int(self.categories[k]),)
            if self.alone[k]:
                heavier = not rest_is_missing and bool(2 * self.weights[k] >= self.known)
                found.append(CategorySplit(self.position, code, missing_left=heavier))
            if self.joined[k]:
                found.append(CategorySplit(self.position, code, missing_left=True))
        return found

    def threshold_split(
        self, low: float, high: float, missing_left: bool | None = None
    ) -> ThresholdSplit | CategorySplit:
        """Return the split between two values of a column with gaps.

        Parameters
        ----------
        low, high : float
            Values of the column, ``low < high``.
        missing_left : bool or None, default=None
            None, for a column without missing values, is the side that holds more weight.
        """
        assert self.gaps is not None
        if missing_left is None:
            left = self.gaps.left_of(int(np.searchsorted(self.gaps.every().below, low)))
            missing_left = bool(2 * left >= self.gaps.known)
        threshold = float(between(np.array([low]), np.array([high]))[0])
        return split_at(self.position, threshold, missing_left, ordered=self.ordered)


NO_CODES = np.empty(0, dtype=np.int64)
NO_WEIGHTS = np.empty(0, dtype=np.float64)
NO_FLAGS = np.empty(0, dtype=np.bool_)


def candidates_of(
    table: Table,
    sample_weight: ArrayLike | None = None,
    worth: Worth | None = None,
    *,
    few: bool = False,
    chosen: bool = False,
) -> list[CandidateSplits]:
    """Return what each column of the table offers.

    Parameters
    ----------
    table : Table
    sample_weight : array-like of shape (n_rows,), default=None
        Positive weights; None is 1 for each row.
    worth : Worth, default=None
        Leaves out the categories whose split no best tree needs; None keeps every one.
    few : bool, default=False
        Whether a few thresholds of each column will be asked for, and no ranks: a large table is then not sorted.
    chosen : bool, default=False
        Whether nothing but thresholds that were chosen will be asked about, as `given_splits` does: no table is sorted.

    Raises
    ------
    InputError
        The weights do not fit the table.

    Examples
    --------
    >>> from treewright.binarize import candidates_of
    >>> from treewright.table import table_from
    >>> [(column.position, column.n_choices) for column in candidates_of(table_from([[20, 1.5], [30, 1.5], [40, 2.5]]))]
    [(0, 2), (1, 1)]
    """
    weight = None
    if sample_weight is not None:
        weight = numbers_of("sample_weight", sample_weight)
        if weight.shape != (table.n_rows,) or not (weight > 0).all():
            raise InputError(
                f"sample_weight must hold {table.n_rows} positive numbers, one per row; `make_problem` checks "
                "weights and leaves out the rows of weight zero."
            )
        if (weight == weight[0]).all():
            weight = None  # the same shares
    few = weight is None and (chosen or (few and table.n_rows > FEW_ROWS))
    return [_of_column(table, j, column, weight, worth, few=few) for j, column in enumerate(table.columns)]


def candidates_of_text(table: Table) -> dict[int, CandidateSplits]:
    """Return what the columns of text offer, by their positions.

    Parameters
    ----------
    table : Table

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.binarize import candidates_of_text
    >>> from treewright.table import table_from
    >>> list(candidates_of_text(table_from(pd.DataFrame({"age": [20, 30], "town": ["Bern", "Ulm"]}))))
    [1]
    """
    return {
        j: _of_column(table, j, column, None, None)
        for j, column in enumerate(table.columns)
        if column.kind is ColumnKind.CATEGORICAL
    }


def _of_column(
    table: Table,
    position: int,
    column: Column,
    weight: NDArray[np.float64] | None,
    worth: Worth | None,
    *,
    few: bool = False,
) -> CandidateSplits:
    x = table.X[:, position]
    if few and column.kind is ColumnKind.CONTINUOUS and not table.ranks.knows(position):
        return CandidateSplits.of_numbers(position, UnsortedGaps(x))
    if column.kind is not ColumnKind.CATEGORICAL or column.ordered:
        is_plain = column.kind is ColumnKind.BINARY and not column.has_missing and weight is None
        gaps = gap_of_zero_one(x) if is_plain else gaps_of_ranks(ranks_of(table, position), weight)
        return CandidateSplits.of_numbers(position, gaps, column.ordered)
    known = ~np.isnan(x)
    codes = x[known].astype(np.int64)
    n = len(column.categories)
    rows = np.bincount(codes, minlength=n)
    weights = np.bincount(codes, None if weight is None else weight[known], minlength=n).astype(np.float64)
    missing = float(np.count_nonzero(~known) if weight is None else weight[~known].sum())
    alone, joined = _both_ways(rows, missing > 0)
    if worth is not None:
        worth_alone, worth_joined = worth.of_categories(codes, known, n)
        alone, joined = alone & worth_alone, joined & worth_joined
    order = np.lexsort((np.arange(n), -weights))  # heaviest first, then lowest code
    order = order[(alone | joined)[order]]
    return CandidateSplits(
        position, None, order, weights[order], alone[order], joined[order], float(weights.sum()), missing
    )


def _both_ways(rows: NDArray[np.int64], has_missing: bool) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Say for each category whether it is offered without and with the missing rows, each two sides once."""
    present = rows > 0
    n_present = int(present.sum())
    alone = present & (n_present > 1)  # all known rows against the missing ones is "is the value known?"
    joined = alone & (
        has_missing and n_present > 2
    )  # with two, "a or missing" is "b" with its sides exchanged
    if n_present == 2 and not has_missing:
        alone[np.flatnonzero(present)[1]] = False  # likewise "b" is "a"
    return alone, joined


def known_split(position: int) -> ThresholdSplit:
    """Return the split that tests only whether the value is known.

    Parameters
    ----------
    position : int
        Of the column in the table.

    Examples
    --------
    >>> from treewright.binarize import known_split
    >>> known_split(2)
    ThresholdSplit(column=2, threshold=inf, missing_left=False)
    """
    return ThresholdSplit(position, np.inf, missing_left=False)


def threshold_splits(
    offer: CandidateSplits, thresholds: NDArray[np.float64], left: NDArray[np.float64]
) -> list[Split]:
    """Return one split a threshold, or one for each direction of the missing rows where there are any.

    Parameters
    ----------
    offer : CandidateSplits
        Of a column with gaps.
    thresholds : ndarray of shape (n_thresholds,), float64
    left : ndarray of shape (n_thresholds,), float64
        Weight of the known rows on the left of each.
    """
    position, ordered = offer.position, offer.ordered
    if offer.missing:
        both = (True, False)
        return [split_at(position, t, side, ordered=ordered) for t in thresholds.tolist() for side in both]
    heavier_left = (2 * left >= offer.known).tolist()
    if not ordered:  # in thousands of columns, perhaps
        return list(map(ThresholdSplit, repeat(position), thresholds.tolist(), heavier_left))
    return [
        split_at(position, t, side, ordered=True)
        for t, side in zip(thresholds.tolist(), heavier_left, strict=True)
    ]


def scope_of_all(table: Table) -> str:
    """Return, in words, which trees a proof over every split of the table is about.

    Parameters
    ----------
    table : Table

    Examples
    --------
    >>> from treewright.binarize import scope_of_all
    >>> from treewright.table import table_from
    >>> scope_of_all(table_from([[20], [30], [40]]))
    'all thresholds'
    """
    categories = "all single categories against the rest"
    thresholds = any(column.kind is ColumnKind.CONTINUOUS or column.ordered for column in table.columns)
    if not any(column.kind is ColumnKind.CATEGORICAL and not column.ordered for column in table.columns):
        return "all thresholds" if thresholds else "all splits of the 0/1 columns"
    return f"all thresholds and {categories}" if thresholds else categories
