"""Law: the tree that is read from counted codes is the one that a search over the same splits finds.

The search is the engine over binary columns, which shares nothing with the counts but the list of splits. Brute force
judges both in `test_bounds_of_shards_hold`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

from treewright import SolveStatus, fit_shards
from treewright.problem import make_problem
from treewright.result import ShardsResult
from treewright.search import solve
from treewright.shards import _fit as fit_module
from treewright.table import table_from
from treewright.verify import verify_shards

PER_SEED = 8


def table(rng: np.random.Generator) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return rows with columns of every kind, and a question."""
    n, n_classes = int(rng.integers(30, 1200)), int(rng.integers(2, 4))
    columns: dict[str, Any] = {}
    for j in range(int(rng.integers(1, 7))):
        kind = rng.integers(4)
        values: Any = (
            rng.normal(size=n) if kind == 0 else rng.integers(0, 6 if kind == 1 else 2, n).astype(float)
        )
        if kind == 3:
            values = [f"w{v}" for v in rng.integers(0, 5, n)]
        columns[f"c{j}"] = (
            [None if rng.random() < 0.1 else v for v in values] if rng.random() < 0.4 else values
        )
    frame = pl.DataFrame(columns).with_columns(y=pl.Series([f"k{v}" for v in rng.integers(0, n_classes, n)]))
    asked: dict[str, Any] = {
        "max_depth": int(rng.integers(1, 4)),
        "cost_complexity": float(rng.choice([0.0, 0.001, 0.01, 0.05])),
        "thresholds": int(rng.integers(2, 7)),
        "max_leaf_nodes": None if rng.random() < 0.6 else int(rng.integers(1, 7)),
        "shard_rows": n,
    }
    how = rng.random()
    if how < 0.3:
        asked["class_weight"] = "balanced"
    elif how < 0.5:
        asked["costs"] = rng.integers(1, 6, (n_classes, n_classes)) * (1.0 - np.eye(n_classes))
    elif how < 0.6:
        asked["costs"] = rng.choice([0.1, 0.3, 0.7], (n_classes, n_classes)) * (1.0 - np.eye(n_classes))
    elif how < 0.7:
        asked["class_weight"] = {f"k{k}": float(rng.choice([0.1, 0.3, 1 / 3, 0.7])) for k in range(n_classes)}
    return frame, asked


def searched(monkeypatch: pytest.MonkeyPatch, frame: pl.DataFrame, asked: dict[str, Any]) -> ShardsResult:
    with monkeypatch.context() as patch:
        patch.setattr(fit_module, "coded_of", lambda *_: None)
        return fit_shards(frame, "y", progress=False, **asked).result_


@pytest.mark.parametrize("seed", range(6))
def test_the_same_tree_as_a_search(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(PER_SEED):
        frame, asked = table(rng)
        counted = fit_shards(frame, "y", progress=False, **asked)
        found, known = counted.result_, searched(monkeypatch, frame, asked)
        assert found.stats["subproblems"] == 0  # nothing was searched
        assert math.isclose(found.objective, known.objective, rel_tol=1e-12, abs_tol=1e-12), (frame, asked)
        assert math.isclose(found.lower_bound, known.lower_bound, rel_tol=1e-7, abs_tol=1e-9), (frame, asked)
        assert (found.status, found.scope, found.notes) == (known.status, known.scope, known.notes)
        assert found.tree.n_leaves == known.tree.n_leaves
        assert verify_shards(counted.model, frame, target="y").ok


@pytest.mark.parametrize("seed", range(4))
def test_a_least_size_holds_over_all_rows(seed: int) -> None:
    """Shards that are searched relax it; rows that are counted need not."""
    rng = np.random.default_rng(100 + seed)
    for _ in range(PER_SEED):
        frame, asked = table(rng)
        X = frame.drop("y")
        numbers = [name for name in X.columns if frame[name].dtype != pl.String]
        thresholds = {name: [-0.7, 0.2, 0.5, 2.5] for name in numbers}
        asked |= {"min_samples_leaf": int(rng.integers(2, 12)), "shard_rows": 25, "thresholds": thresholds}
        found = fit_shards(frame, "y", progress=False, **asked).result_
        problem = make_problem(table_from(X), frame["y"].to_list(), **_of_problem(asked))
        known = solve(problem, thresholds)
        assert found.tree.n_node_samples[found.tree.is_leaf].min() >= asked["min_samples_leaf"]
        assert math.isclose(found.objective, known.objective, rel_tol=1e-12, abs_tol=1e-12), (frame, asked)
        assert math.isclose(found.lower_bound, known.lower_bound, rel_tol=1e-7, abs_tol=1e-9), (frame, asked)
        assert found.tree.n_leaves == known.tree.n_leaves


def _of_problem(asked: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name not in ("thresholds", "shard_rows")}


def test_rounded_costs_prove_no_more_than_they_may() -> None:
    """Weights of classes whose ratios are no fractions have no common unit within 64 bits."""
    rng = np.random.default_rng(0)
    n = 60_000
    X = rng.normal(size=(n, 3)).astype(np.float32)
    y = rng.choice(3, size=n, p=[0.7, 0.2, 0.1]) ^ (X[:, 0] > 1)
    result = fit_shards(
        X, y, class_weight={0: 2**0.5, 1: 0.7, 2: 3**0.5, 3: np.pi}, max_depth=2, thresholds=8, progress=False
    ).result_
    assert result.stats["subproblems"] == 0
    assert result.lower_bound <= result.objective
    assert result.gap < 1e-9
    assert result.status is SolveStatus.FEASIBLE or result.lower_bound >= result.objective - 1e-15


@pytest.mark.parametrize(
    "asked",
    [
        {"costs": [[0.0, 0.1], [0.3, 0.0]]},
        {"class_weight": {False: 0.1, True: 0.7}},
        {"class_weight": {False: 1 / 3, True: 1 / 7}, "costs": [[0.0, 0.1], [0.3, 0.0]]},
        {"objective": "balanced_accuracy", "costs": [[0.0, 0.1], [0.3, 0.0]]},
    ],
    ids=str,
)
def test_decimals_are_compared_as_they_are_written(asked: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    y = ((X[:, 0] > 0.5) & (X[:, 1] < 1)) ^ (rng.random(3000) < 0.1)
    result = fit_shards(X, y, max_depth=2, thresholds=8, progress=False, **asked).result_
    assert result.stats["counted"]
    assert result.status is SolveStatus.OPTIMAL
    assert result.gap < 1e-15


def test_what_ties_as_written_is_a_tie() -> None:
    """Three errors of .1 cost as much as one of .3; as float64 they cost more."""
    asked: dict[str, Any] = {"costs": [[0.0, 0.3], [0.1, 0.0]], "max_depth": 1, "thresholds": 2}
    result = fit_shards(np.zeros((4, 1)), [0, 1, 1, 1], progress=False, **asked).result_
    assert result.tree.prediction.tolist() == [0]  # the first of equals
    assert result.status is SolveStatus.OPTIMAL


def test_what_cannot_be_counted_is_searched() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    for asked in (
        {"max_depth": 4, "thresholds": 4},
        {"max_depth": 2, "thresholds": "all"},
        {"max_depth": 2, "thresholds": 4, "sample_weight": rng.random(400) + 0.5},
        {"max_depth": 2, "thresholds": 300},
        {"max_depth": 2, "thresholds": 4, "step_limit": 10**6},
    ):
        assert fit_shards(X, y, progress=False, **asked).result_.stats["subproblems"] > 0, asked
