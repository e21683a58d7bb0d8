"""The best tree of depth one or two by a few lines of numpy: every split, every pair of splits, no bound.

A leaf costs a function of sums over its rows. Of depth one, each column is sorted once and the sums run along it. Of
depth two, each side of every split is asked for its best split in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attack.at_size.question import Question

__all__ = ["best_objective", "is_in_reach", "leaf_costs"]

Numbers = NDArray[np.float64]
MOST_STEPS = 6e6  # rows, times columns, times splits of the root


@dataclass(frozen=True)
class LeafCosts:
    """What rows add up to, and what a leaf with given sums costs; the last sum is the number of rows."""

    sums: Numbers
    cost: Callable[[Numbers], Numbers]

    @cached_property
    def whole(self) -> float:
        return float(self.cost(self.sums.sum(axis=0)[None])[0])


def leaf_costs(q: Question) -> LeafCosts | None:
    """Return the costs of leaves by the question, None where they are no function of a few sums."""
    w, counted = q.weights, (q.weights > 0).astype(float)
    if q.kind == "classes":
        classes = np.unique(q.y)
        costs = np.array(q.options.get("costs", 1 - np.eye(len(classes))), dtype=float)
        if "class_weight" in q.options or len(classes) > 12:
            return None
        rows = w[:, None] * costs[np.searchsorted(classes, q.y)] / w.sum()
        return LeafCosts(np.column_stack([rows, counted]), lambda s: s[:, :-1].min(axis=1))
    if q.kind == "row costs":
        return LeafCosts(
            np.column_stack([w[:, None] * q.y[:, 1:] / w.sum(), counted]), lambda s: s[:, :-1].min(axis=1)
        )
    if q.kind == "policy":
        regret = q.y.max(axis=1, keepdims=True) - q.y
        return LeafCosts(np.column_stack([w[:, None] * regret, counted]), lambda s: s[:, :-1].min(axis=1))
    if q.kind == "probability":
        if len(np.unique(q.y)) > 12:
            return None
        of_class = np.equal.outer(q.y, np.unique(q.y)) * w[:, None]
        cost = _brier if q.options["criterion"] == "brier" else _log_loss
        return LeafCosts(np.column_stack([of_class, counted]), cost)
    if q.kind == "survival":
        w = _levels(w)
        return LeafCosts(np.column_stack([w * q.y[:, 0], w * _hazard(q), counted]), _survival)
    if q.kind != "regression":
        return None
    criterion = q.options.get("criterion", "squared_error")
    y = q.y if q.y.ndim > 1 else q.y[:, None]
    if criterion == "squared_error":
        y = y - np.round(np.average(y, axis=0, weights=w))  # small sums lose no digits
        return LeafCosts(np.column_stack([w, w * (y * y).sum(axis=1), *(w * y.T), counted]), _squares)
    if criterion in ("poisson", "gamma"):
        return LeafCosts(np.column_stack([w, w * q.y, counted]), _deviance(q, criterion))
    return None


def _brier(s: Numbers) -> Numbers:
    total = s[:, :-1].sum(axis=1)
    return np.where(total > 0, total - (s[:, :-1] ** 2).sum(axis=1) / np.where(total > 0, total, 1), 0)


def _log_loss(s: Numbers) -> Numbers:
    return _n_log_n(s[:, :-1].sum(axis=1)) - _n_log_n(s[:, :-1]).sum(axis=1)


def _n_log_n(n: Numbers) -> Numbers:
    return np.where(n > 0, n * np.log(np.where(n > 0, n, 1)), 0.0)


def _squares(s: Numbers) -> Numbers:
    weight = np.where(s[:, 0] > 0, s[:, 0], 1)
    return s[:, 1] - (s[:, 2:-1] ** 2).sum(axis=1) / weight


def _levels(w: Numbers) -> Numbers:
    """Weights of survival trees: as stated if they are whole, else in 2**20 levels of the largest."""
    return w if (w == np.rint(w)).all() else np.rint(w / w.max() * 2**20)


def _hazard(q: Question) -> Numbers:
    """Cumulative hazard of all rows at the time of each (Nelson and Aalen)."""
    times, at = np.unique(q.y[:, 1], return_inverse=True)
    w = _levels(q.weights)
    here, dying = np.bincount(at, w, len(times)), np.bincount(at, w * q.y[:, 0], len(times))
    at_risk = np.cumsum(here[::-1])[::-1]
    return np.cumsum(dying / np.where(at_risk > 0, at_risk, 1))[at]


def _survival(s: Numbers) -> Numbers:
    """Half the deviance, but for what each event adds by itself: `_alone`."""
    return s[:, 0] * np.log(np.where(s[:, 0] > 0, s[:, 1], 1)) - _n_log_n(s[:, 0])


def _deviance(q: Question, criterion: str) -> Callable[[Numbers], Numbers]:
    def of_mean(s: Numbers) -> Numbers:
        return np.log(np.where(s[:, 1] > 0, s[:, 1], 1) / np.where(s[:, 1] > 0, s[:, 0], 1))

    if criterion == "poisson":
        return lambda s: -s[:, 1] * of_mean(s)
    return lambda s: s[:, 0] * of_mean(s)


def _alone(q: Question) -> float:
    """What the rows add to every tree's loss, whatever its leaves, where `cost` leaves it out."""
    w = q.weights
    if q.kind == "survival":
        seen = (q.y[:, 0] > 0) & (_levels(w) > 0)
        return float(-(_levels(w) * np.log(_hazard(q), where=seen, out=np.zeros(q.n_rows)))[seen].sum())
    criterion = q.options.get("criterion")
    if criterion == "poisson":
        return float((w * _n_log_n(q.y)).sum())
    if criterion == "gamma":
        return float(-(w * np.log(q.y)).sum())
    return 0.0


