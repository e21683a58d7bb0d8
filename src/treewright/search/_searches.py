"""Several searches of one run: its limits are those of all together, and its progress goes on from one to the next."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from treewright.result import SolveResult, StopReason
from treewright.search._limits import Limits, Progress, ProgressCallback, retold

__all__ = ["Searches"]

Bounds = tuple[float, float]


@dataclass
class Searches:
    """What the searches so far have used, and what that leaves for the next one.

    Parameters
    ----------
    limits : Limits
        Of all searches together, started.
    progress : callable or None, default=None
        The user's.
    steps : int, default=0
        Of the searches so far; `add` counts them.
    before : float, default=0.0
        Seconds of the run before this object was made.
    """

    limits: Limits
    progress: ProgressCallback | None = None
    steps: int = 0
    before: float = 0.0
    count: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return self.before + time.perf_counter() - self._start

    def add(self, result: SolveResult) -> None:
        """Count a search that has ended."""
        self.count += 1
        self.steps += int(result.stats.get("steps", 0))

    def used_up(self) -> StopReason | None:
        """Return the limit that leaves nothing for another search; None if there is none."""
        if self.limits.after(self.steps) is None:  # steps first: the same on every machine
            return StopReason.STEP_LIMIT
        return StopReason.TIME_LIMIT if self.limits.left() <= 0 else None

    def left(self) -> Limits:
        """Return the limits of another search that may take all that is left; ask `used_up` before."""
        left = self.limits.after(self.steps)
        assert left is not None  # used_up
        return left

    def report(self, bounds: Bounds | Callable[[Progress], Bounds]) -> ProgressCallback | None:
        """Return the user's callback as the next search calls it: seconds and steps go on.

        `bounds` are the objective of the best tree of the run and its lower bound, or make them of that search's state.
        """
        seconds, steps = self.seconds, self.steps

        def of_the_run(now: Progress) -> Progress:
            objective, lower_bound = bounds(now) if callable(bounds) else bounds
            return replace(
                now,
                seconds=seconds + now.seconds,
                subproblems=steps + now.subproblems,
                objective=objective,
                lower_bound=min(objective, lower_bound),
            )

        return retold(self.progress, of_the_run)

    def stats(self) -> dict[str, Any]:
        """Return what a result tells of its searches."""
        return {
            "seconds": self.seconds,
            "steps": self.steps,
            "subproblems": self.steps,
            "searches": self.count,
        }
