"""What a solver says at the end, in the words of both."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.result import StopReason
from treewright.search import Limits

__all__ = ["Incumbent", "Job", "ModelUnfinished", "Outcome", "Report", "Watch", "resident_memory"]

ENDED_BY_USER = (StopReason.INTERRUPT, StopReason.CALLBACK)
Report = Callable[[float, float, float, int], bool]  # seconds, objective, bound, nodes -> stop?

BETWEEN_LOOKS = 0.05  # seconds
LARGE = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Incumbent:
    """A solution that the solver accepted.

    Parameters
    ----------
    seconds : float
        Since the start of the run.
    objective : float
        The solver's own figure.
    values : ndarray
        Of the job's `keep` variables.
    """

    seconds: float
    objective: float
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Job:
    """How a solver is to run.

    Parameters
    ----------
    keep : ndarray of int64
        Variables whose values are wanted of every solution.
    limits : Limits
        A step is a node of the branch-and-bound tree. Memory is the growth of the process.
    threads : int
    seed : int
    start : ndarray or None
        Values of all variables of a feasible solution.
    report : callable or None
        Gets seconds, objective (inf before the first), bound, nodes, some times a second; True stops the run.
    held : int or None, default=None
        Bytes that the process held before the model was written, from which its growth counts; None is now.
    unit : float, default=1
        That of the model; objectives and bounds of the outcome are multiplied by it.
    """

    keep: NDArray[np.int64]
    limits: Limits
    threads: int = 1
    seed: int = 0
    start: NDArray[np.float64] | None = None
    report: Report | None = None
    held: int | None = None
    unit: float = 1.0


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the solver found and proved.

    Parameters
    ----------
    proven : bool
        The solver says that its best solution is optimal.
    infeasible : bool
        The solver says that there is none.
    stop : StopReason or None
        None if proven, but for Ctrl-C and the callback: no further program is to be solved then.
    incumbents : tuple of Incumbent
        In the order of their discovery.
    bound : float
        On the objective, from below; -inf if the solver has none yet.
    nodes : int
    seconds : float
    solver : str
        Name and version.
    words : str
        The solver's own name of its status.
    note : str, default=""
        Why it was not called, and what to do, where that needs a sentence.
    """

    proven: bool
    infeasible: bool
    stop: StopReason | None
    incumbents: tuple[Incumbent, ...]
    bound: float
    nodes: int
    seconds: float
    solver: str
    words: str
    note: str = ""


class ModelUnfinished(Exception):
    """A limit was reached while the program was being written, or would have been.

    Parameters
    ----------
    reason : StopReason
    note : str, default=""
        As that of an `Outcome`.
    """

    def __init__(self, reason: StopReason, note: str = "") -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.note = note


class Watch:
    """Looks at the clock, the memory and the user while a program is written; raises `ModelUnfinished`.

    Parameters
    ----------
    deadline : float
        Of the clock `time.monotonic`; inf without a limit.
    memory_limit : int or None
        Bytes that the process may grow by.
    report : callable or None
        As that of a `Job`.
    held : int or None, default=None
        As that of a `Job`.
    """

    def __init__(
        self, deadline: float, memory_limit: int | None, report: Report | None, held: int | None = None
    ) -> None:
        self.deadline, self.memory_limit, self.report = deadline, memory_limit, report
        self.start = self.looked = time.monotonic()
        self.held = resident_memory() if held is None else held

    def __call__(self, needed: int = 0) -> None:
        """Look; `needed` are the bytes that will be taken next."""
        now = time.monotonic()
        if now >= self.deadline:
            raise ModelUnfinished(StopReason.TIME_LIMIT)
        if now - self.looked < BETWEEN_LOOKS and needed < LARGE:
            return
        self.looked = now
        if self.memory_limit is not None and resident_memory() + needed - self.held > self.memory_limit:
            raise ModelUnfinished(StopReason.MEMORY_LIMIT)
        if self.report is not None and self.report(now - self.start, math.inf, -math.inf, 0):
            raise ModelUnfinished(StopReason.CALLBACK)


def resident_memory() -> int:
    """Return the bytes of memory that the process holds; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm") as text:
            return int(text.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0
