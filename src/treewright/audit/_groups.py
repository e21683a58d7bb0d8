"""Which group each row belongs to: one for each word or code, or one for each stretch between stated numbers.

A group is named with all digits of its numbers, so that groups that differ at all have different names.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments
from treewright.errors import InputError

__all__ = ["MOST_GROUPS", "Grouping", "group_rows"]

MOST_GROUPS = 40
UNKNOWN = "unknown"
NEAR = 20  # a proposed cut is no further from a third than the range divided by this


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups of one column.

    Parameters
    ----------
    names : tuple of str
        Of the groups: numbers ascending, words by the alphabet, rows without a value last.
    group : ndarray of shape (n_rows,), int64
        Position in `names`.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.audit import Grouping
    >>> Grouping(("f", "m"), np.array([0, 1, 0])).names
    ('f', 'm')
    """

    names: tuple[str, ...]
    group: NDArray[np.int64]


def group_rows(
    title: str,
    values: ArrayLike,
    cuts: Sequence[float] | None = None,
    codes: Mapping[float, str] | None = None,
) -> Grouping:
    """Return the group of each row.

    Parameters
    ----------
    title : str
        Of the column, for messages.
    values : array-like of shape (n_rows,)
        Words, truth values or numbers; None, NaN and null are the group "unknown".
    cuts : sequence of float, default=None
        Numbers at which a column of numbers is cut: ``[25, 45]`` makes "up to 25", "above 25 to 45" and "above 45", all
        of which are groups, with rows or without.
    codes : mapping of float to str, default=None
        Numbers that are words, such as ``{-9: "no record"}``: groups of their own, whatever the cuts.

    Returns
    -------
    Grouping

    Raises
    ------
    InputError
        There is not one value per row, numbers are mixed with words, cuts are not numbers or are given for words, or
        there are more than 40 groups.

    Examples
    --------
    >>> grouping = group_rows("age", [17, 30, 62, None], cuts=[25, 45])
    >>> grouping.names
    ('up to 25', 'above 25 to 45', 'above 45', 'unknown')
    >>> grouping.group.tolist()
    [0, 1, 2, 3]
    """
    check_arguments(group_rows, locals(), "codes")
    if np.ma.is_masked(values):
        raise InputError(f"The groups of {title!r} are a masked array; put None where there is no value.")
    given = np.asarray(values)
    if given.dtype.kind in "mM":
        given = _dates(given)
    if given.ndim != 1:
        raise InputError(f"The groups of {title!r} have shape {given.shape}; give one value for each row.")
    if isinstance(values, (list, tuple)):  # numpy turns ["a", 1] into words, and [2**60, 0.5] into floats
        given = np.empty(len(values), dtype=object)
        given[:] = values
    distinct, place = _distinct(given)
    known = [value for value in distinct if not _is_missing(value)]
    numeric = all(isinstance(value, Real) and not isinstance(value, bool) for value in known)
    if not numeric and any(isinstance(value, Real) and not isinstance(value, bool) for value in known):
        raise InputError(f"The groups of {title!r} are numbers and words; give the one or the other.")
    if cuts is not None and not numeric:
        raise InputError(
            f"{title!r} holds words such as {known[0]!r}, which no number cuts; leave its cuts out."
        )
    words = {float(code): word for code, word in (codes or {}).items()} if numeric else {}
    bounds = None if cuts is None else _checked(title, cuts)
    keys = [_key(value, words, bounds) for value in distinct]
    order: dict[tuple[int, Any], str] = {} if bounds is None else _stretches(bounds)
    for key in sorted(set(keys) - set(order)):
        order[key] = _name(key[1])
    order = dict(sorted(order.items()))
    if MISSING in order:
        order[MISSING] = UNKNOWN if UNKNOWN not in order.values() else f"{UNKNOWN} (no value)"
    if len(order) > MOST_GROUPS:
        advice = "Join some of them in the file."
        if numeric:
            first, second = _proposed(distinct, place, words)
            advice = f"Say where to cut it (cuts), such as at {first} and {second}."
        raise InputError(f"{title!r} has {len(order):,} groups; at most {MOST_GROUPS} are shown. {advice}")
    position = {key: k for k, key in enumerate(order)}
    group = np.array([position[key] for key in keys], dtype=np.int64)
    return Grouping(tuple(order.values()), group[place] if len(group) else place)


