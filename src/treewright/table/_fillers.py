"""Values that most likely stand for "unknown": a number apart from all others, and words that say so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.table._raw import text_of_number

__all__ = ["filler_numbers", "filler_words"]

FILLERS = (-1.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0)
CODES = (9.0, 99.0, -9.0, -99.0, 999.0, -999.0)  # beside a few codes such as 1 and 2
MOST_CODES = 5
OFTEN = 0.01  # of the rows: as often comes a -1 that means unknown
WORDS = {
    "unknown", "not known", "not available", "not recorded", "missing", "unbekannt", "nicht bekannt", "keine angabe",
    "k.a.", "k. a.", "n.v.", "n. v.", "n.a.", "inconnu", "onbekend", "desconocido", "-", "--", "---", ".",
}  # fmt: skip


def filler_numbers(distinct: NDArray[np.float64], rows: NDArray[np.int64]) -> Iterator[tuple[str, int, str]]:
    """Yield each number that seems to mean "unknown": as text, its rows, and why.

    Parameters
    ----------
    distinct : ndarray of shape (n_values,)
        Ascending.
    rows : ndarray of shape (n_values,), int64
        Of each value.
    """
    for place in (0, -1):
        value = float(distinct[place])
        why = (
            _why(value, np.delete(distinct, place), float(rows[place] / rows.sum()))
            if rows[place] > 1
            else ""
        )
        if why:
            yield text_of_number(value), int(rows[place]), why


def _why(value: float, rest: NDArray[np.float64], share: float) -> str:
    """Why a value at the end of a column means "unknown"; "" if nothing speaks for it."""
    gap = float(np.abs(rest - value).min()) if len(rest) else 0.0
    many = value in FILLERS and len(rest) >= 4
    if many and gap > max((rest[-1] - rest[0]) / 4, 1):
        return "far from all other values"
    if many and value < 0 <= rest[0] and (value <= -9 or share >= OFTEN):
        return "its only negative value"
    few = value in CODES and 2 <= len(rest) < MOST_CODES and gap >= 3
    if few and rest[0] in (0, 1) and bool((np.diff(rest) == 1).all()):
        return f"beside the codes {rest[0]:g} to {rest[-1]:g}"
    return ""


def filler_words(words: Sequence[str]) -> list[str]:
    """Return the words that say "unknown".

    Examples
    --------
    >>> filler_words(["yes", "no", "Unknown", "k.A."])
    ['Unknown', 'k.A.']
    """
    return [word for word in words if word.casefold() in WORDS]
