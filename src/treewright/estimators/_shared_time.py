"""The limits of a `fit` that makes several searches: of all of them together.

Time is shared among the searches that are to come. Steps are dealt beforehand, in equal parts, the first searches one
more: what a search leaves over goes to no other, so nothing depends on which of several workers was faster.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from treewright.result import StopReason
from treewright.search import Limits

__all__ = ["shared_among"]

LEAST_SECONDS = 1e-3  # that a search gets in any case


def shared_among(
    limits: Limits, always: int, *, searches: int | None = None
) -> Callable[[int], Limits | StopReason]:
    """Return the limits of each search as a function of the searches to come: an equal part of the time left.

    Parameters
    ----------
    limits : Limits
        Of the whole `fit`, started.
    always : int
        The searches to come at the one that is made in any case: without it there is no tree.
    searches : int, default=None
        How many the step limit is dealt to; None leaves all of it to each.

    Returns
    -------
    callable
        ``share(to_come)``, the search itself included, called once for each search in their order: its limits, or
        the limit that leaves nothing for it.
    """
    numbers = count()

    def share(to_come: int) -> Limits | StopReason:
        part = limits
        if searches is not None and limits.step_limit is not None:
            each, more = divmod(int(limits.step_limit), searches)
            steps = each + (next(numbers) < more)
            if steps == 0:
                return StopReason.STEP_LIMIT
            part = replace(limits, step_limit=steps)
        if limits.time_limit is None:
            return part
        if to_come != always and limits.left() <= 0:
            return StopReason.TIME_LIMIT
        return replace(part, time_limit=max(limits.left() / to_come, LEAST_SECONDS), begun=None)

    return share
