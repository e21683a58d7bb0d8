"""Words that differ in capitals, blanks, hyphens, Latin accents or encoding only, and the spelling that stands for all.

In a column of yes and no alone, the first letter of each is another spelling, too.

Rows that were pasted from a file of another encoding hold `MÃ¼ller` where the others hold `Müller`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["groups_alike", "one_spelling"]

_ACCENTS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
"""Marks on Latin letters; on others (Japanese, Cyrillic) a mark makes another letter."""

_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011](?=[^\W\d_])")

YES_NO = (("yes", "no"), ("ja", "nein"), ("ja", "nee"), ("oui", "non"), ("si", "no"), ("true", "false"))


def groups_alike(words: Iterable[str]) -> list[list[str]]:
    """Return the words that differ in capitals, blanks, hyphens or Latin accents only.

    Groups and words are in the order given. A hyphen between letters is as a blank: `Full-time` and `full time`.
    """
    alike: dict[str, list[str]] = {}
    for word in words:
        alike.setdefault(_plain(word), []).append(word)
    for pair in YES_NO:
        letters = {answer[0]: answer for answer in pair}
        if not alike.keys() <= {*pair, *letters}:
            continue
        for letter, answer in letters.items():
            if letter in alike and answer in alike:  # the more frequent one came first
                first, other = (key for key in alike if key in (letter, answer))
                alike[first] += alike.pop(other)
    return [group for group in alike.values() if len(group) > 1]


def one_spelling(words: Iterable[str]) -> dict[str, str]:
    """Return the first of each group for each other word of it; give the most frequent words first.

    A word that was read with a wrong encoding stands for none that was read well, however frequent it is.
    """
    chosen: dict[str, str] = {}
    for group in groups_alike(words):
        first = next((word for word in group if _decoded_once_more(word) == word), group[0])
        chosen |= {word: first for word in group if word != first}
    return chosen


def _plain(word: str) -> str:
    word = _decoded_once_more(word)
    letters = unicodedata.normalize("NFD", " ".join(_HYPHEN.sub(" ", word.casefold()).split()))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", letters))


def _decoded_once_more(word: str) -> str:
    r"""Return what a word is if it is UTF-8 that was read as Windows-1252, and the word itself otherwise.

    Safe: a word of other meaning would have to hold a first byte of UTF-8 (Â to ô) and behind it the right number of
    signs from \x80 to \xbf, which in Windows-1252 are marks, no small letters but š, œ and ž.
    """
    if word.isascii():
        return word
    try:
        return word.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return word
