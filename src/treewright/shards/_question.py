"""What is asked of all rows, and of one shard of them.

Over all rows r with weights w_r (those of the sample times the factor of the class) a tree T costs

    F(T) = sum over r of w_r * costs[y_r, T(x_r)] + leaf_penalty * W * leaves(T),   W = sum of w_r,

and its objective is F(T) / W. A shard s, some of the rows, with the same penalty and the weight W_s, asks for the least
of F_s(T), the same sum over its rows with W_s in the place of W. As each row is in one shard, the F_s(T) add up to F(T)
for every tree. All values here are exact fractions: of decimal costs and factors such as .1 and .3 the decimals, as
everywhere in the library, else the float64 numbers that were given.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.problem import Problem
from treewright.search import in_fractions
from treewright.table import Table
from treewright.tree import Column

__all__ = ["Question"]


@dataclass(frozen=True, eq=False)
class Question:
    """The objective over all rows and the limits of its trees.

    Parameters
    ----------
    columns : tuple of Column
        Schema of all rows.
    classes : ndarray of shape (n_classes,)
        Labels of all rows, sorted.
    factors : tuple of Fraction
        Weight of a row of each class, to be multiplied with its sample weight; 0 leaves the class out.
    costs : ndarray of shape (n_classes, n_classes), float64
    cost_complexity : float
    max_depth, max_leaf_nodes : int or None
    min_samples_leaf : int
        Over all rows.
    class_weight : tuple of (int or Fraction)
        Sum of the sample weights of each class over all rows.
    n_rows : int
        Rows that count: neither their weight nor the factor of their class is zero.
    """

    columns: tuple[Column, ...]
    classes: NDArray[Any]
    factors: tuple[Fraction, ...]
    costs: NDArray[np.float64]
    cost_complexity: float
    max_depth: int | None
    max_leaf_nodes: int | None
    min_samples_leaf: int
    class_weight: tuple[Any, ...]
    n_rows: int

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @cached_property
    def leaf_penalty(self) -> Fraction:
        """Leaf penalty as a share of the weight."""
        return Fraction(self.cost_complexity)

    @cached_property
    def paid(self) -> list[list[Fraction]]:
        """Cost of predicting class p for sample weight 1 of class c, at ``paid[c][p]``."""
        return [[own[k] for k in row] for own, row in self._different]

    @cached_property
    def cheapest(self) -> list[Fraction]:
        """Least cost of sample weight 1 of each class, whatever is predicted."""
        return [min(own.values()) for own, _ in self._different]

    @cached_property
    def _different(self) -> list[tuple[dict[int, Fraction], list[int]]]:
        """What predictions may cost for weight 1 of each class, by number, and which number each prediction has.

        With hundreds of classes most of their pairs cost the same, and each fraction is made once a class.
        """
        distinct, numbers = np.unique(self.costs, return_inverse=True)
        costs = in_fractions(distinct)
        rows = [row.tolist() for row in numbers.reshape(self.costs.shape)]
        return [
            ({k: factor * costs[k] for k in dict.fromkeys(row)}, row)
            for factor, row in zip(self.factors, rows, strict=True)
        ]

    @cached_property
    def total(self) -> Fraction:
        """Weight of all rows, factors included."""
        return self.weight_of(self.class_weight)

    @cached_property
    def largest_cost(self) -> float:
        """Largest cost of one row of weight 1."""
        return float(self.costs.max())

    def weight_of(self, class_weight: Sequence[Any]) -> Fraction:
        """Return the weight of rows whose sample weights sum to these, factors included."""
        pairs = zip(self.factors, class_weight, strict=True)
        return sum((factor * weight for factor, weight in pairs), Fraction(0))

    @cached_property
    def _whole(self) -> tuple[list[int], list[list[tuple[int, int]]], int]:
        """Costs as whole numbers: the usual one of each class, what predicted classes cost otherwise, their factor."""
        factor = math.lcm(*(cost.denominator for own, _ in self._different for cost in own.values()))
        whole: list[list[int]] = []
        for own, row in self._different:
            known = {k: int(cost * factor) for k, cost in own.items()}
            whole.append([known[k] for k in row])
        usual = [Counter(row).most_common(1)[0][0] for row in whole]
        others = [
            [(c, row[p] - usual[c]) for c, row in enumerate(whole) if row[p] != usual[c]]
            for p in range(self.n_classes)
        ]
        return usual, others, factor

    def label(self, class_weight: Sequence[Any]) -> tuple[int, Fraction]:
        """Return the cheapest class for a leaf with these sums of sample weights, the first of equals, and its cost.

        In whole numbers as long as may be: fractions are fifty times slower.
        """
        usual, others, factor = self._whole
        whatever = sum(map(mul, usual, class_weight))
        each = [whatever + sum([class_weight[c] * more for c, more in other]) for other in others]
        best = min(range(len(each)), key=each.__getitem__)
        return best, Fraction(each[best]) / factor

    def problem(
        self, X: NDArray[np.float64], y: NDArray[np.int32], weight: NDArray[np.float64] | None
    ) -> Problem:
        """State the problem of a shard: the same classes, penalty and limits; `min_samples_leaf` is relaxed to 1.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns)
        y : ndarray of shape (n_rows,), int32
        weight : ndarray of shape (n_rows,), float64, or None
            Sample weights.
        """
        missing = [bool(np.isnan(X[:, j]).any()) for j in range(len(self.columns))]
        columns = tuple(
            replace(column, has_missing=here) for column, here in zip(self.columns, missing, strict=True)
        )
        factor = np.array([float(value) for value in self.factors])
        return Problem(
            table=Table(columns, X),
            y=y,
            classes=self.classes,
            sample_weight=factor[y] if weight is None else factor[y] * weight,
            costs=self.costs,
            cost_complexity=self.cost_complexity,
            max_depth=self.max_depth,
            max_leaf_nodes=self.max_leaf_nodes,
        )
