"""A hard tree made better by alternating optimisation: one split at a time, on the rows that reach it.

The signs of a soft tree's splits make a hard tree that its gradients never saw. Here it is trained as a hard tree
(tree alternating optimization, Carreira-Perpinan and Tavallali, NeurIPS 2018): with all else fixed, a row that reaches
a node costs what the left or what the right subtree makes of it, so the node's best split is a weighted two-class
problem, in which a row weighs the difference. No split can make the training loss worse, for one is only replaced by
a better one; sweeps go from the deepest nodes to the root, and the leaves are fitted again after each.

First the leaves that lie higher than the soft tree is deep are split, greedily as CART does: a soft split that sends
all rows to one side has left its part of the tree empty. Candidates for a node are then every threshold of every
column, exactly; every single category; and with ``kind="linear"`` a logistic regression over the numeric columns, with
the best threshold along it. A linear split is taken only if it saves `WORTH` of what is at stake more than the best
split of one column, which is easier to read.

Both are done twice, from the soft splits and from nothing, that is from a tree grown as CART does. Of all sweeps, the
soft start included, the tree that is best on the validation rows is kept, and cut back where a leaf is as good there.

Cost: a sweep sorts each column once a level, O(levels x columns x rows log rows).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.tree import CategorySplit, Column, ColumnKind, LinearSplit, Split, ThresholdSplit

__all__ = ["Labels", "Numbers", "Target", "refine", "regrown"]

SWEEPS = 20
WORTH = 0.02  # of the loss that a node decides about, that a linear split must save more than one of a single column
LEAST_ROWS = 10  # that a linear split is fitted to, for each column
GAIN = 1e-9  # of the loss that a node decides about: less is rounding
FARTHEST = 5.0  # from the median that a value is taken, in spans from the 5th to the 95th percentile
NEWTON_STEPS = 12
LEAST_LEAF = 3  # rows of a leaf that is grown
LEAF = -1

Rows = NDArray[np.int64]
Numbers64 = NDArray[np.float64]


class Target(Protocol):
    """What leaves predict, and what a prediction costs."""

    def value(self, rows: Rows) -> float:
        """Return what a leaf of these rows predicts."""

    def sums(self, rows: Rows) -> Numbers64:
        """Return weights and weighted targets, (n_rows, 1 + outputs): a class is an output of 0 and 1."""

    def loss(self, rows: Rows, values: Numbers64) -> Numbers64:
        """Return what the predictions cost, row by row, weights included."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Classes: a leaf predicts the heaviest, a wrong row costs its weight.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), int32
    weight : ndarray of shape (n_rows,)
    """

    y: NDArray[np.int32]
    weight: Numbers64

    def value(self, rows: Rows) -> float:
        """Return the heaviest class, the first of equals."""
        return float(np.bincount(self.y[rows], weights=self.weight[rows]).argmax())

    def sums(self, rows: Rows) -> Numbers64:
        """Return weights, in all and by class."""
        by_class = np.eye(int(self.y.max()) + 1)[self.y[rows]]
        return np.column_stack([np.ones(len(rows)), by_class]) * self.weight[rows, None]

    def loss(self, rows: Rows, values: Numbers64) -> Numbers64:
        """Return the weights of the wrong rows."""
        return np.where(self.y[rows] != values, self.weight[rows], 0.0)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers: a leaf predicts the mean, a row costs its weighted squared error.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), float64
    weight : ndarray of shape (n_rows,)
    """

    y: Numbers64
    weight: Numbers64

    def value(self, rows: Rows) -> float:
        """Return the weighted mean."""
        return float(np.average(self.y[rows], weights=self.weight[rows]))

    def sums(self, rows: Rows) -> Numbers64:
        """Return weights and weighted numbers."""
        return np.column_stack([np.ones(len(rows)), self.y[rows]]) * self.weight[rows, None]

    def loss(self, rows: Rows, values: Numbers64) -> Numbers64:
        """Return the squared errors."""
        return self.weight[rows] * (self.y[rows] - values) ** 2


