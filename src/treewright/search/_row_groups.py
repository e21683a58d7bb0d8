"""Groups of rows that share one price, for tables with too many rows to price each alone.

A group is a leaf of a greedy tree and a cheapest class. Whatever the groups, the prices stay certified; good
groups make the bound strong: rows of one class in one corner of the table are worth about the same.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

__all__ = ["group_rows"]


def group_rows(
    bits: NDArray[np.uint8], label: NDArray[np.int32], weight: NDArray[np.float64], max_leaves: int
) -> NDArray[np.intp]:
    """Return the group of each row, numbered from 0.

    Parameters
    ----------
    bits : ndarray of shape (n_rows, n_columns), uint8
    label : ndarray of shape (n_rows,), int32
        Cheapest class.
    weight : ndarray of shape (n_rows,), float64
        What a wrong class costs.
    max_leaves : int
    """
    n_rows = len(label)
    mass = np.zeros((n_rows, int(label.max(initial=0)) + 1))
    mass[np.arange(n_rows), label] = weight
    columns = bits.astype(np.float64)
    leaf = np.zeros(n_rows, np.intp)
    queue: list[tuple[float, int, NDArray[np.bool_]]] = []

    def consider(rows: NDArray[np.intp], at: int) -> None:
        """Queue the leaf's best split, most Gini impurity saved first."""
        here, inside = mass[rows], columns[rows]
        total = here.sum(axis=0)
        ones = inside.T @ here
        saved = _purity(ones) + _purity(total - ones) - _purity(total[None, :])
        count = inside.sum(axis=0)
        saved[(count == 0) | (count == len(rows))] = -1.0
        best = int(saved.argmax()) if len(saved) else -1
        if best >= 0 and saved[best] >= 0 and len(rows) > 1:
            heapq.heappush(queue, (-float(saved[best]), at, inside[:, best] > 0))

    consider(np.arange(n_rows), 0)
    n_leaves = 1
    while queue and n_leaves < max_leaves:
        _, at, right = heapq.heappop(queue)
        rows = np.flatnonzero(leaf == at)
        leaf[rows[right]] = n_leaves
        consider(rows[~right], at)
        consider(rows[right], n_leaves)
        n_leaves += 1
    _, group = np.unique(leaf * mass.shape[1] + label, return_inverse=True)
    numbered: NDArray[np.intp] = group.astype(np.intp)
    return numbered


def _purity(mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sum of squares over sum, 0 where the sum is 0: the total less the Gini impurity."""
    total = mass.sum(axis=1)
    pure: NDArray[np.float64] = (mass**2).sum(axis=1) / np.where(total > 0, total, 1.0)
    return pure
