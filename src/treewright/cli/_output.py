"""Print the output of commands: text for people and data for programs, also to closed streams and broken pipes.

Text is printed in the encoding of the stream, with `?` for characters that it does not have. Data is UTF-8, as in the
files that commands write, whatever the encoding of the terminal. A reader that stops early (such as `head`) is not an
error: nothing more is printed, and the command ends with the exit code that it would have had.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from treewright._busy import clear_line

__all__ = ["mend_streams", "note", "put", "say", "stdout_is_closed"]

_closed: set[str] = set()  # streams that were closed when the program started


def mend_streams() -> None:
    """Open what the shell has closed (`>&-`) to nowhere, so that no file of ours becomes standard output."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
        if getattr(sys, name) is None and name != "stdin":
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  (open until the end)
            _closed.add(name)


def stdout_is_closed() -> bool:
    """Whether standard output was closed when the program started, so that nothing can be shown."""
    return "stdout" in _closed


def say(text: str = "") -> None:
    """Print text to standard output."""
    _print(text, sys.stdout)


def note(text: str) -> None:
    """Print text to standard error."""
    _print(text, sys.stderr)


def put(text: str) -> None:
    """Print data to standard output, as UTF-8 and with the line ends that it has."""
    try:
        sys.stdout.flush()
        buffer = getattr(sys.stdout, "buffer", None)
        if buffer is None:
            sys.stdout.write(text)
        else:
            buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.flush()
    except OSError as error:
        _leave(sys.stdout, error)


def _print(text: str, stream: Any) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    clear_line()
    try:
        stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
        stream.flush()
    except OSError as error:
        _leave(stream, error)


def _leave(stream: Any, error: OSError) -> None:
    """Send what is left in the buffer nowhere, also at exit; only a reader that left is no error."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    if not isinstance(error, BrokenPipeError):
        raise error