@dataclass
class _Nodes:
    """A tree that changes; node 0 is the root."""

    splits: list[Split | None]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: Numbers64

    @classmethod
    def of(cls, splits: Sequence[Split | None]) -> _Nodes:
        n = len(splits)
        left, right = np.full(n, LEAF), np.full(n, LEAF)
        pending = [LEAF]
        for node, split in enumerate(splits):
            parent = pending.pop()
            if parent != LEAF:
                (left if left[parent] == LEAF else right)[parent] = node
            if split is not None:
                pending += [node, node]
        return cls(list(splits), left, right, np.zeros(n))

    def copy(self) -> _Nodes:
        return replace(
            self,
            splits=list(self.splits),
            left=self.left.copy(),
            right=self.right.copy(),
            value=self.value.copy(),
        )

    def reached(self, X: Numbers64, rows: Rows) -> dict[int, Rows]:
        """Return the rows that reach each node, parents before children."""
        out: dict[int, Rows] = {}
        stack = [(0, rows)]
        while stack:
            node, here = stack.pop()
            out[node] = here
            split = self.splits[node]
            if split is not None:
                goes_left = split.goes_left(X, here)
                stack += [(int(self.right[node]), here[~goes_left]), (int(self.left[node]), here[goes_left])]
        return out

    def predicted(self, X: Numbers64, rows: Rows, node: int = 0) -> Numbers64:
        """Return what the subtree of a node makes of the rows."""
        out = np.empty(len(rows))
        stack = [(node, np.arange(len(rows)))]
        while stack:
            node, here = stack.pop()
            split = self.splits[node]
            if split is None:
                out[here] = self.value[node]
                continue
            goes_left = split.goes_left(X, rows[here])
            stack += [(int(self.right[node]), here[~goes_left]), (int(self.left[node]), here[goes_left])]
        return out

    def fit_leaves(self, X: Numbers64, rows: Rows, target: Target) -> None:
        """Give every node the prediction of its rows; one without rows keeps its parent's."""
        reached = self.reached(X, rows)
        for node, here in reached.items():
            if len(here):
                self.value[node] = target.value(here)
            if self.splits[node] is not None:  # a child of no rows keeps this
                self.value[self.left[node]] = self.value[self.right[node]] = self.value[node]

    def in_order(self, X: Numbers64, rows: Rows, kind: str) -> list[Split | None]:
        """Return the splits depth-first, without those that leave a side empty or are not of the kind."""
        out: list[Split | None] = []
        stack = [(0, rows)]
        while stack:
            node, here = stack.pop()
            split = self.splits[node]
            if split is not None:
                goes_left = split.goes_left(X, here)
                sides = [(int(self.right[node]), here[~goes_left]), (int(self.left[node]), here[goes_left])]
                fuller = max(sides, key=lambda side: len(side[1]))
                if len(fuller[1]) == len(here) or (kind == "axis" and isinstance(split, LinearSplit)):
                    stack.append((fuller[0], here))
                    continue
                stack += sides
            out.append(split)
        return out


def refine(
    splits: Sequence[Split | None],
    columns: Sequence[Column],
    X: Numbers64,
    target: Target,
    *,
    kind: str,
    validation: NDArray[np.bool_],
    max_depth: int = 0,
    sweeps: int = SWEEPS,
    is_over: Callable[[], bool] = lambda: False,
) -> list[Split | None]:
    """Return the splits of a hard tree after alternating optimisation.

    Parameters
    ----------
    splits : sequence of Split or None
        Depth-first, None for a leaf.
    columns : sequence of Column
    X : ndarray of shape (n_rows, n_columns)
        Encoded rows.
    target : Labels or Numbers
    kind : {"linear", "axis"}
        Whether new splits may combine columns; with "axis" none of the tree does.
    validation : ndarray of shape (n_rows,), bool
        Rows that choose among the sweeps and cut back the tree; the others train it. None at all: all rows do both.
    max_depth : int, default=0
        Leaves above this depth are split before the sweeps.
    sweeps : int, default=20
        Most sweeps; they end when none helps.
    is_over : callable, optional
        Asked before each node; after a true answer the best tree so far is kept.

    Returns
    -------
    list of Split or None
        Depth-first; no more leaves than before, or than `max_depth` allows.
    """
    rows, held = np.flatnonzero(~validation), np.flatnonzero(validation)
    judges = held if len(held) else rows
    best, least = None, np.inf
    for start in (splits, [None])[: 2 if max_depth else 1]:
        nodes = _Nodes.of(start)
        nodes.fit_leaves(X, rows, target)
        if kind == "linear" and start is splits:  # else it is of another kind, or a single leaf
            best, least = nodes.copy(), _loss(nodes, X, judges, target)
        if not is_over():
            nodes = _grown(nodes, columns, X, rows, target, max_depth)
        for _ in range(sweeps):
            changed = _sweep(nodes, columns, X, rows, target, kind, is_over)
            nodes.fit_leaves(X, rows, target)
            loss = _loss(nodes, X, judges, target)
            if loss < least:
                best, least = nodes.copy(), loss
            if not changed or is_over():
                break
        if is_over():
            break
    assert best is not None  # some loss is below infinity
    if len(held):
        _cut_back(best, X, held, target)
    return best.in_order(X, np.arange(len(X)), kind)


