"""Likely encodings of a text that is not UTF-8, and the first words beyond ASCII as each encoding reads them.

With one byte per character, the bytes say nothing about the alphabet. The result is therefore a guess that is never
used automatically: a person looks at the words and chooses. Candidates that give the names of columns that were asked
for come first. Then they are ordered by how many of their words look wrong: a sign between letters (`Zu¿ycie`), a
capital behind a small letter, letters of two alphabets, or more letters with accents than without.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from itertools import pairwise

__all__ = ["likely_encodings"]

CANDIDATES = (  # in order of likelihood, for ties
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "shift_jis", "gb18030", "big5", "euc_kr", "cp1255", "cp1256",
    "latin-1",
)  # fmt: skip
WORD = re.compile(rb"[^\s,;|\"]*[\x80-\xff][^\s,;|\"]*")
FIRST_BYTES = 1 << 20
MOST_WORDS = 200
MOST_ENCODINGS = 4
SHOWN = 2


def likely_encodings(data: bytes, names: Collection[str] = ()) -> list[tuple[str, str]]:
    r"""Return encodings that can decode the bytes, the likeliest first, with the first words beyond ASCII in each.

    Of encodings that give the same words only the first is returned.

    Parameters
    ----------
    data : bytes
    names : collection of str, default=()
        Columns that the text is said to have.

    Returns
    -------
    list of (str, str)
        Pairs of an encoding and its words; only ``("utf-8", "")`` if the bytes are UTF-8.

    Examples
    --------
    >>> likely_encodings("Zużycie;Odcięcie\n".encode("cp1250"))[0]
    ('cp1250', 'Zużycie, Odcięcie')
    """
    try:
        data.decode("utf-8")  # text in another encoding is not valid UTF-8 by chance
    except UnicodeError:
        pass
    else:
        return [("utf-8", "")]
    words = list(dict.fromkeys(WORD.findall(data[:FIRST_BYTES])))[:MOST_WORDS]
    found: dict[str, tuple[int, int, int, str]] = {}
    for place, encoding in enumerate(CANDIDATES):
        try:
            data.decode(encoding)
            read = [word.decode(encoding) for word in words]
        except UnicodeError:
            continue
        if any(unicodedata.category(letter) == "Cc" for word in read for letter in word) and found:
            continue  # some bytes are not characters of this encoding
        shown = ", ".join(read[:SHOWN])
        absent = sum(not _holds(data, name, encoding) for name in names)
        found.setdefault(shown, (absent, sum(map(_is_unlikely, read)), place, encoding))
    ordered = sorted((*value, shown) for shown, value in found.items())
    return [(encoding, shown) for _, _, _, encoding, shown in ordered[:MOST_ENCODINGS]]


def _holds(data: bytes, name: str, encoding: str) -> bool:
    try:
        return name.encode(encoding) in data
    except UnicodeError:
        return False


def _is_unlikely(word: str) -> bool:
    """Whether a word looks as if it had been decoded with a wrong encoding."""
    letters = [letter for letter in word if letter.isalpha()]
    alphabets = {unicodedata.name(letter, "?").split()[0] for letter in letters}
    japanese = alphabets <= {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "FULLWIDTH"}
    foreign = sum(not letter.isascii() for letter in letters)
    accents = alphabets == {"LATIN"} and 2 * foreign > len(letters) > 2
    between = any(
        left.isalpha() and right.isalpha() and not (sign.isalpha() or sign.isascii() or sign == "’")
        for left, sign, right in zip(word, word[1:], word[2:], strict=False)
    )
    between |= any(
        not (left.isascii() or right.isascii()) and left.islower() and right.isupper()
        for left, right in pairwise(word)
    )
    private = any(unicodedata.category(letter) in ("Co", "Cn") for letter in word)
    sign = not letters and not any(unicodedata.category(letter) in ("Sc", "So") for letter in word)
    return between or accents or private or sign or (len(alphabets) > 1 and not japanese)
