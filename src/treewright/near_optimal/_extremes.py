"""The most and the least that a tree of a set can reach of anything that adds up over its leaves, and such a tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._numbers import as_written
from treewright.errors import InputError
from treewright.near_optimal._counts import Cell, Counts
from treewright.near_optimal._order import Step, halves, leaves_of, splits_of
from treewright.near_optimal._votes import sums_of_leaves
from treewright.near_optimal._watch import Watch

__all__ = ["Extremes", "whole_values"]

MOST_UNITS = 10**6  # to one: of the unit of values that are not whole numbers
LARGEST_SUM = 2**61


def whole_values(name: str, values: NDArray[np.float64]) -> tuple[NDArray[np.int64], Fraction]:
    """Return values as whole numbers of a common unit, exactly; their decimals are taken as they are written."""
    distinct = np.unique(values)
    if not np.isfinite(distinct).all():
        raise InputError(f"{name} holds NaN or infinity; give finite numbers.")
    scale = 1
    for value in distinct.tolist():
        scale = lcm(scale, as_written(value).denominator)
        if scale > MOST_UNITS:
            raise InputError(
                f"{name} are not whole numbers of a common unit, so sums would be rounded; give at most six "
                "decimals."
            )
    largest = max(map(abs, distinct.tolist()), default=0.0)
    if as_written(largest) * scale * len(values) > LARGEST_SUM:
        raise InputError(f"{name} are too large to be added up exactly; divide them by a common number.")
    exact = {value: int(as_written(value) * scale) for value in distinct.tolist()}
    whole = np.array([exact[value] for value in values.reshape(-1).tolist()], dtype=np.int64)
    return whole.reshape(values.shape), Fraction(1, scale)


@dataclass(frozen=True, eq=False)
class Extremes:
    """Largest sums over leaves of row values, at every node and size of subtree.

    Parameters
    ----------
    counts : Counts
    leaf_value : ndarray of shape (n_nodes, n_classes), int64
        Of a leaf at each node by its label.
    watch : Watch, default=Watch()
        How long finding them may take.
    budget : Fraction or None, default=None
        They are found for the trees of the set whose cost, in errors, is at most this; None is all of them.
    """

    counts: Counts
    leaf_value: NDArray[np.int64]
    watch: Watch = field(default_factory=Watch, repr=False)
    budget: Fraction | None = None
    _cells: dict[int, dict[Cell, int]] = field(default_factory=dict, repr=False)
    _native: list[Any] = field(default_factory=list, repr=False)

    @classmethod
    def of_rows(cls, counts: Counts, values: NDArray[np.int64], watch: Watch | None = None) -> Extremes:
        """Return the extremes of values of training rows by predicted label, shape (n_rows, n_classes)."""
        return cls(counts, sums_of_leaves(counts, values), watch or Watch())

    def up_to(self, budget: Fraction) -> Extremes:
        """Return those of the trees whose cost, in errors, is at most `budget`."""
        return Extremes(self.counts, self.leaf_value, self.watch, budget)

    def negative(self) -> Extremes:
        """Return the largest sums of the negatives: the least sums."""
        return Extremes(self.counts, -self.leaf_value, self.watch, self.budget)

    def cells(self, node: int) -> dict[Cell, int]:
        """Return the largest sum for each number of leaves and errors of a subtree at the node."""
        if node not in self._cells:
            if not self._native:
                budget = self.counts.membership.budget if self.budget is None else self.budget
                self._native.append(self.counts.extremes(self.leaf_value, budget, self.watch))
            leaves, errors, values = (part.tolist() for part in self._native[0].cells(node))
            found = dict(zip(zip(leaves, errors, strict=True), values, strict=True))
            inside = self.counts.cells(node)
            self._cells[node] = {cell: value for cell, value in found.items() if cell in inside}
        return self._cells[node]

    def tree(self, node: int, cell: Cell, value: int) -> list[Step]:
        """Return the first subtree of the node with the size `cell` whose sum is `value`, the largest there."""
        for leaf in leaves_of(self.counts, node, cell):
            if int(self.leaf_value[node, -1 - leaf]) == value:
                return [leaf]
        for split, left, right in splits_of(self.counts, node):
            for part, rest, label_pairs, _ in halves(self.counts, left, right, cell):
                if part[0] == rest[0] == 1:
                    for a, b in label_pairs:
                        if int(self.leaf_value[left, -1 - a] + self.leaf_value[right, -1 - b]) == value:
                            return [split, a, b]
                    continue
                first, second = self.cells(left)[part], self.cells(right)[rest]
                if first + second == value:
                    return [split, *self.tree(left, part, first), *self.tree(right, rest, second)]
        raise IndexError("no such sum")  # the largest is reached
