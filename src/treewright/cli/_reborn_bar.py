"""A bar for the long phases of `treewright reborn`: what is done, for how long, and the memory it holds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright.bornagain import Progress

__all__ = ["run_bar"]

SECONDS_BEFORE_BAR = 1.0
WORDS = {
    "heuristic": "a first faithful tree",
    "exact": "the smallest tree",
    "active": "the fewest leaves",
    "rows": "trees of every size",
}


@contextmanager
def run_bar(wanted: bool, time_limit: float | None) -> Iterator[Callable[[Progress], None] | None]:
    """Yield the callback of a run: a bar if a person may be watching, else None.

    Parameters
    ----------
    wanted : bool
    time_limit : float or None
        Seconds at which the bar is full.
    """
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    bar: Any = None

    def show(state: Progress) -> None:
        nonlocal bar
        if state.seconds < SECONDS_BEFORE_BAR:
            return
        if bar is None:
            from treewright.search import quiet_bar

            layout = "{desc}: {bar}| {n:.0f} s{postfix}" if time_limit else "{desc}: {n:.0f} s{postfix}"
            bar = quiet_bar(total=time_limit, leave=False, bar_format=layout)
        bar.n = round(state.seconds, 1)
        bar.set_description_str(WORDS.get(state.phase, state.phase), refresh=False)
        bar.set_postfix_str(f"{state.steps:,} steps, {state.bytes >> 20:,} MiB")

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()
