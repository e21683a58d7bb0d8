"""Where long names may break: after an underscore, a point, a slash, a hyphen, before a capital; not inside a number.

Browsers and `textwrap` break a line at spaces only; a name such as ``NumTrades60Ever2DerogPubRec`` would then be cut
in the middle of a word, or push its table off the page. Between digits it stays whole: 0.25, 2024-01-15, 18-25.
"""

from __future__ import annotations

import re

__all__ = ["breakable", "lines_of", "longest_piece"]

LONG = 12  # characters of a word that is given places to break
PLACES = re.compile(
    r"(?<=[_./\\:\-])(?<!\b[^\W\d_]-)(?!(?<=\d[./:\-])\d)(?=[^_./\\:\-\s])|(?<=[a-z0-9])(?=[A-Z])"
)


def breakable(text: str) -> list[str]:
    """Return `text` in pieces that belong on one line; joined they are the text."""
    pieces: list[str] = [""]
    for word in re.split(r"(\s+)", text):
        parts = PLACES.split(word) if len(word) > LONG else [word]
        pieces[-1] += parts[0]
        pieces += parts[1:]
    return pieces


def longest_piece(text: str) -> int:
    """Return the length of the longest part of `text` that no line can break."""
    return max((len(part) for piece in breakable(text) for part in piece.split()), default=0)


def lines_of(text: str, width: int, most: int, longest: int = 0) -> str:
    """Return `text` in at most `most` lines of about `width` characters; a longer text ends with "…".

    Words of more than `width` characters and more than `longest` are cut into parts.
    """
    words = [word for piece in breakable(text) for word in _halved(piece, max(width, longest))]
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word.rstrip()) > width:
            lines.append("")
        lines[-1] += word
    lines = [line.strip() for line in lines]
    if len(lines) > most:
        lines = [*lines[: most - 1], lines[most - 1][: width - 1] + "…"]
    return "\n".join(lines)


def _halved(piece: str, width: int) -> list[str]:
    """The words of a piece, each with the space behind it; longer ones than a line in parts."""
    words = re.findall(r"\s*\S+\s*$|\s*\S+\s", piece) or [piece]
    return [word[at : at + width] for word in words for at in range(0, max(len(word), 1), width)]
