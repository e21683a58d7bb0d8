"""Limits and progress of a run, shared by all engines."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from numbers import Integral, Real
from typing import Any

from treewright._native import core
from treewright.errors import InputError
from treewright.result import StopReason
from treewright.search._jobs import check_n_jobs

__all__ = ["Limits", "Progress", "ProgressCallback", "stop_reason"]

STOP_REASONS = {
    core.Stop.NONE: None,
    core.Stop.TIME: StopReason.TIME_LIMIT,
    core.Stop.STEPS: StopReason.STEP_LIMIT,
    core.Stop.MEMORY: StopReason.MEMORY_LIMIT,
    core.Stop.INTERRUPT: StopReason.INTERRUPT,
    core.Stop.CALLBACK: StopReason.CALLBACK,
}


LEAST_SECONDS = (
    1e-3  # that an engine gets if making its splits took all: enough for a first tree of a small table
)


@dataclass(frozen=True, slots=True)
class Progress:
    """State of a running search.

    Parameters
    ----------
    seconds : float
        Since the start of the search.
    objective : float
        Of the best tree so far; inf before the first.
    lower_bound : float
    subproblems : int
        Steps so far, as `Limits.step_limit` counts them.
    memory : int
        Bytes held by the search.

    Examples
    --------
    >>> from treewright.search import Progress
    >>> Progress(seconds=1.5, objective=0.2, lower_bound=0.1, subproblems=700, memory=1 << 20).lower_bound
    0.1
    """

    seconds: float
    objective: float
    lower_bound: float
    subproblems: int
    memory: int

    @property
    def gap(self) -> float:
        """Relative gap (objective - lower_bound) / objective."""
        if not math.isfinite(self.objective):
            return 1.0
        return (self.objective - self.lower_bound) / self.objective if self.objective > 0 else 0.0

    @property
    def subproblems_per_second(self) -> float:
        """Mean rate since the start."""
        return self.subproblems / self.seconds if self.seconds > 0 else 0.0


ProgressCallback = Callable[[Progress], Any]


@dataclass(frozen=True)
class Limits:
    """When a search must stop with the best tree it has.

    Parameters
    ----------
    time_limit : float or None, default=None
        Seconds; None is unlimited.
    step_limit : int or None, default=None
        Steps: the units of work after which an engine looks at its limits, the same on every machine and run. A
        step is one subproblem of the search over binary columns and of the frontier, one pass of the depth-two
        kernel over the rows of a node in the search over ranked columns, and one depth-two subproblem or one pass in
        the search for leaf accuracy. ``stats["steps"]`` of a result counts them.
    memory_limit : int or None, default=None
        Bytes for the cache of subproblems, which sheds entries when full; None is half of the machine's
        memory.
    n_jobs : int or None, default=1
        Threads of one search over ranked columns, for leaf accuracy, or over binary columns with a limit of depth
        of 6 or less and none of leaves, as scikit-learn counts them: -1 is all cores, None is 1 unless
        ``joblib.parallel_config`` says otherwise. Inside a task of joblib no more than the task's share of the cores.
        The proven optimum and the tree are the same for every number. Steps and memory are limited in sum. The other
        searches use one thread.
    begun : float or None, default=None
        Reading of `time.perf_counter` at which the time began to run; None is when the search begins. Set by
        `started`, so that reading a table and making its splits count.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import Limits, solve
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1])
    >>> solve(problem, limits=Limits(time_limit=10, memory_limit=1 << 30)).stop_reason is None
    True
    """

    time_limit: float | None = None
    step_limit: int | None = None
    memory_limit: int | None = None
    n_jobs: int | None = field(default=1, kw_only=True)
    begun: float | None = field(default=None, kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_n_jobs(self.n_jobs)
        for name, kind, words in (
            ("time_limit", Real, "a number of seconds"),
            ("step_limit", Integral, "an integer"),
            ("memory_limit", Integral, "an integer number of bytes"),
        ):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, kind) or not float(value) > 0:
                raise InputError(f"{name}={value!r}; give {words} above 0, or None for no limit.")

    def started(self) -> Limits:
        """Return the limits with their time started: now, unless it is already running."""
        return self if self.begun is not None else replace(self, begun=time.perf_counter())

    def after(self, steps: int) -> Limits | None:
        """Return what is left of the limits after this many steps, or None if no step is left.

        Parameters
        ----------
        steps : int
            Steps that were taken.

        Returns
        -------
        Limits or None
        """
        if self.step_limit is None:
            return self
        return replace(self, step_limit=int(self.step_limit) - steps) if steps < self.step_limit else None

    def part(self, parts: int) -> Limits:
        """Divide the steps and the time that is left into equal parts, and return one; it has at least 1 step.

        Parameters
        ----------
        parts : int
            1 or more.

        Returns
        -------
        Limits
        """
        steps = None if self.step_limit is None else max(1, int(self.step_limit) // parts)
        seconds = None if self.time_limit is None else float(self.time_limit) - (1 - 1 / parts) * self.left()
        return replace(self, time_limit=seconds, step_limit=steps)

    def left(self) -> float:
        """Return the seconds that are left, 0 or more; inf without a time limit."""
        if self.time_limit is None:
            return math.inf
        spent = 0.0 if self.begun is None else time.perf_counter() - self.begun
        return max(0.0, float(self.time_limit) - spent)

    def seconds_left(self) -> float | None:
        """Return a time limit for what is begun now: the seconds that are left, or None without a limit."""
        return None if self.time_limit is None else max(self.left(), LEAST_SECONDS)

    def native(self) -> dict[str, Any]:
        """Return the limits as keyword arguments of the compiled core."""
        memory = self.memory_limit
        if memory is None:
            memory = half_of_memory()
        return {
            "time_limit": max(self.left(), LEAST_SECONDS),
            "step_limit": 2**62 if self.step_limit is None else min(int(self.step_limit), 2**62),
            "memory_limit": min(int(memory), 2**62),
        }


@cache
def half_of_memory() -> int:
    """Return half of the bytes of this machine's memory; 4 GiB where that is not told."""
    if not hasattr(os, "sysconf"):
        return 2**32
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def retold(
    progress: ProgressCallback | None, change: Callable[[Progress], Progress]
) -> ProgressCallback | None:
    """Return `progress` as a part of the run calls it, whose state is changed to that of the run before it is told."""
    return None if progress is None else lambda now: progress(change(now))


def native_report(progress: ProgressCallback | None, unit: float) -> Callable[..., Any] | None:
    """Return `progress` as the compiled core calls it: with costs in integer units of size `unit`."""
    if progress is None:
        return None

    def report(seconds: float, incumbent: float, lower_bound: float, steps: int, memory: int) -> Any:
        return progress(Progress(seconds, incumbent * unit, lower_bound * unit, steps, memory))

    return report


def stop_reason(stop: Any) -> StopReason | None:
    """Return why a run of the compiled core ended.

    Parameters
    ----------
    stop : core.Stop

    Examples
    --------
    >>> from treewright._native import core
    >>> from treewright.search import stop_reason
    >>> stop_reason(core.Stop.TIME)
    <StopReason.TIME_LIMIT: 'time limit reached'>
    """
    return STOP_REASONS[stop]
