"""The fewest columns that a tree of a set can do with."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from treewright._arguments import check_arguments
from treewright.errors import InputError
from treewright.tree import Tree

if TYPE_CHECKING:
    from treewright.near_optimal._trees import NearOptimalTrees

__all__ = ["FewestColumns", "fewest_columns"]


class FewestColumns(NamedTuple):
    """A tree that uses few columns, and what is proven about it.

    Parameters
    ----------
    tree : Tree
        The best of the trees that use this many columns.
    n_columns : int
    proven : bool
        Whether no tree of the set uses fewer.

    Examples
    --------
    >>> from treewright import near_optimal_trees
    >>> from treewright.near_optimal import fewest_columns
    >>> X, y = [[20, 1], [30, 2], [40, 3], [50, 4]], [0, 0, 1, 1]
    >>> fewest_columns(near_optimal_trees(X, y, max_depth=2)).proven
    True
    """

    tree: Tree
    n_columns: int
    proven: bool


def fewest_columns(
    trees: NearOptimalTrees, look_at: int = 500, go_on: Callable[[float], bool] | None = None
) -> FewestColumns:
    """Return the tree of a set that splits on the fewest columns.

    Parameters
    ----------
    trees : NearOptimalTrees
    look_at : int, default=500
        How many sets of columns to try; after that the tree found may not be the one with the fewest columns.
    go_on : callable, default=None
        Called before each step with the seconds that the longest step took; if it returns False, the search ends as
        well.

    Returns
    -------
    FewestColumns

    Raises
    ------
    InputError
        The set is empty.

    Notes
    -----
    Branch and bound over columns: a column of the best tree is either left out by all trees of a branch, or counted as
    used. A tree that does not use a counted column is in another branch. So the trees of this branch use at least as
    many columns as were counted, and cost at least as much as its best tree.

    Examples
    --------
    >>> from treewright import near_optimal_trees
    >>> from treewright.near_optimal import fewest_columns
    >>> X, y = [[20, 1], [30, 2], [40, 3], [50, 4]], [0, 0, 1, 1]
    >>> fewest_columns(near_optimal_trees(X, y, max_depth=2)).n_columns
    1
    """
    check_arguments(fewest_columns, locals(), "trees", "look_at", "go_on")
    if not trees:
        raise InputError("The set is empty: no tree has columns.")
    names = trees.graph.problem.table.names
    best, least = trees[0], (len(trees[0].asked), trees.table()[0].objective)
    looked, proven, longest = 0, True, 0.0
    pending: list[tuple[NearOptimalTrees, frozenset[int]]] = [(trees, frozenset())]
    while pending:
        some, counted = pending.pop()
        if len(counted) > least[0]:
            continue
        if looked >= look_at or (go_on is not None and not go_on(longest)):
            proven = False
            break
        looked += 1
        begun = time.perf_counter()
        if not some or (len(counted), some.table()[0].objective) >= least:
            continue
        longest = max(longest, time.perf_counter() - begun)
        tree, objective = some[0], some.table()[0].objective
        if (len(tree.asked), objective) < least:
            best, least = tree, (len(tree.asked), objective)
        rest = sorted(tree.asked - counted)
        if rest:  # else no other tree here that asks all that is counted is better
            pending.append((some, counted | {rest[0]}))
            pending.append((some.where(without=names[rest[0]]), counted))
    return FewestColumns(best, len(best.asked), proven)
