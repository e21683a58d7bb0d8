"""A hard tree made better by alternating optimisation: one split at a time, on the rows that reach it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.latent._grow import GAIN, WORTH, directions, scaled
from treewright.latent._hard_nodes import Check, Nodes, Numbers64, Rows, Target, never
from treewright.tree import CategorySplit, Column, ColumnKind, LinearSplit, Split, split_at

__all__ = ["sweep"]

NEWTON_STEPS = 12


def sweep(
    nodes: Nodes,
    columns: Sequence[Column],
    X: Numbers64,
    rows: Rows,
    target: Target,
    kind: str,
    check: Check,
) -> bool:
    """Replace each split by a better one, children before parents; say whether any was."""
    changed = False
    for node, here in reversed(nodes.reached(X, rows, check).items()):
        old = nodes.splits[node]
        if old is None or len(here) < 2:
            continue
        check()
        left, right = int(nodes.left[node]), int(nodes.right[node])
        wins = target.loss(here, nodes.predicted(X, here, right)) - target.loss(
            here, nodes.predicted(X, here, left)
        )  # what the row saves on the left
        at_stake = float(np.abs(wins).sum())
        if not at_stake:
            continue
        matter, theirs = here[wins != 0], wins[wins != 0]
        found = _one_column(columns, X, matter, theirs, check)
        if kind == "linear":
            for combined in _combinations(columns, X[matter], theirs, check):
                if combined[0] > found[0] + WORTH * at_stake:
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


def _one_column(
    columns: Sequence[Column], X: Numbers64, rows: Rows, wins: Numbers64, check: Check = never
) -> Found:
    """Return the best split of a single column: what goes left saves most, or least, with the sides changed."""
    best: Found = (-np.inf, None, False)
    for j, column in enumerate(columns):
        check()
        x = X[rows, j]
        known = ~np.isnan(x)
        unknown = float(wins[~known].sum())
        if column.kind is ColumnKind.CATEGORICAL and not column.ordered:
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
            missing_left = unknown != 0 and (unknown > 0) != swapped
            best = (gain, split_at(j, threshold, missing_left, ordered=column.ordered), swapped)
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


def _combinations(
    columns: Sequence[Column], X: Numbers64, wins: Numbers64, check: Check = never
) -> Iterator[Found]:
    """Yield splits along logistic regressions of the sides on the numeric columns, those of few columns first."""
    side = wins > 0
    given = None if side.all() or not side.any() else scaled(columns, X, check)
    if given is None:
        return
    weight = np.abs(wins) / np.abs(wins).mean()
    for split in directions(
        given, lambda values: -_logistic(values, side, weight, check)
    ):  # a high score goes right
        check()
        cut = _threshold(split.score(X), wins)
        if cut is not None and np.isfinite(cut[1]):
            yield cut[0], replace(split, threshold=cut[1]), cut[2]


def _logistic(X: Numbers64, side: NDArray[np.bool_], weight: Numbers64, check: Check) -> Numbers64:
    """Return the slopes of a logistic regression with a ridge of 1, by Newton's method (an intercept goes with it)."""
    X = np.column_stack([X, np.ones(len(X))])
    ridge = np.append(np.ones(X.shape[1] - 1), 1e-6)
    slopes = np.zeros(X.shape[1])
    for _ in range(NEWTON_STEPS):
        check()
        share = 0.5 * (1 + np.tanh(0.5 * np.clip(X @ slopes, -30, 30)))
        slope = X.T @ (weight * (share - side)) + ridge * slopes
        bend = (X * (weight * np.maximum(share * (1 - share), 1e-6))[:, None]).T @ X + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        slopes = slopes - step
        if np.abs(step).max() < 1e-4:
            break
    return slopes[:-1]
