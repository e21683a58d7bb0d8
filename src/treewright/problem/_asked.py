"""What all problems have in common: rows without weight are left out, and the penalty and the limits are checked."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from treewright._numbers import is_whole
from treewright.errors import InputError
from treewright.table import Table

__all__ = [
    "PenaltyAndLimits",
    "RowsKept",
    "check_cost_complexity",
    "check_limit",
    "check_min_samples_leaf",
    "check_penalty_and_limits",
    "leave_out_weightless",
    "rows_that_weigh",
]


class RowsKept(TypedDict):
    """Which rows of the input are in a problem, and what is to be said of it."""

    rows: NDArray[np.int64] | None
    notes: tuple[str, ...]


class PenaltyAndLimits(TypedDict):
    """Leaf penalty and constraints of a tree, checked."""

    cost_complexity: float
    max_depth: int | None
    max_leaf_nodes: int | None
    min_samples_leaf: int


def leave_out_weightless(
    table: Table, by_row: Mapping[str, NDArray[Any]], notes: tuple[str, ...] = ()
) -> tuple[Table, dict[str, NDArray[Any]], RowsKept]:
    """Leave out the rows of weight zero, so that they change neither thresholds nor counts.

    This is scikit-learn's rule that weight zero equals a row that is not there.

    Parameters
    ----------
    table : Table
    by_row : mapping of str to ndarray
        Arrays of one entry per row; ``sample_weight`` is one of them. What is returned of them cannot be written to.
    notes : tuple of str, default=()
        To which the number of rows left out is added.

    Returns
    -------
    table : Table
    by_row : dict of str to ndarray
    kept : RowsKept
    """
    kept, out = rows_that_weigh(by_row["sample_weight"]), dict(by_row)
    rows = kept["rows"]
    if rows is not None:
        table, out = table.take(rows), {name: array[rows] for name, array in by_row.items()}
    for array in out.values():
        array.setflags(write=False)
    return table, out, {"rows": rows, "notes": (*notes, *kept["notes"])}


def rows_that_weigh(weight: NDArray[Any]) -> RowsKept:
    """Return the rows whose weight is above zero, None if these are all, and a note of the others.

    Parameters
    ----------
    weight : ndarray of shape (n_rows,)

    Returns
    -------
    RowsKept

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.problem import rows_that_weigh
    >>> rows_that_weigh(np.array([1.0, 0.0, 2.0]))["notes"]
    ('1 of 3 rows have weight zero and were left out.',)
    """
    rows = np.flatnonzero(weight > 0)
    if len(rows) == len(weight):
        return {"rows": None, "notes": ()}
    left_out = len(weight) - len(rows)
    return {
        "rows": rows,
        "notes": (f"{left_out:,} of {len(weight):,} rows have weight zero and were left out.",),
    }


def check_penalty_and_limits(
    n_rows: int,
    *,
    cost_complexity: float,
    max_depth: int | None,
    max_leaf_nodes: int | None,
    min_samples_leaf: int | float,
    share_of: str = "the total weight",
    saves: str = "the rows",
    in_units_of: str | None = None,
) -> PenaltyAndLimits:
    """Check the leaf penalty and the constraints of a tree over `n_rows` rows.

    Parameters
    ----------
    n_rows : int
    cost_complexity : float
    max_depth, max_leaf_nodes : int or None
    min_samples_leaf : int or float
    share_of, saves : str
        What the penalty is a share of, and what a leaf must save a part of; for the message.
    in_units_of : str or None, default=None
        What the penalty is counted in, where it is no share: then it may be above 1.

    Raises
    ------
    InputError
        One of them is out of range; the message names it.
    """
    return {
        "cost_complexity": check_cost_complexity(cost_complexity, share_of, saves, in_units_of),
        "max_depth": check_limit("max_depth", max_depth, 0),
        "max_leaf_nodes": check_limit("max_leaf_nodes", max_leaf_nodes, 1),
        "min_samples_leaf": check_min_samples_leaf(min_samples_leaf, n_rows),
    }


def check_cost_complexity(
    value: float, of: str = "the total weight", saves: str = "the rows", in_units_of: str | None = None
) -> float:
    """Return the leaf penalty: a share `of` something, which a leaf must save of what `saves` says, or a cost."""
    if in_units_of is None:
        most = 1.0
        asked = (
            f"a number from 0 to 1: the penalty of one leaf as a fraction of {of} (0.01 means that a leaf must save 1% "
            f"of {saves})."
        )
    else:
        most = sys.float_info.max
        asked = f"a number of at least 0: the penalty of one leaf in units of {in_units_of}."
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real) or not 0 <= float(value) <= most:
        raise InputError(f"cost_complexity={value!r}; give {asked}")
    return float(value)


def check_limit(name: str, value: int | None, least: int) -> int | None:
    """Return a limit of depth or leaves, None for no limit."""
    if value is None:
        return None
    if not is_whole(value) or value < least:
        raise InputError(f"{name}={value!r}; give an integer of at least {least}, or None for no limit.")
    return int(value)


def check_min_samples_leaf(value: int | float, n_rows: int) -> int:
    """Return the fewest rows of a leaf as a number of rows.

    Parameters
    ----------
    value : int or float
        An integer of at least 1, or a fraction in (0, 1), which is rounded up.
    n_rows : int

    Raises
    ------
    InputError
        `value` is neither, or more than there are rows.

    Examples
    --------
    >>> from treewright.problem import check_min_samples_leaf
    >>> check_min_samples_leaf(5, 1000), check_min_samples_leaf(0.01, 1000)
    (5, 10)
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise InputError(f"min_samples_leaf={value!r}; give an integer of at least 1 or a fraction below 1.")
    if isinstance(value, Integral):
        count = int(value)
    elif 0 < value < 1:
        count = math.ceil(float(value) * n_rows)
    else:
        raise InputError(
            f"min_samples_leaf={value!r}; a float must lie strictly between 0 and 1 (a fraction of rows)."
        )
    if count < 1:
        raise InputError(f"min_samples_leaf={value!r}; give an integer of at least 1 or a fraction below 1.")
    if count > n_rows:
        raise InputError(
            f"min_samples_leaf={value!r} is above the {n_rows} rows: not even a single leaf is allowed."
        )
    return count
