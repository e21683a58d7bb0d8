"""Errors of single columns, collected so that one message names every column that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from treewright.errors import InputError, InputTypeError

__all__ = ["ColumnFault", "OpenQuestion", "all_or_faults"]

MOST_FAULTS = 8  # most faults in one message

Returned = TypeVar("Returned")


class ColumnFault(InputError):
    """A column that cannot be read; `action` is the option that settles it, "" if no single option does."""

    def __init__(self, message: str, column: str, action: str = "") -> None:
        super().__init__(message)
        self.column = column
        self.action = action


class OpenQuestion(InputError):
    """The fields of a column have two readings, and only a person can say which is right."""


def all_or_faults(
    readers: Iterable[Callable[[], Returned]], kept: list[InputError] | None = None
) -> list[Returned]:
    """Call all readers; their errors are raised as one, or appended to the list `kept`."""
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
        texts = _joined(faults)
        told = "\n".join(f"  - {text}" for text in texts[:MOST_FAULTS])
        more = f"\n  ... and {len(texts) - MOST_FAULTS} more." if len(texts) > MOST_FAULTS else ""
        kind = InputTypeError if any(isinstance(fault, InputTypeError) for fault in faults) else InputError
        raise kind(f"{len(faults)} columns cannot be read:\n{told}{more}")
    return found


def _joined(faults: list[InputError]) -> list[str]:
    """Return the messages; those that differ only in the name of the column are joined into one."""
    likewise: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    for fault in faults:
        name = f"Column {fault.column!r} " if isinstance(fault, ColumnFault) else ""
        rest = str(fault).removeprefix(name)
        if rest not in first:
            first[rest], likewise[rest] = str(fault), []
        elif isinstance(fault, ColumnFault):
            likewise[rest].append(repr(fault.column))
    return [
        f"{text[: -len(rest)]}(likewise {', '.join(likewise[rest])}) {rest}" if likewise[rest] else text
        for rest, text in first.items()
    ]
