"""Which rows are looked at once a limit, Ctrl-C or a callback has ended a run: few enough for a part of a second.

What is left to do then, the pruning vector, the shape of the hard tree, its agreement with the soft one, needs no more
than a sample to be sound. The hard tree's counts are those of all rows whatever the sample.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["late_rows", "taken"]

LATE_CELLS, LATE_ROWS = 2**17, 128


def late_rows(n_rows: int, n_columns: int) -> slice:
    """Return rows at even distances, of about `LATE_CELLS` cells or `LATE_ROWS` rows; all of a table that has no more.

    Parameters
    ----------
    n_rows, n_columns : int

    Examples
    --------
    >>> late_rows(1000, 10), late_rows(1_000_000, 10)
    (slice(None, None, 1), slice(None, None, 77))
    """
    most = max(LATE_ROWS, LATE_CELLS // max(1, n_columns))
    return slice(None, None, max(1, -(-n_rows // most)))


def taken(X: NDArray[np.float64], rows: slice) -> NDArray[np.float64]:
    """Return these rows of a table, side by side in memory.

    Among the rows between them, each value of a column would be read with a line of the cache of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.latent._late import taken
    >>> taken(np.arange(6.0).reshape(3, 2, order="F"), slice(None, None, 2)).flags.f_contiguous
    True
    """
    return X if rows.step in (None, 1) else X[rows].copy(order="K")
