"""Numbers with something behind them that is no unit: marks of a laboratory (15.2 H), short amounts ($386k), fractions.

A laboratory marks values above or below the usual range with H and L. These letters are also units (hours, litres), but
a unit stands behind every number of a column or behind none, and H and L are never mixed. Such a mark says no more than
the number; a short amount must be written with all its digits, because its other fields may be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["has_flags", "of_marks"]

GLANCE = 1000  # first fields to examine: a column of results has a mark among them
FLAGGED = re.compile(r"^[+-]?[0-9][0-9.,]*\s+(?P<flag>HH?|LL?)$")
FRACTION = re.compile(r"^(?:[0-9]+ )?[0-9]+ ?/ ?[0-9]+$|^[0-9]* ?[½⅓⅔¼¾⅛]$")
HIGH = r"^[+-]?[0-9][0-9.,]*\s+(?:HH?|LL)$"  # L alone may be litres
BARE = r"^[+-]?[0-9][0-9.,]*$"
EITHER = r"^[+-]?[0-9][0-9.,]*(?:\s+(?:HH?|LL?))?$"
SHORT = re.compile(
    r"^[-+]?(?:[$€£¥]|[A-Z]{2,3}\$?)? ?[0-9][0-9.,]* ?(?P<mark>[kKM]|mio\.?|mn|mrd\.?|bn|million|billion|tsd\.?)"
    r"(?: ?(?:[$€£¥]|[A-Z]{3}))?$",
    re.IGNORECASE,
)


def has_flags(known: pl.Series) -> bool:
    """Whether H, HH or LL stands behind some numbers of a column, nothing behind others, and few fields are words.

    Parameters
    ----------
    known : Series
        Fields that are not missing, stripped.

    Examples
    --------
    >>> import polars
    >>> has_flags(polars.Series(["15.2 H", "4.1", "0.2 L"])), has_flags(polars.Series(["12 H", "15 H"]))
    (True, False)
    """
    head = known.head(GLANCE)
    if not head.str.contains(HIGH).any() or not head.str.contains(BARE).any():
        return False
    return 2 * int(head.str.contains(EITHER).sum()) > len(head)


def of_marks(texts: Sequence[str]) -> tuple[str, str]:
    """Return what stands behind numbers, and what to do in the file; two empty texts if some text is something else.

    Parameters
    ----------
    texts : sequence of str
        Fields of a column of numbers that are no numbers.

    Returns
    -------
    held, advice : str

    Examples
    --------
    >>> of_marks(["62.4 H", "1.7 L"])[0]
    "the marks 'H' and 'L' behind numbers, as laboratories mark high and low values"
    >>> of_marks(["$386k", "$0.44M"])[1]
    'Write these amounts with all their digits in the file, such as 386000 for 386k'
    >>> of_marks(["1/2", "3/4"])[0]
    'fractions'
    >>> of_marks(["62.4 H", "hemolytic"])
    ('', '')
    """
    flags = [match["flag"] for match in map(FLAGGED.match, texts) if match is not None]
    if flags and len(flags) == len(texts) and set(flags) != {"L"}:
        return (
            f"the marks {' and '.join(map(repr, sorted(set(flags))))} behind numbers, as laboratories mark high and "
            "low values",
            "Delete these marks in the file",
        )
    if texts and all(map(FRACTION.match, texts)):
        return "fractions", "Write them as decimal numbers in the file, such as 0.5 for 1/2"
    short = [match["mark"] for match in map(SHORT.match, texts) if match is not None]
    if short and len(short) == len(texts):
        return (
            f"short amounts with {' and '.join(map(repr, sorted(set(short))))} behind them",
            "Write these amounts with all their digits in the file, such as 386000 for 386k",
        )
    return "", ""
