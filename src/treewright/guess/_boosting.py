"""Gradient boosting on 0/1 columns, equal to scikit-learn's and many times faster to fit again.

Column elimination fits a boosted model once for each threshold it removes, and that is nearly all of its
time. On 0/1 columns scikit-learn's `GradientBoostingClassifier` (two classes, log loss, its default options)
can be computed from much less:

* Rows with equal columns have equal predictions at every stage. A distinct row with p positives and q negatives
  acts as p + q rows: residual sum p - (p + q) * prob, Newton denominator (p + q) * prob * (1 - prob).
* Sorting is not needed: the sums on both sides of all splits of all nodes of a level are one matrix product.
* A tree divides the rows as before while each of its splits has one column left of those that tie for it (usually
  one): the maximum over fewer candidates is the same maximum. So a re-fit starts at the first stage that
  *needs* the removed column, and removing a column that no stage needs takes no re-fit at all.

Where is it equal? A split is the column of largest gain, and scikit-learn breaks ties at random, and
rounding errors decide what is a tie. So every decision is taken with a certificate, or not at all:

* Columns that tie (within a tolerance far above the rounding of either program) and divide the rows of the node in
  the same way lead to the same children. Which one is credited does not matter to any prediction; the
  importance of each becomes an interval from "never credited" to "always credited".
  Where they overlap, ties are broken as scikit-learn breaks them, for the tied trees alone (`_tie_breaking.py`).
* Ties between different divisions, and raw predictions too near to zero to have a certain sign, are not decided:
  `BinaryBoosting.certain_stages` or `wrong` says so, and the caller has that one fit repeated (`_tie_breaking.py`).

Cost of a level: one product of (2 * nodes, distinct rows) with (distinct rows, columns).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.guess._equal_rows import number_equal_rows

__all__ = ["BinaryBoosting", "can_boost", "distinct_rows"]

TIE = 1e-9  # of the root of a gain, relative and absolute: rounding is below 1e-10 on 1e5 rows
NEAR_ZERO = 1e-9  # of a raw prediction


@dataclass(eq=False)
class _Stage:
    """One tree: what it adds to each distinct row, and to which columns it gives credit."""

    raw_after: NDArray[np.float64]  # (n_distinct,)
    least_credit: NDArray[np.float64]  # (n_columns,), without any tie
    most_credit: NDArray[np.float64]  # (n_columns,), with all ties
    splits: list[tuple[float, set[int]]]  # of each inner node: its credit, and the columns that tie for it
    leaf: NDArray[np.int64]  # (n_distinct,), number of the leaf
    n_leaves: int
    has_pure: bool  # a leaf that rounding alone may split

    def needs(self, column: int) -> bool:
        """Whether the tree divides the rows otherwise without this column."""
        return any(column in tied and len(tied) == 1 for _, tied in self.splits)

    def forget(self, column: int) -> None:
        """Take a column that is not needed out of its ties."""
        for credit, tied in self.splits:
            if column in tied:
                tied.remove(column)
                if len(tied) == 1:
                    self.least_credit[list(tied)] += credit


def can_boost(model: Any, n_classes: int, weight: NDArray[np.float64]) -> bool:
    """Whether `BinaryBoosting` computes what `model` would: two classes, whole weights, default options."""
    from sklearn.ensemble import GradientBoostingClassifier

    if type(model) is not GradientBoostingClassifier or n_classes != 2:
        return False
    if not (weight == np.floor(weight)).all():
        return False
    fixed = GradientBoostingClassifier().get_params()
    ours = {"n_estimators", "max_depth", "learning_rate", "random_state", "verbose"}
    given = model.get_params()
    plain = all(given[name] == value for name, value in fixed.items() if name not in ours)
    return plain and given["max_depth"] is not None and not given["verbose"]


def distinct_rows(
    columns: NDArray[np.uint8], positive: NDArray[np.bool_], weight: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Merge equal rows of 0/1 columns (n_columns, n_rows).

    Returns
    -------
    first : ndarray of shape (n_distinct,)
        A row of each group.
    group : ndarray of shape (n_rows,)
    positives, negatives : ndarray of shape (n_distinct,)
        Weight of the rows of either class.
    """
    group = number_equal_rows(columns)
    _, first = np.unique(group, return_index=True)
    positives = np.bincount(group, weights=weight * positive, minlength=len(first))
    negatives = np.bincount(group, weights=weight * ~positive, minlength=len(first))
    return first.astype(np.int64), group, positives.astype(np.float64), negatives.astype(np.float64)


