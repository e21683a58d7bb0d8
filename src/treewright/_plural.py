"""Counts, kinds and lists in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["count_of", "first_of", "kind_of", "list_of", "plural", "some_of"]


def plural(number: int, noun: str) -> str:
    """Return a noun for so many of it, of those that take an s."""
    return noun if number == 1 else f"{noun}s"


def count_of(number: int, noun: str) -> str:
    """Return a count and what is counted: "1 row", "2,000 rows"."""
    return f"{number:,} {plural(number, noun)}"


def kind_of(value: object) -> str:
    """Return the type of a value with its article: "an int", "a DataFrame"."""
    name = type(value).__name__
    return f"{'an' if name[:1] in 'AEIOaeio' else 'a'} {name}"


def list_of(words: Iterable[str], last: str = "and") -> str:
    """Return a list as it stands in a sentence: "depth", "depth and size", "depth, size and weight".

    Examples
    --------
    >>> from treewright._plural import list_of
    >>> list_of(["mean", "median", "quantile"], "or")
    'mean, median or quantile'
    """
    *others, end = [*words] or [""]
    return f"{', '.join(others)} {last} {end}" if others else end


def first_of(names: Sequence[str], limit: int = 8, noun: str = "") -> str:
    """Return the first of some names and how many more there are.

    Examples
    --------
    >>> from treewright._plural import first_of
    >>> first_of(["age", "height", "weight"], limit=2)
    'age, height and 1 more'
    """
    left = len(names) - limit
    more = f" and {left:,} more {plural(left, noun) if noun else ''}".rstrip() if left > 0 else ""
    return ", ".join(names[:limit]) + more


def some_of(names: Sequence[str], limit: int = 6) -> str:
    """Return the first of some names, long ones shortened: "age, income, ..."."""
    shown = ", ".join(name if len(name) <= 60 else f"{name[:57]}..." for name in names[:limit])
    return shown + (", ..." if len(names) > limit else "")
