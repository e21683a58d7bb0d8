"""Counts and kinds in words."""

from __future__ import annotations

__all__ = ["count_of", "kind_of", "plural"]


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
