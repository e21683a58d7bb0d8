"""Gradient boosting on 0/1 columns, equal to scikit-learn's and many times faster to fit again.

Column elimination fits a boosted model once for each threshold it removes, and that is nearly all of its
time. On 0/1 columns scikit-learn's `GradientBoostingClassifier` (two classes, log loss, its default options)
can be computed from much less:

* Rows with equal columns have equal predictions at every stage. A distinct row with p positives and q negatives
  acts as p + q rows: residual sum p - (p + q) * prob, Newton denominator (p + q) * prob * (1 - prob).
* Sorting is not needed: the sums on both sides of all splits of all nodes of a level are one matrix product.
* A tree does not change while no column that it *touched* (chosen, or tied with the chosen one) is removed: the
  maximum over fewer candidates is the same maximum. So a re-fit starts at the first stage that touched the
  removed column, and removing a column that no stage touched needs no re-fit at all.

Where is it equal? A split is the column of largest gain, and scikit-learn draws lots among equal ones, with
rounding errors as the dice. So every decision is taken with a certificate, or not at all:

* Columns that tie (within a tolerance far above the rounding of either program) and divide the rows of the node in
  the same way lead to the same children. Which one is credited does not matter to any prediction; the
  importance of each becomes an interval from "never credited" to "always credited".
  Where they overlap, the lots are drawn as scikit-learn draws them, for the tied trees alone (`_lots.py`).
* Ties between different divisions, and raw predictions too near to zero to have a certain sign, are not decided:
  `Boosted.certain_stages` or `wrong` says so, and the caller asks scikit-learn itself for that one fit.

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
    touched: NDArray[np.bool_]  # (n_columns,)
    leaf: NDArray[np.int64]  # (n_distinct,), number of the leaf


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
        keep = next((i for i, stage in enumerate(self.stages) if stage.touched[column]), len(self.stages))
        del self.stages[keep:]
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

        `drawn` holds the importances of the columns left in trees whose ties have been drawn (`Lots`).
        """
        if not self.is_certain:
            return None
        least, most = np.zeros(len(self.columns_left)), np.zeros(len(self.columns_left))
        for i, stage in enumerate(self.stages):
            known = None if drawn is None else drawn.get(i)
            least += stage.least_credit[self.columns_left] if known is None else known
            most += stage.most_credit[self.columns_left] if known is None else known
        certain_zero = np.flatnonzero(most == 0)
        if len(certain_zero):
            first = int(certain_zero[0])
            return None if (least[:first] == 0).any() else int(self.columns_left[first])
        best = int(np.argmin(most))
        others = np.delete(least, best)
        return int(self.columns_left[best]) if (others > most[best] * (1 + TIE)).all() else None

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
        touched = np.zeros(self.n_columns, dtype=np.bool_)
        update = np.zeros(len(raw))
        leaf = np.zeros(len(raw), dtype=np.int64)
        n_leaves = 0
        nodes = [np.arange(len(raw))]
        for level in range(self.max_depth + 1):
            children: list[NDArray[np.int64]] = []
            gains = self._gains(nodes, residual) if level < self.max_depth else None
            for i, node in enumerate(nodes):
                gain = np.full(len(self.columns_left), -np.inf) if gains is None else gains[i]
                weight, total = self.rows[node].sum(), residual[node].sum()
                pure = square[node].sum() / weight - (total / weight) ** 2 < 1e-13
                if pure or not np.isfinite(gain).any():
                    hessian = curvature[node].sum()
                    leaf[node] = n_leaves
                    n_leaves += 1
                    update[node] = 0.0 if abs(hessian) < 1e-150 else total / hessian
                    if pure:  # rounding may split it without any effect but a trace of importance
                        here = self.columns_left[np.isfinite(gain)]
                        touched[here] = True
                        credit[1, here] += 1e-12
                    continue
                best = gain.max()
                tied = np.flatnonzero(gain >= best - TIE * (1 + best))
                if not self._divide_alike(tied, node):
                    return None
                chosen = int(tied[0])
                credit[1, self.columns_left[tied]] += best**2
                if len(tied) == 1:
                    credit[0, self.columns_left[chosen]] += best**2
                touched[self.columns_left[tied]] = True
                is_one = self.bits[chosen, node] > 0
                children += [node[is_one], node[~is_one]]
            nodes = children
            if not nodes:
                break
        credit /= self.rows.sum()
        return _Stage(raw + self.learning_rate * update, credit[0], credit[1], touched, leaf)

    def _gains(
        self, nodes: list[NDArray[np.int64]], residual: NDArray[np.float64]
    ) -> list[NDArray[np.float64]]:
        """Root of the decrease of squared error for each column; -inf where all rows go one way."""
        sums = np.zeros((2 * len(nodes), len(residual)))
        for i, node in enumerate(nodes):
            sums[2 * i, node] = residual[node]
            sums[2 * i + 1, node] = self.rows[node]
        ones = sums @ self.bits.T
        out = []
        for i, node in enumerate(nodes):
            total, weight = residual[node].sum(), self.rows[node].sum()
            s, w = ones[2 * i], ones[2 * i + 1]
            splits = (w > 0) & (w < weight)
            root = np.full(len(w), -np.inf)
            w_in = w[splits]
            root[splits] = np.abs(weight * s[splits] - w_in * total) / np.sqrt(
                w_in * (weight - w_in) * weight
            )
            out.append(root)
        return out

    def _divide_alike(self, tied: NDArray[np.int64], node: NDArray[np.int64]) -> bool:
        """Whether all these columns divide the rows of the node into the same two parts."""
        if len(tied) == 1:
            return True
        here = self.bits[np.ix_(tied, node)]
        flipped = here != here[:, :1]  # the part without the first row
        return bool((flipped == flipped[0]).all())
