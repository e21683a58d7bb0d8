"""What a near-optimal set answers about all its trees, against the list of them: rules, votes, ranges, gaps."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from near_optimal_lists import begins_like, label_of, nested, random_case, splits_of
from treewright import near_optimal_trees
from treewright.near_optimal import fewest_columns, gap_frontier
from treewright.near_optimal._importance import reliance_of_tree


class Case:
    """A random set of at most some hundred trees, and all that is needed to ask its trees one by one."""

    def __init__(self, seed):
        self.X, self.y, self.weight, costs, asked = random_case(seed)
        self.rng = np.random.default_rng(seed + 10**6)
        self.found = near_optimal_trees(self.X, self.y, sample_weight=self.weight, costs=costs, **asked)
        self.splits = self.found.graph.split_matrix.splits
        self.numbers = {split: number for number, split in enumerate(self.splits)}
        self.trees = [self.nested(tree) for tree in self.found] if self.found.n_trees_ < 1500 else []
        self.right = self.sides(self.found.graph.problem.table.X)
        self.labels = self.predicted(self.right, len(self.y))

    def nested(self, tree):
        return nested(tree, self.numbers)

    def sides(self, X):
        return [~split.goes_left(X) for split in self.splits]

    def predicted(self, right, n):
        return np.array([[label_of(tree, right, row) for row in range(n)] for tree in self.trees]).reshape(
            -1, n
        )

    def columns_of(self, tree):
        return {self.splits[split].column for split in splits_of(tree)}

    def objectives(self):
        return [self.found.rank(tree) for tree in self.found]


@pytest.fixture(params=range(80), ids=str)
def case(request):
    made = Case(request.param)
    if not made.trees:
        pytest.skip("no tree, or too many to list")
    return made


def same_set(smaller, wanted, case):
    """A smaller set has the wanted trees, its places are theirs, and so are its votes and columns."""
    listed = [case.nested(tree) for tree in smaller]
    assert smaller.n_trees_ == len(listed) == len(set(listed))
    assert set(listed) == set(wanted)
    assert [smaller.rank(tree) for tree in smaller] == list(range(len(listed)))
    if not listed:
        return
    shares = np.zeros((len(case.y), len(case.found.graph.problem.classes)))
    for tree in listed:
        for row in range(len(case.y)):
            shares[row, label_of(tree, case.right, row)] += 1
    np.testing.assert_allclose(smaller.vote_share(), shares / len(listed), rtol=1e-12)
    for number, use in enumerate(smaller.columns()):
        assert use.share == pytest.approx(
            np.mean([number in case.columns_of(tree) for tree in listed]), abs=1e-12
        )
        first = [isinstance(tree, tuple) and case.splits[tree[0]].column == number for tree in listed]
        assert use.share_at_root == pytest.approx(np.mean(first), abs=1e-12)


def loss_drawn_anew(case, tree, column):
    """The expected loss of a tree if each row gets the column's value of any row, in units of the problem."""
    found = case.found.graph.problem
    total = Fraction(0)
    weight = [Fraction(int(w)) for w in case.weight]
    for i in range(len(case.y)):
        for j in range(len(case.y)):
            place = tree
            while isinstance(place, tuple):
                row = j if case.splits[place[0]].column == column else i
                place = place[2 if case.right[place[0]][row] else 1]
            total += weight[i] * weight[j] * Fraction(float(found.costs[case.y[i], place]))
    return total / sum(weight) ** 2


def test_reliance_on_columns(case):
    found = case.found
    for some in (found, found.where(uses=found.graph.problem.table.names[-1])):
        listed = [case.nested(tree) for tree in some]
        if not 0 < len(listed) <= 200:
            continue
        for column, use in enumerate(some.columns()):
            rises = [
                loss_drawn_anew(case, tree, column) - loss_drawn_anew(case, tree, None) for tree in listed
            ]
            assert use.reliance == pytest.approx((float(min(rises)), float(max(rises))), abs=1e-12)
            of_trees = [reliance_of_tree(tree, some.graph.problem)[column] for tree in some]
            assert of_trees == pytest.approx([float(rise) for rise in rises], abs=1e-12)
        assert [use.reliance for use in some.columns(reliance=False)] == [None] * case.X.shape[1]


