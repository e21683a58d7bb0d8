"""A line that says what goes on while nothing else is shown: reading, looking and preparing, from the first second."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["busy", "clear_line"]

FIRST = 0.7  # seconds; what is over by then needs no line
EVERY = 1.0

_lock = threading.Lock()
_shown = 0  # characters of the line that stands there


@contextmanager
def busy(what: str, watched: bool | None = None) -> Iterator[None]:
    """Say what goes on, and for how long, once it takes a moment; the line goes when it is over.

    Parameters
    ----------
    what : str
        Such as "Reading data.csv".
    watched : bool, default=None
        Whether a person may be watching; None is whether standard error is a terminal.
    """
    if not (sys.stderr.isatty() if watched is None else watched):
        yield
        return
    over = threading.Event()
    counter = threading.Thread(target=_count, args=(what, over, time.monotonic()), daemon=True)
    counter.start()
    try:
        yield
    finally:
        over.set()
        counter.join()
        clear_line()


def clear_line() -> None:
    """Take the line away, so that something else can be written in its place."""
    if _shown:
        _show("")


def _count(what: str, over: threading.Event, begun: float) -> None:
    wait = FIRST
    while not over.wait(wait):
        _show(f"{what} ... {time.monotonic() - begun:.0f} s")
        wait = EVERY


def _show(text: str) -> None:
    """Write a text over the one that stands on the last line of the terminal."""
    global _shown
    with _lock, contextlib.suppress(OSError, ValueError):  # ValueError: the stream is closed
        encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
        line = text.encode(encoding, "replace").decode(encoding)
        sys.stderr.write(f"\r{line.ljust(_shown)}" if line else f"\r{' ' * _shown}\r")
        sys.stderr.flush()
        _shown = len(line)
