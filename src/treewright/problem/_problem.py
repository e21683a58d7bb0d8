"""What is to be solved, with no idea how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table import Table

__all__ = ["Problem"]


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise ``sum(w_i * costs[y_i, tree(x_i)]) / sum(w_i) + cost_complexity * leaves`` under constraints.

    Use `make_problem` to build one with checks; the constructor trusts its arguments.

    Parameters
    ----------
    table : Table
    y : ndarray of shape (n_rows,), int32
        Class index of each row.
    classes : ndarray of shape (n_classes,)
        Labels, sorted.
    sample_weight : ndarray of shape (n_rows,), float64
        Positive: `make_problem` leaves out the rows of weight zero.
    costs : ndarray of shape (n_classes, n_classes), float64
        ``costs[true, predicted] >= 0``; 1 off the diagonal and 0 on it for plain misclassification.
    cost_complexity : float
        Penalty of one leaf as a fraction of the total weight (lambda in the papers), >= 0.
    max_depth : int or None
        Largest number of splits on a path; None is unlimited.
    max_leaf_nodes : int or None
        Largest number of leaves; None is unlimited.
    min_samples_leaf : int
        Fewest rows (not weight) in a leaf, >= 1.
    rows : ndarray of shape (n_rows,), int64, or None
        Positions in the input of the rows that stayed; None if all did.
    notes : tuple of str
        Plain sentences about the input that a reader of the certificate must know (rows left out).
    """

    table: Table
    y: NDArray[np.int32]
    classes: NDArray[Any]
    sample_weight: NDArray[np.float64]
    costs: NDArray[np.float64]
    cost_complexity: float = 0.01
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 1
    rows: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def total_weight(self) -> float:
        """Sum of the sample weights."""
        return float(self.sample_weight.sum())
