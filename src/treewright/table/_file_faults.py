"""Faults of a file as a whole; reading continues after each fault, so that one message names all of them.

A title above the header hides two columns with the same name, and both hide the line of totals at the end. If faults
were reported one at a time, a file would have to be corrected several times. So each fault removes itself from the text
(its lines are made blank, which are skipped, so that all other lines keep their numbers), and the text is read again.
What was read in this way is only used to find further faults, never for a tree.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from treewright.errors import InputError

__all__ = [
    "FileFault",
    "NoRowsError",
    "all_faults_of",
    "fault_of_lengths",
    "lines_of",
    "text_without",
    "together",
    "with_own_names",
]

Returned = TypeVar("Returned")

LINES_OF_TOTALS = 3  # most lines of totals at the end of a file


class NoRowsError(InputError):
    """A file with a header and nothing below it; of several files, one may be so."""


class FileFault(InputError):
    """A fault of a file as a whole.

    Parameters
    ----------
    message : str
    kind : str
        Two faults of the same kind most likely have the same cause: the second one is not reported.
    mend : callable, default=None
        From the text to the text without this fault; None if reading cannot continue.
    option : (str, str), default=None
        Command-line option that is likely to settle the fault, and its value.
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
    """Read a text, remove each fault and read again; return the last result, and all faults."""
    faults: list[FileFault] = []
    seen: set[str] = set()
    while True:
        try:
            return read(text), faults
        except FileFault as fault:
            if fault.kind in seen:
                return None, faults
            seen.add(fault.kind)
            if fault.kind != "ragged" or "quotes" not in seen:  # removing an open quote can split a row
                faults.append(fault)
            if fault.mend is None:
                return None, faults
            text = fault.mend(text)
            if not text.strip():
                return None, faults
        except InputError:
            if not faults:
                raise
            return None, faults  # the rest cannot be read


def together(where: str, faults: Sequence[InputError]) -> InputError:
    """Return one error for all faults of a file."""
    if len(faults) == 1:
        return faults[0]
    listed = "".join(f"\n  {number}. {fault}" for number, fault in enumerate(faults, 1))
    return InputError(f"{where} cannot be read as it is, for {len(faults)} reasons:{listed}")


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, which end only at the marks that end a line of a CSV file."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def text_without(lines: Collection[int]) -> Callable[[str], str]:
    """Return the function that makes some lines of a text blank; lines are counted from 1."""

    def mend(text: str) -> str:
        own = lines_of(text)
        for line in lines:
            own[line - 1] = ""
        return "\n".join(own)

    return mend


def with_own_names(names: Sequence[str], separator: str) -> Callable[[str], str]:
    """Return the function that makes duplicate names in a text's header different, also where the header is repeated.

    The header must be a single line.
    """
    seen: Counter[str] = Counter()
    own = []
    for name in names:
        seen[name] += 1
        own.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=separator, lineterminator="").writerow(own)

    def mend(text: str) -> str:
        lines = lines_of(text)
        header = next(line for line in lines if line)
        return "\n".join(buffer.getvalue() if line == header else line for line in lines)

    return mend


def fault_of_lengths(
    where: str, lines: Sequence[int], n_fields: Sequence[int], separator: str, text: str
) -> FileFault:
    """Return the error about rows with more or fewer fields than the header; the header is the first of `lines`.

    Exported reports often have a title above the header or totals below the rows; the advice then names these.
    """
    expected = n_fields[0]
    first = next(place for place, count in enumerate(n_fields) if count != expected)
    usual = Counter(n_fields).most_common(1)[0][0]
    if set(n_fields[1:]) == {expected + 1} and (fault := _unfinished_header(where, text, separator)):
        return fault
    if usual > expected:
        header = lines[n_fields.index(usual)]
        advice = f"Most lines have {usual} fields, from line {header} on: if that is the header, delete the lines above"
    elif first > 1 and expected not in n_fields[first:] and len(n_fields) - first <= LINES_OF_TOTALS:
        advice = "No full row follows: if this is a total or a remark, delete it; otherwise complete it"
    else:
        advice = "Put text that holds the separator in double quotes, or name another separator"
    odd = [line for line, count in zip(lines, n_fields, strict=True) if count != usual]
    came = "1 field" if n_fields[first] == 1 else f"{n_fields[first]} fields"
    return FileFault(
        f"{where}, line {lines[first]}: {came}, but the header has {expected} (separator "
        f"{separator!r}). {advice}.",
        "ragged",
        text_without(odd),
    )


def _unfinished_header(where: str, text: str, separator: str) -> FileFault | None:
    """Return the fault of a header that lacks the separator with which all other lines end; None if it is not so."""
    first, *rows = filter(None, lines_of(text))
    if first.endswith(separator) or not all(line.endswith(separator) for line in rows):
        return None

    def mend(text: str) -> str:
        lines = lines_of(text)
        place = next(place for place, line in enumerate(lines) if line)
        return "\n".join([*lines[:place], lines[place] + separator, *lines[place + 1 :]])

    return FileFault(
        f"{where}: all lines below the first end with {separator!r}, and the first does not. If it is the header, put "
        f"{separator!r} at its end; if it is a title, delete it.",
        "ragged",
        mend,
    )
