"""The oracle for leaf accuracy: every tree over every split of a tiny table, with no bound at all."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from statistics import NormalDist

import numpy as np

from brute_force_ranked import all_splits
from treewright.problem import Problem


def _bound(right: float, weight: float, confidence: float) -> float:
    """Lower end of the one-sided Wilson interval as a root of its quadratic."""
    z = NormalDist().inv_cdf(confidence)
    # (p - q)^2 = z^2 q (1 - q) / n, solved for q.
    n, p = weight, right / weight
    a, b, c = 1 + z * z / n, -(2 * p + z * z / n), p * p
    return (-b - math.sqrt(max(0.0, b * b - 4 * a * c))) / (2 * a)


class Oracle:
    """Answers for one problem, exact for any float64 weights.

    Wilson's bound counts as many observations as the table has rows, shared out by weight.
    """

    def __init__(self, problem: Problem, confidence: float | None = None) -> None:
        self.problem = problem
        self.confidence = confidence
        exact = [Fraction(w) for w in problem.sample_weight.tolist()]
        self.unit = max(w.denominator for w in exact)  # powers of two
        self.weight = [int(w * self.unit) for w in exact]
        self.per_weight = problem.table.n_rows / sum(self.weight)
        n, X = problem.table.n_rows, problem.table.X
        self.everything = (1 << n) - 1
        self.lefts = {
            sum(1 << int(i) for i in np.flatnonzero(s.goes_left(X))) for s in all_splits(problem.table)
        }
        self.value = cache(self._value)
        self.best = cache(self._best)
        self.cheapest = cache(self._cheapest)

    def _weights(self, rows: int) -> list[int]:
        sums = [0] * self.problem.n_classes
        for i in range(self.problem.table.n_rows):
            if rows >> i & 1:
                sums[self.problem.y[i]] += self.weight[i]
        return sums

    def _value(self, rows: int):
        """Return the value of a leaf, or None if it has too few rows."""
        if rows.bit_count() < self.problem.min_samples_leaf:
            return None
        weights = self._weights(rows)
        if self.confidence is None:
            return Fraction(max(weights), sum(weights))
        return _bound(max(weights) * self.per_weight, sum(weights) * self.per_weight, self.confidence)

    def _parts(self, rows: int):
        for left in self.lefts:
            if rows & left and rows & ~left:
                yield rows & left, rows & ~left

    def _best(self, rows: int, depth: int):
        """Return the largest value of the worst leaf; None if there is no tree."""
        found = self.value(rows)
        if depth:
            for a, b in self._parts(rows):
                left = self.best(a, depth - 1)
                if left is None or (found is not None and left <= found):
                    continue
                right = self.best(b, depth - 1)
                if right is not None and (found is None or min(left, right) > found):
                    found = min(left, right)
        return found

    def _cheapest(self, rows: int, depth: int, least, price: Fraction | int):
        """Return (wrong weight + price * leaves, leaves) of the cheapest tree with every leaf at `least` or better.

        Weights and price are in units of 1 / `unit`.
        """
        own = self.value(rows)
        found = None
        if own is not None and own >= least:
            weights = self._weights(rows)
            found = (sum(weights) - max(weights) + price, 1)
        if depth:
            for a, b in self._parts(rows):
                left = self.cheapest(a, depth - 1, least, price)
                right = left and self.cheapest(b, depth - 1, least, price)
                if right:
                    both = (left[0] + right[0], left[1] + right[1])
                    found = both if found is None else min(found, both)
        return found

    def optimum(self):
        """Return the best worst leaf, and the fewest errors and leaves with it."""
        depth = self.problem.max_depth
        value = self.best(self.everything, depth)
        # Two ways to compute a Wilson bound differ in the last bits: a hair below counts as equal.
        least = value if self.confidence is None else value - 1e-12
        wrong, leaves = self.cheapest(self.everything, depth, least, 0)
        return value, wrong / self.unit, leaves