def regrown(splits: Sequence[Split | None], X: Numbers64) -> list[Split | None]:
    """Return the splits without those that leave a side of these rows empty.

    Parameters
    ----------
    splits : sequence of Split or None
        Depth-first, None for a leaf.
    X : ndarray of shape (n_rows, n_columns)
        Encoded rows.
    """
    return _Nodes.of(splits).in_order(X, np.arange(len(X)), "linear")


def _loss(nodes: _Nodes, X: Numbers64, rows: Rows, target: Target) -> float:
    return float(target.loss(rows, nodes.predicted(X, rows)).sum())


def _grown(
    nodes: _Nodes, columns: Sequence[Column], X: Numbers64, rows: Rows, target: Target, max_depth: int
) -> _Nodes:
    """Return a tree whose leaves above `max_depth` are split by the best threshold, where one is better than none."""
    reached = nodes.reached(X, rows)
    out: list[Split | None] = []
    stack = [(0, reached.get(0, rows), 0)]
    while stack:
        node, here, depth = stack.pop()
        split = nodes.splits[node] if node != LEAF else None
        if split is None and depth < max_depth:
            split, node = _greedy(columns, X[here], target.sums(here)), LEAF
        out.append(split)
        if split is not None:
            goes_left = split.goes_left(X, here)
            left, right = (LEAF, LEAF) if node == LEAF else (int(nodes.left[node]), int(nodes.right[node]))
            stack += [(right, here[~goes_left], depth + 1), (left, here[goes_left], depth + 1)]
    grown = _Nodes.of(out)
    grown.fit_leaves(X, rows, target)
    return grown


def _greedy(columns: Sequence[Column], X: Numbers64, sums: Numbers64) -> ThresholdSplit | None:
    """Return the threshold of least squared error (of least Gini impurity, for classes); None if none helps.

    With `LEAST_LEAF` rows on each side; columns of words, and those that have gaps here, are left out.
    """
    total = sums.sum(axis=0)
    alone = float((total[1:] ** 2).sum() / total[0]) if total[0] else 0.0
    best, split = alone * (1 + GAIN), None
    for j, column in enumerate(columns):
        if column.kind is ColumnKind.CATEGORICAL:
            continue
        order = np.argsort(X[:, j], kind="stable")
        x = X[order, j]
        ends = np.flatnonzero(x[1:] > x[:-1])
        ends = ends[(ends + 1 >= LEAST_LEAF) & (len(x) - ends - 1 >= LEAST_LEAF)]
        if not len(ends) or np.isnan(x[-1]):
            continue
        left = np.cumsum(sums[order], axis=0)[ends]
        right = total - left
        worth = (left[:, 1:] ** 2).sum(axis=1) / left[:, 0] + (right[:, 1:] ** 2).sum(axis=1) / right[:, 0]
        at = int(worth.argmax())
        if worth[at] > best:
            low, high = x[ends[at]], x[ends[at] + 1]
            middle = low + (high - low) / 2
            best, split = float(worth[at]), ThresholdSplit(j, float(middle if middle < high else low))
    return split


def _sweep(
    nodes: _Nodes,
    columns: Sequence[Column],
    X: Numbers64,
    rows: Rows,
    target: Target,
    kind: str,
    is_over: Callable[[], bool],
) -> bool:
    """Replace each split by a better one, children before parents; say whether any was."""
    changed = False
    for node, here in reversed(nodes.reached(X, rows).items()):
        old = nodes.splits[node]
        if old is None or len(here) < 2:
            continue
        if is_over():
            break
        left, right = int(nodes.left[node]), int(nodes.right[node])
        wins = target.loss(here, nodes.predicted(X, here, right)) - target.loss(
            here, nodes.predicted(X, here, left)
        )  # what the row saves on the left
        matter = np.flatnonzero(wins)
        at_stake = float(np.abs(wins).sum())
        if not at_stake:
            continue
        found = _one_column(columns, X[here[matter]], wins[matter])
        if kind == "linear":
            combined = _combination(columns, X[here[matter]], wins[matter])
            if combined is not None and combined[0] > found[0] + WORTH * at_stake:
                found = combined
        gain, split, swapped = found
        keeps = kind == "linear" or not isinstance(old, LinearSplit)
        if split is None or (keeps and gain <= wins[old.goes_left(X, here)].sum() + GAIN * at_stake):
            continue
        nodes.splits[node], changed = split, True
        if swapped:
            nodes.left[node], nodes.right[node] = right, left
    return changed


Found = tuple[float, Split | None, bool]  # what it saves, the split, and whether left and right change places


