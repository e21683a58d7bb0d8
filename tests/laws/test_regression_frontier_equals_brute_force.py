"""The front of regression trees against a list of all trees of each number of leaves, in exact fractions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from brute_force_additive import best_tree, squared_error
from treewright.errors import InputError
from treewright.problem import make_regression_problem
from treewright.result import SolveStatus, StopReason
from treewright.search import Limits, regression_frontier, solve_regression_frontier
from treewright.search._prunings import best_prunings
from treewright.table import table_from
from treewright.tree import grow_regression
from treewright.verify import verify_regression


def tiny(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(4, 9)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.integers(2, 6), (n, m)).astype(float)
    y = rng.integers(-6, 7, n)
    y[:2] = 0, 1
    weight = rng.integers(1, 4, n) if rng.random() < 0.5 else np.ones(n, dtype=int)
    depth = [None, 1, 2, 3][rng.integers(4)]
    return X, y, weight, depth, int(rng.choice([1, 1, 2])), int(rng.integers(1, 7))


@pytest.mark.parametrize("seed", range(120))
def test_every_point_is_the_least_loss_of_its_leaves(seed):
    X, y, weight, depth, least, most = tiny(seed)
    front = regression_frontier(
        X, y, max_leaves=most, max_depth=depth, min_samples_leaf=least, sample_weight=weight, progress=False
    )
    table = table_from(X)
    loss = squared_error(y, weight)
    one_leaf = loss(range(len(y)))
    for leaves in range(1, most + 1):
        wanted, fewest = best_tree(
            table, loss, max_depth=depth, max_leaf_nodes=leaves, min_samples_leaf=least
        )
        result = front.at_most(leaves)
        assert result.status is SolveStatus.OPTIMAL
        assert result.loss == pytest.approx(float(wanted / one_leaf), abs=1e-11)
        assert result.lower_bound <= float(wanted / one_leaf) + 1e-15
        assert result.tree.n_leaves == fewest
        asked = make_regression_problem(
            table, y, sample_weight=weight, cost_complexity=0.0, max_depth=depth, max_leaf_nodes=leaves,
            min_samples_leaf=least,
        )  # fmt: skip
        assert verify_regression(asked, result).ok
    assert front.sentence().startswith("Proven over all ")
    assert ": for each number of leaves from 1 to " in front.sentence()


@pytest.mark.parametrize("seed", range(12))
def test_bounds_of_stopped_fronts_hold(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)).round(1), rng.integers(-20, 20, 60)
    problem = make_regression_problem(table_from(X), y, max_depth=3, max_leaf_nodes=6)
    whole = solve_regression_frontier(problem)
    assert whole.proven_leaves == 6
    cut = solve_regression_frontier(problem, limits=Limits(step_limit=1 + seed % 7))
    for leaves in range(1, 7):
        least = whole.at_most(leaves).loss
        assert cut.at_most(leaves).lower_bound <= least + 1e-11
        assert cut.at_most(leaves).loss >= least - 1e-11
    if cut.proven_leaves < 6:
        assert cut.stop_reason is StopReason.STEP_LIMIT
        assert "step limit" in cut.sentence()


def test_a_callback_stops_the_front_and_the_single_leaf_stays():
    rng = np.random.default_rng(0)
    problem = make_regression_problem(
        table_from(rng.normal(size=(2000, 8))), rng.normal(size=2000), max_depth=4, max_leaf_nodes=16
    )
    front = solve_regression_frontier(problem, progress=lambda state: True)
    assert front.stop_reason is StopReason.CALLBACK
    assert front.stats["searches"] == 3  # single leaf, the one that was stopped, single split
    assert front.at_most(1).status is SolveStatus.OPTIMAL


def test_prunings_are_the_best_of_all():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    table = table_from(X)
    problem = make_regression_problem(table, y, cost_complexity=0.0, max_depth=3, max_leaf_nodes=8)
    tree = solve_regression_frontier(problem).at_most(8).tree

    def loss(rows):
        return float(((y[rows] - y[rows].mean()) ** 2).sum())

    def all_prunings(node):
        yield [None]
        if tree.splits[node] is not None:
            for a in all_prunings(tree.children_left[node]):
                for b in all_prunings(tree.children_right[node]):
                    yield [tree.splits[node], *a, *b]

    least = {}
    for splits in all_prunings(0):
        grown = grow_regression(table.columns, splits, table.X, y, np.ones(40))
        cost = float(((y - grown.predict(table.X)) ** 2).sum())
        least[grown.n_leaves] = min(least.get(grown.n_leaves, np.inf), cost)
    found = best_prunings(tree, table.X, loss, 8)
    assert [splits.count(None) for splits, _ in found] == list(range(1, tree.n_leaves + 1))
    for splits, cost in found:
        assert cost == pytest.approx(least[splits.count(None)])


def test_a_constant_target_has_one_point():
    front = regression_frontier([[1.0], [2.0], [3.0]], [7.0, 7.0, 7.0], max_leaves=3)
    assert [point.tree.n_leaves for point in front] == [1]
    assert front.proven_leaves == 3


def test_what_cannot_be_used_is_refused():
    with pytest.raises(InputError, match="max_leaves=0"):
        regression_frontier([[1.0], [2.0]], [1.0, 2.0], max_leaves=0)
    with pytest.raises(InputError, match="search_options="):
        regression_frontier([[1.0], [2.0]], [1.0, 2.0], search_options="fast")
    problem = make_regression_problem(table_from([[1.0], [2.0]]), [1.0, 2.0], max_leaf_nodes=2)
    with pytest.raises(InputError, match="max_leaf_nodes is None"):
        solve_regression_frontier(replace(problem, max_leaf_nodes=None))
