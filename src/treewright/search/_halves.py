"""Whole numbers of 128 bits as the compiled core takes and gives them: their high and their low half."""

from __future__ import annotations

__all__ = ["halves_of", "joined"]


def halves_of(number: int) -> tuple[int, int]:
    """Return the high and the low half of a number."""
    return number >> 64, number & (2**64 - 1)


def joined(halves: tuple[int, int]) -> int:
    """Return the number."""
    return (halves[0] << 64) + halves[1]
