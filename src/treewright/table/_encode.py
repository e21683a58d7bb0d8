"""Encode new rows with the schema of an earlier table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._arguments import check_arguments
from treewright.errors import InputError
from treewright.table._containers import is_named
from treewright.table._from_data import n_rows_of, read_raws
from treewright.table._raw import RawColumn, as_words, quoted
from treewright.tree import Column, ColumnKind

__all__ = ["encode_column", "encode_like"]


def encode_like(
    X: Any, columns: Sequence[Column], *, expected_by: str = "Tree", needed: Collection[int] | None = None
) -> NDArray[np.float64]:
    """Encode new rows with the schema of an earlier table, such as that of a fitted tree.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_columns)
        The same columns in the same order; names are checked if `X` is a frame.
    columns : sequence of Column
        The schema, for example ``tree.columns``.
    expected_by : str, default="Tree"
        Name of the caller in messages.
    needed : collection of int, default=None
        Positions of the columns that the predictions depend on (``tree.asked``); None is all. In the other columns an
        unknown category, or text instead of numbers, becomes a missing value and is not an error.

    Returns
    -------
    ndarray of shape (n_rows, n_columns), float64, Fortran order

    Raises
    ------
    InputError
        If columns are missing, superfluous, renamed or in another order; if a numeric column holds text; or if a
        category is not in the schema.

    Notes
    -----
    All columns must be present, even those that are not needed, as scikit-learn requires the columns of ``fit``.
    Missing values are accepted in every column, because each split defines their side. A binary column accepts any
    number, because its split is ``x <= 0.5``.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table import encode_like, table_from
    >>> table = table_from(pd.DataFrame({"age": [20, 30, 40], "job": ["none", "own", "none"]}))
    >>> encode_like(pd.DataFrame({"age": [50], "job": ["own"]}), table.columns)
    array([[50.,  1.]])
    """
    check_arguments(encode_like, locals(), "columns")
    known = tuple(column.name for column in columns)
    names, matrix, raws = read_raws(X, None)
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
    encoded = np.empty((n_rows_of(raws), len(columns)), dtype=np.float64, order="F")
    for j, (raw, column) in enumerate(zip(raws, columns, strict=True)):
        try:
            encoded[:, j] = encode_column(raw, column)
        except InputError:
            if needed is None or j in needed:
                raise
            encoded[:, j] = np.nan
    return encoded


def encode_column(raw: RawColumn, column: Column) -> NDArray[np.float64]:
    """Encode one column of new rows with its entry in the schema.

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
        If a numeric column holds text, or a category is not in the schema.

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
    used = np.unique(codes[~np.isnan(codes)]).astype(int).tolist()
    unseen = [words.words[k] for k in used if words.words[k] not in position]
    if unseen:
        raise InputError(
            f"Column {column.name!r} holds categories that the tree has never seen: {quoted(unseen)}. It "
            f"knows {quoted(column.categories)}. Map them to known ones, mark them missing (None), or fit "
            "again."
        )
    lookup = np.array([*(position.get(word, np.nan) for word in words.words), np.nan])
    return np.asarray(lookup[np.where(np.isnan(codes), len(words.words), codes).astype(np.int64)])


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
