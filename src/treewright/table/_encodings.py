"""Which encoding a text may have that is not UTF-8: candidates, and how each would read its first words.

One byte a character says nothing about the alphabet, so the answer is a guess and is never taken by itself: a person
sees the words and chooses. Candidates are ordered by how often their words look like none: a sign between letters
(`Zu¿ycie`), letters of two alphabets, or more accents than letters without.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["likely_encodings"]

CANDIDATES = (  # the likeliest first, where nothing else decides
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "shift_jis", "gb18030", "big5", "euc_kr", "cp1255", "cp1256",
    "latin-1",
)  # fmt: skip
WORD = re.compile(rb"[^\s,;|\"]*[\x80-\xff][^\s,;|\"]*")
FIRST_BYTES = 1 << 20
MOST_WORDS = 200
SHOWN = 2


def likely_encodings(data: bytes, limit: int = 4) -> list[tuple[str, str]]:
    r"""Return encodings that can read the bytes, the likeliest first, and how each reads the first words beyond ASCII.

    Two that read these words alike are one.

    Parameters
    ----------
    data : bytes
    limit : int, default=4

    Returns
    -------
    list of (str, str)

    Examples
    --------
    >>> likely_encodings("Zużycie;Odcięcie\n".encode("cp1250"))[0]
    ('cp1250', 'Zużycie, Odcięcie')
    """
    try:
        data.decode("utf-8")  # other text is UTF-8 by no chance of a table
    except UnicodeError:
        pass
    else:
        return [("utf-8", "")]
    words = list(dict.fromkeys(WORD.findall(data[:FIRST_BYTES])))[:MOST_WORDS]
    found: dict[str, tuple[int, int, str]] = {}
    for place, encoding in enumerate(CANDIDATES):
        try:
            data.decode(encoding)
            read = [word.decode(encoding) for word in words]
        except UnicodeError:
            continue
        if any(unicodedata.category(letter) == "Cc" for word in read for letter in word) and found:
            continue  # bytes that are no letter there
        shown = ", ".join(read[:SHOWN])
        found.setdefault(shown, (sum(map(_is_unlikely, read)), place, encoding))
    ordered = sorted((*value, shown) for shown, value in found.items())
    return [(encoding, shown) for _, _, encoding, shown in ordered[:limit]]


def _is_unlikely(word: str) -> bool:
    """Whether a word looks as if it had been read in another encoding than it was written in."""
    letters = [letter for letter in word if letter.isalpha()]
    alphabets = {unicodedata.name(letter, "?").split()[0] for letter in letters}
    japanese = alphabets <= {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "FULLWIDTH"}
    foreign = sum(not letter.isascii() for letter in letters)
    accents = alphabets == {"LATIN"} and 2 * foreign > len(letters) > 2
    between = any(
        left.isalpha() and right.isalpha() and not (sign.isalpha() or sign.isascii() or sign == "’")
        for left, sign, right in zip(word, word[1:], word[2:], strict=False)
    )
    private = any(unicodedata.category(letter) in ("Co", "Cn") for letter in word)
    sign = not letters and not any(unicodedata.category(letter) in ("Sc", "So") for letter in word)
    return between or accents or private or sign or (len(alphabets) > 1 and not japanese)
