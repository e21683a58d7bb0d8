"""Near-optimal sets under weights of every kind, against the list of all trees in fractions.

Whole numbers, decimals, class weights and costs in decimals or thirds, balanced classes: the set is exact. Where
numbers had to be rounded, it says so: no tree up to its bound is missing, and none is more than `rounding_` above it.
"""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from near_optimal_lists import Listed, nested
from treewright import OptimalTreeClassifier, near_optimal_trees
from treewright.errors import InputError
from treewright.near_optimal import load_near_optimal, save_near_optimal
from treewright.near_optimal._counts import Counts
from treewright.result import SolveStatus, StopReason
from treewright.search import BinaryOptions

FLOAT = Fraction(1, 2**50)  # `bound_` is told as float64


class ListedExactly(Listed):
    """All trees, with errors as fractions."""

    def _leaves(self, rows):
        if len(rows) < self.min_rows:
            return
        paid = [sum(self.weight[r] * self.costs[self.y[r]][k] for r in rows) for k in range(len(self.costs))]
        labels = range(len(paid)) if self.any_label else [paid.index(min(paid))]
        yield from ((label, 1, paid[label]) for label in labels)


def written(value):
    """The decimal that a float was written as, or the third."""
    third = Fraction(float(value)).limit_denominator(3)
    return third if float(third) == float(value) else Fraction(repr(float(value)))


WEIGHTS = {
    "one": lambda rng, n: np.ones(n),
    "whole": lambda rng, n: rng.integers(1, 5, n),
    "tenths": lambda rng, n: rng.integers(1, 30, n) / 10,
    "thousandths": lambda rng, n: rng.integers(1, 3000, n) / 1000,
    "millionths": lambda rng, n: rng.integers(1, 3 * 10**6, n) / 10**6,
    "very different": lambda rng, n: rng.choice([1, 2, 3e9], n),
    "real": lambda rng, n: rng.random(n) + 0.01,
}
COSTS = {
    "plain": lambda rng, k: np.ones((k, k)),
    "whole": lambda rng, k: rng.integers(1, 4, (k, k)),
    "decimals": lambda rng, k: rng.integers(1, 400, (k, k)) / 100,
    "thirds": lambda rng, k: rng.integers(1, 7, (k, k)) / 3,
}


def draw(seed, kind):
    rng = np.random.default_rng(seed)
    n, m, k = int(rng.integers(4, 9)), int(rng.integers(1, 4)), int(rng.integers(2, 4))
    X = rng.integers(0, 2, (n, m)).astype(float)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    asked = {
        "sample_weight": WEIGHTS[kind](rng, n),
        "class_weight": [None, "balanced", {i: int(rng.integers(1, 300)) / 100 for i in range(k)}][
            rng.integers(3)
        ],
        "costs": COSTS[str(rng.choice(list(COSTS)))](rng, k) * (1 - np.eye(k)),
        "cost_complexity": float(rng.choice([0, 0.01, 0.02, 0.05, 0.1, 0.003, 0.125])),
        "max_depth": int(rng.integers(0, 3)),
        "min_samples_leaf": int(rng.choice([1, 1, 2])),
        "epsilon": float(rng.choice([0, 0.05, 0.1, 0.5, 1])),
        # Which of two labels is the cheapest is a matter of rounding for real weights of balanced classes.
        "leaf_labels": "any" if kind in ("real", "millionths") else str(rng.choice(["cheapest", "any"])),
        "redundant_splits": bool(rng.integers(2)),
    }
    return X, y, asked


