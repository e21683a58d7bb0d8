"""What a near-optimal set answers, as plain records."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ColumnUse", "Size"]


class Size(NamedTuple):
    """One line of `NearOptimalTrees.table`: the trees of one number of leaves and one loss.

    Parameters
    ----------
    n_leaves : int
    loss : float
        Weighted share of wrong predictions, or their cost.
    objective : float
        ``loss + cost_complexity * n_leaves``.
    n_trees : int

    Examples
    --------
    >>> from treewright import near_optimal_trees
    >>> trees = near_optimal_trees([[20], [30], [40], [50]], [0, 0, 1, 1], max_depth=1)
    >>> size = trees.table()[0]
    >>> size.n_leaves, size.n_trees
    (2, 1)
    """

    n_leaves: int
    loss: float
    objective: float
    n_trees: int


class ColumnUse(NamedTuple):
    """The importance of one column among near-optimal trees.

    Parameters
    ----------
    name : str
    share : float
        Share of the trees that split on the column.
    share_at_root : float
        Share of the trees whose first split is on it.
    best_with : float or None
        Least objective of a tree that uses it; None if no tree of the set does.
    best_without : float or None
        Least objective of a tree that does not; None if every tree of the set uses it.
    reliance : tuple of float, or None
        Smallest and largest increase of the loss, over the trees, if the column's values are drawn anew from all rows.
        None if it was not requested, was not computed within the time limit, or if the set is empty.

    Examples
    --------
    >>> from treewright import near_optimal_trees
    >>> trees = near_optimal_trees([[20], [30], [40], [50]], [0, 0, 1, 1], max_depth=1)
    >>> [(use.name, use.share) for use in trees.columns()]
    [('x0', 1.0)]
    """

    name: str
    share: float
    share_at_root: float
    best_with: float | None
    best_without: float | None
    reliance: tuple[float, float] | None = None
