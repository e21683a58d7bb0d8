"""Written by tools/write_options.py from options.def; change that file instead."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.search._switches import Switches

__all__ = ["LeafAccuracyOptions"]


@dataclass(frozen=True)
class LeafAccuracyOptions(Switches):
    """Switches of the search for the best worst leaf; none changes an optimum, only the work.

    Parameters
    ----------
    cache : bool, default=True
        Remember what is known by set of rows and depth.
    propagate : bool, default=True
        What one threshold lacks says something about the other thresholds of its column.
    neighbours : bool, default=True
        ... and about the same threshold below other splits.
    convert : bool, default=True
        What was lacking at one required accuracy says something about the next.
    deepen : bool, default=True
        Solve the shallower depths first.
    refute : bool, default=True
        Spend part of a long run on upper bounds.
    slack : float, default=0.5
        In a sweep, one side of a split is asked for what closes this share of the open thresholds beside
        it.
    dense_splits : int, default=2_500
        Sets of rows with more thresholds take the depth-two step by sweeps instead of all pairs.
    block_rows : int, default=512
        Of sets of so many rows the best single split is looked for by blocks of neighbouring thresholds.
    alone_work : int, default=1_500
        Threads (``Limits(n_jobs=...)``) begin after so much work, in units of some 20 microseconds; and
        from there on the answer is the same for any number of them.

    Examples
    --------
    >>> from treewright.search import LeafAccuracyOptions
    >>> LeafAccuracyOptions(cache=False).cache
    False
    """

    cache: bool = True
    propagate: bool = True
    neighbours: bool = True
    convert: bool = True
    deepen: bool = True
    refute: bool = True
    slack: float = 0.5
    dense_splits: int = 2_500
    block_rows: int = 512
    alone_work: int = 1_500