def all_costs(found, y, asked):
    """Return the objective of every tree, exactly."""
    k = len(asked["costs"])
    weight = [written(w) for w in asked["sample_weight"]]
    factors = asked["class_weight"]
    if factors == "balanced":
        totals = [sum(w for w, label in zip(weight, y, strict=True) if label == c) for c in range(k)]
        weight = [w / totals[label] for w, label in zip(weight, y, strict=True)]
    elif factors is not None:
        weight = [w * written(factors[int(label)]) for w, label in zip(weight, y, strict=True)]
    splits = found.graph.split_matrix.splits
    listed = ListedExactly(
        [~split.goes_left(found.graph.problem.table.X) for split in splits],
        y,
        weight,
        [[written(c) for c in row] for row in asked["costs"]],
        asked["max_depth"],
        any_label=asked["leaf_labels"] == "any",
        redundant=asked["redundant_splits"],
        min_rows=asked["min_samples_leaf"],
    )
    price = written(asked["cost_complexity"])
    return {tree: errors / sum(weight) + price * leaves for tree, leaves, errors in listed.all}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_the_set_is_that_of_all_trees_in_fractions(kind):
    exact = rounded = 0
    for seed in range(100):
        X, y, asked = draw(seed, kind)
        found = near_optimal_trees(X, y, **asked)
        if found.n_trees_ > 1000:
            continue
        costs = all_costs(found, y, asked)
        numbers = {split: number for number, split in enumerate(found.graph.split_matrix.splits)}
        trees = [nested(tree, numbers) for tree in found]
        bound = min(costs.values()) * (1 + written(asked["epsilon"]))
        assert found.status_ == "complete"
        assert trees
        assert len(set(trees)) == len(trees)
        if found.rounding_ == 0:
            assert set(trees) == {tree for tree, cost in costs.items() if cost <= bound}, (kind, seed)
            assert [costs[tree] for tree in trees] == sorted(costs[tree] for tree in trees)
            assert "rounded" not in found.sentence()
            exact += 1
        else:
            told, more = Fraction(found.bound_), Fraction(found.rounding_)
            assert bound <= told * (1 + FLOAT)
            assert set(trees) >= {tree for tree, cost in costs.items() if cost <= told * (1 - FLOAT)}
            assert all(costs[tree] <= (told + more) * (1 + FLOAT) for tree in trees), (kind, seed)
            assert "trees up to" in found.sentence()
            rounded += 1
        for tree, claim in ((trees[k], found.result(k)) for k in (0, -1)):
            assert claim.objective == pytest.approx(float(costs[tree]), rel=1e-12)
            assert claim.lower_bound <= float(min(costs.values())) * (1 + 1e-12)
    if kind in ("one", "whole", "tenths", "thousandths"):
        assert (exact > 50, rounded) == (True, 0)  # nothing is rounded that has a common unit
    if kind == "real":
        assert rounded > 50


def test_a_rounded_set_keeps_its_rounding_in_files_and_smaller_sets(tmp_path):
    X, y, asked = draw(3, "real")
    found = near_optimal_trees(X, y, **asked)
    assert 0 < found.rounding_ < 1e-12
    save_near_optimal(tmp_path / "set", found)
    read = load_near_optimal(tmp_path / "set")
    assert (read.rounding_, read.bound_, read.sentence()) == (found.rounding_, found.bound_, found.sentence())
    best = found.where(max_objective=found.result(0).objective)
    assert best.rounding_ == found.rounding_
    assert found[0] in best
    assert repr(found[0]) == repr(best[0])


def test_a_set_up_to_the_objective_of_the_best_tree_has_that_tree():
    for seed in range(40):
        X, y, asked = draw(seed, "real")
        del asked["epsilon"]
        best = near_optimal_trees(X, y, epsilon=0, **asked)
        again = near_optimal_trees(X, y, max_objective=best.best.objective, **asked)
        assert again.rank(again.best.tree) is not None or asked["leaf_labels"] == "any"
        assert again


def ranked_set(X, y, **asked):
    """The set over ranked columns, which so few thresholds do not get otherwise."""
    with patch("treewright.search._choose_engine._has_many_thresholds", lambda *given: (True, "asked")):
        return near_optimal_trees(X, y, thresholds="all", **asked)


def test_a_set_is_exact_where_the_search_before_it_had_fewer_bits():
    """The search over ranked columns rounds such weights, and proves its tree to within that; the set is exact."""
    X = np.array([[1, 0.9], [0, 0.69], [2, -0.73], [1, 0.9], [0, 0.69], [2, -0.73], [2, 0.13]])
    asked = {
        "sample_weight": [2, 3e9, 2, 2, 3e9, 3e9, 2],
        "costs": [[0, 5, 4], [2, 0, 1], [2, 4, 0]],
        "cost_complexity": 0.1,
        "max_depth": 2,
    }
    y = [2, 0, 2, 0, 1, 2, 0]
    searched = OptimalTreeClassifier(**asked_of_a_tree(asked), search_options=BinaryOptions(engine="ranked"))
    assert searched.fit(X, y, sample_weight=asked["sample_weight"]).result_.rounding > 0
    binary = near_optimal_trees(X, y, slack=0, **asked)
    ranked = ranked_set(X, y, slack=0, **asked)
    assert ranked.best.rounding == 0
    assert ranked.best.objective == binary.best.objective < searched.result_.objective
    assert ranked.table() == binary.table()
    assert ranked.bound_ == binary.bound_ == binary.best.objective
    assert ranked.result(0).status.name == "OPTIMAL"


def asked_of_a_tree(asked):
    return {name: value for name, value in asked.items() if name != "sample_weight"}


