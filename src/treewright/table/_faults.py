"""Errors of single columns, collected: every column that cannot be read is named at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from treewright.errors import InputError, InputTypeError

__all__ = ["all_or_faults"]

MOST_FAULTS = 8  # shown in one message

Returned = TypeVar("Returned")


def all_or_faults(
    readers: Iterable[Callable[[], Returned]], kept: list[InputError] | None = None
) -> list[Returned]:
    """Call all readers; their errors become one, or are `kept`."""
    found: list[Returned] = []
    faults: list[InputError] = []
    for read in readers:
        try:
            found.append(read())
        except InputError as error:
            faults.append(error)
    if kept is not None:
        kept += faults
        return found
    if len(faults) == 1:
        raise faults[0]
    if faults:
        told = "\n".join(f"  - {fault}" for fault in faults[:MOST_FAULTS])
        more = f"\n  ... and {len(faults) - MOST_FAULTS} more." if len(faults) > MOST_FAULTS else ""
        kind = InputTypeError if any(isinstance(fault, InputTypeError) for fault in faults) else InputError
        raise kind(f"{len(faults)} columns cannot be read:\n{told}{more}")
    return found
