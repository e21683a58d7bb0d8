"""Boxes of rows, low < x <= high in every column, and a proven range of a regression ensemble's numbers in each.

The range is the sum, tree by tree, of the least and the largest value of the leaves that the box reaches: no row of it
has a number outside. It need not be attained, but it is the number itself where every tree is decided.

A box keeps the ends of the columns that it was cut in, and of every tree the node down to which all its rows go alike;
so its size does not depend on the width of the table. All questions that the trees ask of a box are tried by the same
array operations, in blocks of about a hundredth of a second.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.convert import NumberEnsemble

__all__ = ["Box", "Cut", "Forest", "apart"]

BLOCK = 1 << 17  # nodes that are moved at once
LARGEST = float(np.finfo(np.float32).max)  # scikit-learn refuses rows beyond
Nodes = NDArray[np.int64]
Numbers = NDArray[np.float64]


def apart(one: float, other: float) -> float:
    """Return one - other >= 0, rounded up: the error of a difference is a float itself (Knuth's TwoSum)."""
    far = one - other
    back = far - one
    error = (one - (far - back)) - (other + back)
    return math.nextafter(far, math.inf) if error > 0 else far


@dataclass(eq=False)
class Box:
    """Rows, and the range of the ensemble's numbers in them.

    Parameters
    ----------
    ends : dict of int to tuple of float
        Columns with their low and high; the others are unbounded.
    nodes : ndarray of shape (n_trees,), int64, or None
        Where the rows of the box part in each tree; None once it was split.
    least, largest : float
    split : tuple of (int, float, Box, Box), or None
        Column, threshold and halves.
    """

    ends: dict[int, tuple[float, float]]
    nodes: Nodes | None
    least: float
    largest: float
    split: tuple[int, float, Box, Box] | None = None

    @property
    def middle(self) -> float:
        return self.least + (self.largest - self.least) / 2

    @property
    def reach(self) -> float:
        """How far a number of the box can be from its middle."""
        return max(apart(self.largest, self.middle), apart(self.middle, self.least))

    def row(self) -> dict[int, float]:
        """Return a row of the box, of numbers that models take: a few columns, 0 in the others."""
        out = {}
        for column, (low, high) in self.ends.items():
            start = low if math.isfinite(low) else 0.0
            beyond = min(start + max(abs(start), 1.0), LARGEST)
            out[column] = high if math.isfinite(high) else beyond
        return out

    def depth_first(self) -> list[Box]:
        """Return this box and all that it was split into, each before its halves and the left before the right."""
        found, pending = [], [self]
        while pending:
            box = pending.pop()
            found.append(box)
            if box.split is not None:
                pending += [box.split[3], box.split[2]]
        return found


@dataclass(frozen=True, eq=False)
class Cut:
    """Questions tried at a box, with the ranges of both halves: arrays of shape (2, n_questions), left first."""

    column: Nodes
    threshold: Numbers
    nodes: Nodes
    least: Numbers
    largest: Numbers

    def reach(self) -> Numbers:
        """Half of the width of each range."""
        return np.asarray((self.largest - self.least) / 2)


class Forest:
    """The trees of an ensemble as one list of nodes, each with the least and the largest value below it."""

    def __init__(self, ensemble: NumberEnsemble) -> None:
        trees = ensemble.trees
        sizes = [len(tree.feature) for tree in trees]
        self.roots: Nodes = np.cumsum([0, *sizes[:-1]])
        first = np.repeat(self.roots, sizes)
        self.feature = np.concatenate([tree.feature for tree in trees]).astype(np.int64)
        self.threshold = np.concatenate([tree.threshold for tree in trees])
        self.left = np.concatenate([tree.left for tree in trees]) + first
        self.right = np.concatenate([tree.right for tree in trees]) + first
        self.least = np.concatenate([tree.value[:, 0] for tree in trees])
        self.bias = ensemble.bias
        levels, level = [], self.roots
        while len(level := level[self.feature[level] >= 0]):
            levels.append(level)
            level = np.concatenate([self.left[level], self.right[level]])
        self.largest = self.least.copy()
        for level in reversed(levels):
            left, right = self.left[level], self.right[level]
            self.least[level] = np.minimum(self.least[left], self.least[right])
            self.largest[level] = np.maximum(self.largest[left], self.largest[right])
        self._low, self._high = (np.full(ensemble.n_features, end) for end in (-np.inf, np.inf))
        arrays = (self.feature, self.threshold, self.left, self.right, self.least, self.largest)
        self.bytes = sum(array.nbytes for array in arrays)

    def all_rows(self) -> Box:
        """Return the box of all rows."""
        return Box({}, self.roots, *self._range(self.roots))

    def questions(self, box: Box) -> Iterator[Cut]:
        """Try what the trees ask where the rows of the box part in them, by column and threshold."""
        assert box.nodes is not None  # it was not split
        open_ = box.nodes[self.feature[box.nodes] >= 0]
        column, threshold = self.feature[open_], self.threshold[open_]
        order = np.lexsort((threshold, column))
        column, threshold = column[order], threshold[order]
        new = np.append(True, (column[1:] != column[:-1]) | (threshold[1:] != threshold[:-1]))
        column, threshold = column[new], threshold[new]
        size = max(1, BLOCK // (2 * len(box.nodes)))
        for begin in range(0, len(column), size):
            yield self._tried(box, column[begin : begin + size], threshold[begin : begin + size])

    def _tried(self, box: Box, column: Nodes, threshold: Numbers) -> Cut:
        assert box.nodes is not None
        for j, (low, high) in box.ends.items():
            self._low[j], self._high[j] = low, high
        try:
            n, n_trees = len(column), len(box.nodes)
            at = np.tile(box.nodes, 2 * n)
            own = np.tile(column, 2)
            lows = np.concatenate([self._low[column], threshold])  # of the column that is cut
            highs = np.concatenate([threshold, self._high[column]])
            moving = np.flatnonzero(self.feature[at] >= 0)
            while len(moving):
                node, half = at[moving], moving // n_trees
                f, t = self.feature[node], self.threshold[node]
                cut = f == own[half]
                goes_left = np.where(cut, highs[half], self._high[f]) <= t
                moved = goes_left | (np.where(cut, lows[half], self._low[f]) >= t)
                node, moving = node[moved], moving[moved]
                below = np.where(goes_left[moved], self.left[node], self.right[node])
                at[moving] = below
                moving = moving[self.feature[below] >= 0]
        finally:
            for j in box.ends:
                self._low[j], self._high[j] = -np.inf, np.inf
        nodes = at.reshape(2, n, n_trees)
        least, largest = (values[nodes].sum(axis=2) + self.bias for values in (self.least, self.largest))
        return Cut(column, threshold, nodes, least, largest)

    def halves(self, box: Box, cut: Cut, k: int) -> tuple[int, float, Box, Box]:
        """Return question k of those that were tried, with its halves."""
        column, threshold = int(cut.column[k]), float(cut.threshold[k])
        low, high = box.ends.get(column, (-math.inf, math.inf))
        left, right = (
            Box(
                {**box.ends, column: ends},
                cut.nodes[side, k].copy(),
                float(cut.least[side, k]),
                float(cut.largest[side, k]),
            )
            for side, ends in enumerate(((low, threshold), (threshold, high)))
        )
        return column, threshold, left, right

    def _range(self, nodes: Nodes) -> tuple[float, float]:
        return float(self.least[nodes].sum() + self.bias), float(self.largest[nodes].sum() + self.bias)
