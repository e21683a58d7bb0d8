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
        If a limit is reached before the columns are ranked, return the best tree of one split, computed
        from the unsorted table (tree/single_split.hpp).
    monotone : bool, default=True
        Use that a lower bound for a set of rows also holds for its supersets (bounds/interval_bounds.hpp).
        Automatically off if ``min_samples_leaf > 1``.
    lipschitz : bool, default=True
        Use that a lower bound for a set of rows, minus the weight of the rows that are removed, holds for
        its subsets (bounds/interval_bounds.hpp).
    between : bool, default=True
        Add to a bound what the rows between two thresholds cost by themselves (bounds/interval_bounds.hpp).
        Automatically off if ``min_samples_leaf > 1``.
    any_size : bool, default=True
        With ``min_samples_leaf > 1``: first find the splits that cannot be excluded for leaves of any size,
        then solve only these (search/ranked_any_size.cpp).
    leaf_count : bool, default=True
        Use that a deeper tree has more leaves, each with its penalty.
    shallower : bool, default=True
        Solve every node with one level less first, for an incumbent and a bound.
    cache : bool, default=True
        Store bounds by set of rows and depth.
    neighbours : bool, default=True
        Use bounds of neighbouring thresholds in subproblems (bounds/interval_bounds.hpp), if a kernel pass
        takes at least `sharing_work` steps.
    fair_shares : bool, default=True
        In subproblems of depth four or more, first prove for each side of a split only its likely share of
        the bound.
    resume : bool, default=True
        If an unfinished node is needed again with a larger budget, continue where its search stopped.
    rising : bool, default=True
        In a long search, prove rising lower bounds of the root one after another instead of the optimum at
        once.
    plain_work : int, default=6_000_000_000
        Work of the search before `rising` begins, in units of about a nanosecond: a kernel pass takes rows
        times columns units, and four to eight times as many with many classes or other losses.
    early_work : int, default=2_000_000_000
        For misclassification costs and depth four or more: work that a long search spends on proving half
        of the best cost, before the rest of the plain search, so that its bound is worth reading early. In
        the units of `plain_work`; 0 is none.
    core : bool, default=True
        For misclassification costs: before `rising`, a long search solves the problem for few rows, whose
        optimum is a lower bound for all rows (bounds/core_rows.hpp). Automatically off without `monotone`,
        or if ``min_samples_leaf > 1``.
    core_passes : int, default=2000
        Number of passes of the kernel before `core` and `parts` begin, or a third of `plain_work` if that
        is less.
    core_share : float, default=0.45
        Largest share of all rows that `core` may use. It is skipped if its first rows, doubled once, would
        be more.
    parts : bool, default=True
        After `core`, a long search over many rows solves the problem for parts of the rows, whose lower
        bounds add up to one for all rows (bounds/row_parts.hpp).
    part_rows : int, default=32_768
        Approximate number of rows of each part; `parts` is used only if there are at least four.
    alone_work : int, default=30_000_000
        Work after which further threads (``Limits(n_jobs=...)``) begin, in the units of `plain_work`.
    together_work : int, default=10_000
        Smallest work of one pass over the rows of a node below the root, in the units of `plain_work`, for
        which several threads search it together while they have nothing else to do.
    sharing_work : int, default=20_000
        Smallest number of steps of a kernel pass (rows times columns, as for `plain_work`) for which
        `neighbours` is used.
    slack : float, default=0.5
        Additional budget of a child, as a multiple of the cost that the rows in half of the open interval
        can have; four times as much for children of depth two.
    lanes : int, default=64
        Largest number of thresholds in one pass of the depth-two kernel, 1 to 64; fewer if registers are
        narrower.
    compact_rows : bool, default=True
        For the squared error of one output with all weights one: the depth-two kernel reads each row as one
        number of eight bytes (kernels/moment_kernel.hpp).
    target_bins : bool, default=True
        For the absolute error and quantiles: exclude columns that cannot have the best split, by sums over
        few bins of targets (objective/column_bounds.hpp).
    groups : bool, default=True
        Search a table of up to 512 binary columns, or of up to 64 thresholds, as groups of equal rows
        (search/group_search.hpp). Used if the loss is the squared error of one output or the survival loss,
        and the number of leaves is not limited. Of the other switches, only `segments` and `alone_work`
        matter then.
    segments : bool, default=True
        In a search with `groups`, bound the cost by the cheapest clusters of the groups on a line
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
    early_work: int = 2_000_000_000
    core: bool = True
    core_passes: int = 2000
    core_share: float = 0.45
    parts: bool = True
    part_rows: int = 32_768
    alone_work: int = 30_000_000
    together_work: int = 10_000
    sharing_work: int = 20_000
    slack: float = 0.5
    lanes: int = 64
    compact_rows: bool = True
    target_bins: bool = True
    groups: bool = True
    segments: bool = True
