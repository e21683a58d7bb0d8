"""The best tree that can be made from a tree by keeping each split, or replacing it by a leaf or by one of its sides.

All these trees keep the limits that the tree itself keeps: no leaf has fewer rows than before, no path is longer, and
no leaf is added. Their splits are splits of the tree, so they are within the scope. Therefore none of them may be below
a lower bound, and none may be better than a tree that is called optimal. Nor has a search a reason to return a tree
that is worse than one of them.

There are two passes, both from the leaves to the root. `best_pruning` keeps splits or turns them into leaves.
`best_subtree` also replaces a split by one of its sides: the rows of the other side are routed through this side, the
weights of its nodes are added up again, and its best pruning for all these rows is taken. The cost is rows times the
square of the depth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.problem import Problem
from treewright.tree import Tree
from treewright.verify._facts import Facts
from treewright.verify._route import goes_right

__all__ = ["Objective", "best_pruning", "best_subtree"]


@dataclass(frozen=True)
class Objective:
    """The quantity to minimize: the cost of a leaf, and the cost of two subtrees together.

    Parameters
    ----------
    of_leaves : callable
        From class weights, shape (n, n_classes), to costs, shape (n,); infinite for a leaf that is not allowed.
    of_sides : callable
        From the costs of the two sides of a split to the cost of the split: their sum, or the larger one.
    """

    of_leaves: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    of_sides: Callable[[float, float], float]


def best_pruning(tree: Tree, facts: Facts, objective: Objective) -> float:
    """Return the least cost of a pruning of the tree."""
    best = objective.of_leaves(facts.weight)
    for node in reversed(range(len(best))):
        if tree.splits[node] is not None:
            both = objective.of_sides(best[tree.children_left[node]], best[tree.children_right[node]])
            best[node] = min(best[node], both)
    return float(best[0])


def best_subtree(problem: Problem, tree: Tree, facts: Facts, objective: Objective) -> float:
    """Return the least cost of a tree whose splits are kept, turned into leaves, or replaced by one of their sides."""
    best = objective.of_leaves(facts.weight)
    for node in reversed(range(len(best))):
        if tree.splits[node] is None:
            continue
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        best[node] = min(
            best[node],
            objective.of_sides(best[left], best[right]),
            _with_more_rows(left, facts.rows[right], problem, tree, facts, objective, best),
            _with_more_rows(right, facts.rows[left], problem, tree, facts, objective, best),
        )
    return float(best[0])


def _with_more_rows(
    top: int,
    rows: NDArray[np.int64],
    problem: Problem,
    tree: Tree,
    facts: Facts,
    objective: Objective,
    best: NDArray[np.float64],
) -> float:
    """Return the least cost of a pruning of the subtree at `top` if it also had these rows.

    The costs of nodes that none of these rows reaches are taken from `best`.
    """
    reached: list[int] = []
    weight: list[NDArray[np.float64]] = []
    pending = [(top, rows)]
    while pending:
        node, here = pending.pop()
        if len(here) == 0:
            continue
        reached.append(node)
        added = np.bincount(problem.y[here], problem.sample_weight[here], minlength=problem.n_classes)
        weight.append(facts.weight[node] + added)
        split: Any = tree.splits[node]
        if split is not None:
            right = goes_right(split, problem.table.X, here)
            pending.append((int(tree.children_right[node]), here[right]))
            pending.append((int(tree.children_left[node]), here[~right]))
    if not reached:
        return float(best[top])
    cost = dict(zip(reached, objective.of_leaves(np.array(weight)).tolist(), strict=True))
    for node in reversed(reached):
        if tree.splits[node] is not None:
            sides = (int(tree.children_left[node]), int(tree.children_right[node]))
            both = objective.of_sides(*(cost.get(side, float(best[side])) for side in sides))
            cost[node] = min(cost[node], both)
    return float(cost[top])
