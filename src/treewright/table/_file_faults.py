"""Faults of a file as a whole, each of which says how the text would read without it, so that one call names all.

A title above the header hides two columns of one name, and both hide the line of totals at the end: whoever is told
one thing after the other mends the file four times. So the text is read on with the fault taken out (its lines blank,
which are passed over, so that all others keep their numbers), and what else is wrong is told with it. Nothing that was
read in this way is used for a tree.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from treewright.errors import InputError

__all__ = ["FileFault", "all_faults_of", "text_without", "together", "with_own_names"]

Returned = TypeVar("Returned")


class FileFault(InputError):
    """A fault of a file; `mend` takes its text without the fault, and is None where nothing can be read on.

    Parameters
    ----------
    message : str
    kind : str
        Two faults of one kind are most likely one: the second is not told.
    mend : callable, default=None
        From the text to another one.
    option : (str, str), default=None
        The option of the command line that is likely to settle it, and its value.
    """

    def __init__(
        self,
        message: str,
        kind: str,
        mend: Callable[[str], str] | None = None,
        option: tuple[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.mend = mend
        self.option = option


def all_faults_of(text: str, read: Callable[[str], Returned]) -> tuple[Returned | None, list[FileFault]]:
    """Read a text, and after each fault what is left without it; return what was read at last, and the faults."""
    faults: list[FileFault] = []
    seen: set[str] = set()
    while True:
        try:
            return read(text), faults
        except FileFault as fault:
            if fault.kind in seen:
                return None, faults
            seen.add(fault.kind)
            if fault.kind != "ragged" or "quotes" not in seen:  # an open quote makes rows of half fields
                faults.append(fault)
            if fault.mend is None:
                return None, faults
            text = fault.mend(text)
            if not text.strip():
                return None, faults
        except InputError:
            if not faults:
                raise
            return None, faults  # what is left makes no sense


def together(where: str, faults: Sequence[InputError]) -> InputError:
    """Return one error for all faults of a file."""
    if len(faults) == 1:
        return faults[0]
    listed = "".join(f"\n  {number}. {fault}" for number, fault in enumerate(faults, 1))
    return InputError(f"{where} cannot be read as it is, for {len(faults)} reasons:{listed}")


def text_without(lines: Collection[int]) -> Callable[[str], str]:
    """Return what blanks some lines of a text, counted from 1."""

    def mend(text: str) -> str:
        own = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in lines:
            own[line - 1] = ""
        return "\n".join(own)

    return mend


def with_own_names(names: Sequence[str], separator: str) -> Callable[[str], str]:
    """Return what gives columns of one name names of their own, in a header of one line and where it is repeated."""
    seen: Counter[str] = Counter()
    own = []
    for name in names:
        seen[name] += 1
        own.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=separator, lineterminator="").writerow(own)

    def mend(text: str) -> str:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        header = next(line for line in lines if line)
        return "\n".join(buffer.getvalue() if line == header else line for line in lines)

    return mend
