"""The oracle for leaf accuracy: the best worst leaf over every tree, by plain recursion, for tiny tables."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np

NO_TREE = Fraction(-1)


def best_leaf_accuracy(
    goes_right: np.ndarray, y: np.ndarray, weight: np.ndarray, max_depth: int, min_samples_leaf: int = 1
) -> Fraction:
    """Return the largest smallest leaf accuracy over all trees; `NO_TREE` if no leaf is large enough."""
    share = [Fraction(float(w)) for w in weight]
    labels = sorted(set(y.tolist()))

    @cache
    def best(rows: tuple[int, ...], depth: int) -> Fraction:
        value = NO_TREE
        if len(rows) >= min_samples_leaf:
            total = sum(share[r] for r in rows)
            value = max(sum((share[r] for r in rows if y[r] == k), Fraction(0)) for k in labels) / total
        if depth > 0:
            for split in goes_right:
                left = tuple(r for r in rows if not split[r])
                right = tuple(r for r in rows if split[r])
                if left and right:
                    value = max(value, min(best(left, depth - 1), best(right, depth - 1)))
        return value

    return best(tuple(range(len(y))), max_depth)
