"""Law: on the same table with the same question every engine has the same optimum; numbers, text and gaps alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from treewright import OptimalTreeClassifier, accuracy_frontier
from treewright.search import BinaryOptions

TOLERANCE = 1e-9


def table(seed: int, n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Reals, ties, text and 0/1, with gaps in all but one; labels that follow them, with noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "real": rng.normal(size=n_rows).round(2),
            "tied": rng.integers(0, 5, n_rows).astype(float),
            "text": rng.choice(["red", "green", "blue", "grey"], n_rows),
            "bit": rng.integers(0, 2, n_rows).astype(float),
        }
    )
    y = ((X["real"] > 0.3) ^ (X["text"] == "red") | (X["tied"] == 3)).to_numpy().astype(int)
    y[rng.random(n_rows) < 0.15] = 2
    for name in ("real", "tied", "text"):
        X[name] = X[name].where(rng.random(n_rows) > 0.12, None if name == "text" else np.nan)
    return X, y


def objectives(
    X: pd.DataFrame, y: np.ndarray, weight: np.ndarray | None, **options: object
) -> dict[str, float]:
    """The optimum as each engine has it."""
    found = {}
    for engine in ("binary", "ranked"):
        model = OptimalTreeClassifier(
            **options, thresholds="all", search_options=BinaryOptions(engine=engine)
        )
        found[engine] = model.fit(X, y, sample_weight=weight).result_.objective
    if "max_leaf_nodes" not in options and "costs" not in options:
        model = OptimalTreeClassifier(**options, thresholds="all", min_leaf_accuracy=0.0)
        found["leaf accuracy"] = model.fit(X, y, sample_weight=weight).result_.objective
    rest = {k: v for k, v in options.items() if k not in ("cost_complexity", "max_leaf_nodes")}
    most = options.get("max_leaf_nodes", 8)  # as many as depth three has
    front = accuracy_frontier(X, y, max_leaves=most, thresholds="all", sample_weight=weight, **rest)
    found["front"] = front.select(options["cost_complexity"]).objective
    return found


@pytest.mark.parametrize("weights", ["none", "whole"])
@pytest.mark.parametrize(
    "options",
    [
        {"max_depth": 2},
        {"max_depth": 3},
        {"max_depth": 3, "max_leaf_nodes": 4},
        {"max_depth": 2, "min_samples_leaf": 5},
        {"max_depth": 2, "class_weight": "balanced"},
        {"max_depth": 2, "costs": [[0, 1, 2], [3, 0, 1], [1, 1, 0]]},
    ],
    ids=str,
)
@pytest.mark.parametrize("cost_complexity", [0.0, 0.01, 0.05, 0.3])
def test_engines_agree(options: dict[str, object], cost_complexity: float, weights: str) -> None:
    for seed in range(2):
        X, y = table(seed, 40)
        weight = (
            None if weights == "none" else np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
        )
        found = objectives(X, y, weight, cost_complexity=cost_complexity, **options)
        assert max(found.values()) - min(found.values()) <= TOLERANCE, found


@pytest.mark.parametrize("max_depth", [1, 2])
def test_leaf_accuracy_agrees_over_all_its_ways_to_search(max_depth: int) -> None:
    """The best worst leaf is the same over binary cuts and over ranked columns."""
    from treewright import LeafAccuracyTreeClassifier

    for seed in range(4):
        X, y = table(10 + seed, 60)
        found = {
            thresholds: LeafAccuracyTreeClassifier(max_depth, min_samples_leaf=3, thresholds=thresholds)
            .fit(X, y)
            .result_.objective
            for thresholds in ("all", "auto", 1000)
        }
        assert max(found.values()) - min(found.values()) <= 1e-12, found
