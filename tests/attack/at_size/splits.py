"""All splits of a table as columns of bits, from the documentation alone; rows with no value may go either way."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["all_splits", "n_splits"]

Bits = NDArray[np.bool_]


def n_splits(X: pd.DataFrame) -> int:
    """At most so many splits."""
    return int(X.nunique().sum()) * 2 + X.shape[1]


def all_splits(X: pd.DataFrame) -> Bits:
    """Return which rows each split sends left, a column each, every division of the rows once."""
    n = len(X)
    found = [left for name in X.columns for left in _of_column(X[name]) if 0 < left.sum() < n]
    if not found:
        return np.zeros((n, 0), dtype=bool)
    matrix = np.array(found)
    matrix ^= matrix[:, :1]  # a division, whichever side is called left
    _, first = np.unique(np.packbits(matrix, axis=1), axis=0, return_index=True)
    return matrix[np.sort(first)].T


def _of_column(column: pd.Series) -> Iterator[Bits]:
    missing = column.isna().to_numpy()
    if missing.any():
        yield missing
    for left in _of_known(column):
        yield left & ~missing
        if missing.any():
            yield left | missing


def _of_known(column: pd.Series) -> Iterator[Bits]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy()
        yield from (codes <= k for k in np.unique(codes[codes >= 0])[:-1])
    elif column.dtype == float:
        values = column.to_numpy()
        yield from (values <= cut for cut in np.unique(values[~np.isnan(values)])[:-1])
    else:
        yield from ((column == word).to_numpy(dtype=bool) for word in column.dropna().unique())
