"""A classifier that is given a quantity: a warning, by the rule with which the command line refuses one."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import QuantityTargetWarning
from treewright.table import is_no_class

__all__ = ["warn_of_quantity"]

GLANCE = 10_000  # rows in which a quantity shows more values than there are usual classes
FEW = 30
OF_TEXT = " with numbers instead of text"


def warn_of_quantity(y: Any, stacklevel: int = 3) -> None:
    """Warn of labels that seem to be a quantity; what is wrong with labels is left to those who encode them.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
    stacklevel : int, default=3
        As of `warnings.warn`, from here.
    """
    if y is None or np.ma.is_masked(y):
        return
    try:
        labels = np.ravel(np.asarray(y))
        first = next(iter(labels), None)
        if labels.dtype.kind == "O" and isinstance(first, Real):  # such as pandas' Int64
            labels = labels.astype(np.float64)
        elif labels.dtype.kind == "O" and isinstance(first, str):
            labels = np.array([label if isinstance(label, str) else "" for label in labels], dtype=np.str_)
    except (TypeError, ValueError):
        return
    if labels.dtype.kind not in "iufU" or len(np.unique(labels[:: len(labels) // GLANCE + 1])) <= FEW:
        return
    if labels.dtype.kind == "U":
        if _are_plain(labels):  # who gives text means classes, but not by `$420,000`
            return
    elif not (np.isfinite(labels).all() and (labels == np.floor(labels)).all()):
        return
    if is_no_class(labels):
        count = len(np.unique(labels))
        warnings.warn(
            f"y has {count:,} different numbers in {len(labels):,} rows: it seems to be a quantity, and each number is "
            "a class of its own here. To predict the number, use OptimalTreeRegressor"
            f"{OF_TEXT if labels.dtype.kind == 'U' else ''}; to predict a class, make it two or a few classes, such as "
            "above and below a limit.",
            QuantityTargetWarning,
            stacklevel=stacklevel,
        )


def _are_plain(labels: NDArray[np.str_]) -> bool:
    """Whether all labels are numbers without a unit."""
    try:
        labels.astype(np.float64)
    except ValueError:
        return False
    return True
