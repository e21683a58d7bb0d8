"""The rule that sends a row left or right; ties and missing values are decided here and nowhere else.

A row is a vector of float64: numbers as they are, booleans as 0/1, categories as their position in
`Column.categories`, NaN for a missing value. `x <= threshold` goes left. A missing value goes left exactly if
`missing_left`; the direction is learned with the split. The split `x <= inf` with `missing_left=False` asks
only whether the value is known.

The file is longer than 400 lines because every part of the library uses this rule, and each method is documented.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.tree._column import Column, ColumnKind

__all__ = [
    "CategorySplit",
    "LinearSplit",
    "Split",
    "ThresholdSplit",
    "columns_of",
    "describe",
    "number_words",
    "relation",
    "split_at",
    "subject",
    "with_unit",
]


# Some rows of a matrix, given by their positions or by a mask. Only one column of these rows is read at a time: copying
# all columns first took most of the time of `apply`.
Rows = NDArray[np.int64] | NDArray[np.bool_] | slice
EVERY_ROW = slice(None)
SIGNS = tuple("<>=\u2264\u2265\u2260!")  # characters with which a relation can begin
FEW_ROWS = 2048
ROWS_AT_ONCE, COLUMNS_AT_ONCE = 2**15, 64


@dataclass(frozen=True, slots=True)
class ThresholdSplit:
    """Split that sends rows with ``x[column] <= threshold`` left.

    Parameters
    ----------
    column : int
        Position of the column in the table.
    threshold : float
        In units of the column; ``inf`` sends every known value left.
    missing_left : bool, default=False
        Whether a missing value goes left.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit, describe
    >>> describe(ThresholdSplit(0, 30.0), table_from(pd.DataFrame({"age": [20.5, 31.0]})).columns)
    'age <= 30'
    """

    column: int
    threshold: float
    missing_left: bool = False

    def goes_left(self, X: NDArray[np.float64], rows: Rows = EVERY_ROW) -> NDArray[np.bool_]:
        """Return for each row whether it goes left.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns), float64
            Encoded rows.
        rows : slice or ndarray, default=all
            Rows to use: positions, or a mask of shape (n_rows,).

        Returns
        -------
        ndarray of shape (n_rows_selected,), bool
        """
        x = X[:, self.column][rows]
        left = x <= self.threshold
        if self.missing_left:
            left |= np.isnan(x)
        return left


@dataclass(frozen=True, slots=True)
class CategorySplit:
    """Split that sends rows whose category is one of `left` to the left.

    Parameters
    ----------
    column : int
        Position of the column in the table.
    left : tuple of int
        Codes of the categories that go left, ascending.
    missing_left : bool, default=False
        Whether a missing value goes left.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import table_from
    >>> from treewright.tree import CategorySplit, describe
    >>> describe(CategorySplit(0, (0,)), table_from(pd.DataFrame({"town": ["Bern", "Ulm"]})).columns)
    'town = Bern'
    """

    column: int
    left: tuple[int, ...]
    missing_left: bool = False

    def goes_left(self, X: NDArray[np.float64], rows: Rows = EVERY_ROW) -> NDArray[np.bool_]:
        """Return for each row whether it goes left.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns), float64
            Encoded rows.
        rows : slice or ndarray, default=all
            Rows to use: positions, or a mask of shape (n_rows,).

        Returns
        -------
        ndarray of shape (n_rows_selected,), bool
        """
        x = X[:, self.column][rows]
        left = np.isin(x, np.asarray(self.left, dtype=np.float64))
        if self.missing_left:
            left |= np.isnan(x)
        return left


@dataclass(frozen=True, slots=True)
class LinearSplit:
    """Split that sends rows with ``sum(weights * x[columns]) <= threshold`` left.

    Parameters
    ----------
    columns : tuple of int
        Positions of the columns in the table.
    weights : tuple of float
        One per column.
    threshold : float
    missing_left : bool, default=False
        Whether a row with a missing value in one of the columns goes left.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import table_from
    >>> from treewright.tree import LinearSplit, describe
    >>> columns = table_from(pd.DataFrame({"height": [1.6, 1.8], "weight": [60.0, 90.0]})).columns
    >>> describe(LinearSplit((0, 1), (-50.0, 1.0), 0.0), columns)
    '-50*height + weight <= 0'
    """

    columns: tuple[int, ...]
    weights: tuple[float, ...]
    threshold: float
    missing_left: bool = False

    @property
    def column(self) -> int:
        """Position of the first column of the combination, for code that expects one column per split."""
        return self.columns[0]

    def score(self, X: NDArray[np.float64], rows: Rows = EVERY_ROW) -> NDArray[np.float64]:
        """Return the weighted sum of each row.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns), float64
            Encoded rows.
        rows : slice or ndarray, default=all
            Rows to use: positions, or a mask of shape (n_rows,).

        Returns
        -------
        ndarray of shape (n_rows_selected,), float64
            NaN for a row with a missing value in one of the split's columns.
        """
        # Term by term: a matrix product may round differently with the number of rows. In blocks that fit into the
        # processor's cache: blocks of rows or, if there are few rows, of columns, always added up in the same order.
        chosen: NDArray[np.signedinteger] = (
            np.arange(len(X))[rows]
            if isinstance(rows, slice) or rows.dtype == np.bool_
            else np.asarray(rows, np.intp)
        )
        score = np.zeros(len(chosen))
        if 0 < len(chosen) < min(len(self.columns), FEW_ROWS):
            weights, first = np.array(self.weights)[:, None], self.columns[0]
            side_by_side = self.columns == tuple(range(first, first + len(self.columns)))
            for begin in range(0, len(self.columns), COLUMNS_AT_ONCE):
                block = slice(begin, begin + COLUMNS_AT_ONCE)
                some = self.columns[block]
                asked = X.T[some[0] : some[-1] + 1] if side_by_side else X.T[list(some)]
                terms = asked.take(chosen, axis=1) * weights[block]
                terms[0] += score
                # A sum over the first of two axes adds one line after the other; a single axis is summed pairwise.
                score = np.add.reduce(terms) if len(chosen) > 1 else np.cumsum(terms, axis=0)[-1]
            return score
        term = np.empty(min(ROWS_AT_ONCE, len(chosen)))
        for begin in range(0, len(chosen), ROWS_AT_ONCE):
            here, sums = chosen[begin : begin + ROWS_AT_ONCE], score[begin : begin + ROWS_AT_ONCE]
            own = term[: len(here)]
            for column, weight in zip(self.columns, self.weights, strict=True):
                sums += np.multiply(X[:, column].take(here), weight, out=own)
        return score

    def goes_left(self, X: NDArray[np.float64], rows: Rows = EVERY_ROW) -> NDArray[np.bool_]:
        """Return for each row whether it goes left.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns), float64
            Encoded rows.
        rows : slice or ndarray, default=all
            Rows to use: positions, or a mask of shape (n_rows,).

        Returns
        -------
        ndarray of shape (n_rows_selected,), bool
        """
        score = self.score(X, rows)
        left = score <= self.threshold
        if self.missing_left:
            left |= np.isnan(score)
        return np.asarray(left, dtype=np.bool_)


Split = ThresholdSplit | CategorySplit | LinearSplit


def split_at(
    column: int, threshold: float, missing_left: bool = False, *, ordered: bool = False
) -> ThresholdSplit | CategorySplit:
    """Return the split of a column at a threshold; for ordered categories, the split by the set of those below it.

    Parameters
    ----------
    column : int
        Position of the column in the table.
    threshold : float
        In units of the column, or between two codes of ordered categories; ``inf`` sends every known value left.
    missing_left : bool, default=False
        Whether a missing value goes left.
    ordered : bool, default=False
        Whether the column has ordered categories.

    Returns
    -------
    ThresholdSplit or CategorySplit

    Examples
    --------
    >>> from treewright.tree import split_at
    >>> split_at(0, 1.5, ordered=True)
    CategorySplit(column=0, left=(0, 1), missing_left=False)
    """
    if ordered and threshold < math.inf:
        return CategorySplit(column, tuple(range(math.floor(threshold) + 1)), missing_left)
    return ThresholdSplit(column, threshold, missing_left)


def columns_of(split: Split) -> tuple[int, ...]:
    """Return the positions of the columns that a split asks."""
    return split.columns if isinstance(split, LinearSplit) else (split.column,)


def describe(
    split: Split,
    columns: Sequence[Column],
    goes_left: bool = True,
    digits: int | None = None,
    known: Collection[int] = (),
) -> str:
    """Return the condition of one side of `split` in words, with the names and categories of the original table.

    Parameters
    ----------
    split : Split
    columns : sequence of Column
    goes_left : bool, default=True
        Which side to describe.
    digits : int or None, default=None
        Significant digits of numbers; None writes the shortest decimal that reads back as the same float64.
    known : collection of int, default=()
        Columns that are known in every row that arrives at the split (`Tree.known_columns`): of them nothing is said
        about missing values.

    Returns
    -------
    str
        For example ``age <= 42``, ``colour = red or missing``, ``income is known``.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit, describe
    >>> columns = table_from(pd.DataFrame({"age": [20.5, 31.0]})).columns
    >>> split = ThresholdSplit(0, 25.75)
    >>> describe(split, columns), describe(split, columns, goes_left=False, digits=2)
    ('age <= 25.75', 'age > 26')
    """
    return f"{subject(split, columns, digits)} {relation(split, columns, goes_left, digits, known)}"


def subject(split: Split, columns: Sequence[Column], digits: int | None = None, *, plain: bool = True) -> str:
    """Return the left-hand side of the condition of `split`: the name of its column, or the weighted sum in words.

    Parameters
    ----------
    split : Split
    columns : sequence of Column
    digits : int or None, default=None
        Significant digits of numbers; None writes them in full.
    plain : bool, default=True
        Write sums as programs do, ``-2*a - b``, not with typographic signs.

    Returns
    -------
    str

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit, subject
    >>> subject(ThresholdSplit(0, 25.75), table_from(pd.DataFrame({"age": [20.5, 31.0]})).columns)
    'age'
    """
    if not isinstance(split, LinearSplit):
        return columns[split.column].name
    minus, times = ("-", "*") if plain else ("\u2212", " \u00d7 ")
    text = ""
    for column, weight in zip(split.columns, split.weights, strict=True):
        sign = (minus if weight < 0 else "") if not text else (f" {minus} " if weight < 0 else " + ")
        size = number_words(abs(weight), digits).replace("e-", f"e{minus}")
        factor = "" if abs(weight) == 1 else f"{size}{times}"
        text += f"{sign}{factor}{columns[column].name}"
    return text


def relation(
    split: Split,
    columns: Sequence[Column],
    goes_left: bool = True,
    digits: int | None = None,
    known: Collection[int] = (),
) -> str:
    """Return the condition of one side of `split` without the column's name: ``<= 42``, ``= red or missing``.

    Missing values are mentioned if the column had some in the training table: "or missing" on the side to which they
    go, and "and known" on the other side if the condition would otherwise include them ("!= red and known").

    Parameters
    ----------
    split : Split
    columns : sequence of Column
    goes_left : bool, default=True
        Which side to describe.
    digits : int or None, default=None
        Significant digits of numbers; None writes them in full.
    known : collection of int, default=()
        As for `describe`.

    Returns
    -------
    str

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit, relation
    >>> relation(ThresholdSplit(0, 25.75), table_from(pd.DataFrame({"age": [20.5, 31.0]})).columns, goes_left=False)
    '> 25.75'
    """
    may_be_missing = any(columns[column].has_missing for column in columns_of(split) if column not in known)
    missing_here = split.missing_left == goes_left
    words, negative = _known_words(split, columns, goes_left, digits)
    if words == "known":
        return "is known or missing" if missing_here else "is known"
    if words == "never":
        return "is missing" if missing_here else "is neither known nor missing"
    if missing_here and may_be_missing:
        return f"{words} or missing"
    return f"{words} and known" if negative and may_be_missing else words


def _known_words(
    split: Split, columns: Sequence[Column], goes_left: bool, digits: int | None
) -> tuple[str, bool]:
    """Return words for the known values of one side ("known": all, "never": none), and whether they are a negation."""
    if isinstance(split, CategorySplit):
        categories = columns[split.column].categories
        left = [categories[code] for code in split.left]
        right = [name for code, name in enumerate(categories) if code not in split.left]
        here, there = (left, right) if goes_left else (right, left)
        if not here:
            return "never", False
        if not there:
            return "known", False
        if len(here) == 1:
            return f"= {_told_apart(here[0])}", False
        if columns[split.column].ordered and (words := _words_in_order(here, categories)):
            return words, False
        if len(there) == 1:
            return f"!= {_told_apart(there[0])}", True
        if len(there) < len(here):
            return f"not in {{{', '.join(there)}}}", True
        return f"in {{{', '.join(here)}}}", False
    if math.isinf(split.threshold):
        return ("known" if (split.threshold > 0) == goes_left else "never"), False
    if isinstance(split, ThresholdSplit):
        column = columns[split.column]
        if column.kind is ColumnKind.BINARY and 0 <= split.threshold < 1:
            low, high = column.categories or ("0", "1")
            return f"= {low if goes_left else high}", False
    unit = columns[split.column].unit if isinstance(split, ThresholdSplit) else ""
    return f"{'<=' if goes_left else '>'} {with_unit(number_words(split.threshold, digits), unit)}", False


def _told_apart(category: str) -> str:
    """Return a category as it stands after a sign: in quotes if it begins with a sign itself, ``= "< 0 DM"``."""
    return f'"{category}"' if category[:1] in SIGNS else category


def _words_in_order(here: Sequence[str], categories: Sequence[str]) -> str:
    """Return words for consecutive ordered categories, such as "at most medium"; "" if they are not consecutive."""
    first, last = categories.index(here[0]), categories.index(here[-1])
    if last - first + 1 > len(here):
        return ""
    if first == 0:
        return f"at most {here[-1]}"
    return f"at least {here[0]}" if last + 1 == len(categories) else f"from {here[0]} to {here[-1]}"


def number_words(x: float, digits: int | None) -> str:
    """Return a number as text: with `digits` significant digits, or the shortest decimal of the same float64."""
    text = repr(float(x)) if digits is None else f"{x:.{digits}g}"
    return text[:-2] if text.endswith(".0") else text


def with_unit(number: str, unit: str) -> str:
    """Return a number with its unit: number, space, unit, also for "%" and currencies.

    Parameters
    ----------
    number : str
    unit : str
        If it is "", the number stands alone.

    Returns
    -------
    str

    Examples
    --------
    >>> from treewright.tree import with_unit
    >>> with_unit("12", "months"), with_unit("12", "")
    ('12 months', '12')
    """
    return f"{number} {unit}" if unit else number
