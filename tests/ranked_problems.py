"""Problems for the search over ranked columns, and what must hold of its answer."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.problem import Problem
from treewright.search._solve_ranked import RankedOptions, solve_ranked
from treewright.table import Table
from treewright.tree import Column, ColumnKind


def make_problem(X, y, n_classes=None, weight=None, costs=None, kinds=None, **rest) -> Problem:
    X = np.asfortranarray(X, dtype=np.float64)
    n_classes = n_classes or int(y.max()) + 1
    kinds = kinds or [ColumnKind.CONTINUOUS] * X.shape[1]
    columns = tuple(
        Column(
            f"x{j}",
            kind,
            tuple("abcdefgh"[: int(np.nanmax(X[:, j])) + 1]) if kind is ColumnKind.CATEGORICAL else (),
            bool(np.isnan(X[:, j]).any()),
        )
        for j, kind in enumerate(kinds)
    )
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
    costs = 1.0 - np.eye(n_classes) if costs is None else np.asarray(costs, dtype=np.float64)
    return Problem(
        table=Table(columns, X),
        y=y.astype(np.int32),
        classes=np.arange(n_classes),
        sample_weight=weight,
        costs=costs,
        **{"max_leaf_nodes": None, **rest},
    )


def random_problem(rng: np.random.Generator, n: int, n_columns: int, **rest) -> Problem:
    """A table with ties, duplicates, several classes, weights, costs and minimum leaf sizes."""
    n_values = rng.integers(2, n + 2, size=n_columns)
    X = np.column_stack([rng.integers(0, k, size=n) for k in n_values]).astype(float)
    if rng.random() < 0.3:
        X[n // 2 :] = X[: n - n // 2]
    n_classes = int(rng.integers(2, 5))
    y = rng.integers(0, n_classes, size=n)
    if rng.random() < 0.5:  # some structure, so that bounds bite
        y = np.where(rng.random(n) < 0.7, (X[:, 0] > np.median(X[:, 0])).astype(int), y)
    weight = costs = None
    if rng.random() < 0.4:
        weight = rng.integers(0, 4, size=n).astype(float)
        weight[0] = 1.0
    if rng.random() < 0.3:
        costs = rng.integers(0, 5, size=(n_classes, n_classes)).astype(float)
    return make_problem(
        X,
        y,
        n_classes,
        weight,
        costs,
        **{
            "cost_complexity": float(rng.choice([0.0, 0.01, 0.03, 0.1])),
            "min_samples_leaf": int(rng.choice([1, 1, 2, 3])),
            **rest,
        },
    )


def check(
    problem: Problem, expected: float, leaves: int | None = None, options: RankedOptions | None = None
) -> None:
    result = solve_ranked(problem, options=options)
    assert result.status.name == "OPTIMAL"
    assert result.objective == pytest.approx(expected, abs=1e-9)
    assert result.lower_bound <= result.objective
    assert result.lower_bound == pytest.approx(result.objective, abs=1e-6)
    tree = result.tree
    if leaves is not None:
        assert tree.n_leaves == leaves
    # The tree, put to the data again: its loss, its leaf sizes and its depth.
    predicted = tree.prediction[tree.apply(problem.table.X)]
    loss = (problem.sample_weight * problem.costs[problem.y, predicted]).sum() / problem.total_weight
    assert loss == pytest.approx(result.loss, abs=1e-12)
    assert loss + problem.cost_complexity * tree.n_leaves == pytest.approx(result.objective, abs=1e-12)
    sizes = np.bincount(tree.apply(problem.table.X), minlength=tree.node_count)
    assert all(sizes[i] >= problem.min_samples_leaf for i, s in enumerate(tree.splits) if s is None)
    assert problem.max_depth is None or tree.depth <= problem.max_depth