MISSING: tuple[int, Any] = (2, "")  # comes last


def _distinct(given: NDArray[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the different values, and which of them each row has."""
    if given.dtype.kind in "biufU":
        found, place = np.unique(given, return_inverse=True)
        return found.tolist(), place.astype(np.int64)
    seen: dict[Any, int] = {}
    rows = [seen.setdefault(None if _is_missing(value) else value, len(seen)) for value in given.tolist()]
    return list(seen), np.array(rows, dtype=np.int64)


def _dates(given: NDArray[Any]) -> NDArray[Any]:
    """Return dates or durations as objects; numpy makes those in nanoseconds numbers, and of no date a date."""
    missing = np.isnat(given)
    coarse = given.astype(f"{given.dtype.kind}8[us]")
    out = given.astype(object)
    if _has_numbers(out[~missing]) and (coarse == given)[~missing].all():
        out = coarse.astype(object)
    if _has_numbers(out[~missing]):
        out = given.astype(str).astype(object)
    out[missing] = None
    return out


def _has_numbers(values: NDArray[Any]) -> bool:
    return any(isinstance(value, int) for value in values.tolist())


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value == "":
        return True
    return bool(value != value)


def _checked(title: str, cuts: Sequence[float]) -> list[float]:
    try:
        bounds = sorted(float(cut) for cut in cuts)
    except (TypeError, ValueError):
        bounds = []
    if not bounds or not np.isfinite(bounds).all() or len(set(bounds)) < len(bounds):
        raise InputError(
            f"The cuts of {title!r} are {cuts!r}; give different finite numbers, such as [25, 45]."
        )
    return bounds


def _proposed(
    distinct: Sequence[Any], place: NDArray[np.int64], words: Mapping[float, str]
) -> tuple[str, str]:
    """Return two round numbers that cut the values into about equal thirds: of rows, or else of different values."""
    every = np.array([_float(value) for value in distinct])
    every[np.isin(every, list(words))] = np.nan
    values = np.unique(every[np.isfinite(every)])
    if len(values) < MOST_GROUPS // 2:  # words and infinite numbers
        return "25", "45"
    rows = np.sort(every[place])
    rows = rows[np.isfinite(rows)]
    low, width = values[0], values[-1] - values[0]
    for known in (rows, values):
        thirds = known[[len(known) // 3, 2 * len(known) // 3]]
        for step in _steps(width):
            first, second = np.rint(thirds / step) * step
            near = np.abs([first, second] - thirds).max() <= width / NEAR
            if near and low < first < second < values[-1]:
                return f"{first:.10g}", f"{second:.10g}"
    return repr(float(thirds[0])), repr(float(thirds[1]))


def _float(value: Any) -> float:
    """Return a number as float64; nan for what is none, or is too large."""
    try:
        return float("nan") if _is_missing(value) else float(value)
    except OverflowError:
        return float("nan")


def _steps(width: float) -> Iterator[float]:
    """Yield the steps 5, 2 and 1 of each power of ten, from the width of a range down to a thousandth."""
    largest = int(np.floor(np.log10(width)))
    for power in range(largest, largest - 4, -1):
        for digit in (5, 2, 1):
            yield digit * 10.0**power


def _key(value: Any, words: Mapping[float, str], bounds: Sequence[float] | None) -> tuple[int, Any]:
    """Return what orders the groups: stretches and numbers, then words, then what is not known."""
    if _is_missing(value):
        return MISSING
    if isinstance(value, (str, bool)) or not isinstance(value, Real):
        return 1, str(value).lower() if isinstance(value, bool) else str(value)
    number: Any = value  # compared exactly: an integer may be too large for a float
    if number in words:
        return 1, words[number]
    return 0, number if bounds is None else bisect.bisect_left(bounds, number)


def _stretches(bounds: Sequence[float]) -> dict[tuple[int, Any], str]:
    between = [f"above {_name(a)} to {_name(b)}" for a, b in itertools.pairwise(bounds)]
    names = [f"up to {_name(bounds[0])}", *between, f"above {_name(bounds[-1])}"]
    return {(0, k): name for k, name in enumerate(names)}


def _name(value: Any) -> str:
    """Return a number with all its digits; a word is its own name."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value) if isinstance(value, float) else str(value)
