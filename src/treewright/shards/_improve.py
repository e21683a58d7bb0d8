"""Neighbours of a tree that may be better over all rows than it is: other thresholds, and subtrees in its place.

A tree comes from one shard, and its thresholds fit that shard. For each split at a threshold, `threshold_task` adds up
over the rows of a node what it costs to send a row right instead of left, by the value of the row's column between the
thresholds of a grid; the sums of all shards say how every threshold of the grid would do with the rest of the tree as
it is. That is a guide, in float64: what is kept of its proposals is decided by exact counts over all rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.shards._deal import Shard
from treewright.shards._question import Question
from treewright.shards._trees import Counted, Shape, skeleton
from treewright.shards._work import Place, load
from treewright.tree import ThresholdSplit

__all__ = ["GridTask", "best_moves", "grids_of", "labels_of", "subtrees", "threshold_task"]

GRID = 2048  # thresholds of a split that are looked at in one pass

Grids = dict[int, NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class GridTask:
    """Evaluate the thresholds of grids on one shard.

    Parameters
    ----------
    place : Place
    shard : Shard
    shape : Shape
    labels : tuple of int
        Predicted class of each leaf, from left to right.
    grids : dict of int to ndarray
        For a node, ascending thresholds.
    """

    place: Place
    shard: Shard
    shape: Shape
    labels: tuple[int, ...]
    grids: Grids


def grids_of(shape: Shape, X: NDArray[np.float64], thresholds: Any, names: Sequence[str]) -> Grids:
    """Return the thresholds to look at, for each node that splits at one.

    Parameters
    ----------
    shape : Shape
    X : ndarray of shape (n_rows, n_columns)
        Rows drawn at random.
    thresholds : "all" or mapping
        Those that trees may use.
    names : sequence of str
        Of the columns.
    """
    grids: Grids = {}
    for node, split in enumerate(shape):
        if not isinstance(split, ThresholdSplit) or not np.isfinite(split.threshold):
            continue
        if isinstance(thresholds, Mapping):
            given = thresholds.get(names[split.column])
            if given is not None:
                grids[node] = np.unique(np.asarray(given, dtype=np.float64))
            continue
        x = X[:, split.column]
        values = np.unique(x[~np.isnan(x)])
        near = int(np.searchsorted(values, split.threshold))
        if len(values) > GRID:  # half of them next to the threshold, half over the whole column
            close = values[max(0, near - GRID // 4) : near + GRID // 4]
            spread = values[np.linspace(0, len(values) - 1, GRID // 2).astype(np.int64)]
            values = np.unique(np.concatenate([close, spread]))
        if len(values) > 1:
            grids[node] = np.unique(np.append(values[:-1] / 2 + values[1:] / 2, split.threshold))
    return grids


def threshold_task(task: GridTask) -> dict[int, NDArray[np.float64]]:
    """Return, for each node with a grid, what the rows of each bin cost more on the left than on the right.

    Parameters
    ----------
    task : GridTask
    """
    question = task.place.question
    rows = load(task.place, task.shard)
    tree = skeleton(task.shape)
    paid = np.array([[float(cost) for cost in row] for row in question.paid])
    label = np.zeros(tree.node_count, dtype=np.int64)
    label[tree.is_leaf] = task.labels
    found: dict[int, NDArray[np.float64]] = {}
    for node, grid in task.grids.items():
        split = task.shape[node]
        assert isinstance(split, ThresholdSplit)
        here = _rows_at(task.shape, node, rows.X)
        x, y = rows.X[here, split.column], rows.y[here]
        known = ~np.isnan(x)
        here, x, y = here[known], x[known], y[known]
        weight = np.ones(len(here)) if rows.weight is None else rows.weight[here]
        ends = [
            label[_leaf_below(task.shape, int(child), rows.X[here])]
            for child in (tree.children_left[node], tree.children_right[node])
        ]
        more = weight * (paid[y, ends[0]] - paid[y, ends[1]])
        bins = np.searchsorted(grid, x, side="left")
        sums = np.bincount(bins, weights=more, minlength=len(grid) + 1)
        found[node] = np.asarray(sums[: len(grid)], dtype=np.float64)
    return found


def best_moves(shape: Shape, grids: Grids, sums: Mapping[int, NDArray[np.float64]]) -> list[Shape]:
    """Return the trees with one threshold at its best place, and that with all of them.

    Parameters
    ----------
    shape : Shape
    grids : dict of int to ndarray
    sums : mapping of int to ndarray
        What `threshold_task` returned, added over the shards.
    """
    moved: list[Shape] = []
    together = list(shape)
    for node, grid in grids.items():
        split = shape[node]
        assert isinstance(split, ThresholdSplit)
        best = float(grid[int(np.argmin(np.cumsum(sums[node])))])
        if best == split.threshold:
            continue
        together[node] = replace(split, threshold=best)
        moved.append((*shape[:node], together[node], *shape[node + 1 :]))
    return [*moved, tuple(together)] if len(moved) > 1 else moved


def subtrees(shape: Shape) -> list[Shape]:
    """Return the trees in which one node is replaced by one of its children.

    Parameters
    ----------
    shape : Shape
    """
    ends = _ends(shape)
    found = []
    for node, split in enumerate(shape):
        if split is not None:
            left = (node + 1, ends[node + 1])
            for start, end in (left, (left[1], ends[node])):
                found.append((*shape[:node], *shape[start:end], *shape[ends[node] :]))
    return list(dict.fromkeys(found))


def labels_of(counted: Counted, question: Question) -> tuple[int, ...]:
    """Return the label of each leaf, from left to right.

    Parameters
    ----------
    counted : Counted
    question : Question
    """
    return tuple(question.label(weight)[0] for weight in counted.weight)


def _ends(shape: Shape) -> list[int]:
    """Return for each node the position behind its subtree."""
    ends = [0] * len(shape)
    for node in range(len(shape) - 1, -1, -1):
        ends[node] = node + 1 if shape[node] is None else ends[ends[node + 1]]
    return ends


def _rows_at(shape: Shape, node: int, X: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rows that come to a node."""
    tree = skeleton(shape)
    place, rows = 0, np.arange(len(X))
    while place != node:
        split = shape[place]
        assert split is not None  # a node above another is not a leaf
        left = split.goes_left(X, rows)
        if node < tree.children_right[place]:  # depth-first: all of the left subtree comes before
            place, rows = int(tree.children_left[place]), rows[left]
        else:
            place, rows = int(tree.children_right[place]), rows[~left]
    return rows


def _leaf_below(shape: Shape, node: int, X: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the leaf, as a node of the whole tree, that each row falls into from `node` on."""
    below = shape[node : _ends(shape)[node]]
    return skeleton(below).apply(X) + node
