"""How a born-again run says what it does, and how it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from treewright._native import core
from treewright.errors import SolverError
from treewright.result import StopReason

__all__ = ["STOPS", "Progress", "ended_by", "give_up", "give_up_if_asked", "reporter"]

STOPS = {
    core.Stop.TIME: StopReason.TIME_LIMIT,
    core.Stop.STEPS: StopReason.STEP_LIMIT,
    core.Stop.MEMORY: StopReason.MEMORY_LIMIT,
    core.Stop.INTERRUPT: StopReason.INTERRUPT,
    core.Stop.CALLBACK: StopReason.CALLBACK,
}


@dataclass(frozen=True)
class Progress:
    """What is known during a run.

    Parameters
    ----------
    seconds : float
        Since the start of the phase.
    steps : int
        Units of work so far.
    bytes : int
        Memory of the tables.
    phase : str
        "heuristic", "exact", "active", or "rows" (trees that agree on rows).

    Examples
    --------
    >>> from treewright.bornagain import Progress
    >>> Progress(seconds=1.5, steps=700, bytes=1 << 20, phase="exact").phase
    'exact'
    """

    seconds: float
    steps: int
    bytes: int
    phase: str


def ended_by(found: dict[str, Any]) -> StopReason | None:
    """Return what ended a run, after its proof or before."""
    return STOPS.get(found.get("ended_by", found["stop"]))


def give_up_if_asked(found: dict[str, Any]) -> None:
    """End the run if its user asked for it before any tree was there."""
    if found.get("complete"):
        return
    give_up(STOPS.get(found["stop"]))


def give_up(stop: StopReason | None) -> None:
    """End a run without a tree if its user asked for that."""
    if stop is StopReason.INTERRUPT:
        raise KeyboardInterrupt
    if stop is StopReason.CALLBACK:
        raise SolverError(
            "The progress callback ended the run before a faithful tree was found; let it run longer."
        )


def reporter(progress: Callable[[Progress], bool | None] | None, phase: str) -> Any:
    """Return `progress` as the compiled core calls it in a phase."""
    if progress is None:
        return None
    return lambda seconds, incumbent, bound, steps, size: progress(Progress(seconds, steps, size, phase))
