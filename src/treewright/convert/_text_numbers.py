"""Numbers as other libraries write them into text files.

Python reads more than they write and than C reads: "1_0" is ten, and digits of other scripts count. A file that holds
such a thing is damaged, for its own library would read another number from it.
"""

from __future__ import annotations

__all__ = ["number_in_text", "whole_in_text"]


def number_in_text(text: str) -> float:
    """Return a float64 number; ValueError if C would not read it so."""
    return float(_plain(text))


def whole_in_text(text: str) -> int:
    """Return a whole number; ValueError if C would not read it so."""
    return int(_plain(text))


def _plain(text: str) -> str:
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return text
