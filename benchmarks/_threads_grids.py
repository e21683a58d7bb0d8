"""Problems that take more than about two seconds and are proven, for the benchmark of threads.

Those of the grids are of ``continuous grid`` (depth 4), ``sparse hard`` and ``leaf_accuracy proofs`` (16 quantiles, at
least 50 rows in a leaf, the first split); those over few splits are binary tables of ``streed_tasks`` and
``regression_binary``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._data import read_csv
from benchmarks._leaf_accuracy_data import load, split
from benchmarks.held_out import read as read_task
from benchmarks.regression_binary import read as read_binary
from treewright import (
    LeafAccuracyTreeClassifier,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
)

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
BINS, LEAST = 16, 50

# folder or criterion, table, leaf penalty, depth
PROBLEMS: dict[str, tuple[str, str, float, int]] = {
    f"{table}, depth {depth}, {price:g}": (grid, table, price, depth)
    for grid, table, price, depth in (
        ("continuous", "raisin", 0.0, 4),
        ("continuous", "raisin", 0.002, 4),
        ("continuous", "segment", 0.0, 4),
        ("continuous", "rice", 0.002, 4),
        ("continuous", "page", 0.002, 4),
        ("continuous", "page", 0.01, 4),
        ("continuous", "htru", 0.002, 4),
        ("continuous", "occupancy", 0.0, 4),
        ("binary", "splice-1", 0.005, 4),
        ("binary", "splice-1", 0.01, 5),
        ("binary", "german-credit", 0.01, 5),
        ("binary", "german-credit", 0.001, 5),
        ("binary", "vehicle", 0.005, 5),
        ("binary", "vehicle", 0.001, 5),
    )
} | {
    f"{table}, {criterion.replace('_', ' ')} of the worst leaf": (criterion, table, 0.0, 4)
    for criterion, tables in (
        ("accuracy", ("credit", "eye", "heloc", "pol")),
        ("lower_bound", ("credit", "eye", "heloc", "pol", "california", "magic")),
    )
    for table in tables
}

FEW_SPLITS: dict[str, tuple[str, str, float, int]] = {
    f"{table}, depth {depth}, {price:g}": (task, table, price, depth)
    for task, table, price, depth in (
        ("survival", "churn", 0.0, 6),
        ("survival", "flchain", 0.0, 6),
        ("regression", "seoul-bike", 0.001, 7),
        ("regression", "seoul-bike", 0.0, 7),
    )
}


def read(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of a problem."""
    grid, table, *_ = (PROBLEMS | FEW_SPLITS)[name]
    if grid == "survival":
        return read_task(grid, table, DATA)
    if grid == "regression":
        return read_binary(table, DATA / "regression")
    if grid in ("continuous", "binary"):
        return read_csv(DATA / grid / f"{table}.csv.gz")
    train, _ = split(load(table, DATA), 0)
    return np.asarray(train.X), train.y


def estimator(name: str) -> Any:
    """Return what searches a problem, without limits."""
    grid, _, price, depth = (PROBLEMS | FEW_SPLITS)[name]
    if grid == "survival":
        return OptimalSurvivalTree(price, max_depth=depth)
    if grid == "regression":
        return OptimalTreeRegressor(price, max_depth=depth)
    if grid in ("continuous", "binary"):
        return OptimalTreeClassifier(price, max_depth=depth)
    return LeafAccuracyTreeClassifier(depth, criterion=grid, min_samples_leaf=LEAST, thresholds=BINS)
