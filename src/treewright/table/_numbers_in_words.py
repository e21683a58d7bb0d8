"""What is said of words that hold numbers: with a unit behind them, or in a form that is not read."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from treewright.table._compound import numbers_inside
from treewright.table._fillers import filler_words
from treewright.table._finding import Finding
from treewright.table._measures import is_measure
from treewright.tree import Column

__all__ = ["of_numbers_inside", "of_units"]

SHOWN = 3
NUMBER_AND_WORD = re.compile(
    r"^[+-]?\d+(?:[.,]\d+)*( ?)([^\W\d_]{1,12}[.²³]?)?$"
)  # "17 months", "3,5kg", "4"


def of_units(column: Column, distinct: NDArray[np.float64], shown: str, many: bool) -> Finding | None:
    """Return the finding about numbers with units behind them that the reader of files leaves as words, if there are.

    Parameters
    ----------
    column : Column
        One of words.
    distinct : ndarray of shape (n,)
        Codes of its words, each once.
    shown : str
        Some of its words.
    many : bool
        Whether it has so many words that they are of no use as they are.
    """
    name, units = column.name, _units_of(column, distinct)
    if not units:
        return None
    if len(units) == 1:
        text = (
            f"{name} holds numbers with {units[0]!r} behind them ({shown}, ...), and each is a word of its own. Write "
            f"the numbers alone in the file (replace {units[0]!r} by nothing)"
        )
        return Finding(name, f"{text}, or leave the column out.", "ignore", name)
    if units[0] == "" and len(units) == 2:
        text = (
            f"{name} holds numbers with the unit {units[1]!r} behind some of them and none behind the others "
            f"({shown}, ...), so each is a word of its own. If all are in {units[1]}, write it behind each of them in "
            "the file, or behind none"
        )
    else:
        listed = ", ".join(unit or "none" for unit in units[:SHOWN])
        text = (
            f"{name} holds numbers with different units behind them ({listed}: {shown}, ...), which cannot be "
            "compared, so each is a word of its own. Write the numbers in one unit in the file"
        )
    return _left_out_or_kept(name, text, many)


def of_numbers_inside(column: Column, known: NDArray[np.float64], many: bool) -> Finding | None:
    """Return the finding about words that hold numbers in a form that is not read, if they do.

    Parameters
    ----------
    column : Column
        One of words.
    known : ndarray of shape (n,)
        Codes of the rows that have one.
    many : bool
        As in `of_units`.
    """
    codes, first = np.unique(known, return_index=True)
    words = [column.categories[int(code)] for code in codes[np.argsort(first)]]
    unknown = filler_words(words)
    held, advice = numbers_inside([word for word in words if word not in unknown])
    if not held:
        return None
    text = f"{column.name} holds {held}, and each is a word of its own. {advice}"
    return _left_out_or_kept(column.name, text, many)


def _left_out_or_kept(name: str, text: str, many: bool) -> Finding:
    """Return a finding whose other choices are to leave a column of many words out, or to keep its few words."""
    if many:
        return Finding(name, f"{text}, or leave the column out.", "ignore", name)
    return Finding(name, f"{text}, or keep the words as they are.")


def _units_of(column: Column, distinct: NDArray[np.float64]) -> list[str]:
    """Return the word after all numbers of a column (a unit that the reader of files does not know), or several units.

    Several words after numbers are units only if all are known units: `1st` and `2nd` are not measurements. The first
    is "" if some numbers have none.
    """
    found = [NUMBER_AND_WORD.match(column.categories[int(code)].strip()) for code in distinct]
    units = sorted({match.group(2) or "" for match in found if match is not None})
    if len(found) <= 2 or not all(found) or units == [""]:
        return []
    if len(units) > 1 and not all(is_measure(unit) for unit in units if unit):
        return []
    codes = units[0] == "" and any(
        re.fullmatch(r"[A-Za-z]", match[2] or "") and not match[1] for match in found if match
    )
    return [] if codes else units  # 2 and 2a are codes
