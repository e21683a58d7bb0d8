"""Spellings of the same word: they differ only in capitals, blanks, hyphens, accents, invisible signs or encoding.

In a column that holds only yes and no, their first letters count as spellings, too, and so do these words in other
languages, 1 and 0, true and false: `ja`, `yes` and `1` stand in files that several people filled in.

Encodings differ if rows were pasted from a file with another encoding: they hold `MÃ¼ller` where others hold `Müller`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["groups_alike", "one_spelling"]

_ACCENTS = re.compile("(?<=[a-z])[\u0300-\u036f]+|(?<=[α-ω])\u0301")
"""Accents of Latin letters, and of Greek ones, which capitals lack.

In other scripts (Japanese, Cyrillic) a mark makes a different letter.
"""

INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]")
"""Soft hyphens, blanks of no width and marks of direction, which come with text that was copied from pages."""

_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011](?=[^\W\d_])")

YES_NO = (("yes", "no"), ("ja", "nein"), ("ja", "nee"), ("oui", "non"), ("si", "no"), ("true", "false"))


SAYS_YES = frozenset(
    ["yes", "y", "ja", "j", "oui", "si", "sim", "tak", "да", "ναι", "true", "wahr", "vrai", "vero", "1"]
)
SAYS_NO = frozenset(
    ["no", "n", "nein", "nee", "non", "nao", "nie", "нет", "οχι", "false", "falsch", "faux", "falso", "0"]
)


def groups_alike(words: Iterable[str]) -> list[list[str]]:
    """Return groups of words that differ only in capitals, blanks, hyphens or accents of Latin and Greek letters.

    Groups and their words keep the given order. A hyphen between letters equals a blank: `Full-time` and `full time`.
    If all words say yes or no, in whatever language, these are two groups.
    """
    alike: dict[str, list[str]] = {}
    for word in words:
        alike.setdefault(_plain(word), []).append(word)
    for pair in YES_NO:
        letters = {answer[0]: answer for answer in pair}
        if not alike.keys() <= {*pair, *letters}:
            continue
        for letter, answer in letters.items():
            if letter in alike and answer in alike:  # the more frequent one comes first
                first, other = (key for key in alike if key in (letter, answer))
                alike[first] += alike.pop(other)
    if len(alike) > 2 and alike.keys() <= SAYS_YES | SAYS_NO:
        sides = [[key for key in alike if key in says] for says in (SAYS_YES, SAYS_NO)]
        if all(any(len(key) > 1 for key in side) for side in sides):  # letters and digits alone may be codes
            for first, *others in sides:
                for key in others:
                    alike[first] += alike.pop(key)
    return [group for group in alike.values() if len(group) > 1]


def one_spelling(words: Iterable[str]) -> dict[str, str]:
    """Return for each word the first word of its group, if it is another one; give the most frequent words first.

    A word that was read with a wrong encoding never replaces one that was read correctly, however frequent it is.
    """
    chosen: dict[str, str] = {}
    for group in groups_alike(words):
        words = [word for word in group if not word.strip().isdigit()]  # "no" says more than "0"
        first = next((word for word in words if _decoded_once_more(word) == word), group[0])
        chosen |= {word: first for word in group if word != first}
    return chosen


def _plain(word: str) -> str:
    word = INVISIBLE.sub("", _decoded_once_more(word))
    letters = unicodedata.normalize("NFD", " ".join(_HYPHEN.sub(" ", word.casefold()).split()))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", letters))


def _decoded_once_more(word: str) -> str:
    r"""Return the correct word if it is UTF-8 that was read as Windows-1252, and the word itself otherwise.

    This is safe. A word that is meant as it stands would have to contain a first byte of UTF-8 (Â to ô) and then the
    right number of characters from \x80 to \xbf. In Windows-1252 these are marks, and the only small letters among them
    are š, œ and ž.
    """
    if word.isascii():
        return word
    try:
        return word.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return word