def is_in_reach(q: Question, depth: int) -> bool:
    steps = float(q.n_rows * q.X.shape[1])
    if depth == 2:
        steps *= 2 * q.X.nunique().sum()
    return depth <= 2 and steps <= MOST_STEPS and "class_weight" not in q.options


def best_objective(q: Question) -> float | None:
    """Return the least objective of any tree of the depth that is asked, 1 or 2; None if it is no sum over leaves."""
    costs = leaf_costs(q)
    if costs is None:
        return None
    more = _alone(q)
    whole = costs.whole + more
    is_share = q.kind not in ("classes", "row costs")
    if is_share and whole <= 0:
        return None
    unit = whole if is_share else 1.0
    price, least = q.options.get("cost_complexity", 0.01), q.options.get("min_samples_leaf", 1)
    most = q.options.get("max_leaf_nodes") or 4
    kept = q.weights > 0
    columns = [_orders(q.X[name][kept]) for name in q.X.columns]
    sums = costs.sums[kept]
    sweep = _Sweep(columns, sums, costs.cost, least)
    one = (float(costs.cost(sums.sum(axis=0)[None])[0]) + more) / unit
    found = [one + price]
    if most >= 2:
        found.append((sweep.best(np.arange(len(sums))) + more) / unit + 2 * price)
    if q.options["max_depth"] == 2 and most >= 3:
        for left in sweep.splits():
            sides = (np.flatnonzero(left), np.flatnonzero(~left))
            if min(map(len, sides)) < least:
                continue
            leaf = [float(costs.cost(sums[rows].sum(axis=0)[None])[0]) for rows in sides]
            split = [sweep.best(rows) for rows in sides]
            found.append((min(leaf[0] + split[1], leaf[1] + split[0]) + more) / unit + 3 * price)
            if most >= 4:
                found.append((sum(split) + more) / unit + 4 * price)
    return min(found)


@dataclass(frozen=True)
class _Order:
    """The values of a column as numbers, which have an order or are words."""

    code: NDArray[np.int64]  # -1 where there is no value
    n_values: int
    is_ordered: bool


def _orders(column: pd.Series) -> _Order:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return _Order(column.cat.codes.to_numpy().astype(np.int64), len(column.cat.categories), True)
    code, values = pd.factorize(column, sort=column.dtype == float)
    return _Order(code.astype(np.int64), len(values), column.dtype == float)


@dataclass(frozen=True)
class _Sweep:
    columns: list[_Order]
    sums: Numbers
    cost: Callable[[Numbers], Numbers]
    least: int

    def best(self, rows: NDArray[np.intp]) -> float:
        """Return the least cost of two leaves that one split makes of these rows; infinite if there is none."""
        total = self.sums[rows].sum(axis=0)
        found = np.inf
        for column in self.columns:
            left = np.concatenate(list(self._lefts(column, rows)))
            right = total - left
            allowed = (left[:, -1] >= self.least) & (right[:, -1] >= self.least)
            allowed &= (left[:, -1] > 0) & (right[:, -1] > 0)
            if allowed.any():
                found = min(found, float((self.cost(left[allowed]) + self.cost(right[allowed])).min()))
        return found

    def _lefts(self, column: _Order, rows: NDArray[np.intp]) -> Iterator[Numbers]:
        """Yield the sums of the rows that each split sends left."""
        code, sums = column.code[rows] + 1, self.sums[rows]
        by_value = np.array([np.bincount(code, s, column.n_values + 1) for s in sums.T]).T
        missing, known = by_value[:1], by_value[1:]
        left = np.cumsum(known, axis=0) if column.is_ordered else known
        yield left
        if missing[0, -1] > 0:
            yield left + missing
            yield missing

    def splits(self) -> Iterator[NDArray[np.bool_]]:
        """Yield all splits of all rows, as the rows that go left."""
        for column in self.columns:
            missing = column.code < 0
            for value in np.unique(column.code[~missing]):
                left = (column.code <= value) & ~missing if column.is_ordered else column.code == value
                yield left
                if missing.any():
                    yield left | missing
            if missing.any():
                yield missing
