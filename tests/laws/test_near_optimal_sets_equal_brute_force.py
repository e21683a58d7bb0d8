"""A near-optimal set against the list of all trees: counts, order, places, rules, shares and votes."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from treewright import near_optimal_trees


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


@pytest.mark.parametrize("seed", range(120))
def test_set_is_what_a_list_of_all_trees_says(seed):
    X, y, weight, costs, asked = random_case(seed)
    found = near_optimal_trees(X, y, sample_weight=weight, costs=costs, **asked)
    table = found.graph.problem.table
    splits = found.graph.cuts.splits
    goes_right = [~split.goes_left(table.X) for split in splits]
    how = {"redundant": asked["redundant_splits"], "min_rows": asked["min_samples_leaf"]}
    every = Listed(
        goes_right, y, weight, costs, asked["max_depth"], any_label=asked["leaf_labels"] == "any", **how
    )
    price = Fraction(repr(asked["cost_complexity"])) * int(weight.sum())
    usual = Listed(
        goes_right, y, weight, costs, asked["max_depth"], any_label=False, **{**how, "redundant": True}
    )
    optimum = min(errors + price * leaves for _, leaves, errors in usual.all)
    bound = optimum * (1 + Fraction(repr(asked["epsilon"])))
    inside = {tree: (errors + price * n, n) for tree, n, errors in every.all if errors + price * n <= bound}

    sizes = Counter(inside.values())
    assert {(size.n_leaves, size.n_trees) for size in found.table()} == {
        (n, c) for (_, n), c in sizes.items()
    }
    assert found.n_trees_ == len(inside)
    assert found.status_ == "complete"
    numbers = {split: number for number, split in enumerate(splits)}
    listed = list(found)
    as_nested = [nested(tree, numbers) for tree in listed]
    assert sorted(map(repr, as_nested)) == sorted(map(repr, inside))
    costs_in_order = [inside[tree] for tree in as_nested]
    assert costs_in_order == sorted(costs_in_order)
    places = range(len(listed)) if len(listed) < 60 else (0, 1, len(listed) // 2, len(listed) - 1)
    for place in places:
        assert found.rank(listed[place]) == place
        assert nested(found[place], numbers) == as_nested[place]
    if not listed:
        return

    votes = np.zeros((len(y), len(costs)))
    for tree in listed:
        votes[np.arange(len(y)), tree.prediction[tree.apply(table.X)]] += 1
    np.testing.assert_allclose(found.vote_share(), votes / len(listed), rtol=1e-12)
    for number, use in enumerate(found.columns()):
        asks = [any(split is not None and split.column == number for split in tree.splits) for tree in listed]
        first = [tree.splits[0] is not None and tree.splits[0].column == number for tree in listed]
        assert use.share == pytest.approx(np.mean(asks), abs=1e-12)
        assert use.share_at_root == pytest.approx(np.mean(first), abs=1e-12)
        smaller = found.where(without=use.name)
        assert [nested(tree, numbers) for tree in smaller] == [
            t for t, ask in zip(as_nested, asks, strict=True) if not ask
        ]
        beginning = found.where(root=use.name)
        assert [nested(tree, numbers) for tree in beginning] == [
            t for t, f in zip(as_nested, first, strict=True) if f
        ]
        assert all(beginning.rank(tree) == place for place, tree in enumerate(beginning))


@pytest.mark.parametrize("seed", range(5))
def test_draws_are_uniform(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (12, 4)).astype(float), rng.integers(0, 2, 12)
    found = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=0.6)
    n = found.n_trees_
    assert 5 < n < 5000
    drawn = Counter(found.rank(tree) for tree in found.sample(40 * n, random_state=seed))
    chi_square = sum((drawn[k] - 40) ** 2 / 40 for k in range(n))
    assert chi_square < n + 6 * np.sqrt(2 * n)
