"""Detect labels that are quantities: many different numbers, each of which would be a class of its own."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table._formats import is_unit

__all__ = ["MANY_LABELS", "ROWS_OF_A_CLASS", "is_no_class", "is_quantity"]

MANY_LABELS = 30
ROWS_OF_A_CLASS = 20  # average rows per class; whole numbers with fewer rows are not codes of classes
QUANTITY = re.compile(
    r"^[-+(]?\s?(?P<before>[^\W\d]{0,3}[^\w\s\d,'’()+-]{0,2})\s?[-+]?\d[\d.,'’\s]*(?P<behind>[^\d()]{0,12})\)?$"
)
SHORT = {"k", "m", "mio", "mn", "mrd", "bn", "million", "billion", "tsd"}  # $386k


def is_quantity(labels: NDArray[Any]) -> bool:
    """Whether labels are numbers, perhaps with a unit, and so many different ones that they may not be classes.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,)

    Returns
    -------
    bool
    """
    if labels.dtype.kind not in "iufU":
        return False
    distinct = np.unique(labels)
    if len(distinct) <= MANY_LABELS:
        return False
    return labels.dtype.kind in "iuf" or all(map(_is_amount, distinct.tolist()))


def _is_amount(label: str) -> bool:
    """Whether a label is a number, perhaps with a unit; E11 and AB-12 are codes."""
    match = QUANTITY.match(label.strip())
    if match is None:
        return False
    before, behind = match["before"], match["behind"].strip()
    short, _, unit = behind.casefold().partition(" ")
    if before and not is_unit(before):
        return False
    return (
        behind in ("", "-")
        or is_unit(behind)
        or (short.rstrip(".") in SHORT and (not unit or is_unit(unit.upper())))
    )


def is_no_class(labels: NDArray[Any]) -> bool:
    """Whether labels are almost certainly a quantity, not classes.

    They are if there are more than 30 different numbers, and these have a unit or a fraction, or fewer than 20 rows
    each on average. In published tables, whole numbers that are a target for regression, such as prices and counts,
    have 2 to 7 rows each; numbered classes have hundreds.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,)

    Returns
    -------
    bool

    Examples
    --------
    >>> is_no_class(np.arange(100) * 12.0)
    True
    >>> is_no_class(np.arange(4000) % 40)
    False
    >>> is_no_class(np.array([f"${n}k" for n in range(300, 400)]))
    True
    >>> is_no_class(np.array([f"E{n}" for n in range(10, 90)]))  # codes of diagnoses
    False
    """
    if not is_quantity(labels):
        return False
    if labels.dtype.kind == "U" or (labels.dtype.kind == "f" and (labels != np.floor(labels)).any()):
        return True
    return ROWS_OF_A_CLASS * len(np.unique(labels)) > len(labels)
