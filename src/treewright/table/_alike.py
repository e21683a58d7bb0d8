"""Words that differ in capitals, blanks or Latin accents only, and the spelling that stands for all of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["groups_alike", "one_spelling"]

_ACCENTS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
"""Marks on Latin letters; on others (Japanese, Cyrillic) a mark makes another letter."""


def groups_alike(words: Iterable[str]) -> list[list[str]]:
    """Return the words that differ in capitals, blanks or Latin accents only, groups and words in the order given."""
    alike: dict[str, list[str]] = {}
    for word in words:
        alike.setdefault(_plain(word), []).append(word)
    return [group for group in alike.values() if len(group) > 1]


def one_spelling(words: Iterable[str]) -> dict[str, str]:
    """Return the first of each group for each other word of it; give the most frequent words first."""
    return {other: first for first, *others in groups_alike(words) for other in others}


def _plain(word: str) -> str:
    letters = unicodedata.normalize("NFD", " ".join(word.casefold().split()))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", letters))
