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

    Examples
    --------
    >>> from treewright.shards import ShardProgress
    >>> state = ShardProgress(1.5, objective=0.2, lower_bound=0.1, subproblems=700, memory=1 << 20, done=1, shards=4)
    >>> state.done / state.shards
    0.25
    """

    done: int = 0
    shards: int = 0
