"""The list of all trees of a tiny table, in whole numbers: what a set of near-optimal trees is compared with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from attack.exact import Stated

__all__ = ["MOST_TREES", "StatedSet", "TooManyTrees", "Trees"]

MOST_TREES = 4000  # of a table: more are not listed

Listed = tuple[Any, int, int]  # tree, leaves, cost


class StatedSet(Stated):
    """A case whose numbers are the decimals that they are written as, in whole units."""

    @cached_property
    def all_weights(self) -> list[Fraction]:
        given = self.case.weight
        weights = [Fraction(1)] * self.case.n_rows if given is None else [Fraction(repr(w)) for w in given]
        factors = self.case.options.get("class_weight")
        if factors == "balanced":
            totals = dict.fromkeys(self.classes, Fraction(0))
            for w, label in zip(weights, self.case.y, strict=True):
                totals[label] += w
            return [w and w / totals[label] for w, label in zip(weights, self.case.y, strict=True)]
        return [
            w * Fraction(repr((factors or {}).get(label, 1)))
            for w, label in zip(weights, self.case.y, strict=True)
        ]

    @cached_property
    def costs(self) -> list[list[Fraction]]:
        given = self.case.options.get("costs")
        n = len(self.classes)
        if given is None:
            return [[Fraction(int(i != j)) for j in range(n)] for i in range(n)]
        return [[Fraction(repr(c)) for c in row] for row in given]

    @cached_property
    def leaf_penalty(self) -> Fraction:
        return Fraction(repr(self.case.options.get("cost_complexity", 0.01)))

    @cached_property
    def unit(self) -> int:
        """How many units the total weight is: costs of rows and leaves are whole numbers of them."""
        parts = [c.denominator for row in self.row_costs for c in row]
        return math.lcm(self.leaf_penalty.denominator, *parts)


class Trees:
    """All trees over some splits, each a set of rows that go left; see `MOST_TREES`."""

    def __init__(self, stated: StatedSet, lefts: list[int]) -> None:
        self.stated, self.lefts = stated, lefts
        options = stated.case.options
        self.any_label = options.get("leaf_labels") == "any"
        self.redundant = bool(options.get("redundant_splits"))
        unit, n = stated.unit, len(stated.kept)
        self.most = options.get("max_leaf_nodes") or n
        self.depth = min(stated.max_depth, n - 1)
        self.price = int(stated.leaf_penalty * unit)
        self.row_costs = [[int(c * unit) for c in row] for row in stated.row_costs]
        self.everything = (1 << n) - 1
        self.below = cache(self._below)

    def of_labels(self, rows: int) -> list[int]:
        here = [self.row_costs[i] for i in range(len(self.row_costs)) if rows >> i & 1]
        return [sum(column) for column in zip(*here, strict=True)]

    def leaves(self, rows: int) -> Iterator[Listed]:
        if rows.bit_count() < self.stated.min_samples_leaf:
            return
        costs = self.of_labels(rows)
        labels = range(len(costs)) if self.any_label else [costs.index(min(costs))]
        for label in labels:
            yield label, 1, costs[label] + self.price

    def _below(self, rows: int, depth: int) -> list[Listed]:
        found = list(self.leaves(rows))
        for number, left in enumerate(self.lefts if depth else []):
            a, b = rows & left, rows & ~left
            if not (a and b):
                continue
            for x, n_x, c_x in self.below(a, depth - 1):
                for y, n_y, c_y in self.below(b, depth - 1):
                    same = n_x == n_y == 1 and x == y
                    if n_x + n_y <= self.most and (self.redundant or not same):
                        found.append(((number, x, y), n_x + n_y, c_x + c_y))
            if len(found) > MOST_TREES:
                raise TooManyTrees
        return found

    def all(self) -> list[Listed]:
        return self.below(self.everything, self.depth)

    def label(self, tree: Any, row: int) -> int:
        while isinstance(tree, tuple):
            tree = tree[1 if self.lefts[tree[0]] >> row & 1 else 2]
        return int(tree)

    def optimum(self) -> int:
        """Least cost of any tree; the labels and the needless splits of the set do not matter."""

        @cache
        def best(rows: int, depth: int, most: int) -> int | None:
            known = []
            if rows.bit_count() >= self.stated.min_samples_leaf:
                known.append(min(self.of_labels(rows)) + self.price)
            for left in set(self.lefts) if depth and most > 1 else ():
                a, b = rows & left, rows & ~left
                if a and b:
                    for k in range(1, most):
                        sides = best(a, depth - 1, k), best(b, depth - 1, most - k)
                        if None not in sides:
                            known.append(sides[0] + sides[1])  # type: ignore[operator]
            return min(known, default=None)

        found = best(self.everything, self.depth, self.most)
        assert found is not None  # `generate` sees to it that one leaf is allowed
        return found


class TooManyTrees(Exception):
    """The table has more trees than are listed."""
