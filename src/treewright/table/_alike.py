"""Words that differ in capitals or blanks only, and the spelling that stands for all of them."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["groups_alike", "one_spelling"]


def groups_alike(words: Iterable[str]) -> list[list[str]]:
    """Return the words that differ in capitals or blanks only, each group and its words in the order given."""
    alike: dict[str, list[str]] = {}
    for word in words:
        alike.setdefault(" ".join(word.casefold().split()), []).append(word)
    return [group for group in alike.values() if len(group) > 1]


def one_spelling(words: Iterable[str]) -> dict[str, str]:
    """Return the first of each group for each other word of it; give the most frequent words first."""
    return {other: first for first, *others in groups_alike(words) for other in others}
