"""Boxes of rows, low < x <= high in every column, and a proven range of a regression ensemble's numbers in each.

The range is the sum, tree by tree, of the least and the largest value of the leaves that the box reaches: no row of it
has a number outside. It need not be attained, but it is the number itself where every tree is decided.

A box keeps the ends of the columns that it was cut in, and of every tree the node down to which all its rows go alike;
so its size does not depend on the width of the table. All questions that the trees ask of a box are tried by the same
array operations, in blocks of about a hundredth of a second.

Within a domain the trees have no splits outside its ranges (`NumberEnsemble.within`), so every box has rows of the
domain. Of a group of columns at most one is 1 (`_column_groups`): where a column is 1 the others are 0, and where only
one of them is left that can be 1, it is. Both are kept as ends of these columns, so that boxes have rows there, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from treewright.bornagain._column_groups import ColumnGroups
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
        trees, self.domain = ensemble.trees, ensemble.domain
        sizes = [len(tree.feature) for tree in trees]
        self.roots: Nodes = np.cumsum([0, *sizes[:-1]])
        first = np.repeat(self.roots, sizes)
        self.feature = np.concatenate([tree.feature for tree in trees]).astype(np.int64)
        self.threshold = np.concatenate([tree.threshold for tree in trees])
        self.left = np.concatenate([tree.left for tree in trees]) + first
        self.right = np.concatenate([tree.right for tree in trees]) + first
        self.least = np.concatenate([tree.value[:, 0] for tree in trees])
        self.bias = ensemble.bias
        self.groups = None
        if self.domain is not None and self.domain.groups:
            self.groups = ColumnGroups(self.domain, set(self.feature.tolist()))
        levels, level = [], self.roots
        while len(level := level[self.feature[level] >= 0]):
            levels.append(level)
            level = np.concatenate([self.left[level], self.right[level]])
        self.largest = self.least.copy()
        if self.domain is not None:  # leaves that no row of the domain reaches count for no range
            unreached = np.ones(len(self.feature), dtype=np.bool_)
            unreached[self._reached_leaves()] = False
            self.least[unreached], self.largest[unreached] = np.inf, -np.inf
        for level in reversed(levels):
            left, right = self.left[level], self.right[level]
            self.least[level] = np.minimum(self.least[left], self.least[right])
            self.largest[level] = np.maximum(self.largest[left], self.largest[right])
        self._low, self._high = (np.full(ensemble.n_features, end) for end in (-np.inf, np.inf))
        arrays = (self.feature, self.threshold, self.left, self.right, self.least, self.largest)
        self.bytes = sum(array.nbytes for array in arrays)

    def _reached_leaves(self) -> list[int]:
        """Return the leaves that rows of the domain reach: rounded thresholds and groups can leave some without any."""
        found = []
        everywhere: dict[int, tuple[float, float]] = {}
        pending = [(int(root), everywhere) for root in self.roots]
        while pending:
            node, ends = pending.pop()
            f, t = int(self.feature[node]), float(self.threshold[node])
            if f < 0:
                found.append(node)
                continue
            low, high = ends.get(f, (-math.inf, math.inf))
            for is_right, own, child in (
                (False, (low, min(high, t)), self.left[node]),
                (True, (max(low, t), high), self.right[node]),
            ):
                if own == (low, high):
                    pending.append((int(child), ends))
                elif own[0] < own[1]:
                    more = {} if self.groups is None else self.groups.settled(f, is_one=is_right, ends=ends)
                    pending.append((int(child), ends | {f: own} | more))
        return found

    def all_rows(self) -> Box:
        """Return the box of all rows."""
        return Box({}, self.roots, *self._range(self.roots))

    def row(self, box: Box) -> dict[int, float]:
        """Return a row of a box, of numbers that models take: the columns that are not 0."""
        out = dict(self._never_zero)
        for column, (low, high) in box.ends.items():
            start = low if math.isfinite(low) else 0.0
            beyond = min(start + max(abs(start), 1.0), LARGEST)
            if self.domain is not None:
                beyond = self.domain.clip(column, beyond)
            out[column] = high if math.isfinite(high) else beyond
        if self.groups is not None:
            out |= self.groups.ones(box.ends)
        return out

    @cached_property
    def _never_zero(self) -> dict[int, float]:
        """The columns in which no row of the domain has a 0, each with a value that it can have."""
        if self.domain is None:
            return {}
        never = np.flatnonzero((self.domain.low > 0) | (self.domain.high < 0))
        return {column: self.domain.clip(column, 0.0) for column in never.tolist()}

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
            settled = None if self.groups is None else self.groups.of_halves(column, box.ends)
            moving = np.flatnonzero(self.feature[at] >= 0)
            while len(moving):
                node, half = at[moving], moving // n_trees
                f, t = self.feature[node], self.threshold[node]
                cut = f == own[half]
                upper = np.where(cut, highs[half], self._high[f])
                lower = np.where(cut, lows[half], self._low[f])
                if self.groups is not None and settled is not None:
                    zeros, one = settled
                    upper = np.where((self.groups.of[f] == zeros[half]) & ~cut, 0.0, upper)
                    lower = np.where(one[half] == f, 0.0, lower)
                goes_left = upper <= t
                moved = goes_left | (lower >= t)
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
        halves: list[dict[int, tuple[float, float]]] = [
            {column: (low, threshold)},
            {column: (threshold, high)},
        ]
        if self.groups is not None:
            for side, own in enumerate(halves):
                own |= self.groups.settled(column, is_one=side == 1, ends=box.ends)
        left, right = (
            Box(
                box.ends | own,
                cut.nodes[side, k].copy(),
                float(cut.least[side, k]),
                float(cut.largest[side, k]),
            )
            for side, own in enumerate(halves)
        )
        return column, threshold, left, right

    def _range(self, nodes: Nodes) -> tuple[float, float]:
        return float(self.least[nodes].sum() + self.bias), float(self.largest[nodes].sum() + self.bias)
