"""Ctrl-C and SIGTERM: both end a search with the best tree so far, which is saved; the exit code tells which it was.

A scheduler, a container and `timeout` send SIGTERM and kill a little later, so what was found has to be written
then. Python gives only Ctrl-C as an exception, which the engines poll for; here SIGTERM becomes the same one. While
the program starts there is nothing to keep, and either signal ends it with one line instead of a traceback out of
some import.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from threading import Thread
from types import FrameType
from typing import Any, NoReturn, TypeVar

__all__ = [
    "INTERRUPTED",
    "TERMINATED",
    "end_at_once",
    "ending_at_once",
    "finishing",
    "listening",
    "stop_code",
    "stop_word",
    "was_stopped",
]

INTERRUPTED = 130  # 128 + SIGINT, as shells report it
TERMINATED = 143  # 128 + SIGTERM
SIGNALS = (signal.SIGINT, signal.SIGTERM)
SECONDS_BETWEEN_LOOKS = 0.2
Answer = TypeVar("Answer")

_received: list[int] = []


def end_at_once() -> None:
    """Let a signal end the program at once, until a command runs."""
    _install(_end)


@contextmanager
def listening() -> Iterator[None]:
    """Let a signal raise KeyboardInterrupt, which engines turn into the best tree so far."""
    _received.clear()
    before = _install(_raise)
    try:
        yield
    finally:  # of the program nothing is left to end but itself
        _restore({number: _remember if own is _end else own for number, own in before.items()})


@contextmanager
def finishing() -> Iterator[None]:
    """Let a signal wait: for the moments in which a result is written and shown."""
    before = _install(_remember)
    try:
        yield
    finally:
        _restore(before)


def ending_at_once(work: Callable[[], Answer]) -> Answer:
    """Return what some work returns, before which there is nothing to keep; a signal ends the program meanwhile.

    For libraries without a clock. The main thread alone hears signals, and only between two steps of Python, so the
    work is done by another one.
    """
    from concurrent.futures import Future

    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # of any kind: it is raised where it was waited for
            answer.set_exception(error)

    if was_stopped():  # and a library that was being loaded caught the exception
        raise KeyboardInterrupt
    before = _install(_end)
    try:
        thread = Thread(target=copy_context().run, args=(run,), daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(SECONDS_BETWEEN_LOOKS)
    finally:
        _restore(before)
    return answer.result()


def was_stopped() -> bool:
    """Whether a signal came since the command began."""
    return bool(_received)


def stop_code() -> int:
    """Return the exit code of a command that was stopped."""
    return TERMINATED if _received and _received[0] == signal.SIGTERM else INTERRUPTED


def stop_word() -> str:
    """Return the word for the end of a command that was stopped."""
    return "Terminated" if stop_code() == TERMINATED else "Interrupted"


def _raise(number: int, frame: FrameType | None) -> NoReturn:
    _received.append(number)
    raise KeyboardInterrupt


def _remember(number: int, frame: FrameType | None) -> None:
    _received.append(number)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    word = b"Terminated" if number == signal.SIGTERM else b"Interrupted"
    try:
        os.write(2, word + b"; nothing was written.\n")
    finally:
        os._exit(128 + number)


def _install(handler: Any) -> dict[int, Any]:
    """Set a handler; returns those before. A signal that the parent process ignores stays ignored."""
    before = {}
    for number in SIGNALS:
        try:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[int(number)] = signal.signal(number, handler)
        except ValueError:  # not in the main thread, where signals do not arrive
            pass
    return before


def _restore(before: dict[int, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)
