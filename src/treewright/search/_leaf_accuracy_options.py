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
        Store what is proven, by set of rows and depth.
    propagate : bool, default=True
        If a threshold is proven to fall short of the required accuracy, use the shortfall to bound the
        other thresholds of its column.
    neighbours : bool, default=True
        If a threshold is proven to fall short of the required accuracy, use the shortfall to bound the same
        threshold below other splits.
    convert : bool, default=True
        Use what is proven for one required accuracy also for the next.
    deepen : bool, default=True
        Solve smaller depths first.
    refute : bool, default=True
        Spend part of a long search on upper bounds.
    slack : float, default=0.5
        In a sweep, prove for one side of a split what is enough to exclude this share of the open
        thresholds next to it.
    dense_splits : int, default=2_500
        Largest number of thresholds for which the depth-two step examines all pairs; sets of rows with more
        use sweeps.
    block_rows : int, default=512
        Smallest number of rows for which the best single split is searched in blocks of neighbouring
        thresholds.
    alone_work : int, default=1_500
        Work after which further threads (``Limits(n_jobs=...)``) begin, in units of about 20 microseconds.
        From then on the result is the same for any number of threads.

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
