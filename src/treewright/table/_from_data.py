"""Make a `Table` from a numpy array, a pandas or polars frame, or a list of rows.

The rules for the kind of a column are the same for all containers. Columns of true/false, or of numbers that are only 0
and 1, are binary; other numbers are continuous; text and categoricals are categorical, with their categories in their
own order if they have one and sorted otherwise. None, NaN and null are missing values and stay missing. The cost is one
pass over the values: a float array of 10^6 x 12 takes about 0.1 s, most of it for the copy that makes each column
contiguous.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._arguments import check_arguments
from treewright._garbage import without_collections
from treewright.errors import InputError
from treewright.table._containers import as_array, by_columns, checked_names, is_named, memory_of, read_frame
from treewright.table._order import check_orders, codes_in_order
from treewright.table._raw import (
    LARGEST_EXACT_INTEGER,
    RawColumn,
    as_words,
    check_finite,
    from_numeric,
    from_objects,
    quoted,
)
from treewright.table._table import Table
from treewright.tree import Column, ColumnKind

__all__ = ["assemble", "n_rows_of", "read_columns", "read_raws", "table_from"]

NEVER_USED = "has no known value; it is kept but never used in a split."
HEAD = 256  # first rows to examine: they usually show that a column does not hold only 0 and 1
MANY_NUMBERS = 10  # distinct numbers stored as text; fewer are often codes
MARKED = re.compile(r"^[$€£¥₹]? ?[+-]?[0-9]{1,3}(?:[,.' ]?[0-9]{3})*(?:[.,][0-9]+)? ?[%$€£¥]?$")
CODE = re.compile(r"^0[0-9]")
CELLS_AT_ONCE = 2**17  # cells of the columns that are examined together


@without_collections()
def table_from(
    X: Any,
    *,
    feature_names: Sequence[str] | None = None,
    categorical_features: Sequence[str] | Sequence[int] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
) -> Table:
    """Make a typed table from an array, a frame or a list of rows.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_columns)
        numpy array (numbers, booleans, text or objects), pandas or polars frame, pyarrow table, or list
        of rows. Missing values are NaN, None or null.
    feature_names : sequence of str, default=None
        Names of the columns of an array or list; None gives ``x0, x1, ...``. A frame has its own names.
    categorical_features : sequence of str or int, default=None
        Names or positions of columns of numbers to be read as categories.
    order : mapping of str to sequence of str, default=None
        All words of a column from the lowest to the highest, by column: ``{"risk": ["low", "medium", "high"]}``. A
        split then sends all words up to one of them to one side. Ordered categoricals of pandas and an Enum of polars
        have their own order.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        If there are no rows or no columns, names are duplicated, or `X` is a sparse matrix; if a column mixes numbers
        and text, or has infinities, integers beyond 2**53, dates, complex numbers, or a word that is not in its order.
        The message names the column and what to do.
    InputTypeError
        If a cell is neither text nor a number.

    Notes
    -----
    A column without any known value is kept, so that new rows have the same columns, but it is never split, and a note
    says so. Numbers stored as text are kept as categories, also with a note.

    Examples
    --------
    >>> table = table_from([[1.5, "red"], [2.0, "blue"], [None, "red"]], feature_names=["size", "colour"])
    >>> [column.kind.value for column in table.columns]
    ['continuous', 'categorical']
    >>> table.columns[1].categories
    ('blue', 'red')
    """
    check_arguments(table_from, locals(), "feature_names")
    names, matrix, raws = read_raws(X, feature_names)
    forced, orders = _positions(categorical_features, names), check_orders(order or {})
    if not forced and not orders:
        return assemble(raws, matrix)
    absent = next((name for name in orders if name not in names), None)
    if absent is not None:
        raise InputError(f"order names the column {absent!r}; the columns are {quoted(names, 20)}.")
    raws = [as_words(raw) if j in forced or raw.name in orders else raw for j, raw in enumerate(raws)]
    return assemble([replace(raw, order=orders.get(raw.name, raw.order)) for raw in raws])


def read_columns(
    X: Any,
    *,
    feature_names: Sequence[str] | None = None,
    categorical_features: Sequence[str] | Sequence[int] | None = None,
) -> tuple[RawColumn, ...]:
    """Read the columns of some rows without deciding their kinds, for a table that is read in pieces.

    Parameters
    ----------
    X, feature_names, categorical_features
        As in `table_from`.

    Returns
    -------
    tuple of RawColumn

    Raises
    ------
    InputError, InputTypeError
        As for `table_from`.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import read_columns
    >>> job, = read_columns(pd.DataFrame({"job": ["none", "own", "none"]}))
    >>> job.name, job.words
    ('job', ('none', 'own'))
    """
    names, _, raws = read_raws(X, feature_names)
    forced = _positions(categorical_features, names)
    return tuple(as_words(raw) if j in forced else raw for j, raw in enumerate(raws))


def assemble(raws: Sequence[RawColumn], matrix: NDArray[np.float64] | None = None) -> Table:
    """Decide the kind of each column and make the table; `matrix`, if given, already holds its numbers."""
    columns, notes, as_text = [], [], []
    if matrix is not None and _is_whole_zero_one(matrix):
        words = ("false", "true") if raws[0].boolean else ()
        return Table(tuple(Column(raw.name, ColumnKind.BINARY, words) for raw in raws), matrix)
    X = np.empty((n_rows_of(raws), len(raws)), dtype=np.float64, order="F") if matrix is None else matrix
    if matrix is not None:  # all columns together, because there may be thousands
        n_missing = _of_columns(matrix, lambda some: np.isnan(some).sum(axis=0)).tolist()
        begins_zero_one = _of_columns(
            matrix[:HEAD], lambda some: _zero_one_or_missing(some).all(axis=0)
        ).tolist()
    for j, raw in enumerate(raws):
        values = raw.numbers if raw.numbers is not None else raw.codes
        assert values is not None  # RawColumn: one of the two is set
        missing = int(np.count_nonzero(np.isnan(values))) if matrix is None else n_missing[j]
        if missing == len(values):
            notes.append(f"Column {raw.name!r} {NEVER_USED}")
        if raw.order:
            values = codes_in_order(raw)
            columns.append(Column(raw.name, ColumnKind.CATEGORICAL, raw.order, missing > 0, ordered=True))
        elif raw.numbers is None and raw.words:
            if not raw.declared and all(map(_reads_as_number, raw.words)):
                notes.append(
                    f"Column {raw.name!r} is text that could be read as numbers; it is read as categories, without "
                    "order."
                )
                if len(raw.words) > MANY_NUMBERS and not any(map(CODE.match, raw.words)):
                    as_text.append(raw.name)
            columns.append(Column(raw.name, ColumnKind.CATEGORICAL, raw.words, missing > 0))
        elif raw.boolean:
            columns.append(Column(raw.name, ColumnKind.BINARY, ("false", "true"), missing > 0))
        else:
            zero_one = (matrix is None or begins_zero_one[j]) and _is_zero_one(values)
            kind = ColumnKind.BINARY if zero_one else ColumnKind.CONTINUOUS
            columns.append(Column(raw.name, kind, (), missing > 0))
        if matrix is None:
            X[:, j] = values
    return Table(tuple(columns), X, tuple(notes), tuple(as_text))


def read_raws(
    X: Any, feature_names: Sequence[str] | None
) -> tuple[tuple[str, ...], NDArray[np.float64] | None, list[RawColumn]]:
    """Return names, the matrix if all columns are plain numbers, and the raw columns (in that case views of it)."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        size = 8 * float(X.shape[0]) * float(X.shape[1]) if len(getattr(X, "shape", ())) == 2 else 0.0
        raise InputError(
            f"X is a sparse matrix; only dense tables are read. X.toarray() would take {memory_of(size)}: pass that if "
            "it fits, or first keep fewer columns, for example with sklearn.feature_selection.SelectKBest. In a "
            "pipeline, OneHotEncoder(sparse_output=False) makes a dense one; but columns of words need no encoding. "
            "Replace zeros that mean 'not known' by NaN."
        )
    if is_named(X):
        names, raws = read_frame(X)
        if feature_names is not None and tuple(map(str, feature_names)) != names:
            raise InputError(
                "feature_names differ from the column names of the frame; rename the columns instead."
            )
        return names, None, raws
    if np.ma.is_masked(X):
        raise InputError(
            "X is a masked array, and its masked values would be read as if they were known. Mark missing values with "
            "NaN: pass X.astype(float).filled(numpy.nan)."
        )
    array = as_array(X)
    n_rows, n_columns = array.shape
    if n_columns == 0:
        raise InputError(
            f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    if n_rows == 0:
        raise InputError(
            f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    names = checked_names(feature_names, n_columns)
    if array.dtype.kind in "biuf":
        if array.dtype.kind in "iu" and max(-int(array.min()), int(array.max())) > LARGEST_EXACT_INTEGER:
            for j, name in enumerate(names):
                from_numeric(name, array[:, j])  # raises for the column that holds it
        matrix = by_columns(array)
        if array.dtype.kind == "f":
            finite = _of_columns(matrix, lambda some: np.isfinite(some).all(axis=0))
            for j in np.flatnonzero(~finite).tolist():
                check_finite(names[j], matrix[:, j])
        boolean = array.dtype.kind == "b"
        return names, matrix, [RawColumn(name, matrix[:, j], boolean) for j, name in enumerate(names)]
    if array.dtype.kind in "cmM":
        return names, None, [from_numeric(name, array[:, j]) for j, name in enumerate(names)]
    return names, None, [from_objects(name, array[:, j].tolist()) for j, name in enumerate(names)]


def _positions(features: Sequence[str] | Sequence[int] | None, names: tuple[str, ...]) -> set[int]:
    """Return the positions of columns that are given by name or by position."""
    if isinstance(features, str) or not isinstance(features, (Iterable, type(None))):
        raise InputError(
            f"categorical_features={features!r}; give a list of names or positions, or None: the columns are "
            f"{quoted(names, 20)}."
        )
    chosen = set()
    for feature in features if features is not None else ():
        if isinstance(feature, str):
            if feature not in names:
                raise InputError(
                    f"categorical_features names {feature!r}; the columns are {quoted(names, 20)}."
                )
            chosen.add(names.index(feature))
        else:
            if isinstance(feature, (bool, np.bool_)) or not 0 <= int(feature) < len(names):
                raise InputError(
                    f"categorical_features holds {feature!r}; give names, or positions 0 to {len(names) - 1}."
                )
            chosen.add(int(feature))
    return chosen


def n_rows_of(raws: Sequence[RawColumn]) -> int:
    first = raws[0]
    values = first.numbers if first.numbers is not None else first.codes
    return 0 if values is None else len(values)


def _is_zero_one(values: NDArray[np.float64]) -> bool:
    """Whether the known values are only 0 and 1, and both occur."""
    if not _zero_one_or_missing(values[:HEAD]).all():
        return False  # the usual case, without a pass over the column
    return bool((values == 0).any() and (values == 1).any() and _zero_one_or_missing(values).all())


def _zero_one_or_missing(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    answer: NDArray[np.bool_] = (values == 0) | (values == 1) | np.isnan(values)
    return answer


def _of_columns(matrix: NDArray[np.float64], ask: Callable[[NDArray[np.float64]], Any]) -> NDArray[Any]:
    """Return the result of `ask` for each column; it is called for blocks of columns that stay in the cache."""
    width = max(1, CELLS_AT_ONCE // max(1, len(matrix)))
    return np.concatenate([ask(matrix[:, j : j + width]) for j in range(0, matrix.shape[1], width)])


def _is_whole_zero_one(matrix: NDArray[np.float64]) -> bool:
    """Whether every column holds only 0 and 1, as is usual in benchmarks."""
    if not ((matrix[:16] == 0) | (matrix[:16] == 1)).all():
        return False
    n_zeros, n_ones = (_of_columns(matrix, partial(_n_equal, number)) for number in (0, 1))
    return bool((n_zeros > 0).all() and (n_ones > 0).all() and (n_zeros + n_ones == len(matrix)).all())


def _n_equal(number: float, values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return for each column the number of rows that are equal to a number."""
    return np.atleast_1d(np.count_nonzero(values == number, axis=0 if values.shape[1] > 1 else None))


def _reads_as_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return bool(MARKED.match(word.strip()))
    return True
