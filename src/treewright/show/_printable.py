"""Text from files as it may stand in a terminal."""

from __future__ import annotations

import unicodedata

__all__ = ["printable"]


def printable(text: str) -> str:
    """Write control characters as escapes: names come from files, and must not steer a terminal.

    Blanks of any width are written as a plain one: spreadsheets put some into headers and numbers.
    """
    return "".join(c if c.isprintable() else _written(c) for c in text)


def _written(character: str) -> str:
    if unicodedata.category(character) == "Zs":
        return " "
    return character.encode("unicode_escape", "backslashreplace").decode()
