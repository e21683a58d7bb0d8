"""Percentages of which some fields lack the sign: `12,5 %` beside `8,2`.

A field without the sign is a percentage (8.2) if it was typed as one, and a share (0.082) if a spreadsheet lost the
format of its cell. The values decide: as percentages, fields without the sign must be about as large as the others, and
shares must be too small for that. If both are possible, the user must say which one is right.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright.table._faults import OpenQuestion
from treewright.table._formats import NumberFormat
from treewright.table._numbers import to_numbers

if TYPE_CHECKING:
    import polars as pl

__all__ = ["as_large_as", "of_percentages"]

BEYOND = 2.0  # a percentage without the sign may be this many times the largest one with it, or this part of the least
FULL = 100.0  # a share of 1 is 100 %
HALF = 0.5


def of_percentages(column: str, fields: pl.Series, written: NumberFormat) -> NumberFormat:
    """Return the format of a column; if it holds percentages without the sign, it says so.

    Parameters
    ----------
    column : str
        The column and its file, as the subject of messages.
    fields : Series
        Fields in their usual form; null is missing.
    written : NumberFormat

    Returns
    -------
    NumberFormat

    Raises
    ------
    OpenQuestion
        If some fields lack the sign, and may be percentages or shares.
    """
    if written.unit != "%":
        return written
    known = fields.drop_nulls()
    has_sign = known.str.contains("%", literal=True)
    if has_sign.all():
        return written
    too = replace(written, some_without_sign=True)
    values = to_numbers(known, too)
    if as_large_as(values.filter(~has_sign).to_numpy(), values.filter(has_sign).to_numpy()):
        return too
    raise OpenQuestion(
        f"{column} holds percentages and also {known.filter(~has_sign)[0]!r} without a % sign, and the values do not "
        "show whether such fields are percentages or shares (of which 1 is 100 %). Write all fields in one way in the "
        "file."
    )


def as_large_as(bare: NDArray[np.float64], signed: NDArray[np.float64]) -> bool:
    """Whether numbers without a % sign are percentages by their size, and no shares.

    Parameters
    ----------
    bare, signed : ndarray
        Numbers without and with the sign.

    Returns
    -------
    bool

    Examples
    --------
    >>> rates = np.array([2.5, 4.0, 11.9])
    >>> as_large_as(np.array([3.2, 7.5]), rates), as_large_as(np.array([0.032, 0.075]), rates)
    (True, False)
    """
    bare, signed = (np.abs(own[np.isfinite(own) & (own != 0)]) for own in (bare, signed))
    if not len(bare):  # zero is zero
        return True
    if not len(signed) or bare.min() * BEYOND < signed.min() or bare.max() > BEYOND * signed.max():
        return False
    as_small = BEYOND * signed.max() / FULL  # a share up to this may also be one of the percentages
    small = (bare <= as_small).mean()
    return bool(small < HALF and small <= BEYOND * (signed <= as_small).mean())
