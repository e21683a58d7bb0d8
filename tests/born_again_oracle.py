"""Slow twins of the born-again methods, short enough to trust: all cells, all boxes, plain recursion."""

from __future__ import annotations

import itertools
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from treewright.convert import Ensemble, EnsembleTree

SHARED = Path(__file__).resolve().parents[2] / "shared"


def published_forest(dataset: str, fold: int) -> Ensemble:
    """A published forest, or a skip if the reference data are not beside the checkout."""
    path = SHARED / "data" / "born_again" / dataset / "forests" / f"{dataset}.RF{fold}.txt"
    if not path.is_file():
        pytest.skip(f"reference data are not at {path.parent}")
    return Ensemble.load(path)


def random_tree(
    rng: np.random.Generator, depth: int, n_features: int, values, n_thresholds: int
) -> EnsembleTree:
    """A random tree; `values()` draws the scores of a leaf."""
    nodes: list[list] = []

    def grow(level: int) -> int:
        i = len(nodes)
        leaf = level == depth or (level > 0 and rng.random() < 0.2)
        threshold = float(rng.integers(n_thresholds))
        nodes.append(
            [-1 if leaf else int(rng.integers(n_features)), threshold, 0, 0, values(), rng.random() < 0.5]
        )
        if not leaf:
            nodes[i][2] = grow(level + 1)
            nodes[i][3] = grow(level + 1)
        return i

    grow(0)
    feature, threshold, left, right, value, missing = zip(*nodes, strict=True)
    return EnsembleTree(
        np.array(feature, dtype=np.int32),
        np.array(threshold),
        np.array(left, dtype=np.int32),
        np.array(right, dtype=np.int32),
        np.array(value, dtype=np.float64),
        np.array(missing),
    )


def random_ensemble(
    seed: int,
    *,
    vote: str = "hard",
    n_classes: int = 2,
    n_features: int = 3,
    missing: bool = False,
    trees: int = 4,
) -> Ensemble:
    """A small random ensemble: hard votes with weights, soft votes, or one score with a cut."""
    rng = np.random.default_rng(seed)
    n_thresholds = int(rng.integers(2, 5))
    names = tuple(f"x{f}" for f in range(n_features))
    mask = np.full(n_features, missing)
    if vote == "hard":

        def draw():
            return [float(rng.integers(n_classes))]

        made = [random_tree(rng, 3, n_features, draw, n_thresholds) for _ in range(trees)]
        e = Ensemble.hard_vote(
            made, np.arange(n_classes), weights=rng.integers(1, 4, trees), feature_names=names
        )
        return Ensemble(e.trees, e.classes, names, e.bias, missing=mask, vote="hard")
    outputs = 1 if vote == "score" else n_classes

    def draw_scores():
        return list(rng.normal(size=outputs).round(2 if seed % 2 else 12))

    made = [random_tree(rng, 3, n_features, draw_scores, n_thresholds) for _ in range(trees)]
    return Ensemble(
        tuple(made),
        np.arange(n_classes),
        names,
        rng.normal(size=outputs).round(2),
        link={"score": "positive", "soft": "argmax", "softmax": "softmax32"}[vote],
        single=vote == "softmax",
        divisor=float(trees) if vote == "soft" else 1.0,
        missing=mask,
    )


def cell_values(ensemble: Ensemble) -> list[np.ndarray]:
    """One value in each cell: the threshold that closes it, beyond the last, and NaN if allowed."""
    columns = []
    for f, t in enumerate(ensemble.thresholds):
        values = np.append(t, t[-1] + 1.0 if len(t) else 0.0)
        columns.append(np.append(values, np.nan) if ensemble.missing[f] else values)
    return columns


def all_cells(ensemble: Ensemble) -> np.ndarray:
    """One row in every cell."""
    return np.array(list(itertools.product(*cell_values(ensemble))))


class Brute:
    """Optimal sizes by plain recursion over boxes of cells (equation 3 of Vidal and Schiffer 2020)."""

    def __init__(self, ensemble: Ensemble) -> None:
        shape = [len(v) for v in cell_values(ensemble)]
        self.labels = ensemble.predict_index(all_cells(ensemble)).reshape(shape)
        self.whole = tuple((0, n - 1) for n in shape)
        self.depth = lru_cache(None)(self._depth)
        self.leaves = lru_cache(None)(self._leaves)
        self.leaves_within = lru_cache(None)(self._leaves_within)

    def homogeneous(self, box) -> bool:
        part = self.labels[tuple(slice(a, b + 1) for a, b in box)]
        return bool((part == part.flat[0]).all())

    @staticmethod
    def halves(box):
        for f, (a, b) in enumerate(box):
            for m in range(a, b):
                yield (*box[:f], (a, m), *box[f + 1 :]), (*box[:f], (m + 1, b), *box[f + 1 :])

    def _depth(self, box) -> int:
        if self.homogeneous(box):
            return 0
        return 1 + min(max(self.depth(x), self.depth(y)) for x, y in self.halves(box))

    def _leaves(self, box) -> int:
        if self.homogeneous(box):
            return 1
        return min(self.leaves(x) + self.leaves(y) for x, y in self.halves(box))

    def _leaves_within(self, box, budget: int) -> float:
        if self.homogeneous(box):
            return 1
        if budget == 0:
            return float("inf")
        return min(
            self.leaves_within(x, budget - 1) + self.leaves_within(y, budget - 1) for x, y in self.halves(box)
        )

    def published_depth_leaves(self, box) -> tuple[int, int]:
        """Algorithm 3 of the paper, no early stop: the best (depth, leaves) of the best halves."""
        if self.homogeneous(box):
            return 0, 1
        best = []
        for x, y in self.halves(box):
            (dx, lx), (dy, ly) = self.published_depth_leaves(x), self.published_depth_leaves(y)
            best.append((1 + max(dx, dy), lx + ly))
        return min(best)


def ensemble_of_grid(labels) -> Ensemble:
    """One tree over integer thresholds whose cells have the given labels: a full tree over all planes."""
    grid = np.asarray(labels)
    nodes: list[list] = []

    def grow(box) -> int:
        i = len(nodes)
        part = grid[tuple(slice(a, b + 1) for a, b in box)]
        f = next((f for f, (a, b) in enumerate(box) if b > a), None)
        if f is None:
            nodes.append([-1, 0.0, 0, 0, [float(part.flat[0])]])
            return i
        a, b = box[f]
        nodes.append([f, float(a), 0, 0, [0.0]])
        nodes[i][2] = grow([*box[:f], (a, a), *box[f + 1 :]])
        nodes[i][3] = grow([*box[:f], (a + 1, b), *box[f + 1 :]])
        return i

    grow([(0, n - 1) for n in grid.shape])
    feature, threshold, left, right, value = zip(*nodes, strict=True)
    n = len(nodes)
    tree = EnsembleTree(
        np.array(feature, dtype=np.int32),
        np.array(threshold),
        np.array(left, dtype=np.int32),
        np.array(right, dtype=np.int32),
        np.array(value),
        np.zeros(n, dtype=np.bool_),
    )
    return Ensemble.hard_vote([tree], np.arange(max(2, grid.max() + 1)), n_features=grid.ndim)
