"""How long a question may take, and its parts in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Self, TypeVar

from treewright.errors import SolverError
from treewright.result import StopReason
from treewright.search import Limits, stop_reason

__all__ = ["LittleMemory", "TimeOver", "Watch", "check_ended", "in_threads", "not_counted"]

Part = TypeVar("Part")
Answer = TypeVar("Answer")


class TimeOver(Exception):
    """The time of a question is over; who asked says what is known."""


class LittleMemory(SolverError):
    """Counts do not fit the memory limit."""


@dataclass(frozen=True)
class Watch:
    """The time of one question, which all its passes over the graph share.

    Parameters
    ----------
    limits : Limits
        With the time running.
    share : int, default=1
        Passes that run at once: each may take so much less memory.
    """

    limits: Limits = field(default_factory=Limits)
    share: int = 1
    _dismissed: Event = field(default_factory=Event)

    @classmethod
    def started(cls, time_limit: float | None) -> Self:
        """Start the time now; None is no limit."""
        return cls(Limits(time_limit).started())

    def left(self) -> float:
        """Return the seconds that are left, above 0.

        Raises
        ------
        TimeOver
            None are.
        """
        left = self.limits.left()
        if left <= 0 or self._dismissed.is_set():
            raise TimeOver
        return left

    def native(self) -> dict[str, Any]:
        """Return how long a pass may take, as the compiled core is told."""
        watched = None if self.share == 1 else lambda *_: self._dismissed.is_set()
        return {"time_limit": self.left(), "report": watched}

    def dismiss(self) -> None:
        """End all passes, from any thread."""
        self._dismissed.set()


def in_threads(
    do: Callable[[Part, Watch], Answer], parts: Iterable[Part], watch: Watch, threads: int
) -> list[Answer | None]:
    """Return the answer of each part in their order, None for those that the time was over for.

    The answers do not depend on the number of threads: a part for which its share of the memory is too little is done
    again, alone. Ctrl-C ends all threads.
    """
    every = list(parts)
    threads = min(threads, len(every))
    if threads <= 1:
        return [_within(do, part, watch) for part in every]
    together = Watch(watch.limits, share=threads)
    with ThreadPoolExecutor(threads) as pool:
        try:
            futures = [pool.submit(_within, do, part, together) for part in every]
            for future in futures:
                future.exception()
        except BaseException:  # Ctrl-C: no thread works on for nobody
            together.dismiss()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    out = []
    for part, future in zip(every, futures, strict=True):
        alone = isinstance(future.exception(), LittleMemory)
        out.append(_within(do, part, watch) if alone else future.result())
    return out


def _within(do: Callable[[Part, Watch], Answer], part: Part, watch: Watch) -> Answer | None:
    try:
        watch.left()
        return do(part, watch)
    except TimeOver:
        return None


def not_counted() -> SolverError:
    """Return the error of a set whose trees could not be counted in time."""
    return SolverError(
        "The trees of this set were not counted within time_limit; give more time. Each of them is also in the "
        "set that this one was made from."
    )


def check_ended(stop: Any, *, too_many: bool = False) -> None:
    """Raise what a pass that did not end means.

    Raises
    ------
    KeyboardInterrupt, TimeOver, LittleMemory
    """
    reason = stop_reason(stop)
    if reason is StopReason.INTERRUPT:
        raise KeyboardInterrupt
    if reason in (StopReason.TIME_LIMIT, StopReason.CALLBACK):
        raise TimeOver
    if reason is not None or too_many:
        raise LittleMemory(
            "The counts of the trees do not fit in memory_limit; raise it, or ask for fewer trees: a "
            "smaller epsilon, a larger cost_complexity."
        )
