"""Prunings: never dearer, none left that is better, and a proof that a pruning refutes is not handed out."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from prunings import end_of, prunings
from treewright import SolveStatus
from treewright.errors import RefutedProofWarning
from treewright.problem import Problem, make_problem
from treewright.result import StopReason
from treewright.search import leaf_accuracy_result_of, leaf_value
from treewright.search._prune import best_pruning, best_worst_leaf
from treewright.search._result import measured, result_of
from treewright.table import table_from
from treewright.tree import Split, ThresholdSplit, Tree, grow, reduce_tree


def grown(problem: Problem, splits: list[Split | None]) -> Tree:
    return grow(
        problem.table.columns,
        problem.classes,
        splits,
        problem.table.X,
        problem.y,
        problem.sample_weight,
        problem.costs,
    )


def pruned(problem: Problem, tree: Tree, **least: float) -> Tree:
    return best_pruning(problem, tree, measured(problem, tree)[1], **least).tree


def random_splits(rng: np.random.Generator, n_columns: int, depth: int) -> list[Split | None]:
    if depth == 0 or rng.random() < 0.15:
        return [None]
    split = ThresholdSplit(int(rng.integers(n_columns)), float(rng.integers(4)) + 0.5)
    return [split, *random_splits(rng, n_columns, depth - 1), *random_splits(rng, n_columns, depth - 1)]


def random_problem(rng: np.random.Generator, **constraints: object) -> Problem:
    n_rows = int(rng.integers(5, 60))
    X = rng.integers(0, 5, (n_rows, 4)).astype(float)
    X[rng.random(X.shape) < 0.05] = np.nan
    costs = rng.integers(1, 5, (3, 3)) * (1 - np.eye(3, dtype=int))
    return make_problem(
        table_from(X),
        np.r_[0, 1, 2, rng.integers(0, 3, n_rows - 3)],
        sample_weight=rng.integers(1, 4, n_rows),
        costs=costs,
        cost_complexity=float(rng.choice([0, 0.01, 0.05])),
        **constraints,
    )


def cost(problem: Problem, splits: list[Split | None]) -> float:
    """Objective of a tree, row by row."""
    leaf_rows: dict[int, list[int]] = {}
    for row, x in enumerate(problem.table.X):
        leaf_rows.setdefault(leaf_of(splits, 0, x)[0], []).append(row)
    paid = 0.0
    for rows in leaf_rows.values():
        price = np.zeros(problem.n_classes)
        for row in rows:
            price += problem.sample_weight[row] * problem.costs[problem.y[row]]
        paid += price.min()
    return paid / problem.total_weight + problem.cost_complexity * sum(s is None for s in splits)


def leaf_of(splits: list[Split | None], node: int, x: np.ndarray) -> tuple[int, None]:
    while (split := splits[node]) is not None:
        value = x[split.column]
        left = split.missing_left if np.isnan(value) else value <= split.threshold
        node = node + 1 if left else end_of(splits, node + 1)
    return node, None


@pytest.mark.parametrize("seed", range(8))
def test_no_pruning_is_left_that_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    improved = 0
    for _ in range(15):
        problem = random_problem(rng)
        splits = random_splits(rng, 4, 4)
        after = list(pruned(problem, grown(problem, splits)).splits)
        assert cost(problem, after) <= cost(problem, splits) + 1e-12
        for other in prunings(after):
            assert cost(problem, after) <= cost(problem, other) + 1e-12
            assert cost(problem, other) > cost(problem, after) - 1e-12
        improved += len(after) < len(splits)
    assert improved > 5


def test_a_child_in_the_place_of_its_parent() -> None:
    """The root asks for one row; its right side, on all rows, is the better tree."""
    X = np.array([[1, 0], [0, 0], [0, 0], [0, 1], [0, 1]], dtype=float)
    problem = make_problem(table_from(X), [0, 0, 0, 1, 1], cost_complexity=0.05)
    root = ThresholdSplit(0, 0.5)
    tree = grown(problem, [root, ThresholdSplit(1, 0.5), None, None, None])
    assert list(pruned(problem, tree).splits) == [ThresholdSplit(1, 0.5), None, None]


def test_a_leaf_that_is_less_accurate_than_it_must_be_is_no_pruning() -> None:
    X = np.array([[0]] * 50 + [[1]] * 50, dtype=float)
    problem = make_problem(table_from(X), [0] * 50 + [1] * 29 + [0] * 21, cost_complexity=0.1)
    tree = grown(problem, [ThresholdSplit(0, 0.5), None, None])
    assert pruned(problem, tree).n_leaves == 1
    assert pruned(problem, tree, min_leaf_accuracy=0.58).n_leaves == 1
    problem = make_problem(table_from(X), [0] * 50 + [1] * 35 + [0] * 15, cost_complexity=0.4)
    tree = grown(problem, [ThresholdSplit(0, 0.5), None, None])
    assert pruned(problem, tree).n_leaves == 1
    assert pruned(problem, tree, min_leaf_accuracy=0.7) is tree


def test_a_proof_that_a_pruning_refutes_is_not_handed_out() -> None:
    """Two leaves for .41 where one costs .39, claimed to be optimal."""
    X = np.array([[0]] * 50 + [[1]] * 50, dtype=float)
    problem = make_problem(table_from(X), [0] * 50 + [1] * 29 + [0] * 21, cost_complexity=0.1)
    tree = grown(problem, [ThresholdSplit(0, 0.5), None, None])
    about: dict[str, object] = {
        "slack": 0.0, "scope": "nothing", "stop": None, "stats": {}, "options": {}, "notes": (),
    }  # fmt: skip
    with pytest.warns(RefutedProofWarning, match="That proof is wrong"):
        result = result_of(problem, tree, proven=True, lower_bound=0.41, **about)
    assert result.status is SolveStatus.FEASIBLE
    assert result.objective == pytest.approx(0.39)
    assert result.lower_bound == pytest.approx(0.1)
    assert "report it" in result.notes[-1]
    with pytest.warns(RefutedProofWarning, match=r"0\.4"):  # the bound alone is false
        result_of(problem, tree, proven=False, lower_bound=0.4, **about)
    honest = result_of(problem, tree, proven=False, lower_bound=0.2, **about)
    assert (honest.objective, honest.lower_bound) == (pytest.approx(0.39), 0.2)
    guessed = result_of(problem, tree, proven=True, lower_bound=0.2, conditional=True, **about)
    assert (guessed.status, guessed.objective) == (SolveStatus.OPTIMAL, pytest.approx(0.39))


def test_a_proof_of_a_tree_that_costs_more_is_not_handed_out() -> None:
    """An engine that counts a tree as cheaper than it is proves nothing, whatever it says of other trees."""
    X = np.array([[0]] * 50 + [[1]] * 50, dtype=float)
    problem = make_problem(table_from(X), [0] * 50 + [1] * 40 + [0] * 10, cost_complexity=0.1)
    tree = grown(problem, [ThresholdSplit(0, 0.5), None, None])
    about: dict[str, object] = {
        "slack": 0.0, "scope": "nothing", "stats": {}, "options": {}, "notes": (),
    }  # fmt: skip
    with pytest.warns(RefutedProofWarning, match=r"at most, but its own tree has 0\.3"):
        result = result_of(problem, tree, proven=True, lower_bound=0.29, upper_bound=0.29, stop=None, **about)
    assert (result.status, result.lower_bound) == (SolveStatus.FEASIBLE, pytest.approx(0.1))
    stopped = result_of(
        problem, tree, proven=True, lower_bound=0.2, upper_bound=0.29, stop=StopReason.TIME_LIMIT, **about
    )
    assert (stopped.status, stopped.lower_bound) == (SolveStatus.FEASIBLE, 0.2)
    honest = result_of(problem, tree, proven=True, lower_bound=0.3, upper_bound=0.3, stop=None, **about)
    assert honest.status is SolveStatus.OPTIMAL


def test_ties_of_real_numbers_are_exact() -> None:
    """Balanced weights: 2/3 and 2 thirds, of which float64 sums differ in the last place. Fewer leaves win a tie."""
    rng = np.random.default_rng(3)
    smaller = 0
    for _ in range(30):
        n = int(rng.integers(20, 60))
        X = rng.integers(0, 4, (n, 3)).astype(float)
        y = (np.arange(n) % 7 == 0).astype(int)
        weight = np.where(y == 1, n / (2 * y.sum()), n / (2 * (n - y.sum())))
        problem = make_problem(table_from(X), y, sample_weight=weight, cost_complexity=0.0)
        tree = pruned(problem, grown(problem, random_splits(rng, 3, 4)))
        for node in np.flatnonzero(~tree.is_leaf):  # no split of equal predictions stays
            sides = tree.children_left[node], tree.children_right[node]
            if tree.is_leaf[list(sides)].all():
                assert tree.prediction[sides[0]] != tree.prediction[sides[1]]
        smaller += tree.n_leaves > 1
    assert smaller > 10


def test_costs_of_very_different_size() -> None:
    """Wrong on a dear row costs 1, on a cheap one 1e-18 of that; what pays for cheap ones alone stays."""
    X = np.array([[0], [0], [1], [1], [2]], dtype=float)
    weight = [1.0, 1.0, 3e-18, 1e-18, 2e-18]
    problem = make_problem(table_from(X), [0, 0, 1, 0, 0], sample_weight=weight, cost_complexity=0.0)
    whole: list[Split | None] = [ThresholdSplit(0, 0.5), None, ThresholdSplit(0, 1.5), None, None]
    tree = grown(problem, whole)
    assert measured(problem, tree)[1] == pytest.approx(1e-18 / 2, abs=1e-24)
    assert list(pruned(problem, tree).splits) == whole


def worst(problem: Problem, splits: list[Split | None], z: float) -> float:
    tree = grown(problem, splits)
    leaves = tree.value[tree.is_leaf]
    scale = problem.table.n_rows / problem.total_weight
    return min(
        leaf_value(c * scale, w * scale, "lower_bound", NormalDist().cdf(z))
        for c, w in zip(leaves.max(axis=1), leaves.sum(axis=1), strict=True)
    )


@pytest.mark.parametrize("z", [0.0, 1.6])
def test_no_pruning_has_a_better_worst_leaf(z: float) -> None:
    rng = np.random.default_rng(5)
    better = 0
    for _ in range(40):
        n = int(rng.integers(10, 60))
        X = rng.integers(0, 5, (n, 4)).astype(float)
        problem = make_problem(
            table_from(X), rng.integers(0, 2, n), sample_weight=rng.integers(1, 4, n), cost_complexity=0.0
        )
        before = reduce_tree(grown(problem, random_splits(rng, 4, 4)))
        if before.n_leaves == 1:
            continue
        after = best_worst_leaf(problem, before, z=z).tree
        value, loss = worst(problem, list(after.splits), z), measured(problem, after)[0]
        assert value >= worst(problem, list(before.splits), z)
        for other in prunings(list(after.splits)):
            theirs = worst(problem, other, z)
            assert theirs <= value + 1e-12
            if theirs > value - 1e-12:
                assert cost(problem, other) >= loss - 1e-12
        better += value > worst(problem, list(before.splits), z)
    assert better > 10


@pytest.mark.parametrize("seed", range(3))
def test_prunings_of_a_tree_of_thousands_of_leaves(seed: int) -> None:
    """One round at least, whatever the clock says; the tree is a pruning of what came."""
    rng = np.random.default_rng(seed)
    X = rng.random((3000, 5))
    problem = make_problem(table_from(X), rng.integers(0, 4, 3000), cost_complexity=1e-4)

    def splits(rows: np.ndarray) -> list[Split | None]:
        split = ThresholdSplit(int(rng.integers(5)), 0.0)
        split = replace(split, threshold=float(np.median(X[rows, split.column])))
        left = split.goes_left(X, rows)
        if len(rows) < 4 or left.all():
            return [None]
        return [split, *splits(rows[left]), *splits(rows[~left])]

    tree = reduce_tree(grown(problem, splits(np.arange(3000))))
    assert tree.n_leaves > 500
    once = best_pruning(problem, tree, measured(problem, tree)[1], seconds=0.0)
    assert measured(problem, once.tree)[1] < measured(problem, tree)[1]
    assert set(once.tree.splits) <= set(tree.splits)
    again = best_pruning(problem, once.tree, measured(problem, once.tree)[1])
    assert measured(problem, again.tree)[1] <= measured(problem, once.tree)[1]


def test_claims_about_the_worst_leaf_that_a_pruning_refutes() -> None:
    """Left 10 rows, 6 of them right; right 10 rows, all right: one leaf has .8, and no tree less."""
    X = np.array([[0]] * 10 + [[1]] * 10, dtype=float)
    problem = make_problem(table_from(X), [0] * 6 + [1] * 4 + [0] * 10, max_depth=2, cost_complexity=0.0)
    tree = grown(problem, [ThresholdSplit(0, 0.5), None, None])
    about: dict[str, Any] = {
        "criterion": "accuracy", "confidence": None, "scope": "nothing", "stop": None, "stats": {}, "options": {},
        "notes": (),
    }  # fmt: skip
    with pytest.warns(RefutedProofWarning, match=r"no worst leaf above 0\.6"):
        result = leaf_accuracy_result_of(
            problem, tree, value_proven=True, loss_proven=True, upper_bound=1.0, **about
        )
    assert (result.status, result.objective, result.upper_bound) == (SolveStatus.FEASIBLE, 0.8, 1.0)
    assert not result.stats["value_proven"]
    with pytest.warns(RefutedProofWarning, match=r"no worst leaf above 0\.7"):
        leaf_accuracy_result_of(
            problem, tree, value_proven=False, loss_proven=False, upper_bound=0.7, **about
        )
    honest = leaf_accuracy_result_of(
        problem, tree, value_proven=False, loss_proven=False, upper_bound=0.9, **about
    )
    assert (honest.objective, honest.upper_bound, honest.tree.n_leaves) == (0.8, 0.9, 1)
    # A worst leaf as good, and fewer errors.
    X = np.array([[0, 0]] * 4 + [[0, 1]] * 4 + [[1, 0]] * 4 + [[1, 1]] * 4, dtype=float)
    problem = make_problem(table_from(X), [0, 0, 0, 1] * 4, max_depth=2, cost_complexity=0.0)
    problem = replace(problem, y=np.where(X[:, 1] == 1, 1 - problem.y, problem.y).astype(np.int32))
    tree = grown(problem, [ThresholdSplit(1, 0.5), None, None])
    proven = leaf_accuracy_result_of(
        problem, tree, value_proven=True, loss_proven=True, upper_bound=1.0, **about
    )
    assert (proven.status, proven.objective, proven.loss) == (SolveStatus.OPTIMAL, 0.75, 0.25)
