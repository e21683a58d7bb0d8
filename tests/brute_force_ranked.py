"""The oracle: every tree over every split of a tiny table, with no bound at all."""

from __future__ import annotations

from functools import cache

import numpy as np

from treewright.problem import Problem
from treewright.tree import CategorySplit, ColumnKind, ThresholdSplit


def all_splits(table):
    """Return every split that a tree over all thresholds may use."""
    splits = []
    for j, column in enumerate(table.columns):
        x = table.X[:, j]
        values = np.unique(x[~np.isnan(x)])
        missing = (False, True) if np.isnan(x).any() else (False,)
        if column.kind is ColumnKind.CATEGORICAL:
            splits += [CategorySplit(j, (int(k),), m) for k in values for m in missing]
        else:
            splits += [ThresholdSplit(j, float(v), m) for v in values for m in missing]
        if len(missing) == 2:
            splits.append(ThresholdSplit(j, np.inf, False))
    return splits


def best_objective(problem: Problem) -> tuple[float, int]:
    """Return the least objective of any tree within the constraints, and the fewest leaves that reach it.

    Weights, costs and the price of a leaf must be multiples of 1e-6, so that ties are exact.
    """
    n = problem.table.n_rows
    lefts = {
        sum(1 << i for i in np.flatnonzero(split.goes_left(problem.table.X)))
        for split in all_splits(problem.table)
    }
    row_costs = np.rint(1e6 * problem.sample_weight[:, None] * problem.costs[problem.y]).astype(int)
    price = round(1e6 * problem.cost_complexity * problem.total_weight)

    @cache
    def leaf(rows: int) -> tuple[int, int]:
        members = [i for i in range(n) if rows >> i & 1]
        return int(row_costs[members].sum(axis=0).min()) + price, 1

    @cache
    def best(rows: int, depth: int, most_leaves: int) -> tuple[int, int]:
        found = leaf(rows)
        if depth == 0 or most_leaves == 1:
            return found
        for left in lefts:
            a, b = rows & left, rows & ~left
            if min(a.bit_count(), b.bit_count()) < problem.min_samples_leaf:
                continue
            for on_left in [most_leaves] if most_leaves >= n else range(1, most_leaves):
                on_right = most_leaves if most_leaves >= n else most_leaves - on_left
                (cost_a, leaves_a), (cost_b, leaves_b) = (
                    best(a, depth - 1, on_left),
                    best(b, depth - 1, on_right),
                )
                found = min(found, (cost_a + cost_b, leaves_a + leaves_b))
        return found

    depth = n if problem.max_depth is None else problem.max_depth
    cost, leaves = best((1 << n) - 1, depth, problem.max_leaf_nodes or n)
    return cost / 1e6 / problem.total_weight, leaves


def best_depth_two(problem: Problem) -> float:
    """Return the least objective of depth at most two over continuous columns, one root cut at a time."""
    row_costs = problem.sample_weight[:, None] * problem.costs[problem.y]
    X, m = problem.table.X, problem.min_samples_leaf
    price = problem.cost_complexity * problem.total_weight

    def depth_one(rows):
        total = row_costs[rows].sum(axis=0)
        found = total.min() + price
        for j in range(X.shape[1]):
            order = rows[np.argsort(X[rows, j], kind="stable")]
            left = row_costs[order].cumsum(axis=0)[:-1]
            size = np.arange(1, len(rows))
            legal = (X[order[1:], j] != X[order[:-1], j]) & (size >= m) & (len(rows) - size >= m)
            if legal.any():
                found = min(found, (left.min(axis=1) + (total - left).min(axis=1))[legal].min() + 2 * price)
        return found

    everything = np.arange(len(X))
    found = depth_one(everything)
    for j in range(X.shape[1]):
        for v in np.unique(X[:, j])[:-1]:
            goes_left = X[:, j] <= v
            if min(goes_left.sum(), (~goes_left).sum()) >= m:
                found = min(found, depth_one(everything[goes_left]) + depth_one(everything[~goes_left]))
    return float(found / problem.total_weight)
