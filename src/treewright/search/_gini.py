"""Squared error of the shares of classes (Brier score, Gini impurity), from labels.

It is the squared error of 0/1 indicators, one output for each class, which is how the engine takes it. They are made
only for the engine: of a million rows and ten classes they are larger than the table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.search._additive_losses import SquaredErrorLoss
from treewright.search._additive_units import SquaredErrorUnits
from treewright.search._prune_additive import RowSums
from treewright.search._single_split import GINI, one_split, split_of_labels
from treewright.table import Table
from treewright.tree import Split

__all__ = ["GiniLoss"]


@dataclass(frozen=True, eq=False)
class GiniLoss:
    """Gini impurity: a leaf of weight W costs ``W - sum_k W_k^2 / W``, where its rows of class k weigh W_k.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), int
        Classes from 0.
    n_classes : int
    weight : ndarray of shape (n_rows,), float64
        Finite, not negative, one of them at least positive.
    """

    y: NDArray[np.integer[Any]]
    n_classes: int
    weight: NDArray[np.float64]

    @cached_property
    def indicators(self) -> SquaredErrorLoss:
        """The same loss with one output for each class."""
        targets = np.zeros((self.n_classes, len(self.y)))  # one class after the other, as they are read
        targets[self.y, np.arange(len(self.y))] = 1.0
        return SquaredErrorLoss(targets.T, self.weight)

    def leaf_loss(self, rows: NDArray[np.intp] | slice = slice(None)) -> float:
        """Return the loss of one leaf with these rows."""
        weights = np.bincount(self.y[rows], self.weight[rows], self.n_classes)
        total = weights.sum()
        if total == 0:
            return 0.0
        others = total - weights
        top = weights.argmax()  # whose difference could be rounding alone
        others[top] = weights[:top].sum() + weights[top + 1 :].sum()
        return float((weights * (others / total)).sum())

    def unavoidable(self) -> float:
        """Return the loss that every tree has: none."""
        return 0.0

    def check(self, n: int) -> None:
        """Refuse numbers that are no loss of `n` rows."""
        self.indicators.check(n)

    def units(self, leaf_penalty: float, max_leaves: int, needs_spans: bool) -> SquaredErrorUnits:
        """Return the loss in integers."""
        return self.indicators.units(leaf_penalty, max_leaves, needs_spans)

    def row_sums(self) -> RowSums:
        """Return the numbers of which a leaf's loss is a function."""
        return self.indicators.row_sums()

    def best_split(self, table: Table, min_leaf: int, below: float = math.inf) -> list[Split | None]:
        """Return the best tree of one split, found without ranks."""
        return one_split(
            split_of_labels(table, GINI, self.y, self.weight, self.n_classes, min_leaf, below=below)
        )

    def native(self, rank: NDArray[np.uint32], units: Any, **rest: Any) -> dict[str, Any]:
        """Run the engine."""
        return self.indicators.native(rank, units, **rest)
