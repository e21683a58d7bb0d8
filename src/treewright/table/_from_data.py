"""From numpy arrays, pandas and polars frames and lists to a `Table`, and new rows to a known schema.

Kinds are decided by one rule, whatever the container: truth values, and numbers that are 0 and 1 only, are
binary; other numbers are continuous; text and categoricals are categorical with sorted categories. None, NaN
and null are missing values and stay missing. Cost: one pass over the values; a float array of 10^6 x 12 takes
about 0.1 s, most of it the copy that makes each column contiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._garbage import without_collections
from treewright.errors import InputError
from treewright.table._containers import as_array, checked_names, is_named, memory_of, read_frame
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

__all__ = ["assemble", "encode_column", "encode_like", "read_columns", "table_from"]

HEAD = 256  # rows that usually show that a column holds more than zeros and ones
CELLS_AT_ONCE = 2**17  # of columns that are asked about together


@without_collections()
def table_from(
    X: Any,
    *,
    feature_names: Sequence[str] | None = None,
    categorical_features: Sequence[str] | Sequence[int] | None = None,
) -> Table:
    """Make a typed table from an array, a frame or a list of rows.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_columns)
        numpy array (numbers, truth values, text or objects), pandas or polars frame, pyarrow table, or list
        of rows. Missing values are NaN, None or null.
    feature_names : sequence of str, default=None
        Names of the columns of an array or list; None gives ``x0, x1, ...``. A frame brings its own names.
    categorical_features : sequence of str or int, default=None
        Names or positions of columns of numbers that are to be read as categories.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        No rows or no columns, duplicate names, numbers and text in one column, infinities, integers beyond
        2**53, dates, complex numbers, sparse matrices. The message names the column.
    InputTypeError
        A cell that is neither text nor a number.

    Notes
    -----
    A column without any known value is kept (so that new rows keep their shape), is never split, and a note
    says so. So does one on text that reads as numbers, which is kept as categories.

    Examples
    --------
    >>> table = table_from([[1.5, "red"], [2.0, "blue"], [None, "red"]], feature_names=["size", "colour"])
    >>> [column.kind.value for column in table.columns]
    ['continuous', 'categorical']
    >>> table.columns[1].categories
    ('blue', 'red')
    """
    names, matrix, raws = _read(X, feature_names)
    forced = _positions(categorical_features, names)
    if not forced:
        return assemble(raws, matrix)
    return assemble([as_words(raw) if j in forced else raw for j, raw in enumerate(raws)])


def read_columns(
    X: Any,
    *,
    feature_names: Sequence[str] | None = None,
    categorical_features: Sequence[str] | Sequence[int] | None = None,
) -> tuple[RawColumn, ...]:
    """Read the columns of some rows without deciding their kinds: of a table that comes in pieces.

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
        As `table_from`.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import read_columns
    >>> job, = read_columns(pd.DataFrame({"job": ["none", "own", "none"]}))
    >>> job.name, job.words
    ('job', ('none', 'own'))
    """
    names, _, raws = _read(X, feature_names)
    forced = _positions(categorical_features, names)
    return tuple(as_words(raw) if j in forced else raw for j, raw in enumerate(raws))


def encode_like(
    X: Any, columns: Sequence[Column], *, expected_by: str = "Tree", needed: Collection[int] | None = None
) -> NDArray[np.float64]:
    """Encode new rows for a schema that was fixed before.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_columns)
        The same columns in the same order; the names of a frame are checked, those of an array cannot be.
    columns : sequence of Column
        The schema, for example ``tree.columns``.
    expected_by : str, default="Tree"
        Who asks; used in messages.
    needed : collection of int, default=None
        Positions of the columns that will be asked about (``tree.asked``); None is all. In another column a category
        that the schema does not know, or text where numbers were, is a missing value instead of an error.

    Returns
    -------
    ndarray of shape (n_rows, n_columns), float64, Fortran order

    Raises
    ------
    InputError
        Too few, too many, renamed or reordered columns; text where numbers were; a category that the schema
        does not know.

    Notes
    -----
    All columns have to be there, whatever is needed: scikit-learn's rules ask for the columns of ``fit``. A missing
    value is accepted in every column: each split knows where it goes. A column that was binary
    accepts any number: its split is ``x <= 0.5``.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import encode_like, table_from
    >>> table = table_from(pd.DataFrame({"age": [20, 30, 40], "job": ["none", "own", "none"]}))
    >>> encode_like(pd.DataFrame({"age": [50], "job": ["own"]}), table.columns)
    array([[50.,  1.]])
    """
    known = tuple(column.name for column in columns)
    names, matrix, raws = _read(X, None)
    if len(names) != len(known):
        absent = [name for name in known if name not in names] if is_named(X) else []
        raise InputError(
            f"X has {len(names)} features, but {expected_by} is expecting {len(known)} features as input"
            f" ({quoted(known)})." + (f" Missing: {quoted(absent)}." if absent else "")
        )
    if is_named(X) and names != known:
        _check_order(names, known)
    if matrix is not None and all(column.kind is not ColumnKind.CATEGORICAL for column in columns):
        return matrix
    encoded = np.empty((_n_rows(raws), len(columns)), dtype=np.float64, order="F")
    for j, (raw, column) in enumerate(zip(raws, columns, strict=True)):
        try:
            encoded[:, j] = encode_column(raw, column)
        except InputError:
            if needed is None or j in needed:
                raise
            encoded[:, j] = np.nan
    return encoded


def encode_column(raw: RawColumn, column: Column) -> NDArray[np.float64]:
    """Encode one column of new rows for its schema entry.

    Parameters
    ----------
    raw : RawColumn
    column : Column

    Returns
    -------
    ndarray of shape (n_rows,), float64

    Raises
    ------
    InputError
        Text where numbers were, or a category that the schema does not know.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import encode_column, read_columns, table_from
    >>> known = table_from(pd.DataFrame({"job": ["none", "own", "pupil"]})).columns[0]
    >>> job, = read_columns(pd.DataFrame({"job": ["pupil", "none"]}))
    >>> encode_column(job, known)
    array([2., 0.])
    """
    if column.kind is not ColumnKind.CATEGORICAL:
        if raw.numbers is None:
            if not raw.words:
                return np.full(len(raw.codes if raw.codes is not None else ()), np.nan)
            raise InputError(
                f"Column {column.name!r} held numbers when the tree was made, and now holds text such as "
                f"{quoted(raw.words[:3])}. Give numbers, or None or NaN where the value is missing."
            )
        return raw.numbers
    words = as_words(raw)
    codes = words.codes
    assert codes is not None  # as_words always sets them
    position = {category: float(k) for k, category in enumerate(column.categories)}
    unseen = [word for word in words.words if word not in position]
    if unseen:
        raise InputError(
            f"Column {column.name!r} holds categories that the tree has never seen: {quoted(unseen)}. It "
            f"knows {quoted(column.categories)}. Map them to known ones, mark them missing (None), or fit "
            "again."
        )
    lookup = np.array([*(position[word] for word in words.words), np.nan])
    return np.asarray(lookup[np.where(np.isnan(codes), len(words.words), codes).astype(np.int64)])


def assemble(raws: Sequence[RawColumn], matrix: NDArray[np.float64] | None = None) -> Table:
    """Decide the kind of each column and make the table; `matrix` holds the numbers already, if given."""
    columns, notes = [], []
    if matrix is not None and _is_whole_zero_one(matrix):
        words = ("false", "true") if raws[0].boolean else ()
        return Table(tuple(Column(raw.name, ColumnKind.BINARY, words) for raw in raws), matrix)
    X = np.empty((_n_rows(raws), len(raws)), dtype=np.float64, order="F") if matrix is None else matrix
    if matrix is not None:  # of thousands of columns, not one by one
        n_missing = _of_columns(matrix, lambda some: np.isnan(some).sum(axis=0)).tolist()
        begins_zero_one = _of_columns(
            matrix[:HEAD], lambda some: _zero_one_or_missing(some).all(axis=0)
        ).tolist()
    for j, raw in enumerate(raws):
        values = raw.numbers if raw.numbers is not None else raw.codes
        assert values is not None  # RawColumn: one of the two is set
        missing = int(np.isnan(values).sum()) if matrix is None else n_missing[j]
        if missing == len(values):
            notes.append(f"Column {raw.name!r} has no known value; it is kept but never used in a split.")
        if raw.numbers is None and raw.words:
            if not raw.declared and all(map(_reads_as_number, raw.words)):
                notes.append(
                    f"Column {raw.name!r} is text that could be read as numbers; it is read as categories, without "
                    "order."
                )
            columns.append(Column(raw.name, ColumnKind.CATEGORICAL, raw.words, missing > 0))
        elif raw.boolean:
            columns.append(Column(raw.name, ColumnKind.BINARY, ("false", "true"), missing > 0))
        else:
            zero_one = (matrix is None or begins_zero_one[j]) and _is_zero_one(values)
            kind = ColumnKind.BINARY if zero_one else ColumnKind.CONTINUOUS
            columns.append(Column(raw.name, kind, (), missing > 0))
        if matrix is None:
            X[:, j] = values
    return Table(tuple(columns), X, tuple(notes))


def _read(
    X: Any, feature_names: Sequence[str] | None
) -> tuple[tuple[str, ...], NDArray[np.float64] | None, list[RawColumn]]:
    """Return names, the matrix if all columns are plain numbers, and the raw columns (then views of it)."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        size = 8 * float(X.shape[0]) * float(X.shape[1]) if len(getattr(X, "shape", ())) == 2 else 0.0
        raise InputError(
            f"X is a sparse matrix; only dense tables are read. X.toarray() would take {memory_of(size)}: pass that if "
            "it fits, or first keep fewer columns, for example with sklearn.feature_selection.SelectKBest. Zeros that "
            "mean 'not known' must become NaN."
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
            "X is a masked array, and what is masked would be read as if it were there. A missing value is NaN: pass "
            "X.astype(float).filled(numpy.nan)."
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
        matrix = np.array(array, dtype=np.float64, order="F", copy=True)
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
    """Positions of the columns that are named or numbered."""
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


def _check_order(names: tuple[str, ...], known: tuple[str, ...]) -> None:
    for place, (came, expected) in enumerate(zip(names, known, strict=True)):
        if came != expected:
            same = "They are the same names in another order. " if set(names) == set(known) else ""
            raise InputError(
                "The feature names should match those that were passed during fit, in the same order: column "
                f"{place} (counted from 0) is {came!r}, expected {expected!r}. {same}Expected "
                f"{quoted(known, 20)}; came {quoted(names, 20)}. For a frame, X[list_of_expected_names] "
                "puts them in order."
            )


def _n_rows(raws: Sequence[RawColumn]) -> int:
    first = raws[0]
    values = first.numbers if first.numbers is not None else first.codes
    return 0 if values is None else len(values)


def _is_zero_one(values: NDArray[np.float64]) -> bool:
    """Whether the known values are 0 and 1, both of them."""
    if not _zero_one_or_missing(values[:HEAD]).all():
        return False  # the usual case, without a pass over the column
    return bool((values == 0).any() and (values == 1).any() and _zero_one_or_missing(values).all())


def _zero_one_or_missing(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    answer: NDArray[np.bool_] = (values == 0) | (values == 1) | np.isnan(values)
    return answer


def _of_columns(matrix: NDArray[np.float64], ask: Callable[[NDArray[np.float64]], Any]) -> NDArray[Any]:
    """Return what `ask` says of each column; it is asked about some columns at a time, which stay in the cache."""
    width = max(1, CELLS_AT_ONCE // max(1, len(matrix)))
    return np.concatenate([ask(matrix[:, j : j + width]) for j in range(0, matrix.shape[1], width)])


def _is_whole_zero_one(matrix: NDArray[np.float64]) -> bool:
    """Whether every column holds 0 and 1 and nothing else: the usual input of a benchmark, in one pass."""
    if not ((matrix[:16] == 0) | (matrix[:16] == 1)).all():
        return False
    if not ((matrix == 1) | (matrix == 0)).all():
        return False
    ones = matrix.sum(axis=0)
    return bool(((ones > 0) & (ones < len(matrix))).all())


def _reads_as_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
