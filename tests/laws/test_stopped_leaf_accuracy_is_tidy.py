"""Whatever stops a run for the best worst leaf, its tree is no worse than its parts, one split, or a greedy tree."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from treewright.errors import SolverError
from treewright.problem import Problem, make_problem
from treewright.search import (
    LeafAccuracyOptions,
    Limits,
    leaf_value,
    solve_leaf_accuracy,
    solve_with_leaf_accuracy,
)
from treewright.table import table_from
from treewright.tree import Split, ThresholdSplit, Tree, grow


def random_problem(rng: np.random.Generator, **rest) -> Problem:
    n = int(rng.integers(30, 200))
    X = rng.integers(0, rng.integers(3, 30), (n, 4)).astype(float)
    y = ((X[:, 0] > X[:, 1]) ^ (rng.random(n) < 0.25)).astype(int) + (X[:, 2] > 12)
    weight = (None, rng.random(n) + 0.2, rng.integers(1, 4, n))[rng.integers(3)]
    return make_problem(
        table_from(pd.DataFrame(X)), y, sample_weight=weight,
        **{"max_depth": int(rng.integers(2, 6)), "min_samples_leaf": int(rng.integers(1, 12)), **rest},
    )  # fmt: skip


def grown(problem: Problem, splits: list[Split | None]) -> Tree:
    table = problem.table
    return grow(
        table.columns, problem.classes, splits, table.X, problem.y, problem.sample_weight, problem.costs
    )


def subtree(tree: Tree, node: int) -> list[Split | None]:
    if tree.is_leaf[node]:
        return [None]
    return [
        tree.splits[node],
        *subtree(tree, tree.children_left[node]),
        *subtree(tree, tree.children_right[node]),
    ]


def parts(tree: Tree) -> list[list[Split | None]]:
    """The tree with one inner node replaced by its left side, its right side, or a leaf."""

    def rebuilt(node: int, target: int, instead: list[Split | None]) -> list[Split | None]:
        if node == target:
            return instead
        if tree.is_leaf[node]:
            return [None]
        left, right = tree.children_left[node], tree.children_right[node]
        return [tree.splits[node], *rebuilt(left, target, instead), *rebuilt(right, target, instead)]

    found = []
    for node in np.flatnonzero(~tree.is_leaf):
        sides = (tree.children_left[node], tree.children_right[node])
        found += [rebuilt(0, node, instead) for instead in ([None], *(subtree(tree, side) for side in sides))]
    return found


def worth(problem: Problem, tree: Tree, criterion: str) -> tuple[float, float, int] | None:
    """Less is better: minus the worst leaf, the loss, the leaves; None if a leaf has too few rows."""
    leaf = tree.is_leaf
    if tree.n_node_samples[leaf].min() < problem.min_samples_leaf:
        return None
    right, weight = tree.value[leaf].max(axis=1), tree.value[leaf].sum(axis=1)
    scale = problem.table.n_rows / problem.total_weight
    values = [leaf_value(min(c, w) * scale, w * scale, criterion) for c, w in zip(right, weight, strict=True)]
    return -min(values), float((weight - right).sum() / problem.total_weight), tree.n_leaves


def not_below(a: tuple[float, float, int], b: tuple[float, float, int]) -> bool:
    for left, right in zip(a, b, strict=True):
        if abs(left - right) > 1e-12:
            return left > right
    return True


def greedy(problem: Problem) -> list[Split | None]:
    """Split by split the purest (Gini), the first of equals; CART with another choice among equals."""
    X, least = problem.table.X, problem.min_samples_leaf
    weight = np.eye(problem.n_classes)[problem.y] * problem.sample_weight[:, None]

    def purity(rows) -> float:
        sums = weight[rows].sum(axis=0)
        return float((sums**2).sum() / sums.sum())

    def below(rows, depth: int) -> list[Split | None]:
        best, split = purity(rows) * (1 + 1e-9), None
        for column in range(X.shape[1]) if depth and len(rows) >= 2 * least else ():
            values = np.unique(X[rows, column])
            for threshold in (values[:-1] + values[1:]) / 2:
                left = X[rows, column] <= threshold
                if min(left.sum(), (~left).sum()) < least:
                    continue
                here = purity(rows[left]) + purity(rows[~left])
                if here > best * (1 + 1e-9):
                    best, split = here, ThresholdSplit(column, float(threshold))
        if split is None:
            return [None]
        left = X[rows, split.column] <= split.threshold
        return [split, *below(rows[left], depth - 1), *below(rows[~left], depth - 1)]

    assert problem.max_depth is not None
    return below(np.arange(problem.table.n_rows), problem.max_depth)


@pytest.mark.parametrize("criterion", ["accuracy", "lower_bound"])
@pytest.mark.parametrize("steps", [1, 2, 3, 5, 10, 30, 100])
def test_no_part_is_better(steps: int, criterion: str) -> None:
    rng = np.random.default_rng(1000 + steps)
    for _ in range(8):
        problem = random_problem(rng)
        options = LeafAccuracyOptions(block_rows=int(rng.choice([0, 512])))
        limits = Limits(step_limit=steps)
        result = solve_leaf_accuracy(problem, "all", criterion=criterion, limits=limits, options=options)
        mine = worth(problem, result.tree, criterion)
        assert mine is not None
        for splits in parts(result.tree):
            other = worth(problem, grown(problem, splits), criterion)
            assert other is None or not_below(other, mine)
        stump = solve_leaf_accuracy(replace(problem, max_depth=1), "all", criterion=criterion).tree
        other = worth(problem, stump, criterion)
        assert other is None or not_below(other, mine)
        other = worth(problem, grown(problem, greedy(problem)), criterion)
        assert other is None or not_below(other, mine)


@pytest.mark.parametrize("steps", [1, 3, 10, 100])
def test_no_part_is_cheaper(steps: int) -> None:
    rng = np.random.default_rng(2000 + steps)
    found = 0
    for _ in range(10):
        problem = random_problem(rng, cost_complexity=float(rng.choice([0.0, 0.002, 0.02])))
        least = float(rng.choice([0.0, 0.4, 0.5]))
        limits = Limits(step_limit=steps)
        with contextlib.suppress(SolverError):  # there is no such tree, or none was found
            check_no_part_is_cheaper(problem, least, limits)
            found += 1
    assert found > 5


def check_no_part_is_cheaper(problem: Problem, least: float, limits: Limits) -> None:
    options = LeafAccuracyOptions(block_rows=0)
    result = solve_with_leaf_accuracy(problem, "all", least, limits=limits, options=options)
    for splits in parts(result.tree):
        tree = grown(problem, splits)
        other = worth(problem, tree, "accuracy")
        if other is None or -other[0] < least - 1e-12:
            continue
        assert other[1] + problem.cost_complexity * tree.n_leaves >= result.objective - 1e-12
