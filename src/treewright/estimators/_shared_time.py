"""The time limit of a `fit` that makes several searches: one for all of them, shared among those that are to come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from treewright.search import Limits

__all__ = ["shared_among"]

LEAST_SECONDS = 1e-3  # that a search gets in any case


def shared_among(limits: Limits, always: int) -> Callable[[int], Limits | None]:
    """Return the limits of each search as a function of the searches to come: an equal part of the time left.

    Parameters
    ----------
    limits : Limits
        Of the whole `fit`, started.
    always : int
        The searches to come at the one that is made in any case: without it there is no tree.

    Returns
    -------
    callable
        ``share(to_come)``, the search itself included: its limits, or None where the time is over.
    """

    def share(to_come: int) -> Limits | None:
        if limits.time_limit is None:
            return limits
        if to_come != always and limits.left() <= 0:
            return None
        return replace(limits, time_limit=max(limits.left() / to_come, LEAST_SECONDS), begun=None)

    return share
