"""A tree in the terms of an instance: which column is cut after which rank. From it to a `Tree`, and to a full tree.

A formulation speaks of full binary trees of depth d, heap-numbered (the children of m are 2m + 1 and 2m + 2). A plan
has only the splits that separate rows; where it has a leaf above depth d, the full tree's nodes below send all rows
right, and only the rightmost leaf there holds rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.mip._instance import Instance
from treewright.tree import Split, Tree, grow, reduce_tree

__all__ = ["NO_CUT", "FullTree", "Plan", "full_tree", "leaves_of", "plan_of", "tree_of", "value_of"]

NO_CUT = -1  # ranks above it: all


@dataclass(frozen=True, slots=True)
class Plan:
    """An inner node; a leaf is None.

    Parameters
    ----------
    column : int
        Of the instance.
    cut : int
        Rows with a rank of at most this go left.
    left, right : Plan or None
    """

    column: int
    cut: int
    left: Plan | None
    right: Plan | None


@dataclass(frozen=True, eq=False)
class FullTree:
    """Splits of all inner nodes of a full tree, and where the instance's rows end.

    Parameters
    ----------
    column : ndarray of shape (2**depth - 1,), int64
    cut : ndarray of shape (2**depth - 1,), int64
        `NO_CUT` sends all rows right.
    leaf : ndarray of shape (n_rows,), int64
        0 to 2**depth - 1, from left to right.
    """

    column: NDArray[np.int64]
    cut: NDArray[np.int64]
    leaf: NDArray[np.int64]

    @property
    def depth(self) -> int:
        """Number of splits on each path."""
        return len(self.column).bit_length()


def route(column: NDArray[np.int64], cut: NDArray[np.int64], rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the leaf of each row."""
    node = np.zeros(len(rank), dtype=np.int64)
    rows = np.arange(len(rank))
    for _ in range(len(column).bit_length()):
        node = 2 * node + 1 + (rank[rows, column[node]] > cut[node])
    return node - len(column)


def full_tree(plan: Plan | None, depth: int, instance: Instance) -> FullTree:
    """Return the full tree of `depth` that decides like `plan`, which must not be deeper."""
    column = np.zeros(2**depth - 1, dtype=np.int64)
    cut = np.full(2**depth - 1, NO_CUT, dtype=np.int64)
    pending = [(0, plan)]
    while pending:
        node, here = pending.pop()
        if here is not None:
            column[node], cut[node] = here.column, here.cut
            pending += [(2 * node + 1, here.left), (2 * node + 2, here.right)]
    return FullTree(column, cut, route(column, cut, instance.rank))


def plan_of(column: NDArray[np.int64], cut: NDArray[np.int64], instance: Instance) -> Plan | None:
    """Return the reduced plan of a full tree: no empty sides, no two sibling leaves of one cheapest class."""
    label_costs = instance.row_costs

    def build(node: int, rows: NDArray[np.int64]) -> tuple[Plan | None, int]:
        best = int(label_costs[rows].sum(axis=0).argmin())
        if node >= len(column):
            return None, best
        left = instance.rank[rows, column[node]] <= cut[node]
        if left.all() or not left.any():
            return build(2 * node + 1 if left.any() else 2 * node + 2, rows)
        below = build(2 * node + 1, rows[left]), build(2 * node + 2, rows[~left])
        if below[0][0] is None and below[1][0] is None and below[0][1] == below[1][1]:
            return None, best
        return Plan(int(column[node]), int(cut[node]), below[0][0], below[1][0]), best

    return build(0, np.arange(instance.n_rows))[0]


def tree_of(plan: Plan | None, instance: Instance) -> Tree:
    """Return the tree of a plan, with thresholds in units of the table and counts from all of its rows."""

    def splits(here: Plan | None) -> list[Split | None]:
        if here is None:
            return [None]
        split, swapped = instance.columns[here.column].split(here.cut, here.cut + 1)
        sides = [here.right, here.left] if swapped else [here.left, here.right]
        return [split, *splits(sides[0]), *splits(sides[1])]

    problem = instance.problem
    tree = grow(
        problem.table.columns,
        problem.classes,
        splits(plan),
        problem.table.X,
        problem.y,
        problem.sample_weight,
        problem.costs,
    )
    return reduce_tree(tree)


def leaves_of(plan: Plan | None, instance: Instance) -> list[NDArray[np.int64]]:
    """Return the distinct rows of each leaf, from left to right."""
    leaves = []
    pending: list[tuple[Plan | None, NDArray[np.int64]]] = [(plan, np.arange(instance.n_rows))]
    while pending:
        here, rows = pending.pop()
        if here is None:
            leaves.append(rows)
        else:
            left = instance.rank[rows, here.column] <= here.cut
            pending += [(here.right, rows[~left]), (here.left, rows[left])]
    return leaves


def value_of(plan: Plan | None, instance: Instance, leaf_accuracy: bool) -> float:
    """Return what a plan costs, counted from the rows: 1 - Q, or loss + cost_complexity * leaves.

    Infinite if a leaf has too few rows or there are too many leaves: a solver may break a limit within its tolerance.
    """
    problem, leaves = instance.problem, leaves_of(plan, instance)
    if min(instance.count[rows].sum() for rows in leaves) < problem.min_samples_leaf:
        return np.inf
    if problem.max_leaf_nodes is not None and len(leaves) > problem.max_leaf_nodes:
        return np.inf
    classes = (
        np.bincount(instance.y[rows], instance.weight[rows], minlength=problem.n_classes) for rows in leaves
    )
    paid = np.array([(weights @ problem.costs).min() for weights in classes])
    if leaf_accuracy:
        return float((paid / [instance.weight[rows].sum() for rows in leaves]).max())
    return float(paid.sum() / instance.total + problem.cost_complexity * len(leaves))
