"""Numbers in the narrowest of three types that holds them exactly: whole ones below 255, single or double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["KINDS", "MISSING_CODE", "kind_of", "narrowed", "widened"]

KINDS = (np.dtype(np.uint8), np.dtype(np.float32), np.dtype(np.float64))  # from narrow to wide
MISSING_CODE = 255  # NaN among whole numbers
GLANCE = 64  # values that tell most columns that are not whole, or need double precision


def kind_of(column: NDArray[Any]) -> int:
    """Return the position in `KINDS` of the type of a column."""
    return KINDS.index(column.dtype)


def narrowed(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column in the narrowest type that holds each of its values exactly.

    Parameters
    ----------
    column : ndarray of shape (n_rows,)
        float64, NaN for a missing value; or codes of one byte, which stay.
    """
    if column.dtype == KINDS[0]:
        return column
    if _are_codes(column[:GLANCE]) and _are_codes(column):
        return np.where(np.isnan(column), MISSING_CODE, column).astype(np.uint8)
    return _single(column) if _is_single(column[:GLANCE]) and _is_single(column) else column


def _single(column: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return column.astype(np.float32)


def _is_single(column: NDArray[np.float64]) -> bool:
    return bool(((_single(column) == column) | np.isnan(column)).all())


def _are_codes(column: NDArray[Any]) -> bool:
    whole = (column == np.floor(column)) & (column >= 0) & (column < MISSING_CODE)
    return bool((whole | np.isnan(column)).all())


def widened(column: NDArray[Any], kind: int) -> NDArray[Any]:
    """Return a narrowed column in a type that is not narrower.

    Parameters
    ----------
    column : ndarray of shape (n_rows,)
    kind : int
        Position in `KINDS`.
    """
    wide = column.astype(KINDS[kind], copy=False)
    if kind and not kind_of(column):
        wide[column == MISSING_CODE] = np.nan
    return wide
