"""The time limit of a command, which includes reading the file."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

__all__ = ["Clock"]


@dataclass(frozen=True)
class Clock:
    """The time limit of a command, which includes reading the file.

    Parameters
    ----------
    time_limit : float or None
        Seconds from the creation of the clock; None is unlimited.
    """

    time_limit: float | None
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def left(self) -> float | None:
        """Return the seconds that are left, at least a hundredth: enough for a tree of a few leaves."""
        return None if self.time_limit is None else max(self.time_limit - self.seconds, 0.01)
