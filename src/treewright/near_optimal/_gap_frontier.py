"""What a smaller gap between two groups costs: the best tree for every largest gap."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from numpy.typing import ArrayLike

from treewright._arguments import check_arguments
from treewright.errors import InputError
from treewright.near_optimal._bounds import check_count
from treewright.near_optimal._extremes import Extremes
from treewright.near_optimal._watch import TimeOver, Watch
from treewright.near_optimal._within import Within, first_within
from treewright.tree import Tree

if TYPE_CHECKING:
    from treewright.near_optimal._trees import NearOptimalTrees

__all__ = ["GapFrontier", "GapPoint", "gap_frontier"]


class GapPoint(NamedTuple):
    """The best tree whose gap is at most this one.

    Parameters
    ----------
    gap : float
        Its absolute gap, 0 to 1; of two gaps (equal odds) the larger.
    objective : float
    tree : Tree

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import near_optimal_trees
    >>> from treewright.near_optimal import gap_frontier
    >>> X = np.random.default_rng(0).integers(0, 2, (80, 4))
    >>> trees = near_optimal_trees(X, X[:, 0] | X[:, 1] & X[:, 2], max_depth=2, epsilon=1)
    >>> best = gap_frontier(trees, "x3").points[0]  # of all trees
    >>> best.tree.predict(X).tolist() == trees[0].predict(X).tolist()
    True
    """

    gap: float
    objective: float
    tree: Tree


class GapFrontier(NamedTuple):
    """The best tree for each limit on the gap.

    Parameters
    ----------
    points : list of GapPoint
        From the best tree of all to the smallest gap: gaps decrease, objectives never do. If the largest allowed gap is
        between two points, the best tree is that of the smaller gap. The first point is always there, however early the
        search gave up.
    proven : bool
        Whether no tree of the set has a smaller gap than the last point.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import near_optimal_trees
    >>> from treewright.near_optimal import gap_frontier
    >>> X = np.random.default_rng(0).integers(0, 2, (80, 4))
    >>> trees = near_optimal_trees(X, X[:, 0] | X[:, 1] & X[:, 2], max_depth=2, epsilon=1)
    >>> gap_frontier(trees, "x3").proven
    True
    """

    points: list[GapPoint]
    proven: bool


def gap_frontier(
    trees: NearOptimalTrees,
    group: ArrayLike | str,
    kind: Literal["parity", "opportunity", "odds"] = "parity",
    *,
    label: Any = None,
    look_at: int = 100_000,
    time_limit: float | None = None,
) -> GapFrontier:
    """Return the best tree of a set for each limit on the gap between a group and all others.

    Parameters
    ----------
    trees : NearOptimalTrees
        A set that is not empty.
    group : array-like of bool, shape (n_rows,), or str
        As in `NearOptimalTrees.gap_range`.
    kind : {"parity", "opportunity", "odds"}, default="parity"
        As in `NearOptimalTrees.best_with_gap`.
    label : object, default=None
        As in `NearOptimalTrees.gap_range`.
    look_at : int, default=100000
        How many partial trees to look at in all before giving up.
    time_limit : float or None, default=None
        Seconds, after which to give up as well; None is no limit.

    Returns
    -------
    GapFrontier

    Raises
    ------
    InputError
        As in `NearOptimalTrees.best_with_gap`, or the set is empty.
    SolverError
        `time_limit` ended before the trees of the set were counted (for a set made by `where`).

    Notes
    -----
    After each tree the search continues at the tree's size with trees of strictly smaller gap. No smaller tree has such
    a gap, because it would have been found before.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import near_optimal_trees
    >>> from treewright.near_optimal import gap_frontier
    >>> X = np.random.default_rng(0).integers(0, 2, (80, 4))
    >>> y = X[:, 0] | X[:, 1] & X[:, 2]
    >>> trees = near_optimal_trees(X, y, max_depth=2, epsilon=1)
    >>> points, proven = gap_frontier(trees, "x3")
    >>> bool(points[0].gap >= points[-1].gap), proven
    (True, True)
    """
    check_arguments(gap_frontier, locals(), "trees")
    check_count("look_at", look_at, 0)
    if kind not in ("parity", "opportunity", "odds"):
        raise InputError(f'kind={kind!r}; choose "parity", "opportunity" or "odds".')
    watch = Watch.started(time_limit)
    trees._count_within(watch)
    trees._some("no gap")
    counts, table = trees.counts, trees.graph.problem.table
    gaps = trees._gaps(group, kind, label)

    def point(cost: Fraction, tree: Tree) -> tuple[GapPoint, Fraction]:
        predicted = tree.prediction[tree.apply(table.X)]
        reached = max(gap.of(predicted) for gap in gaps)
        return GapPoint(float(reached), float(cost * trees.graph.unit), tree), reached

    cells, at, looked = trees._cells, 0, 0
    points: list[GapPoint] = []
    try:
        sums = [Extremes.of_rows(counts, gap.values, watch) for gap in gaps]
        ranges = [(most, most.negative()) for most in sums]
        limits = [gap.at_most(Fraction(1)) for gap in gaps]
        while at < len(cells):
            cost, cell, _ = cells[at]
            within = [
                Within(most, least, -limit, limit)
                for (most, least), limit in zip(ranges, limits, strict=True)
            ]
            found = first_within(counts, cell, within, look_at - looked, watch)
            looked += found.looked_at
            if found.steps is None:
                if not found.is_done:
                    raise TimeOver
                at += 1
                continue
            here, reached = point(cost, trees._tree(found.steps))
            points.append(here)
            limits = [gap.below(reached) for gap in gaps]
            if min(limits) < 0:
                break
    except TimeOver:
        return GapFrontier(points or [point(cells[0][0], trees[0])[0]], False)
    return GapFrontier(points, True)
