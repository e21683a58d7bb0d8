"""The one rule that sends a row left or right; ties and missing values are decided here and nowhere else.

A row is a vector of float64: numbers as they are, booleans as 0/1, categories as their position in
`Column.categories`, NaN for a missing value. `x <= threshold` goes left. A missing value goes left exactly if
`missing_left`; the direction is learned with the split. The split `x <= inf` with `missing_left=False` asks
only whether the value is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.tree._column import Column, ColumnKind

__all__ = ["CategorySplit", "LinearSplit", "Split", "ThresholdSplit"]


@dataclass(frozen=True, slots=True)
class ThresholdSplit:
    """Rows with ``x[column] <= threshold`` go left.

    Parameters
    ----------
    column : int
        Position of the column in the table.
    threshold : float
        In units of the column; ``inf`` sends every known value left.
    missing_left : bool, default=False
        Whether a missing value goes left.
    """

    column: int
    threshold: float
    missing_left: bool = False

    def goes_left(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for each row of the encoded matrix `X` (n_rows, n_columns) whether it goes left."""
        x = X[:, self.column]
        left = x <= self.threshold
        if self.missing_left:
            left |= np.isnan(x)
        return left


@dataclass(frozen=True, slots=True)
class CategorySplit:
    """Rows whose category is one of `left` go left.

    Parameters
    ----------
    column : int
    left : tuple of int
        Category codes that go left, ascending.
    missing_left : bool, default=False
    """

    column: int
    left: tuple[int, ...]
    missing_left: bool = False

    def goes_left(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for each row of the encoded matrix `X` (n_rows, n_columns) whether it goes left."""
        x = X[:, self.column]
        left = np.isin(x, np.asarray(self.left, dtype=np.float64))
        if self.missing_left:
            left |= np.isnan(x)
        return left


@dataclass(frozen=True, slots=True)
class LinearSplit:
    """Rows with ``sum(weights * x[columns]) <= threshold`` go left; a row with a missing term goes right
    unless `missing_left`.
    """

    columns: tuple[int, ...]
    weights: tuple[float, ...]
    threshold: float
    missing_left: bool = False

    @property
    def column(self) -> int:
        """First column of the combination (what a one-column reader would be shown)."""
        return self.columns[0]

    def goes_left(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for each row of the encoded matrix `X` (n_rows, n_columns) whether it goes left."""
        score = X[:, list(self.columns)] @ np.asarray(self.weights)
        left = score <= self.threshold
        if self.missing_left:
            left |= np.isnan(score)
        return np.asarray(left, dtype=np.bool_)


Split = ThresholdSplit | CategorySplit | LinearSplit


def describe(split: Split, columns: Sequence[Column], goes_left: bool = True) -> str:
    """Return the condition of one side of `split` in words of the original table.

    Parameters
    ----------
    split : Split
    columns : sequence of Column
    goes_left : bool, default=True
        Which side to describe.
    """
    if isinstance(split, LinearSplit):
        terms = " + ".join(
            f"{w:g}*{columns[c].name}" for c, w in zip(split.columns, split.weights, strict=True)
        )
        return f"{terms} {'<=' if goes_left else '>'} {_number(split.threshold)}"
    column = columns[split.column]
    missing_here = column.has_missing and split.missing_left == goes_left
    if isinstance(split, CategorySplit):
        right = [k for k in range(len(column.categories)) if k not in split.left]
        chosen = split.left if goes_left else right
        names = [column.categories[k] for k in chosen]
        if not names:
            return f"{column.name} is missing"
        if not goes_left and len(split.left) == 1:
            words = f"{column.name} != {column.categories[split.left[0]]}"
        elif len(names) == 1:
            words = f"{column.name} = {names[0]}"
        else:
            words = f"{column.name} in {{{', '.join(names)}}}"
    elif np.isinf(split.threshold):
        return f"{column.name} is {'known' if goes_left else 'missing'}"
    elif column.kind is ColumnKind.BINARY:
        low, high = column.categories or ("0", "1")
        words = f"{column.name} = {low if goes_left else high}"
    else:
        words = f"{column.name} {'<=' if goes_left else '>'} {_number(split.threshold)}"
    return f"{words} or missing" if missing_here else words


def _number(x: float) -> str:
    """Shortest decimal that reads back as the same float64."""
    text = repr(float(x))
    return text[:-2] if text.endswith(".0") else text
