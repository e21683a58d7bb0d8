"""All trees over the splits of a tiny table, one by one: what a near-optimal set is judged by."""

from __future__ import annotations

from functools import cache

import numpy as np


class Listed:
    """All trees over the splits of a table, as nested tuples: ``(split, left, right)``, or the label of a leaf."""

    def __init__(self, goes_right, y, weight, costs, depth, *, any_label, redundant, min_rows):
        self.goes_right, self.y, self.weight, self.costs = goes_right, y, weight, costs
        self.any_label, self.redundant, self.min_rows = any_label, redundant, min_rows
        self.trees = cache(self._trees)
        self.all = self.trees(tuple(range(len(y))), depth)

    def _leaves(self, rows):
        if len(rows) < self.min_rows:
            return
        paid = [
            sum(int(self.weight[r] * self.costs[self.y[r], k]) for r in rows) for k in range(len(self.costs))
        ]
        labels = range(len(paid)) if self.any_label else [int(np.argmin(paid))]
        yield from ((label, 1, paid[label]) for label in labels)

    def _trees(self, rows, depth):
        """Return (tree, leaves, errors) of every tree for the rows."""
        out = list(self._leaves(rows))
        if depth == 0:
            return out
        for split, right in enumerate(self.goes_right):
            sides = [tuple(r for r in rows if right[r] == side) for side in (0, 1)]
            if not all(sides):
                continue
            for a, n_a, e_a in self.trees(sides[0], depth - 1):
                for b, n_b, e_b in self.trees(sides[1], depth - 1):
                    if self.redundant or not (n_a == n_b == 1 and a == b):
                        out.append(((split, a, b), n_a + n_b, e_a + e_b))
        return out


def nested(tree, numbers, node=0):
    """Return a tree of the library as `Listed` writes it."""
    split = tree.splits[node]
    if split is None:
        return int(tree.prediction[node])
    sides = (nested(tree, numbers, int(child[node])) for child in (tree.children_left, tree.children_right))
    return (numbers[split], *sides)


def random_case(seed):
    rng = np.random.default_rng(seed)
    n, m, k = int(rng.integers(4, 10)), int(rng.integers(1, 4)), int(rng.integers(2, 4))
    X = rng.integers(0, 2, (n, m)).astype(float)
    if rng.random() < 0.3:  # splits that are twins, and their mirror images
        X = np.column_stack([X, X[:, 0], 1 - X[:, 0]])
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    weight = rng.integers(1, 4, n) if rng.random() < 0.5 else np.ones(n, dtype=int)
    costs = (
        1 - np.eye(k, dtype=int)
        if rng.random() < 0.7
        else rng.integers(1, 4, (k, k)) * (1 - np.eye(k, dtype=int))
    )
    return X, y, weight, costs, {
        "cost_complexity": float(rng.choice([0, 0.01, 0.02, 0.05, 0.1])),
        "max_depth": int(rng.integers(0, 3)),
        "min_samples_leaf": int(rng.choice([1, 1, 2])),
        "epsilon": float(rng.choice([0, 0.05, 0.1, 0.5, 1])),
        "leaf_labels": str(rng.choice(["cheapest", "any"])),
        "redundant_splits": bool(rng.integers(2)),
    }  # fmt: skip


def continuous_case(seed):
    """Return a case of columns of a few values each, some of them missing."""
    X, y, weight, costs, asked = random_case(seed)
    rng = np.random.default_rng(seed + 10_000)
    X = rng.integers(0, 5, (len(y), min(X.shape[1], 2))).astype(float)
    if rng.random() < 0.3:
        X[rng.random(len(y)) < 0.3, 0] = np.nan
    X[:2, -1] = 0, 1  # at least one split
    return X, y, weight, costs, asked


def label_of(tree, right, row):
    """Return what a tree in the form of `Listed` predicts for a row; ``right[split][row]`` says where the row goes."""
    while isinstance(tree, tuple):
        tree = tree[2 if right[tree[0]][row] else 1]
    return tree


def splits_of(tree):
    """Return the splits of a tree in the form of `Listed`."""
    return {tree[0]} | splits_of(tree[1]) | splits_of(tree[2]) if isinstance(tree, tuple) else set()


def begins_like(tree, other):
    """Return whether a tree has the splits of another at the same places."""
    if not isinstance(other, tuple):
        return True
    return (
        isinstance(tree, tuple)
        and tree[0] == other[0]
        and all(begins_like(tree[k], other[k]) for k in (1, 2))
    )
