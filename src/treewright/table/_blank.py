"""A table whose one column says nothing: what remains to be known without it."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["with_blank_column"]


def with_blank_column(X: Any, column: int) -> Any:
    """Return a copy of a table in which one column has the same value in every row.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_columns)
    column : int
        Position.

    Returns
    -------
    array or frame
        Of the same kind as `X`, so that names and positions of the columns stay as they are.
    """
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        name = frame.columns[column]
        return frame.with_columns(nw.lit(0.0).alias(name)).to_native()
    copy = np.array(X, dtype=None if hasattr(X, "dtype") else object)
    copy[:, column] = 0
    return copy
