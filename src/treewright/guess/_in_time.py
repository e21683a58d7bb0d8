"""Rows for a fit that nothing can stop: as many as the time allows.

Compiled code of other libraries looks at no clock and hears no Ctrl-C until it returns. So where there is a time limit
and a large table, a fit of theirs is first made on few rows, which tells what a row takes; if all rows would take
longer than there is time, it is made on a part of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["rows_in_time"]

LARGE = 1 << 20  # cells: fits of smaller tables are over soon
TRIAL = 1 << 16  # cells of the fit that is timed
FEWEST = 50  # rows
ENOUGH = 1000  # rows: of fewer a tree may have no split, which tells nothing of what one takes
STEP = 4  # times the rows of a fit that was timed: no more are trusted to take as long each, where it had few
SURE = 32  # ... unless there is time for so many times all rows
GRACE = 0.1  # seconds that a fit gets in any case
SLOWER = 1.5  # a row among many may take so many times as long as one among few


def rows_in_time(
    X: NDArray[np.float64], y: NDArray[Any], seconds: float, fit: Callable[[NDArray[np.intp]], object]
) -> NDArray[np.intp] | None:
    """Return the rows for which a fit has time, ascending; None is all of them.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
    y : ndarray of shape (n_rows,), int
        Classes from 0; each keeps its share of the rows, and one row at least.
    seconds : float
        That are left; inf is no limit.
    fit : callable
        Makes the fit, or the longest part of it that cannot be stopped, on given rows.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import rows_in_time
    >>> rows_in_time(np.ones((5, 1)), np.arange(5) % 2, np.inf, lambda rows: None) is None
    True
    """
    if not np.isfinite(seconds) or X.size <= LARGE:
        return None
    few = tried = max(FEWEST, TRIAL // X.shape[1])
    end = time.perf_counter() + seconds
    while tried < len(X):
        began = time.perf_counter()
        fit(_some_rows(y, tried))
        now = time.perf_counter()
        most = tried * max(GRACE, end - now) / (SLOWER * (now - began))
        if most >= SURE * len(X):
            return None
        if tried >= ENOUGH or most <= STEP * tried:
            return None if most >= len(X) else _some_rows(y, max(few, int(most)))
        tried *= STEP
    return None


def _some_rows(y: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Return about `n` rows, drawn at random and by class."""
    draw = np.random.default_rng(0)
    drawn = []
    ends = np.cumsum(np.bincount(y))
    share = np.diff(np.round(ends * (n / len(y))).astype(np.intp), prepend=0)
    for rows, most in zip(rows_by_number(y, len(ends)), share.tolist(), strict=True):
        if len(rows):
            drawn.append(rows[draw.choice(len(rows), min(len(rows), max(1, most)), replace=False)])
    return np.sort(np.concatenate(drawn))


def rows_by_number(number: NDArray[np.integer[Any]], n: int) -> list[NDArray[np.intp]]:
    """Return for each number from 0 to `n` - 1 the rows that have it, ascending.

    Parameters
    ----------
    number : ndarray of shape (n_rows,), int
    n : int

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import rows_by_number
    >>> [rows.tolist() for rows in rows_by_number(np.array([2, 0, 2]), 3)]
    [[1], [], [0, 2]]
    """
    small = np.int16 if n < 1 << 15 else np.int64  # 16 bits are sorted without comparisons
    order = np.argsort(number.astype(small), kind="stable")
    return np.split(order, np.cumsum(np.bincount(number, minlength=n))[:-1])