def _one_column(columns: Sequence[Column], X: Numbers64, wins: Numbers64) -> Found:
    """Return the best split of a single column: what goes left saves most, or least, with the sides changed."""
    best: Found = (-np.inf, None, False)
    for j, column in enumerate(columns):
        x = X[:, j]
        known = ~np.isnan(x)
        unknown = float(wins[~known].sum())
        if column.kind is ColumnKind.CATEGORICAL:
            sums = np.bincount(x[known].astype(int), weights=wins[known], minlength=len(column.categories))
            places = [(float(saved), (code,)) for code, saved in enumerate(sums)]
            for saved, codes in places:
                for here, swapped in ((saved, False), (float(sums.sum()) - saved, True)):
                    gain = here + max(unknown, 0.0)
                    if gain > best[0]:
                        missing_left = (unknown > 0) != swapped
                        best = (gain, CategorySplit(j, codes, missing_left and unknown != 0), swapped)
            continue
        cut = _threshold(x[known], wins[known])
        if cut is None:
            continue
        saved, threshold, swapped = cut
        gain = saved + max(unknown, 0.0)
        if gain > best[0]:
            best = (gain, ThresholdSplit(j, threshold, unknown != 0 and (unknown > 0) != swapped), swapped)
    return best


def _threshold(x: Numbers64, wins: Numbers64) -> tuple[float, float, bool] | None:
    """Return what the best cut saves, where it is, and whether the rows above it are the left ones."""
    order = np.argsort(x, kind="stable")
    x, sums = x[order], np.cumsum(wins[order])
    ends = np.flatnonzero(x[1:] > x[:-1])
    if not len(ends):
        return None
    below = sums[ends]
    above = sums[-1] - below
    low, high = int(below.argmax()), int(above.argmax())
    swapped = bool(above[high] > below[low])
    at = ends[high if swapped else low]
    threshold = x[at] + (x[at + 1] - x[at]) / 2
    return float(max(above[high], below[low])), float(threshold if threshold < x[at + 1] else x[at]), swapped


def _combination(columns: Sequence[Column], X: Numbers64, wins: Numbers64) -> Found | None:
    """Return a split along a logistic regression of the sides on the numeric columns; None without reason for one."""
    used = [
        j
        for j, column in enumerate(columns)
        if column.kind is not ColumnKind.CATEGORICAL and not np.isnan(X[:, j]).any() and np.ptp(X[:, j]) > 0
    ]
    side = wins > 0
    if len(used) < 2 or side.all() or not side.any() or len(X) < LEAST_ROWS * len(used):
        return None
    low, middle, high = np.quantile(X[:, used], [0.05, 0.5, 0.95], axis=0)
    deviation = X[:, used].std(axis=0)
    scale = np.where(high > low, high - low, np.where(deviation > 0, deviation, 1.0))
    scaled = np.clip((X[:, used] - middle) / scale, -FARTHEST, FARTHEST)
    slopes = -_logistic(scaled, side, np.abs(wins) / np.abs(wins).mean()) / scale  # a high score goes right
    kept = [k for k in range(len(used)) if slopes[k] != 0 and np.isfinite(slopes[k])]
    if not kept:
        return None
    split = LinearSplit(tuple(used[k] for k in kept), tuple(float(slopes[k]) for k in kept), 0.0)
    cut = _threshold(split.score(X), wins)
    if cut is None or not np.isfinite(cut[1]):
        return None
    saved, threshold, swapped = cut
    return saved, replace(split, threshold=threshold), swapped


def _logistic(X: Numbers64, side: NDArray[np.bool_], weight: Numbers64) -> Numbers64:
    """Return the slopes of a logistic regression with a ridge of 1, by Newton's method (an intercept goes with it)."""
    X = np.column_stack([X, np.ones(len(X))])
    ridge = np.append(np.ones(X.shape[1] - 1), 1e-6)
    slopes = np.zeros(X.shape[1])
    for _ in range(NEWTON_STEPS):
        share = 0.5 * (1 + np.tanh(0.5 * np.clip(X @ slopes, -30, 30)))
        slope = X.T @ (weight * (share - side)) + ridge * slopes
        bend = (X * (weight * np.maximum(share * (1 - share), 1e-6))[:, None]).T @ X + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        slopes = slopes - step
        if np.abs(step).max() < 1e-4:
            break
    return slopes[:-1]


def _cut_back(nodes: _Nodes, X: Numbers64, rows: Rows, target: Target) -> None:
    """Make a leaf of every node where that is no worse on these rows, children before parents."""
    for node, here in reversed(nodes.reached(X, rows).items()):
        if nodes.splits[node] is None:
            continue
        as_leaf = target.loss(here, np.full(len(here), nodes.value[node])).sum()
        if as_leaf <= target.loss(here, nodes.predicted(X, here, node)).sum():
            nodes.splits[node], nodes.left[node], nodes.right[node] = None, LEAF, LEAF
