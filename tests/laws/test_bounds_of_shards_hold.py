"""Law: what is proven on shards is never above the true optimum of all rows, and the tree never below it.

Brute force in fractions over every split of tiny tables judges: missing values on either side, text whose categories
are absent in shards, classes that are absent in shards, whole and broken weights, costs, limits of every kind.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest

from brute_force import INFEASIBLE, best_objective
from treewright import SolveStatus, fit_shards

PER_SEED = 50


def every_split(frame: pl.DataFrame, given: dict[str, list[float]] | None) -> np.ndarray:
    """Which rows go right, for every split that a tree over the whole table may use."""
    rows = []
    for name in frame.columns:
        values = frame[name].to_list()
        missing = np.array([v is None for v in values])
        known = sorted({v for v in values if v is not None})
        if frame[name].dtype == pl.String:
            base = [np.array([v != word for v in values]) for word in known]
        else:
            cuts = [(a + b) / 2 for a, b in pairwise(known)]
            if given is not None:
                cuts = given[name]
            base = [np.array([v is not None and v > cut for v in values]) for cut in cuts]
        for right in base:
            rows += [right & ~missing, right | missing]
        if missing.any():
            rows.append(~missing)
    return np.array(rows, dtype=bool) if rows else np.zeros((1, len(frame)), dtype=bool)


def tiny(rng: np.random.Generator) -> tuple[pl.DataFrame, dict[str, Any]]:
    n = int(rng.integers(3, 11))
    columns: dict[str, list[Any]] = {}
    for j in range(int(rng.integers(1, 4))):
        kind = rng.integers(4)
        if kind == 0:
            values = [f"w{v}" for v in rng.integers(0, 4, n)]
        elif kind == 1:
            values = [float(v) for v in rng.integers(0, 2, n)]
        else:
            values = [float(v) for v in rng.integers(0, 5, n)]
        if rng.random() < 0.4:
            values = [None if rng.random() < 0.25 else v for v in values]
        columns[f"c{j}"] = values
    n_classes = int(rng.integers(2, 4))
    schema = {
        name: pl.String if any(isinstance(v, str) for v in values) else pl.Float64
        for name, values in columns.items()
    }
    frame = pl.DataFrame(columns, schema=schema).with_columns(
        y=pl.Series([f"k{v}" for v in rng.integers(0, n_classes, n)])
    )
    weight = None
    if rng.random() < 0.6:
        weight = rng.integers(1, 5, n).astype(float) if rng.random() < 0.5 else rng.random(n) + 0.1
    classes = sorted(set(frame["y"].to_list()))
    options: dict[str, Any] = {
        "cost_complexity": float(rng.choice([0.0, 0.01, 0.1, 0.03])),
        "max_depth": int(rng.integers(0, 4)),
        "max_leaf_nodes": None if rng.random() < 0.6 else int(rng.integers(1, 5)),
        "min_samples_leaf": int(rng.integers(1, min(4, n) + 1)),
        "shard_rows": int(rng.choice([1, 2, n // 2 + 1, n // 2 + 1, n])),
        "random_state": int(rng.integers(1000)),
        "shuffle": bool(rng.random() < 0.8),
    }
    if weight is not None:
        options["sample_weight"] = weight
    choice = rng.random()
    if choice < 0.2:
        options["class_weight"] = "balanced"
    elif choice < 0.4:
        options["class_weight"] = {name: float(rng.choice([0.5, 1.0, 3.0])) for name in classes}
    elif choice < 0.6 and len(classes) > 1:
        costs = rng.integers(1, 4, (len(classes), len(classes))).astype(float)
        np.fill_diagonal(costs, 0.0)
        options["costs"] = costs
    if rng.random() < 0.3:
        options["thresholds"] = {
            name: sorted(
                float(t) for t in rng.choice([0.5, 1.5, 2.5, 3.5], int(rng.integers(1, 4)), replace=False)
            )
            for name in frame.columns
            if name != "y" and schema[name] == pl.Float64
        }
    if rng.random() < 0.3:
        options["gap"] = 0.0
    return frame, options


def exact_weights(frame: pl.DataFrame, options: dict[str, Any]) -> tuple[np.ndarray, list[Fraction]]:
    classes = sorted(set(frame["y"].to_list()))
    y = np.array([classes.index(label) for label in frame["y"].to_list()])
    weight = [Fraction(float(w)) for w in options.get("sample_weight", np.ones(len(y)))]
    factor = options.get("class_weight")
    if factor == "balanced":
        totals = [
            sum((w for w, k in zip(weight, y, strict=True) if k == c), Fraction(0))
            for c in range(len(classes))
        ]
        weight = [w / totals[k] for w, k in zip(weight, y, strict=True)]
    elif factor is not None:
        weight = [w * Fraction(factor[classes[k]]) for w, k in zip(weight, y, strict=True)]
    return y, weight


@pytest.mark.parametrize("seed", range(16))
def test_bound_at_most_optimum_at_most_objective(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_optimal = 0
    for _ in range(PER_SEED):
        frame, options = tiny(rng)
        y, weight = exact_weights(frame, options)
        n_classes = int(y.max()) + 1
        costs = options.get("costs", 1.0 - np.eye(n_classes))
        best = best_objective(
            every_split(frame.drop("y"), options.get("thresholds")),
            y,
            weight,
            costs,
            Fraction(options["cost_complexity"]),
            max_depth=options["max_depth"],
            max_leaf_nodes=options["max_leaf_nodes"],
            min_samples_leaf=options["min_samples_leaf"],
        )
        result = fit_shards(frame, "y", progress=False, **options).result_
        assert best != INFEASIBLE
        assert Fraction(result.lower_bound) <= best, (frame, options, result.sentence())
        assert result.objective >= float(best) - 1e-12, (frame, options)
        assert result.tree.n_node_samples[result.tree.is_leaf].min() >= options["min_samples_leaf"]
        assert result.tree.depth <= options["max_depth"]
        if result.status is SolveStatus.OPTIMAL:
            n_optimal += 1
            assert math.isclose(result.objective, float(best), rel_tol=1e-12, abs_tol=1e-12), (frame, options)
    assert n_optimal  # the claim is made, and was judged