def test_reliance_does_not_depend_on_the_unit_of_weights():
    """Costs times weights pass 64 bits on the way: the sums have 128 bits there."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 4)).astype(float)
    y = (X[:, 0] * X[:, 1] != (rng.random(60) < 0.2)).astype(int)
    weight = rng.exponential(size=60)
    seen = []
    for digits in range(20, 46):
        asked = {"cost_complexity": 0.02, "max_depth": 3, "epsilon": 0.3}
        found = near_optimal_trees(X, y, sample_weight=np.round(weight * 2.0**digits) + 1, **asked)
        seen.append([use.reliance for use in found.columns()])
    assert any(low < high for low, high in seen[0])
    np.testing.assert_allclose(seen, np.broadcast_to(seen[-1], np.shape(seen)), atol=1e-5)


def test_trees_that_ask_columns(case):
    names = case.found.graph.problem.table.names
    for number, name in enumerate(names):
        wanted = [tree for tree in case.trees if number in case.columns_of(tree)]
        same_set(case.found.where(uses=name), wanted, case)
    pair = sorted(case.rng.choice(len(names), 2))
    wanted = [tree for tree in case.trees if set(pair) <= case.columns_of(tree)]
    same_set(case.found.where(uses=[names[k] for k in pair]), wanted, case)
    same_set(case.found.where(uses=names[pair[0]]).where(uses=names[pair[1]]), wanted, case)
    root = [tree for tree in wanted if isinstance(tree, tuple) and case.splits[tree[0]].column == pair[1]]
    same_set(case.found.where(uses=[names[k] for k in pair], root=names[pair[1]]), root, case)


def test_trees_that_begin_like_another(case):
    for _ in range(3):
        other = case.found[int(case.rng.integers(len(case.trees)))]
        wanted = [tree for tree in case.trees if begins_like(tree, case.nested(other))]
        smaller = case.found.where(like=other)
        same_set(smaller, wanted, case)
        assert other in smaller
        name = case.found.graph.problem.table.names[
            int(case.rng.integers(len(case.found.graph.problem.table.names)))
        ]
        column = case.found.graph.problem.table.names.index(name)
        asked = [tree for tree in wanted if column in case.columns_of(tree)]
        same_set(case.found.where(uses=name).where(like=other), asked, case)
        same_set(case.found.where(like=other).where(uses=name), asked, case)


def test_votes_on_new_rows(case):
    n_columns = case.X.shape[1]
    new = case.rng.integers(0, 2, (6, n_columns)).astype(float)
    for found in (case.found, case.found.where(uses=case.found.graph.problem.table.names[0])):
        listed = [case.nested(tree) for tree in found]
        if not listed:
            continue
        shares = np.zeros((len(new), len(found.graph.problem.classes)))
        right = case.sides(new)
        for tree in listed:
            for row in range(len(new)):
                shares[row, label_of(tree, right, row)] += 1
        np.testing.assert_allclose(found.vote_share(new), shares / len(listed), rtol=1e-12)
        np.testing.assert_array_equal(found.reachable_labels(new), shares > 0)
        np.testing.assert_allclose(found.vote_share(case.X), found.vote_share(), rtol=1e-12)


def test_extremes_of_any_value(case):
    values = case.rng.integers(-9, 10, (len(case.y), len(case.found.graph.problem.classes)))
    sums = values[np.arange(len(case.y)), case.labels].sum(axis=1)
    extent = case.found.extreme(values / 4)
    assert (4 * extent.least.value, 4 * extent.most.value) == (sums.min(), sums.max())
    for end, value in zip(extent, (sums.min(), sums.max()), strict=True):
        first = case.found.table(), np.flatnonzero(sums == value)[0]
        place = case.found.rank(end.tree)
        assert sums[place] == value
        assert case.found.result(place).objective == pytest.approx(case.found.result(int(first[1])).objective)
    base = case.found[len(case.trees) // 2]
    label = base.prediction[base.apply(case.found.graph.problem.table.X)]
    unlike = ((case.labels != label) * case.weight).sum(axis=1)
    found = case.found.discrepancy(base)
    assert found.value == pytest.approx(unlike.max() / case.weight.sum())
    assert unlike[case.found.rank(found.tree)] == unlike.max()


def gaps(case, group, kind, label):
    out = []
    among = {
        "parity": [case.y >= 0],
        "opportunity": [case.y == label],
        "odds": [case.y == label, case.y != label],
    }[kind]
    for rows in among:
        sides = [int(case.weight[rows & side].sum()) for side in (group, ~group)]
        if 0 in sides:
            return None
        shares = [
            ((case.labels == label) * case.weight * (rows & side)).sum(axis=1) for side in (group, ~group)
        ]
        out.append(
            [Fraction(int(a), sides[0]) - Fraction(int(b), sides[1]) for a, b in zip(*shares, strict=True)]
        )
    return out


def test_gaps_between_groups(case):
    group = case.rng.random(len(case.y)) < 0.5
    label = int(case.rng.integers(case.y.max() + 1))
    costs = [case.found.result(place).objective for place in range(len(case.trees))]
    for kind in ("parity", "opportunity", "odds"):
        listed = gaps(case, group, kind, label)
        if listed is None:
            with pytest.raises(ValueError, match="has no rows"):
                case.found.best_with_gap(group, 0.1, kind, label=label)
            continue
        if kind != "odds":
            extent = case.found.gap_range(group, kind, label=label)
            assert extent.least.value == pytest.approx(float(min(listed[0])))
            assert extent.most.value == pytest.approx(float(max(listed[0])))
        for at_most in (0, 0.1, 0.25, 0.5, 1):
            fair = [all(abs(gap[k]) <= Fraction(repr(at_most)) for gap in listed) for k in range(len(costs))]
            tree, looked, bound = case.found.best_with_gap(group, at_most, kind, label=label)
            if not any(fair):
                assert tree is None
                assert bound == case.found.bound_
                continue
            assert fair[case.found.rank(tree)]
            assert bound == pytest.approx(costs[fair.index(True)])
            assert looked > 0
            none, seen, lower = case.found.best_with_gap(
                group, at_most, kind, label=label, look_at=looked - 1
            )
            assert none is None
            assert seen == looked - 1
            assert lower <= bound


def test_the_best_tree_for_every_gap(case):
    group = case.rng.random(len(case.y)) < 0.5
    label = int(case.rng.integers(case.y.max() + 1))
    cells = case.found.table()
    for kind in ("parity", "opportunity", "odds"):
        listed = gaps(case, group, kind, label)
        if listed is None:
            continue
        worst = [max(abs(gap[k]) for gap in listed) for k in range(len(case.trees))]
        objective = [cell.objective for cell in cells for _ in range(cell.n_trees)]
        points, proven = gap_frontier(case.found, group, kind, label=label)
        assert proven
        assert points[-1].gap == pytest.approx(float(min(worst)))
        assert points[0].objective == objective[0]
        for point, after in zip(points, [*points[1:], None], strict=True):
            assert float(worst[case.found.rank(point.tree)]) == pytest.approx(point.gap)
            assert objective[case.found.rank(point.tree)] == point.objective
            # no tree that costs less than the next point has a smaller gap than this one
            cheaper = [
                w for w, o in zip(worst, objective, strict=True) if after is None or o < after.objective
            ]
            if after is None or after.objective > point.objective:
                assert point.gap == pytest.approx(float(min(cheaper)))
        assert not gap_frontier(case.found, group, kind, label=label, look_at=0).proven


def test_the_fewest_columns(case):
    found = fewest_columns(case.found)
    asked = [len(case.columns_of(tree)) for tree in case.trees]
    assert found.proven
    assert found.n_columns == min(asked) == len(found.tree.asked)
    place = case.found.rank(found.tree)
    first = case.found.result(asked.index(min(asked)))
    assert case.found.result(place).objective == pytest.approx(first.objective)
