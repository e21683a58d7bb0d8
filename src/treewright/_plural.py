"""Counts, kinds and lists in words."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["count_of", "kind_of", "plural", "some_of"]


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


def some_of(names: Sequence[str], limit: int = 6) -> str:
    """Return the first of some names, long ones shortened: "age, income, ..."."""
    shown = ", ".join(name if len(name) <= 60 else f"{name[:57]}..." for name in names[:limit])
    return shown + (", ..." if len(names) > limit else "")
