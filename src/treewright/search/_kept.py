"""What an engine found is kept where Ctrl-C comes too late for the engine, and before the result is handed out.

Engines look for signals about twenty times a second. A signal that comes after the last look of a run raises
KeyboardInterrupt in Python, as it does while a result is put together, and the tree of an hour would be gone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import starmap
from typing import Any, TypeVar

from treewright._native import core
from treewright.result import StopReason, told_to_stop

__all__ = ["engine_answer", "kept_result", "note_interrupt"]

Result = TypeVar("Result")


def engine_answer(engine: Callable[..., dict[str, Any]], *given: Any, **named: Any) -> dict[str, Any]:
    """Ask a compiled engine, and return its answer also after a Ctrl-C that it has not seen.

    Parameters
    ----------
    engine : callable
        Compiled: of a Python function the answer can be lost.
    *given, **named
        Its arguments.

    Returns
    -------
    dict
        As the engine makes it. After such a Ctrl-C ``ended_by`` is an interrupt, and so is ``stop`` where the engine
        did not end by itself.
    """
    kept: list[dict[str, Any]] = []
    try:
        # One step of the interpreter, which lets signals raise between two steps: the answer is in the list by then.
        kept.extend(starmap(partial(engine, **named), [given]))
    except KeyboardInterrupt:
        if not kept:
            raise
        note_interrupt(kept[0])
    return kept[0]


def note_interrupt(answer: dict[str, Any]) -> None:
    """Note in the answer of an engine that Ctrl-C came after it; what was proven before stays proven."""
    answer["ended_by"] = core.Stop.INTERRUPT
    if answer["stop"] != core.Stop.NONE:
        answer["stop"] = core.Stop.INTERRUPT


def kept_result(make: Callable[[], Result]) -> Result:
    """Put a result together; Ctrl-C meanwhile begins that again, and the result says that somebody pressed it.

    Another Ctrl-C ends it.

    Parameters
    ----------
    make : callable
        Without a search in it, and of the same result each time. The result is a data class with `stats`.
    """
    try:
        return make()
    except KeyboardInterrupt:
        made: Any = make()
        told: dict[str, Any] = {"stats": {**made.stats, **told_to_stop(StopReason.INTERRUPT)}}
        for name in ("stop_reason", "stop"):  # of what ended without a proof
            if getattr(made, name, None) is not None:
                told[name] = StopReason.INTERRUPT
        interrupted: Result = replace(made, **told)
        return interrupted
