"""Columns as arrays, read from numpy arrays, lists, and pandas, polars and pyarrow frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import kind_of, some_of
from treewright.errors import InputError, InputTypeError
from treewright.table._faults import all_or_faults
from treewright.table._raw import (
    LARGEST_EXACT_INTEGER,
    RawColumn,
    as_words,
    dates_error,
    from_numeric,
    from_objects,
    integer_error,
    quoted,
    text_of_number,
)

__all__ = [
    "as_array",
    "by_columns",
    "checked_names",
    "is_named",
    "memory_of",
    "names_of_frame",
    "read_frame",
    "read_series",
]

ROWS_AT_ONCE = 2**10  # rows that are copied together if columns are not contiguous in memory


def as_array(X: Any) -> NDArray[Any]:
    """Return a two-dimensional array; lists of rows become objects, cell by cell."""
    if isinstance(X, (list, tuple)):
        if len({len(row) for row in X if isinstance(row, (list, tuple))}) > 1:
            raise InputError("The rows of X differ in length; give every row one cell per column.")
        array = np.array(X, dtype=object)  # object first: numpy would turn [1, "a"] into text
        if array.ndim == 2:
            cells = {type(cell) for cell in array.ravel()}
            if cells and all(issubclass(cell, (bool, np.bool_)) for cell in cells):
                array = array.astype(np.bool_)
    elif isinstance(X, Mapping):
        raise InputTypeError(f"X is {kind_of(X)}. Make it a frame, such as pandas.DataFrame(X).")
    else:
        array = np.asarray(X)
    if array.dtype.names is not None:
        raise InputTypeError(
            f"X is an array with named fields ({some_of(array.dtype.names)}). Make it a frame: pandas.DataFrame(X)."
        )
    if array.dtype.kind in "SV":
        raise InputTypeError(
            f"X has dtype {array.dtype}; the argument must be a string or a number. Decode it first."
        )
    if array.ndim != 2:
        if array.ndim == 1 and len(array) and isinstance(array[0], Mapping):
            raise InputTypeError(f"X is {kind_of(X)} of dicts. Make it a frame, such as pandas.DataFrame(X).")
        if array.ndim == 1 and hasattr(X, "to_frame"):
            raise InputTypeError(f"X is {kind_of(X)}, a single column. Make it a table: X.to_frame().")
        raise InputError(
            f"Expected a table with rows and columns, got {array.ndim} dimension(s). Reshape your data "
            "either using array.reshape(-1, 1) if it has a single column or array.reshape(1, -1) if it is "
            "a single row."
        )
    return array


def by_columns(array: NDArray[Any], copy: bool = True) -> NDArray[np.float64]:
    """Return a copy in Fortran order (each column contiguous); the array itself if it is and `copy` is False.

    Blocks of rows stay in the cache: a million rows of forty columns take a third of the time of copying all at once.
    """
    if array.flags.f_contiguous:
        return np.array(array, dtype=np.float64, order="F", copy=copy or None)
    columns = np.empty(array.shape, dtype=np.float64, order="F")
    for first in range(0, len(array), ROWS_AT_ONCE):
        columns[first : first + ROWS_AT_ONCE] = array[first : first + ROWS_AT_ONCE]
    return columns


def is_named(X: Any) -> bool:
    """Whether `X` is a frame: it has names of columns, and is not a numpy array."""
    if isinstance(X, (np.ndarray, list, tuple)):
        return False
    return any(hasattr(X, name) for name in ("collect_schema", "columns", "column_names"))


def memory_of(size: float) -> str:
    """Return a number of bytes in words."""
    return f"{size / 2**30:,.1f} GiB" if size >= 2**30 else f"{max(size / 2**20, 0.1):,.1f} MiB"


def names_of_frame(X: Any) -> tuple[str, ...]:
    """Return the names of the columns of a frame, each of which must be there once."""
    arrow = hasattr(X, "column_names") and not hasattr(X, "iloc")  # its `columns` are arrays, not names
    own: Any = X.column_names if arrow else getattr(X, "columns", ())
    return checked_names([str(name) for name in own] if hasattr(own, "__iter__") else [])


def read_frame(X: Any) -> tuple[tuple[str, ...], list[RawColumn]]:
    """Read a pandas, polars or pyarrow frame through narwhals."""
    import narwhals as nw  # imported only here, because arrays do not need it

    if hasattr(X, "collect_schema") and hasattr(X, "collect"):
        raise InputError("X is a lazy frame; call .collect() first.")
    names = names_of_frame(X)
    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError as error:
        raise InputTypeError(
            f"X is {kind_of(X)}, which is not a frame that narwhals reads. Pass a numpy array, a "
            "pandas or polars frame (of DuckDB: X.pl()), a pyarrow table, or a list of rows."
        ) from error
    if not names:
        raise InputError(
            f"Found array with 0 feature(s) (shape={frame.shape}) while a minimum of 1 is required."
        )
    if len(frame) == 0:
        raise InputError(
            f"Found array with 0 sample(s) (shape={frame.shape}) while a minimum of 1 is required."
        )
    numbers = numbers_of_pandas(X, names)
    return names, all_or_faults(
        partial(read_series, name, frame[:, j]) if raw is None else partial(_same, raw)
        for j, (name, raw) in enumerate(zip(names, numbers, strict=True))
    )


def _same(raw: RawColumn) -> RawColumn:
    return raw


def numbers_of_pandas(X: Any, names: Sequence[str]) -> list[RawColumn | None]:
    """Read all columns of a pandas frame that are numpy numbers together; the result is None for other columns.

    One by one, ten thousand columns would take two seconds. A column that `read_series` refuses is None, too.
    """
    raws: list[RawColumn | None] = [None] * len(names)
    if type(X).__module__.partition(".")[0] != "pandas":
        return raws
    dtypes = X.dtypes.tolist()
    at = [j for j, dtype in enumerate(dtypes) if isinstance(dtype, np.dtype) and dtype.kind in "biuf"]
    if not at:
        return raws
    matrix = by_columns(
        (X if len(at) == len(names) else X.iloc[:, at]).to_numpy(dtype=np.float64), copy=False
    )
    for k, j in enumerate(at):
        kind = dtypes[j].kind
        numbers = matrix[:, k]
        if kind == "f" and np.isinf(numbers).any():
            continue
        if kind in "iu" and len(numbers) and np.abs(numbers).max() >= LARGEST_EXACT_INTEGER:
            continue
        raws[j] = RawColumn(names[j], numbers, boolean=kind == "b")
    return raws


def read_series(name: str, series: Any) -> RawColumn:
    import narwhals as nw

    dtype = series.dtype
    if dtype in (nw.Datetime, nw.Date, nw.Duration, nw.Time):
        what = "durations" if dtype == nw.Duration else "times of day" if dtype == nw.Time else "dates"
        raise dates_error(name, what, of_polars=series.implementation.is_polars())
    if dtype.is_integer():
        if not series.is_null().all():
            largest = max(int(series.min()), int(series.max()), key=abs)
            if abs(largest) > LARGEST_EXACT_INTEGER:
                raise integer_error(name, largest)
        series = series.cast(nw.Float64)
    if series.dtype.is_float() or (dtype == nw.Boolean and not series.is_null().any()):
        values = series.to_numpy()
        if values.dtype.kind in "bf":
            return from_numeric(name, values)
    raw = from_objects(name, series.to_list())
    if isinstance(dtype, nw.Enum) and all(isinstance(word, (str, int, float)) for word in dtype.categories):
        # An Enum of polars has an order, a categorical of pandas only if it is declared as ordered.
        words = [word if isinstance(word, str) else text_of_number(float(word)) for word in dtype.categories]
        return replace(as_words(raw), order=tuple(words))
    return as_words(raw) if dtype in (nw.Categorical, nw.Enum) else raw


def checked_names(feature_names: Sequence[str] | None, n_columns: int | None = None) -> tuple[str, ...]:
    if feature_names is None:
        return tuple(f"x{j}" for j in range(n_columns or 0))
    if isinstance(feature_names, str) or not isinstance(feature_names, Iterable):
        raise InputTypeError(
            f"feature_names={feature_names!r:.60}; give a list of names, one per column, or None."
        )
    names = tuple(map(str, feature_names))
    if n_columns is not None and len(names) != n_columns:
        raise InputError(
            f"feature_names has {len(names)} names for {n_columns} columns; give one name per column."
        )
    if len(set(names)) < len(names):
        twice = sorted(name for name, times in Counter(names).items() if times > 1)
        raise InputError(
            f"Duplicate column names: {quoted(twice)}. Rename them, so that a split can name its column."
        )
    return names
