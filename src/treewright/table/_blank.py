"""A table with one column made constant, to measure how well a model does without it."""

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
        Position of the column.

    Returns
    -------
    array or frame
        The same kind of container as `X`, with the same names and positions of columns.

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
