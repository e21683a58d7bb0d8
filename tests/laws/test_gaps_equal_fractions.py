"""Gaps between groups under weights of every kind, against those of all trees in fractions: nothing overflows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from treewright import NearOptimalTreeClassifier, near_optimal_trees
from treewright.errors import SolverError
from treewright.near_optimal import gap_frontier

EQUAL = Fraction(1, 2**40)  # large or real weights: gaps that differ by so little count as equal


def weights(kind, rng, n):
    """Return the weights as they are written."""
    return {
        "plain": lambda: [1] * n,
        "small": lambda: rng.integers(1, 9, n).tolist(),
        "very different": lambda: [int(rng.choice([1, 2, 3_000_000_000])) for _ in range(n)],
        "large": lambda: rng.integers(10**12, 2**53 // n, n).tolist(),
        "decimals": lambda: [float(w) / 1000 for w in rng.integers(1, 5000, n)],
    }[kind]()


class Case:
    """A random table with a group, and what each tree of its set says in fractions."""

    def __init__(self, seed, kind, balanced):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(6, 13))
        self.X = rng.integers(0, 2, (n, 3)).astype(float)
        self.y = np.concatenate([[0, 1, 0, 1], rng.integers(0, 2, n - 4)])
        self.group = np.concatenate([[True, True, False, False], rng.random(n - 4) < 0.5])
        self.given = weights(kind, rng, n)
        self.asked = {
            "cost_complexity": float(rng.choice([0.01, 0.05])),
            "max_depth": 2,
            "epsilon": float(rng.choice([0.3, 1.0])),
            "class_weight": "balanced" if balanced else None,
        }
        self.trees = near_optimal_trees(self.X, self.y, sample_weight=self.given, **self.asked)
        weight = [Fraction(repr(w)) for w in self.given]
        if balanced:
            totals = [sum(w for w, label in zip(weight, self.y, strict=True) if label == k) for k in (0, 1)]
            weight = [w / totals[label] for w, label in zip(weight, self.y, strict=True)]
        self.weight = weight
        self.sizes = [size.objective for size in self.trees.table() for _ in range(size.n_trees)]
        self.labels = [tree.predict(self.X) for tree in self.trees]

    def gaps(self, kind):
        """Return the signed gaps of each tree; two for odds."""
        among = {"parity": [(0, 1)], "opportunity": [(1,)], "odds": [(1,), (0,)]}[kind]
        return [[self.gap(labels, classes) for classes in among] for labels in self.labels]

    def gap(self, labels, classes):
        shares = []
        for side in (True, False):
            rows = [i for i in range(len(self.y)) if self.group[i] == side and self.y[i] in classes]
            said = sum((self.weight[i] for i in rows if labels[i] == 1), Fraction(0))
            shares.append(said / sum(self.weight[i] for i in rows))
        return shares[0] - shares[1]


KINDS = [
    ("plain", False), ("small", True), ("very different", False), ("very different", True), ("large", False),
    ("large", True), ("decimals", False), ("decimals", True),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "balanced"), KINDS)
@pytest.mark.parametrize("seed", range(25))
def test_gaps_are_those_of_all_trees(seed, kind, balanced):
    case = Case(seed, kind, balanced)
    for question in ("parity", "opportunity", "odds"):
        gaps = case.gaps(question)
        worst = [max(map(abs, each)) for each in gaps]
        if question != "odds":
            extent = case.trees.gap_range(case.group, question, label=1)
            signed = [gap for (gap,) in gaps]
            for end, value in ((extent.least, min(signed)), (extent.most, max(signed))):
                assert abs(Fraction(end.value) - value) <= EQUAL
                assert abs(signed[case.trees.rank(end.tree)] - value) <= EQUAL
        # The gaps that trees have, as they are written: a limit that they meet, and one just below.
        for gap in sorted(set(worst))[:4]:
            for limit in (float(gap), float(gap) - 1e-9, 0.05):
                if limit >= 0:
                    best_within(case, question, limit, worst)
        check_frontier(case, question, worst)


def best_within(case, question, limit, worst):
    """The tree passes; one that costs less may pass by what counts as equal alone."""
    tree, _, bound = case.trees.best_with_gap(case.group, limit, question, label=1)
    exact = Fraction(repr(limit))
    passing = [place for place, gap in enumerate(worst) if gap <= exact or float(gap) <= limit]
    nearly = [place for place, gap in enumerate(worst) if gap <= exact + EQUAL]
    if tree is None:
        assert not passing
        return
    place = case.trees.rank(tree)
    assert place in nearly
    assert bound == case.sizes[place]
    if passing:
        assert case.sizes[nearly[0]] <= case.sizes[place] <= case.sizes[passing[0]]


def check_frontier(case, question, worst):
    points, proven = gap_frontier(case.trees, case.group, question, label=1)
    assert proven
    assert abs(Fraction(points[-1].gap) - min(worst)) <= EQUAL
    for point in points:
        place = case.trees.rank(point.tree)
        assert abs(worst[place] - Fraction(point.gap)) <= EQUAL
        cheaper = [gap for gap, size in zip(worst, case.sizes, strict=True) if size < case.sizes[place]]
        assert all(gap > worst[place] - EQUAL for gap in cheaper)
    gaps = [point.gap for point in points]
    assert gaps == sorted(set(gaps), reverse=True)


def test_the_chosen_tree_has_the_gap_that_was_asked_for():
    """Weights that are balanced over two classes of very different weight: large whole numbers."""
    checked = 0
    for seed in range(25):
        case = Case(seed, "very different", balanced=True)
        X = np.column_stack([case.X, case.group])
        model = NearOptimalTreeClassifier(choose="small gap", group="x3", max_gap=0.05, **case.asked)
        try:
            model.fit(X, case.y, sample_weight=case.given)
        except SolverError:
            continue
        assert abs(case.gap(model.predict(X), (0, 1))) <= Fraction("0.05") + EQUAL
        checked += 1
    assert checked > 5


def test_a_size_without_a_small_gap_is_dropped_before_its_beginnings_are_made(monkeypatch):
    """The label is the group: no tree near the optimum can say the same of both, which each size says as a whole."""
    from treewright.near_optimal import _within

    made, plain = [], _within._next
    monkeypatch.setattr(_within, "_next", lambda *given: made.append(given) or plain(*given))
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 5))
    trees = near_optimal_trees(X, X[:, 0], cost_complexity=0.01, max_depth=3, epsilon=1.0)
    tree, looked_at, bound = trees.best_with_gap(X[:, 0] == 1, at_most=0.5)
    assert tree is None
    assert bound == trees.bound_
    assert looked_at == len(trees.table()) > 1
    assert made == []
