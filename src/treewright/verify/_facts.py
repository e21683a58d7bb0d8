"""The facts about a tree, recomputed from the data: rows, weights and costs of each node, loss, objective, depth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.problem import Problem
from treewright.tree import Tree
from treewright.verify._route import rows_of_nodes

__all__ = ["TOLERANCE", "Facts", "is_whole"]

TOLERANCE = 1e-9  # for sums of real numbers; whole numbers are compared exactly


@dataclass(frozen=True)
class Facts:
    """The facts about a tree, recomputed from the data.

    Parameters
    ----------
    rows : list of ndarray
        For each node the rows that pass it.
    count : ndarray of shape (n_nodes,), int64
        Number of these rows.
    weight : ndarray of shape (n_nodes, n_classes)
        Weight of each class in each node.
    prices : ndarray of shape (n_nodes, n_classes)
        Cost of predicting each class in each node, as a share of the total weight.
    leaves : ndarray of int64
        Numbers of the leaves.
    depth : int
    loss, objective : float
    """

    rows: list[NDArray[np.int64]]
    count: NDArray[np.int64]
    weight: NDArray[np.float64]
    prices: NDArray[np.float64]
    leaves: NDArray[np.int64]
    depth: int
    loss: float
    objective: float

    @classmethod
    def of(cls, problem: Problem, tree: Tree) -> Facts:
        """Route the rows through a tree and recompute its facts; its structure must have been checked before."""
        passed = rows_of_nodes(tree, problem.table.X)
        count = np.array([len(rows) for rows in passed], dtype=np.int64)
        weight = np.zeros((len(passed), problem.n_classes))
        for node, rows in enumerate(passed):
            for k in range(problem.n_classes):
                weight[node, k] = problem.sample_weight[rows[problem.y[rows] == k]].sum()
        prices = weight @ problem.costs / problem.total_weight
        leaves = np.array([node for node, split in enumerate(tree.splits) if split is None])
        level = [0] * len(passed)
        for node, split in enumerate(tree.splits):
            if split is not None:
                level[tree.children_left[node]] = level[tree.children_right[node]] = level[node] + 1
        loss = float(prices[leaves, tree.prediction[leaves]].sum())
        return cls(
            rows=passed,
            count=count,
            weight=weight,
            prices=prices,
            leaves=leaves,
            depth=max(level),
            loss=loss,
            objective=loss + problem.cost_complexity * len(leaves),
        )


def is_whole(values: NDArray[np.float64]) -> bool:
    """Whether all values are whole numbers, so that their sums are exact in any order."""
    return bool((values == np.floor(values)).all())
