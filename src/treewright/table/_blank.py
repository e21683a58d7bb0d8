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

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import with_blank_column
    >>> blank = with_blank_column(np.array([[20.0, 1.0], [30.0, 0.0]]), 0)
    >>> bool(blank[0, 0] == blank[1, 0]), blank[:, 1]
    (True, array([1., 0.]))
    """
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        name = frame.columns[column]
        return frame.with_columns(nw.lit(0.0).alias(name)).to_native()
    copy = np.array(X, dtype=None if hasattr(X, "dtype") else object)
    copy[:, column] = 0
    return copy
