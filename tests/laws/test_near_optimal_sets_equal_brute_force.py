"""A near-optimal set against the list of all trees: counts, order, places, rules, shares and votes."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from near_optimal_lists import Listed, continuous_case, nested, random_case
from treewright import near_optimal_trees
from treewright.near_optimal._problems import ranked_problem


@pytest.fixture
def over_ranked_columns(monkeypatch):
    """Have the graph made by the search over ranked columns where it can be; return whether it was, each time."""
    made = []

    def problem(*given):
        made.append(True)
        return ranked_problem(*given)

    monkeypatch.setattr(
        "treewright.search._choose_engine._has_many_thresholds", lambda *given: (True, "many")
    )
    monkeypatch.setattr("treewright.near_optimal._solve.ranked_problem", problem)
    return made


@pytest.mark.parametrize("seed", range(120))
def test_set_is_what_a_list_of_all_trees_says(seed):
    X, y, weight, costs, asked = random_case(seed)
    compare(X, y, weight, costs, asked)


@pytest.mark.parametrize("seed", range(60))
def test_set_over_ranked_columns_is_what_a_list_of_all_trees_says(seed, over_ranked_columns):
    X, y, weight, costs, asked = continuous_case(seed)
    compare(X, y, weight, costs, asked | {"thresholds": "all"})
    assert over_ranked_columns == [True]


def compare(X, y, weight, costs, asked):
    """Compare all that is said of a set with a list of all trees."""
    found = near_optimal_trees(X, y, sample_weight=weight, costs=costs, **asked)
    table = found.graph.problem.table
    splits = found.graph.split_matrix.splits
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
    objectives = [size.objective for size in found.table() for _ in range(size.n_trees)]
    for number, use in enumerate(found.columns()):
        asks = [any(split is not None and split.column == number for split in tree.splits) for tree in listed]
        first = [tree.splits[0] is not None and tree.splits[0].column == number for tree in listed]
        assert use.share == pytest.approx(np.mean(asks), abs=1e-12)
        assert use.share_at_root == pytest.approx(np.mean(first), abs=1e-12)
        assert use.best_with == next((o for o, ask in zip(objectives, asks, strict=True) if ask), None)
        assert use.best_without == next((o for o, ask in zip(objectives, asks, strict=True) if not ask), None)
        smaller = found.where(without=use.name)
        assert [nested(tree, numbers) for tree in smaller] == [
            t for t, ask in zip(as_nested, asks, strict=True) if not ask
        ]
        beginning = found.where(root=use.name)
        assert [nested(tree, numbers) for tree in beginning] == [
            t for t, f in zip(as_nested, first, strict=True) if f
        ]
        assert all(beginning.rank(tree) == place for place, tree in enumerate(beginning))


@pytest.mark.parametrize("seed", range(24))
def test_ranked_and_binary_columns_give_the_same_set(seed, over_ranked_columns):
    """With missing values, a column of text, a third level, and sets that are stopped by nothing but their bound."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(15, 45))
    X = pd.DataFrame({"a": rng.integers(0, 12, n).astype(float), "b": rng.normal(size=n).round(1)})
    X.loc[rng.random(n) < 0.2, "b"] = np.nan
    if seed % 2:
        X["c"] = rng.choice(["red", "green", "blue"], n)
    y = (X["a"] > 5).to_numpy() ^ (rng.random(n) < 0.25)
    weight = rng.integers(0, 4, n) if seed % 3 == 0 else np.ones(n)
    weight[:2] = 1
    y[:2] = False, True
    asked = {
        "sample_weight": weight, "max_depth": 3, "cost_complexity": 0.03,
        "epsilon": float(rng.choice([0.02, 0.1, 0.2])),
        "min_samples_leaf": 1 + 2 * int(rng.integers(2)), "leaf_labels": str(rng.choice(["any", "cheapest"])),
        "redundant_splits": bool(rng.integers(2)), "time_limit": None,
    }  # fmt: skip
    ranked = near_optimal_trees(X, y, thresholds="all", **asked)
    binary = near_optimal_trees(X, y, thresholds="auto", **asked)
    assert over_ranked_columns == [True]
    assert len(ranked.graph.split_matrix.splits) == len(binary.graph.split_matrix.splits)
    assert ranked.status_ == binary.status_ == "complete"
    assert ranked.table() == binary.table()
    np.testing.assert_allclose(ranked.vote_share(), binary.vote_share(), rtol=1e-9)
    for one, other in zip(ranked.columns(), binary.columns(), strict=True):
        assert one[:1] + one[3:5] == other[:1] + other[3:5]
        assert one.share == pytest.approx(other.share, rel=1e-9)
        assert one.share_at_root == pytest.approx(other.share_at_root, rel=1e-9)
        assert one.reliance == pytest.approx(other.reliance, abs=1e-12)
    for tree in ranked.sample(5, random_state=seed):
        assert tree in binary
        assert ranked.where(like=tree).n_trees_ == binary.where(like=tree).n_trees_
    for tree in binary.sample(5, random_state=seed):
        assert tree in ranked


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_rows_that_no_column_tells_apart_over_ranked_columns(depth, over_ranked_columns):
    """Of three classes: nodes without a column to split are left while depth remains."""
    X, y = np.array([[0.0], [0.0], [1.0], [1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 2, 0, 2, 1, 0])
    compare(
        X, y, np.ones(7, dtype=int), 1 - np.eye(3, dtype=int),
        {
            "cost_complexity": 0.01, "max_depth": depth, "min_samples_leaf": 1, "epsilon": 0.5,
            "leaf_labels": "any", "redundant_splits": True, "thresholds": "all",
        },
    )  # fmt: skip
    assert over_ranked_columns == [True]


@pytest.mark.parametrize("classes", [1, 3])
def test_rows_that_gain_from_no_class_leave_sides_no_more_than_the_whole(
    classes, over_ranked_columns
) -> None:
    """The kernel for pairs of splits took an unset number for what such rows gain: some nodes had endless budgets."""
    X = pd.DataFrame(
        {
            "c0": [0.07, -0.13, -0.81, -0.26, -0.51, 1.31, None],
            "c1": [-1.19, -0.36, 0.67, 0.67, 0.78, 0.81, -0.11],
        }
    )
    weight = [3.7, 13.6, 27.5, 28.3, 27.6, 10.5, 13.6]
    y, costs = np.zeros(7, dtype=int), None
    if classes == 3:  # and in two rows more, which lie apart, another cost
        X = pd.concat([X, pd.DataFrame({"c0": [5.0, 5.0], "c1": [5.0, 6.0]})], ignore_index=True)
        weight, y = [*weight, 1.0, 1.0], np.array([0] * 7 + [1, 2])
        costs = [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    asked = {"cost_complexity": 0.0, "max_depth": 2, "min_samples_leaf": 2, "max_objective": 2.0}
    found = near_optimal_trees(X, y, sample_weight=weight, costs=costs, thresholds="all", **asked)
    budgets = np.asarray(found.graph.arrays["budget"])
    assert len(budgets) > 1
    assert budgets.max() == budgets[0]
    assert len(found.where(uses=["c1"])) <= len(found)
    assert over_ranked_columns == [True]


def test_costs_in_decimals_whose_unit_is_no_whole_share() -> None:
    """.48 and 1.065 are 32 and 71 times .015: two leaves and one row of .48 are exactly .14."""
    X, costs = np.array([[2.0], [0.0], [2.0], [1.0]]), [[0.0, 0.48], [1.065, 0.0]]
    for bound in ({"slack": 0.0}, {"max_objective": 0.14}):
        found = near_optimal_trees(X, [1, 0, 0, 0], costs=costs, **bound)
        assert found.n_trees_ == 1
        assert found.bound_ == 0.14
    assert found.graph.unit == Fraction(3, 800)


@pytest.mark.parametrize("seed", range(8))
def test_rows_and_columns_may_stand_in_any_order(seed):
    """Also where counts need more than 64 bits."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (60, 9)).astype(float)
    y = np.where(rng.random(60) < 0.2, X[:, 2], X[:, 0] * X[:, 1]).astype(int)
    asked = {"cost_complexity": 0.002, "max_depth": 5, "epsilon": 2.0, "leaf_labels": "any"}
    asked |= {"redundant_splits": True, "max_leaf_nodes": 24}
    whole = near_optimal_trees(X, y, **asked)
    if seed == 0:
        assert whole.n_trees_ > 2**64
    rows, columns = rng.permutation(60), rng.permutation(9)
    other = near_optimal_trees(X[rows][:, columns], y[rows], **asked)
    assert other.table() == whole.table()
    np.testing.assert_allclose(other.vote_share(), whole.vote_share()[rows], rtol=1e-9)
    uses, others = whole.columns(), other.columns()
    for place, column in enumerate(columns):
        assert others[place].share == pytest.approx(uses[column].share, rel=1e-9)
        assert others[place][3:5] == uses[column][3:5]
        assert others[place].reliance == pytest.approx(uses[column].reliance, abs=1e-12)


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
