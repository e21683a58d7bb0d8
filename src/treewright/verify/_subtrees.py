"""The best tree that can be cut out of a tree: each split kept, replaced by a leaf, or by one of its two sides.

All of these keep the limits that the tree keeps: a leaf has no fewer rows than before, no path is longer, no leaf is
added; and their splits are splits of the tree, so they are within the scope. So none of them may be below a lower
bound; none may be better than a tree that is called optimal; and no search has a reason to return a tree that is worse
than one of them.

Two passes from the leaves up. `best_pruning` keeps splits or makes them leaves. `best_subtree` also gives all rows of a
node to one of its sides: the rows of the other side are routed through it, what its nodes hold then is added up again,
and its own best pruning for all these rows is taken. Cost of that: rows times the square of the depth.
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
    """What is to be small: the cost of a leaf, and of two subtrees together.

    Parameters
    ----------
    of_leaves : callable
        From class weights, shape (n, n_classes), to costs, shape (n,); inf where the leaf is not allowed.
    of_sides : callable
        From the costs of the two sides of a split to its own: a sum, or the larger one.
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
    """Return the least cost of a tree whose splits are leaves, kept, or replaced by one of their sides."""
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
    """Return the least cost of a pruning of the subtree at `top` if it had these rows, too.

    Nodes that none of the rows reaches cost what `best` says.
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
