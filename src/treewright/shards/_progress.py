"""State of a running divide-and-bound search."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.search import Progress

__all__ = ["ShardProgress"]


@dataclass(frozen=True, slots=True)
class ShardProgress(Progress):
    """State of a run over shards, counted on the rows of the shards searched so far.

    Parameters
    ----------
    seconds : float
        Since the start, reading and dealing included.
    objective : float
        Of the first tree that was found, on these rows; inf before there is one.
    lower_bound : float
        Proven for every tree on these rows.
    subproblems : int
        Steps of all searches so far.
    memory : int
        0; workers hold their own.
    done, shards : int
        Shards that were searched, and all of them.
    """

    done: int = 0
    shards: int = 0
