"""Random tables and trees for the tests of everything that shows, stores or checks a tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.tree import (
    CategorySplit,
    Column,
    ColumnKind,
    LinearSplit,
    Split,
    ThresholdSplit,
    Tree,
    grow,
)

COLUMNS = (
    Column("age", ColumnKind.CONTINUOUS, (), True),
    Column("mean radius (µm)", ColumnKind.CONTINUOUS),
    Column("smoker", ColumnKind.BINARY, ("false", "true"), True),
    Column("flag", ColumnKind.BINARY),
    Column("colour", ColumnKind.CATEGORICAL, ("blue", "green", "red", "yellow"), True),
    Column("size", ColumnKind.CATEGORICAL, ("L", "M", "S")),
)


@dataclass(frozen=True)
class Made:
    """A grown tree with the data it was grown on."""

    tree: Tree
    X: NDArray[np.float64]
    y: NDArray[np.int32]
    weight: NDArray[np.float64]
    costs: NDArray[np.float64]


def make_rows(rng: np.random.Generator, n_rows: int) -> NDArray[np.float64]:
    """Rows of `COLUMNS` with ties, missing values and both signed zeros."""
    X = np.empty((n_rows, len(COLUMNS)), order="F")
    X[:, 0] = rng.integers(0, 6, n_rows)
    X[:, 1] = rng.choice([-1.5, -0.0, 0.0, 0.1, 1 / 3, 2.5], n_rows)
    X[:, 2] = rng.integers(0, 2, n_rows)
    X[:, 3] = rng.integers(0, 2, n_rows)
    X[:, 4] = rng.integers(0, 4, n_rows)
    X[:, 5] = rng.integers(0, 3, n_rows)
    for j, column in enumerate(COLUMNS):
        if column.has_missing:
            X[rng.random(n_rows) < 0.2, j] = np.nan
    return X


def make_split(rng: np.random.Generator) -> Split:
    """One split of `COLUMNS`, of any kind."""
    kind = rng.integers(0, 5)
    side = bool(rng.integers(0, 2))
    if kind == 0:
        return ThresholdSplit(0, float(rng.integers(0, 5)), side)  # on a value: ties go left
    if kind == 1:
        return ThresholdSplit(1, float(rng.choice([0.05, 1 / 3, 0.0, 1.25])), side)
    if kind == 2:
        column = int(rng.choice([0, 2, 3, 4]))
        return ThresholdSplit(column, 0.5, side) if column in (2, 3) else ThresholdSplit(column, np.inf)
    if kind == 3:
        column = int(rng.choice([4, 5]))
        n = len(COLUMNS[column].categories)
        size = int(rng.integers(1, n))
        return CategorySplit(column, tuple(sorted(rng.choice(n, size, replace=False).tolist())), side)
    weights = tuple(float(w) for w in rng.choice([-1.5, 0.5, 2.0], 2))
    return LinearSplit((0, 1), weights, float(rng.choice([-1.0, 0.0, 2.5])), side)


def make_tree(
    seed: int, n_leaves: int = 5, n_rows: int = 60, n_classes: int = 3, labels: object = None
) -> Made:
    """Grow a random tree of `n_leaves` leaves on random rows."""
    rng = np.random.default_rng(seed)
    X = make_rows(rng, n_rows)
    y = rng.integers(0, n_classes, n_rows).astype(np.int32)
    weight = rng.integers(1, 4, n_rows).astype(np.float64)
    costs = 1.0 - np.eye(n_classes)
    classes = np.asarray(labels) if labels is not None else np.array([f"class {k}" for k in range(n_classes)])
    splits: list[Split | None] = []

    def put(leaves: int) -> None:
        if leaves == 1:
            splits.append(None)
            return
        splits.append(make_split(rng))
        left = int(rng.integers(1, leaves))
        put(left)
        put(leaves - left)

    put(n_leaves)
    return Made(grow(COLUMNS, classes, splits, X, y, weight, costs), X, y, weight, costs)
