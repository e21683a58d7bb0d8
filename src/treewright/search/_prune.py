"""Prunings of a tree: a leaf, or one of the two children, in the place of an inner node.

No optimal tree has a better pruning: depth, leaves and the sizes of leaves only become easier to keep, and the splits
are splits of the tree itself. So the check costs nothing in generality. It refutes a false proof, and it makes the
tree of a stopped run at least as good as all of its own subtrees.

A child that takes the place of its parent gets the rows of the other side as well; they are routed again, and its
leaves predict again. All of a round costs about rows x depth^2 / 2 comparisons.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.problem import Problem
from treewright.tree import Split, Tree, grow

__all__ = ["best_pruning"]

ROUNDING = 1e-12  # relative: a smaller gain may be one of float64 sums


@dataclass(frozen=True, eq=False)
class _Part:
    """A subtree and what falls into its leaves.

    Parameters
    ----------
    splits : list of Split or None
        Depth-first; None is a leaf.
    weight : ndarray of shape (n_leaves, n_classes)
        Weight of each class in each leaf.
    cost : float
        What the leaves pay for their predictions and for being leaves.
    """

    splits: list[Split | None]
    weight: NDArray[np.float64]
    cost: float

    @property
    def n_leaves(self) -> int:
        return len(self.weight)


def best_pruning(
    problem: Problem, tree: Tree, *, min_leaf_accuracy: float = 0.0, seconds: float = np.inf
) -> Tree:
    """Return the tree that repeated prunings make of `tree`, or `tree` itself where none is better.

    Parameters
    ----------
    problem : Problem
    tree : Tree
        Grown from the rows of `problem`, within its constraints; so is every pruning.
    min_leaf_accuracy : float, default=0.0
        Share of its weight on which every leaf must be right.
    seconds : float, default=inf
        No round begins later. One round always runs.

    Returns
    -------
    Tree
        Never dearer. One of the same cost has fewer leaves.

    Notes
    -----
    From the leaves up, each node becomes the cheapest of: its split above its pruned children, a leaf, either child.
    A child that moved up has other rows than before, so rounds go on until nothing changes. Each makes the tree
    cheaper or smaller, so they end.
    """
    end = time.perf_counter() + seconds
    splits: list[Split | None] = list(tree.splits)
    while len(splits) > 1:
        pruned = _Pruner(problem, splits, min_leaf_accuracy).run()
        if pruned == splits:
            break
        splits = pruned
        if time.perf_counter() > end:
            break
    if len(splits) == tree.node_count:
        return tree
    return grow(
        tree.columns,
        problem.classes,
        splits,
        problem.table.X,
        problem.y,
        problem.sample_weight,
        problem.costs,
    )


class _Pruner:
    """One round over a tree."""

    def __init__(self, problem: Problem, splits: Sequence[Split | None], min_leaf_accuracy: float) -> None:
        self.problem = problem
        self.splits = splits
        self.accuracy = min_leaf_accuracy
        self.leaf_price = problem.cost_complexity * problem.total_weight

    def run(self) -> list[Split | None]:
        """Return the splits of the pruned tree."""
        rows, children = self._route(self.splits, np.arange(len(self.problem.y)))
        parts: dict[int, _Part] = {}
        for node in range(len(self.splits) - 1, -1, -1):  # children come after parents
            split = self.splits[node]
            if split is None:
                parts[node] = self._leaf(rows[node])
                continue
            left, right = children[node]
            parts[node] = self._cheapest(
                split, parts.pop(left), parts.pop(right), rows[node], rows[left], rows[right]
            )
        return parts[0].splits

    def _cheapest(
        self,
        split: Split,
        left: _Part,
        right: _Part,
        rows: NDArray[np.int64],
        rows_left: NDArray[np.int64],
        rows_right: NDArray[np.int64],
    ) -> _Part:
        best = _Part(
            [split, *left.splits, *right.splits],
            np.concatenate([left.weight, right.weight]),
            left.cost + right.cost,
        )
        candidates = [self._leaf(rows)]
        # Further rows make no part cheaper: costs are at least 0.
        if left.n_leaves > 1 and left.cost < best.cost:
            candidates.append(self._with_rows(left, rows_right))
        if right.n_leaves > 1 and right.cost < best.cost:
            candidates.append(self._with_rows(right, rows_left))
        for candidate in candidates:
            cheaper = candidate.cost < best.cost - ROUNDING * abs(best.cost)
            smaller = candidate.cost <= best.cost and candidate.n_leaves < best.n_leaves
            if (cheaper or smaller) and self._is_accurate(candidate):
                best = candidate
        return best

    def _leaf(self, rows: NDArray[np.int64]) -> _Part:
        return self._part([None], self._weight(rows)[None, :])

    def _with_rows(self, part: _Part, rows: NDArray[np.int64]) -> _Part:
        """Return the part with further rows."""
        routed, children = self._route(part.splits, rows)
        more = [self._weight(routed[node]) for node in range(len(part.splits)) if node not in children]
        return self._part(part.splits, part.weight + np.array(more))

    def _part(self, splits: list[Split | None], weight: NDArray[np.float64]) -> _Part:
        paid = float((weight @ self.problem.costs).min(axis=1).sum())
        return _Part(splits, weight, paid + self.leaf_price * len(weight))

    def _is_accurate(self, part: _Part) -> bool:
        if self.accuracy <= 0:
            return True
        return bool((part.weight.max(axis=1) >= self.accuracy * part.weight.sum(axis=1)).all())

    def _weight(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        y, weight = self.problem.y[rows], self.problem.sample_weight[rows]
        return np.bincount(y, weights=weight, minlength=self.problem.n_classes).astype(np.float64, copy=False)

    def _route(
        self, splits: Sequence[Split | None], rows: NDArray[np.int64]
    ) -> tuple[list[NDArray[np.int64]], dict[int, tuple[int, int]]]:
        """Return the rows of each node, depth-first, and the children of each split."""
        of_node: list[NDArray[np.int64]] = []
        children: dict[int, tuple[int, int]] = {}
        lefts: dict[int, int] = {}
        pending = [(-1, rows)]
        for node, split in enumerate(splits):
            parent, here = pending.pop()
            if parent in lefts:
                children[parent] = (lefts.pop(parent), node)
            elif parent >= 0:
                lefts[parent] = node
            of_node.append(here)
            if split is None:
                continue
            left = split.goes_left(self.problem.table.X, here)
            pending += [(node, here[~left]), (node, here[left])]
        return of_node, children