# The optimum is 0, by three leaves; the engine over ranked columns rounds a weight to 0 and finds two.
COARSE = {
    "cost_complexity": 0,
    "max_depth": 2,
    "costs": [[0, 0.1, 1000], [1000, 0, 0.01], [0.1, 0.01, 0]],
    "sample_weight": [2, 3e9, 3e9],
}


def test_a_set_proves_the_least_where_the_search_before_it_could_not():
    X, y = [[0], [1], [2]], [1, 0, 2]
    searched = OptimalTreeClassifier(**asked_of_a_tree(COARSE), search_options=BinaryOptions(engine="ranked"))
    with pytest.warns(ConvergenceWarning, match="rounded"):
        searched.fit(X, y, sample_weight=COARSE["sample_weight"])
    binary, ranked = near_optimal_trees(X, y, **COARSE), ranked_set(X, y, **COARSE)
    assert ranked.best.status.name == "OPTIMAL"
    assert ranked.best.notes == binary.best.notes
    assert ranked.sentence() == binary.sentence()
    assert ranked.bound_ == ranked.best.objective == ranked.best.lower_bound == 0
    assert ranked.table() == binary.table()


def test_what_ends_after_the_first_set_is_complete_up_to_what_was_asked():
    """That first set reaches up to the tree that was found, beyond the bound that its cheapest tree gives."""
    X, y = [[0], [1], [2]], [1, 0, 2]
    stopped_after = 0

    def at_most_one(graph, *given):
        nonlocal stopped_after
        stopped_after += 1
        return made(graph, *given) if stopped_after == 1 else StopReason.TIME_LIMIT

    made = Counts.make
    with patch.object(Counts, "make", at_most_one):
        found = ranked_set(X, y, **COARSE)
    assert stopped_after == 2
    assert found.status_ == "complete"
    assert found.table() == ranked_set(X, y, **COARSE).table()


@pytest.mark.parametrize("how", [{"max_objective": 2.0}, {"slack": 1.99}])
def test_a_bound_beyond_all_trees_is_the_bound_of_the_set(how: dict[str, float]) -> None:
    """The whole numbers of the search end before it, so all trees are asked for instead."""
    weight, costs = [1, 0.29949826853296724], [[0, 0.001], [0.01, 0]]
    trees = near_optimal_trees([[0], [1]], [1, 0], costs=costs, sample_weight=weight, **how)
    assert (trees.status_, trees.n_trees_) == ("complete", 2)
    assert trees.bound_ == pytest.approx(2.0, abs=0.01)


def test_a_bound_that_the_search_cannot_hold_is_refused() -> None:
    """A set that ends before the bound is never called complete."""
    weight, costs = [1, 0.29949826853296724], [[0, 1e-4], [1e-4, 0]]
    with pytest.raises(InputError, match=r"above 0\.0128 cannot be stored exactly"):
        near_optimal_trees([[0], [1]], [1, 0], costs=costs, sample_weight=weight, max_objective=2.0)


@pytest.mark.parametrize("labels", [[1, 2, 2, 0], [0, 1, 2, 2, 2], [2, 2, 2, 0, 1, 1]])
def test_rows_of_a_later_class_alone_are_split_over_ranked_columns_too(labels: list[int]) -> None:
    """Their leaves looked as if they were all wrong, so redundant splits of them were left out of a complete set."""
    X = np.arange(len(labels), dtype=float)[:, None]
    asked = {"epsilon": 1.5, "redundant_splits": True, "thresholds": "all"}
    expected = near_optimal_trees(X, labels, **asked)
    with patch("treewright.search._choose_engine._has_many_thresholds", lambda *given: (True, "asked")):
        found = near_optimal_trees(X, labels, **asked)
    assert (found.n_trees_, found.status_) == (expected.n_trees_, "complete")
    assert [(size.n_leaves, size.n_trees) for size in found.table()] == [
        (size.n_leaves, size.n_trees) for size in expected.table()
    ]


def test_the_last_digit_of_float64_is_no_better_tree() -> None:
    """The search had a tree of the same cost, added up in another order; the set is exact, and so is its proof."""
    with patch("treewright.search._choose_engine._has_many_thresholds", lambda *given: (True, "asked")):
        trees = near_optimal_trees(
            np.array([[1.0], [0.0], [1.0], [0.0]]),
            [1, 0, 2, 2],
            cost_complexity=0.0,
            costs=[[0.0, 0.01, 1.0], [0.001, 0.0, 1000.0], [10.0, 1.0, 0.0]],
            sample_weight=[6.9, 21.6, 19.4, 10.7],
            thresholds="all",
        )
    assert trees.status_ == "complete"
    assert trees.best.status is SolveStatus.OPTIMAL
