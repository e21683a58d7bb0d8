"""The oracle: every tree over binary columns, by plain recursion. Short enough to trust, for tiny tables."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np

INFEASIBLE = Fraction(10**9)


def best_objective(
    goes_right: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    costs: np.ndarray,
    cost_complexity: Fraction,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int = 1,
) -> Fraction:
    """Return the smallest sum(weight * cost) / sum(weight) + cost_complexity * leaves over all trees."""
    n_splits, n_rows = goes_right.shape
    exact = [w if isinstance(w, Fraction) else Fraction(float(w)) for w in weight]
    total = sum(exact, Fraction(0))
    price = [[exact[r] * Fraction(float(c)) / total for c in costs[y[r]]] for r in range(n_rows)]

    @cache
    def best(rows: tuple[int, ...], depth: int, leaves: int) -> Fraction:
        value = INFEASIBLE
        if len(rows) >= min_samples_leaf:
            value = cost_complexity + min(sum(price[r][k] for r in rows) for k in range(costs.shape[1]))
        if depth == 0 or leaves == 1:
            return value
        for split in range(n_splits):
            left = tuple(r for r in rows if not goes_right[split, r])
            right = tuple(r for r in rows if goes_right[split, r])
            if not left or not right:
                continue
            for here in range(1, leaves) if max_leaf_nodes is not None else [leaves]:
                there = leaves - here if max_leaf_nodes is not None else leaves
                value = min(value, best(left, depth - 1, here) + best(right, depth - 1, there))
        return value

    depth = n_splits if max_depth is None else min(max_depth, n_splits)
    return best(tuple(range(n_rows)), depth, max_leaf_nodes or n_rows)
