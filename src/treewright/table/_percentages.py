"""Percentages of which some fields lack the sign: `12,5 %` beside `8,2`.

A field without the sign is a percentage (8.2) if it was typed as one, and a share (0.082) if a spreadsheet lost the
format of its cell. The values decide: as percentages, fields without the sign must be about as large as the others, and
shares must be too small for that. If both are possible, the user must say which one is right. A number that stands for
"unknown", such as -999, is neither: it is proposed as missing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright._plural import count_of
from treewright.table._faults import ColumnFault, OpenQuestion
from treewright.table._field_kinds import TextAmong, by_rows
from treewright.table._fillers import filler_numbers
from treewright.table._formats import NumberFormat
from treewright.table._numbers import to_numbers
from treewright.table._raw import quoted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["as_large_as", "of_percentages"]

BEYOND = 2.0  # a percentage without the sign may be this many times the largest one with it, or this part of the least
FULL = 100.0  # a share of 1 is 100 %
HALF = 0.5


def of_percentages(column: str, subject: str, fields: pl.Series, written: NumberFormat) -> NumberFormat:
    """Return the format of a column; if it holds percentages without the sign, it says so.

    Parameters
    ----------
    column : str
    subject : str
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
    ColumnFault
        If numbers without the sign seem to mean "unknown". Once they are missing, the others decide.
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
    if words := _that_mean_missing(
        known.filter(~has_sign), values.filter(~has_sign), values.filter(has_sign)
    ):
        raise _of_unknown(column, subject, known, words)
    raise OpenQuestion(
        f"{subject} holds percentages and also {known.filter(~has_sign)[0]!r} without a % sign, and the values do not "
        "show whether such fields are percentages or shares (of which 1 is 100 %). Write all fields in one way in the "
        "file."
    )


def _that_mean_missing(bare: pl.Series, values: pl.Series, signed: pl.Series) -> tuple[str, ...]:
    """Return the fields without the sign whose numbers seem to mean "unknown", the most frequent first.

    A code that lacks the sign of all other fields counts as one that is repeated, also if it is in one row.
    """
    distinct, rows = np.unique(np.concatenate([values.to_numpy(), signed.to_numpy()]), return_counts=True)
    codes = [float(number) for number, _, _ in filler_numbers(distinct, np.maximum(rows, 2))]
    return tuple(by_rows(bare.filter(np.isin(values.to_numpy(), codes))))


def _of_unknown(column: str, subject: str, known: pl.Series, words: tuple[str, ...]) -> ColumnFault:
    n_rows = int(known.is_in(words).sum())
    it, means, them = ("it", "means", "it") if len(words) == 1 else ("they", "mean", "them")
    return TextAmong(
        f"{subject} holds percentages, and {quoted(words)} without a % sign in {count_of(n_rows, 'row')}, far from "
        f"all others. If {it} {means} missing, add {them} to the missing values; otherwise write the % sign behind "
        f"{them} in the file.",
        column,
        words,
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