class BinaryBoosting:
    """A boosted model that columns can be taken from.

    Parameters
    ----------
    columns : ndarray of shape (n_columns, n_rows), uint8
    positive : ndarray of shape (n_rows,), bool
        The rows of the second class.
    weight : ndarray of shape (n_rows,), float64
        Whole numbers.
    n_estimators, max_depth, learning_rate
        As of scikit-learn's `GradientBoostingClassifier`.

    Attributes
    ----------
    columns_left : ndarray of shape (n_left,), int64
        Columns that have not been removed.
    certain_stages : int
        Stages that are known to equal scikit-learn's.
    """

    def __init__(
        self,
        columns: NDArray[np.uint8],
        positive: NDArray[np.bool_],
        weight: NDArray[np.float64],
        n_estimators: int,
        max_depth: int,
        learning_rate: float,
    ) -> None:
        first, self.group, self.positives, self.negatives = distinct_rows(columns, positive, weight)
        self.rows = self.positives + self.negatives
        self.bits = columns[:, first].astype(np.float64)  # (n_left, n_distinct)
        self.columns_left = np.arange(len(columns))
        self.n_columns = len(columns)
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.stages: list[_Stage] = []
        self.certain_stages = 0
        self._fit()

    def remove(self, column: int) -> None:
        """Take a column away and fit again what it touched."""
        at = int(np.searchsorted(self.columns_left, column))
        self.columns_left = np.delete(self.columns_left, at)
        self.bits = np.delete(self.bits, at, axis=0)
        keep = next((i for i, stage in enumerate(self.stages) if stage.needs(column)), len(self.stages))
        del self.stages[keep:]
        for stage in self.stages:
            stage.forget(column)
        self._fit()

    @property
    def is_certain(self) -> bool:
        """Whether all stages equal scikit-learn's."""
        return self.certain_stages == self.n_estimators

    def raw(self) -> NDArray[np.float64]:
        """Return the raw predictions of the distinct rows."""
        return self.stages[-1].raw_after if self.stages else self._start()

    def predictions(self) -> NDArray[np.bool_] | None:
        """Return for each row whether the second class is predicted; None where a sign is not certain."""
        raw = self.raw()
        if not self.is_certain or (np.abs(raw) < NEAR_ZERO).any():
            return None
        return (raw >= 0)[self.group]

    def wrong(self) -> float | None:
        """Return the weight of the wrongly predicted rows; None where a sign is not certain."""
        raw = self.raw()
        if not self.is_certain or (np.abs(raw) < NEAR_ZERO).any():
            return None
        return float(np.where(raw >= 0, self.negatives, self.positives).sum())

    def least_important(self, drawn: dict[int, NDArray[np.float64]] | None = None) -> int | None:
        """Return the column of smallest Gini importance, the first of equal ones; None where ties decide.

        `drawn` holds the importances of the columns left in trees whose ties have been drawn (`TieBreaking`).
        """
        if not self.is_certain:
            return None
        least, most = self._credits(drawn)
        certain_zero = np.flatnonzero(most == 0)
        if len(certain_zero):
            first = int(certain_zero[0])
            return None if (least[:first] == 0).any() else int(self.columns_left[first])
        best = int(np.argmin(most))
        others = np.delete(least, best)
        return int(self.columns_left[best]) if (others > most[best] * (1 + TIE)).all() else None

    def undecided_stages(self) -> list[int]:
        """Return the tied trees that can decide which column is least important, where ties do.

        A column whose least importance is above the most that another one can have is not the least, however
        ties are broken. A tree that rounding alone may divide further is named as well: it changes last bits.
        """
        least, most = self._credits(None)
        near = self.columns_left[least <= most.min() * (1 + TIE)]
        return [
            i
            for i, stage in enumerate(self.stages)
            if stage.has_pure or (stage.least_credit[near] != stage.most_credit[near]).any()
        ]

    def _credits(
        self, drawn: dict[int, NDArray[np.float64]] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the least and the most importance of each column left."""
        least, most = np.zeros(len(self.columns_left)), np.zeros(len(self.columns_left))
        for i, stage in enumerate(self.stages):
            known = None if drawn is None else drawn.get(i)
            least += stage.least_credit[self.columns_left] if known is None else known
            most += stage.most_credit[self.columns_left] if known is None else known
        return least, most

    def _start(self) -> NDArray[np.float64]:
        prior = self.positives.sum() / self.rows.sum()
        return np.full(len(self.rows), np.log(prior / (1 - prior)))

    def _fit(self) -> None:
        raw = self.raw()
        self.certain_stages = len(self.stages)
        while self.certain_stages < self.n_estimators:
            stage = self._tree(raw)
            if stage is None:
                return
            self.stages.append(stage)
            self.certain_stages += 1
            raw = stage.raw_after

    def _tree(self, raw: NDArray[np.float64]) -> _Stage | None:
        """Fit one tree to the residuals; None if a tie between different divisions decides."""
        prob = 1 / (1 + np.exp(-raw))
        residual = self.positives - self.rows * prob
        curvature = self.rows * prob * (1 - prob)
        square = self.positives * (1 - prob) ** 2 + self.negatives * prob**2
        credit = np.zeros((2, self.n_columns))
        splits: list[tuple[float, set[int]]] = []
        update = np.zeros(len(raw))
        leaf = np.zeros(len(raw), dtype=np.int64)
        n_leaves = 0
        has_pure = False
        n_rows = self.rows.sum()
        nodes = [np.arange(len(raw))]
        for level in range(self.max_depth + 1):
            children: list[NDArray[np.int64]] = []
            sums = self._sums(nodes, (self.rows, residual, square, curvature))
            gains = self._gains(nodes, residual, *sums[:2]) if level < self.max_depth else None
            for i, node in enumerate(nodes):
                gain = np.full(len(self.columns_left), -np.inf) if gains is None else gains[i]
                weight, total, squares, hessian = sums[:, i].tolist()
                pure = squares / weight - (total / weight) ** 2 < 1e-13
                best = gain.max(initial=-np.inf)
                if pure or best == -np.inf:
                    leaf[node] = n_leaves
                    n_leaves += 1
                    update[node] = 0.0 if abs(hessian) < 1e-150 else total / hessian
                    if pure and best > -np.inf:  # rounding may split it: no effect but a trace of importance
                        has_pure = True
                        credit[1, self.columns_left[gain > -np.inf]] += 1e-12
                    continue
                tied = np.flatnonzero(gain >= best - TIE * (1 + best))
                if not self._divide_alike(tied, node):
                    return None
                names = self.columns_left[tied]
                splits.append((best**2 / n_rows, set(names.tolist())))
                credit[1, names] += best**2
                if len(tied) == 1:
                    credit[0, names] += best**2
                is_one = self.bits[tied[0]].take(node) > 0
                children += [node[is_one], node[~is_one]]
            nodes = children
            if not nodes:
                break
        credit /= n_rows
        return _Stage(
            raw + self.learning_rate * update, credit[0], credit[1], splits, leaf, n_leaves, has_pure
        )

    def _sums(
        self, nodes: list[NDArray[np.int64]], values: tuple[NDArray[np.float64], ...]
    ) -> NDArray[np.float64]:
        """Return the sum of each value over each node, shape (n_values, n_nodes)."""
        at = np.full(len(self.rows), len(nodes))
        for i, node in enumerate(nodes):
            at[node] = i
        return np.array([np.bincount(at, value, len(nodes) + 1)[: len(nodes)] for value in values])

    def _gains(
        self,
        nodes: list[NDArray[np.int64]],
        residual: NDArray[np.float64],
        weights: NDArray[np.float64],
        totals: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Root of the decrease of squared error for each node and column; -inf where all rows go one way."""
        inside = np.zeros((2, len(nodes), len(residual)))
        for i, node in enumerate(nodes):
            inside[0, i, node] = residual.take(node)
            inside[1, i, node] = self.rows.take(node)
        s, w = (inside.reshape(-1, len(residual)) @ self.bits.T).reshape(2, len(nodes), -1)
        weight, total = weights[:, None], totals[:, None]
        out = np.full(w.shape, -np.inf)
        splits = (w > 0) & (w < weight)
        variance = np.where(splits, w * (weight - w) * weight, 1.0)
        np.copyto(out, np.abs(weight * s - w * total) / np.sqrt(variance), where=splits)
        return out

    def _divide_alike(self, tied: NDArray[np.int64], node: NDArray[np.int64]) -> bool:
        """Whether all these columns divide the rows of the node into the same two parts."""
        if len(tied) == 1:
            return True
        here = self.bits[np.ix_(tied, node)]
        flipped = here != here[:, :1]  # the part without the first row
        return bool((flipped == flipped[0]).all())
