"""Growing a hard tree greedily, the best split of all leaves first, with splits of one column or of several.

A split is worth what it takes from the squared error (for classes, from the Gini impurity), as in CART. Directions of
linear splits come from a ridge regression of the target on the numeric columns: for classes one direction per class and
the one in which their fitted values differ most. The best threshold along each is found exactly.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from treewright.latent._hard_nodes import Check, Nodes, Numbers64, Rows, Target, never
from treewright.tree import CategorySplit, Column, ColumnKind, LinearSplit, Split, split_at

__all__ = ["GAIN", "WORTH", "Scaled", "best_first", "scaled"]

WORTH = 0.02  # of what can be saved, that a split of more columns must save more than one of fewer
GAIN = 1e-9  # of what can be saved: less is rounding
LEAST_ROWS = 10  # that a linear split is fitted to, for each column
FARTHEST = 5.0  # from the median that a value is taken, in spans from the 5th to the 95th percentile
FEW = (2, 3)  # columns of sparse linear splits

Scaled = tuple[list[int], Numbers64, Numbers64]  # columns, their values in spans, the spans


def best_first(
    nodes: Nodes,
    columns: Sequence[Column],
    X: Numbers64,
    rows: Rows,
    target: Target,
    *,
    kind: str,
    max_leaves: int,
    check: Check = never,
) -> Nodes:
    """Return the tree with its leaves split while it has fewer than `max_leaves`, the most worth first.

    Parameters
    ----------
    nodes : Nodes
        Stays as it is.
    columns : sequence of Column
    X : ndarray of shape (n_rows, n_columns)
    rows : ndarray of int
        Rows that train the tree.
    target : Labels or Numbers
    kind : {"linear", "axis"}
        Whether splits may combine columns.
    max_leaves : int
    check : callable, optional
        Called before each column and each direction is looked at; may raise.
    """
    out = nodes.copy()
    waiting: list[tuple[float, int, Split, Rows]] = []

    def consider(node: int, here: Rows) -> None:
        found = _best(columns, X[here], target.sums(here), kind, check)
        if found is not None:
            heapq.heappush(waiting, (-found[0], node, found[1], here))

    n_leaves = sum(split is None for split in out.splits)
    for node, here in out.reached(X, rows, check).items():
        if out.splits[node] is None and n_leaves < max_leaves:
            consider(node, here)
    while waiting and n_leaves < max_leaves:
        _, node, split, here = heapq.heappop(waiting)
        goes_left = split.goes_left(X, here)
        out.split(node, split)
        n_leaves += 1
        consider(int(out.left[node]), here[goes_left])
        consider(int(out.right[node]), here[~goes_left])
    out.fit_leaves(X, rows, target, check)
    return out


def scaled(columns: Sequence[Column], X: Numbers64, check: Check = never) -> Scaled | None:
    """Return the numeric columns without gaps in comparable units; None with fewer than two, or too few rows."""
    if len(X) < 2 * LEAST_ROWS:
        return None
    used = [
        j
        for j, column in enumerate(columns)
        if column.kind is not ColumnKind.CATEGORICAL and not np.isnan(X[:, j]).any() and np.ptp(X[:, j]) > 0
    ]
    if len(used) < 2 or len(X) < LEAST_ROWS * len(used):
        return None
    quantiles = []
    for j in used:
        check()
        quantiles.append(np.quantile(X[:, j], [0.05, 0.5, 0.95]))
    low, middle, high = np.array(quantiles).T
    deviation = X[:, used].std(axis=0)
    span = np.where(high > low, high - low, np.where(deviation > 0, deviation, 1.0))
    return used, np.clip((X[:, used] - middle) / span, -FARTHEST, FARTHEST), span


def directions(given: Scaled, fit: Callable[[Numbers64], Numbers64]) -> Iterator[LinearSplit]:
    """Yield splits along fitted slopes, of few columns first: those whose slopes were largest, fitted again.

    Parameters
    ----------
    given : Scaled
    fit : callable
        Returns a slope for each column of scaled values.
    """
    used, values, span = given
    every = fit(values)
    by_size = np.argsort(-np.abs(every), kind="stable")
    for count in (*(few for few in FEW if few < len(used)), len(used)):
        chosen = np.sort(by_size[:count])
        slopes = (every if count == len(used) else fit(values[:, chosen])) / span[chosen]
        kept = [k for k in range(count) if slopes[k] != 0 and np.isfinite(slopes[k])]
        if kept:
            yield LinearSplit(
                tuple(used[chosen[k]] for k in kept), tuple(float(slopes[k]) for k in kept), 0.0
            )


def _best(
    columns: Sequence[Column], X: Numbers64, sums: Numbers64, kind: str, check: Check = never
) -> tuple[float, Split] | None:
    """Return the split of least squared error and what it saves; None if none helps."""
    total = sums.sum(axis=0)
    if not total[0]:
        return None
    mean = total[1:] / total[0]
    centred = sums[:, 1:] - sums[:, :1] * mean
    at_stake = float((centred**2 / sums[:, :1]).sum())
    alone = float(total[1:] @ mean)
    best: tuple[float, Split] | None = None
    for j, column in enumerate(columns):
        check()
        words = column.kind is ColumnKind.CATEGORICAL and not column.ordered
        rank = _ranks(X[:, j], centred, sums[:, 0], len(column.categories)) if words else None
        found = _cut(X[:, j] if rank is None else _ranked(X[:, j], rank), sums, total)
        if found is not None and found[0] - alone > (best[0] if best else GAIN * at_stake):
            worth, cut, missing_left = found
            split: Split = split_at(j, cut, missing_left, ordered=column.ordered)
            if rank is not None:
                split = CategorySplit(j, tuple(np.flatnonzero(rank <= cut).tolist()), missing_left)
            best = worth - alone, split
    given = scaled(columns, X, check) if kind == "linear" else None
    if given is None:
        return best
    for slopes_of in _regressions(sums, centred):
        for linear in directions(given, slopes_of):
            check()
            found = _cut(linear.score(X), sums, total)
            saved = best[0] if best else 0.0
            if found is not None and found[0] - alone > saved + WORTH * (at_stake - saved):
                best = found[0] - alone, replace(linear, threshold=found[1])
    return best


def _ranks(x: Numbers64, centred: Numbers64, weight: Numbers64, n_categories: int) -> Numbers64:
    """Return the place of each category by its mean target; inf for those without rows.

    Sets of the first places hold the best set of one output, and of two classes (Breiman et al. 1984, theorem 4.5);
    of more outputs, where the order is that of the direction in which their means differ most, a good one.
    """
    known = ~np.isnan(x)
    codes = x[known].astype(int)
    heavy = np.bincount(codes, weights=weight[known], minlength=n_categories)
    means = (
        np.column_stack(
            [np.bincount(codes, weights=column[known], minlength=n_categories) for column in centred.T]
        )
        / np.where(heavy > 0, heavy, 1.0)[:, None]
    )
    along = means @ np.linalg.svd(means * np.sqrt(heavy)[:, None], full_matrices=False)[2][0]
    place = np.empty(n_categories)
    place[np.argsort(along, kind="stable")] = np.arange(n_categories)
    return np.where(heavy > 0, place, np.inf)


def _ranked(x: Numbers64, rank: Numbers64) -> Numbers64:
    return np.where(np.isnan(x), np.nan, rank[np.nan_to_num(x).astype(int)])


def _regressions(sums: Numbers64, centred: Numbers64) -> Iterator[Callable[[Numbers64], Numbers64]]:
    """Yield makers of slopes: a ridge regression of each output, and of what sets the outputs apart most."""
    weight = sums[:, 0]
    known: list[
        tuple[Numbers64, tuple[Numbers64, Numbers64]]
    ] = []  # of all columns, which each output asks for

    def fitted(values: Numbers64) -> tuple[Numbers64, Numbers64]:
        if known and known[0][0] is values:
            return known[0][1]
        found = solved(values)
        if not known:
            known.append((values, found))
        return found

    def solved(values: Numbers64) -> tuple[Numbers64, Numbers64]:
        middle = values - np.average(values, axis=0, weights=weight)
        left = (middle * weight[:, None]).T @ middle + np.eye(values.shape[1])
        slopes = np.asarray(np.linalg.solve(left, middle.T @ centred), dtype=np.float64)
        return slopes, middle @ slopes

    def of_output(k: int) -> Callable[[Numbers64], Numbers64]:
        return lambda values: fitted(values)[0][:, k]

    def main(values: Numbers64) -> Numbers64:
        slopes, fit = fitted(values)
        return np.asarray(slopes @ np.linalg.svd(fit, full_matrices=False)[2][0], dtype=np.float64)

    alone = centred.shape[1] <= 2  # two classes differ by one output
    yield from (of_output(k) for k in (range(1) if alone else np.flatnonzero(centred.any(axis=0)).tolist()))
    if not alone:
        yield main


def _cut(x: Numbers64, sums: Numbers64, total: Numbers64) -> tuple[float, float, bool] | None:
    """Return the best two sides' squared sums over weights, the threshold, and whether missing values go left."""
    order = np.argsort(x, kind="stable")  # missing ones last
    n_known = len(x) - int(np.isnan(x).sum())
    missing = sums[order[n_known:]].sum(axis=0)
    x = x[order[:n_known]]
    ends = np.flatnonzero(x[1:] > x[:-1])
    if not len(ends):
        return None
    below = np.cumsum(sums[order[:n_known]], axis=0)[ends]
    best: tuple[float, float, bool] | None = None
    for missing_left in (False, True) if missing[0] else (False,):
        left = below + missing if missing_left else below
        right = total - left
        worth = (left[:, 1:] ** 2).sum(axis=1) / left[:, 0] + (right[:, 1:] ** 2).sum(axis=1) / right[:, 0]
        at = int(worth.argmax())
        if best is None or worth[at] > best[0]:
            low, high = x[ends[at]], x[ends[at] + 1]
            middle = low + (high - low) / 2
            best = float(worth[at]), float(middle if middle < high else low), missing_left
    return best
