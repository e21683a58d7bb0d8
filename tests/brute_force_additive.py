"""The oracle for additive losses: every tree over every split of a tiny table, in exact fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np

from brute_force_ranked import all_splits


def squared_error(y, weight) -> Callable[[list[int]], Fraction]:
    """Return the squared error of one leaf as a function of its rows; targets and weights must be whole numbers."""
    y = np.asarray(y).reshape(len(weight), -1)

    def loss(rows: list[int]) -> Fraction:
        w = sum(int(weight[i]) for i in rows)
        total = Fraction(0)
        for k in range(y.shape[1]):
            s = sum(int(weight[i]) * int(y[i, k]) for i in rows)
            q = sum(int(weight[i]) * int(y[i, k]) ** 2 for i in rows)
            total += q - (Fraction(s * s, w) if w else 0)
        return total

    return loss


def action_costs(cost) -> Callable[[list[int]], Fraction]:
    """Return the least cost of one action as a function of the rows; costs must be whole numbers."""
    return lambda rows: Fraction(min(sum(int(cost[i, a]) for i in rows) for a in range(cost.shape[1])))


def simple_lines(y, weight, X) -> Callable[[list[int]], Fraction]:
    """Return the squared error of the best line in one column of X, none of whose values is missing in the leaf."""
    y, weight = [Fraction(float(v)) for v in y], [Fraction(float(v)) for v in weight]

    def spread(u, v, rows: list[int]) -> Fraction:
        total = sum(weight[i] for i in rows)
        mean_u, mean_v = (sum(weight[i] * one[i] for i in rows) / total for one in (u, v))
        return sum((weight[i] * (u[i] - mean_u) * (v[i] - mean_v) for i in rows), Fraction(0))

    def loss(rows: list[int]) -> Fraction:
        constant = spread(y, y, rows)
        best = constant
        for column in np.asarray(X, dtype=float).T:
            if np.isnan(column[rows]).any():
                continue
            x = {i: Fraction(float(column[i])) for i in rows}
            if (width := spread(x, x, rows)) > 0:
                best = min(best, constant - spread(x, y, rows) ** 2 / width)
        return best

    return loss


def best_tree(
    table,
    loss: Callable[[list[int]], Fraction],
    *,
    price: Fraction = Fraction(0),
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int = 1,
) -> tuple[Fraction, int]:
    """Return the least loss plus prices of any tree, and the fewest leaves that reach it."""
    n = table.n_rows
    lefts = {sum(1 << i for i in np.flatnonzero(split.goes_left(table.X))) for split in all_splits(table)}

    @cache
    def leaf(rows: int) -> Fraction:
        return loss([i for i in range(n) if rows >> i & 1]) + price

    @cache
    def best(rows: int, depth: int, most_leaves: int) -> tuple[Fraction, int]:
        found = (leaf(rows), 1)
        if depth == 0 or most_leaves == 1:
            return found
        for left in lefts:
            a, b = rows & left, rows & ~left
            if min(a.bit_count(), b.bit_count()) < min_samples_leaf:
                continue
            for on_left in [most_leaves] if most_leaves >= n else range(1, most_leaves):
                on_right = most_leaves if most_leaves >= n else most_leaves - on_left
                (cost_a, leaves_a), (cost_b, leaves_b) = (
                    best(a, depth - 1, on_left),
                    best(b, depth - 1, on_right),
                )
                found = min(found, (cost_a + cost_b, leaves_a + leaves_b))
        return found

    return best((1 << n) - 1, n if max_depth is None else max_depth, max_leaf_nodes or n)
