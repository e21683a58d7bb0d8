"""Written by tools/write_options.py from ranked_options.def; change that file instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treewright.search._switches import Switches

__all__ = ["RankedOptions"]


@dataclass(frozen=True)
class RankedOptions(Switches):
    """Switches of the search over ranked columns; none changes the optimum, only the work.

    Parameters
    ----------
    unranked : bool, default=True
        Where limits end before the columns are ranked, take the best tree of one split from the table as it
        is (tree/single_split.hpp).
    monotone : bool, default=True
        A lower bound of a set of rows holds for its supersets (bounds/interval_bounds.hpp; off by itself if
        ``min_samples_leaf > 1``).
    lipschitz : bool, default=True
        A lower bound of a set of rows holds for its subsets, less the weight between
        (bounds/interval_bounds.hpp).
    between : bool, default=True
        The rows between two thresholds add what they cost by themselves (bounds/interval_bounds.hpp; off by
        itself if ``min_samples_leaf > 1``).
    any_size : bool, default=True
        With ``min_samples_leaf > 1``: find the splits that are open for leaves of any size first, and solve
        only those (search/ranked_any_size.cpp).
    leaf_count : bool, default=True
        A deeper tree has more leaves, and each has its penalty.
    shallower : bool, default=True
        Solve every node one level less deep first, for an incumbent and a bound.
    cache : bool, default=True
        Remember bounds by set of rows and depth.
    neighbours : bool, default=True
        Depth-two subproblems take bounds from those of the neighbouring thresholds
        (bounds/interval_bounds.hpp).
    fair_shares : bool, default=True
        The two sides of a split above depth three are asked for their likely shares of a bound first.
    resume : bool, default=True
        A node that was left unfinished and is asked again with a larger budget goes on where it stopped.
    rising : bool, default=True
        A long run proves rising bounds of the root one after another instead of going for the optimum at
        once.
    plain_work : int, default=6_000_000_000
        ... after passes that take about so many nanoseconds (rows times columns, four times that with many
        classes).
    core : bool, default=True
        Before that, a long run looks at few rows, whose optimum is a bound for all (bounds/core_rows.hpp;
        off by itself if ``min_samples_leaf > 1``).
    core_passes : int, default=2000
        ... after so many passes of the kernel, or a third of `plain_work` if that is less.
    core_share : float, default=0.45
        ... if they are no more of all rows than this, and could be doubled once.
    parts : bool, default=True
        After that, a long run over many rows searches parts of them, whose bounds add up to one for all
        (bounds/row_parts.hpp).
    part_rows : int, default=32_768
        ... of about so many rows, if that makes four parts or more.
    alone_work : int, default=30_000_000
        Threads (``Limits(n_jobs=...)``) begin after passes that take about so many nanoseconds.
    sharing_work : int, default=20_000
        ... where one kernel pass takes at least so many steps (rows times columns).
    slack : float, default=0.5
        Extra budget of a child, in cost per row of half the open interval; children of depth two get four
        times that.
    lanes : int, default=64
        Most thresholds in one pass of the depth-two kernel, 1 to 64 (fewer where registers are narrower).
    compact_rows : bool, default=True
        Squared error of one output where every weight is one: the depth-two kernel reads a row as one
        number of eight bytes (kernels/moment_kernel.hpp).
    target_bins : bool, default=True
        Absolute error and quantiles: sums of few bins of targets tell which columns cannot have the best
        split (objective/column_bounds.hpp).
    groups : bool, default=True
        Search a table of binary columns (up to 512), or of up to 64 thresholds, as groups of equal rows,
        where the loss is squared error of one output or the survival loss and leaves are not limited in
        number (search/group_search.hpp). Of the other switches `segments` alone plays a part there.
    segments : bool, default=True
        Bound such a group search by the cheapest clusters of its groups on a line
        (bounds/segmentation.hpp).

    Examples
    --------
    >>> from treewright.search import RankedOptions
    >>> RankedOptions(cache=False).cache
    False
    """

    SETTINGS: ClassVar[tuple[str, ...]] = ("unranked",)

    unranked: bool = True
    monotone: bool = True
    lipschitz: bool = True
    between: bool = True
    any_size: bool = True
    leaf_count: bool = True
    shallower: bool = True
    cache: bool = True
    neighbours: bool = True
    fair_shares: bool = True
    resume: bool = True
    rising: bool = True
    plain_work: int = 6_000_000_000
    core: bool = True
    core_passes: int = 2000
    core_share: float = 0.45
    parts: bool = True
    part_rows: int = 32_768
    alone_work: int = 30_000_000
    sharing_work: int = 20_000
    slack: float = 0.5
    lanes: int = 64
    compact_rows: bool = True
    target_bins: bool = True
    groups: bool = True
    segments: bool = True
