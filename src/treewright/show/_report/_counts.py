"""Counts of rows that a tree of classes gets right, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.show._report._rows import Rows
from treewright.tree import Tree, wilson_interval

__all__ = ["Count", "confusion", "count_right", "is_right"]


@dataclass(frozen=True, slots=True)
class Count:
    """So many of so many rows are right; every row counts as one.

    Parameters
    ----------
    right, rows : int
    """

    right: int
    rows: int

    @classmethod
    def of(cls, mask: NDArray[np.bool_]) -> Count:
        """Count the rows that are true."""
        return cls(int(mask.sum()), len(mask))

    @property
    def share(self) -> float:
        """Right rows divided by rows; 0 without rows."""
        return self.right / self.rows if self.rows else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95% Wilson interval; everything without rows."""
        return wilson_interval(self.right, self.rows) if self.rows else (0.0, 1.0)


def count_right(tree: Tree, rows: Rows) -> Count:
    """Return how many of all rows the tree gets right."""
    return Count.of(is_right(tree, rows))


def is_right(tree: Tree, rows: Rows) -> NDArray[np.bool_]:
    """Return whether the tree gets each row right."""
    return np.asarray(_predict(tree, rows) == rows.y)


def confusion(tree: Tree, rows: Rows) -> NDArray[np.int64]:
    """Return counts by true class (rows; a last one for labels that the tree has never seen) and prediction."""
    assert tree.classes is not None  # of classification trees
    k = len(tree.classes)
    truth = np.where(rows.y < 0, k, rows.y)
    return np.bincount(truth * k + _predict(tree, rows), minlength=(k + 1) * k).reshape(k + 1, k)


def _predict(tree: Tree, rows: Rows) -> NDArray[np.int64]:
    return tree.prediction[tree.apply(rows.X)].astype(np.int64)
