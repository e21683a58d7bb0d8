"""The split whose worse side is best, of a large table whose limits end before its columns are ranked.

What the compiled core does for losses (``cpp/include/treewright/tree/single_split.hpp``), for the best worst leaf: no
column is sorted. A pass over a column adds each row to one of some thousand buckets of neighbouring values, and sums
over the buckets give both sides of the splits between them.

Inside a bucket. Let the rows below it be A, its own B, and let a split send B1 of them to the side of A. A leaf that
predicts class k is worth more with every row of k, and less with every other: so the side of A is worth no more than
the best of A and all rows of class k in B, over the classes k. The same holds of the other side. Only a bucket for
which both are above the best split so far is sorted. (More right rows raise the Wilson bound q of c right of n: with
c = q n + z sqrt(q (1 - q) n) the right side grows by less than q + z sqrt(q (1 - q) / n) / 2 for one row more, and the
second part is at most (1 - q) / 2, as it is for a pure leaf, where z^2 q = n (1 - q).)

Cost: three passes over each column, .2 s for a million rows, ten columns and ten classes; ranking them takes .6 s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.problem import Problem
from treewright.search._leaf_accuracy_bound import wilson
from treewright.search._single_split import split_found
from treewright.tree import ColumnKind, Split

__all__ = ["best_worse_side", "is_worth_seeking"]

LEAST_ROWS = 2**15
BUCKETS = 4096  # of a column
MOST_SUMS = 2**22  # buckets times classes
SKEWED = 0.125  # of the rows in one bucket
SAMPLE = 2**15  # rows whose values divide a skewed column
ROUNDING = 1e-12  # of sums of weights, and of what they are worth

Numbers = NDArray[np.float64]
Found = tuple[int, float, float, bool]  # a column, the values around the split, whether missing goes left


def is_worth_seeking(problem: Problem) -> bool:
    """Return whether columns are long, so that ranking them takes longer, and of numbers or ordered categories.

    Parameters
    ----------
    problem : Problem
    """
    table = problem.table
    return table.n_rows >= LEAST_ROWS and all(
        column.ordered or column.kind is not ColumnKind.CATEGORICAL for column in table.columns
    )


def best_worse_side(problem: Problem, z: float) -> Split | None:
    """Return the split whose worse side is worth most, None where no split has `min_samples_leaf` rows on both sides.

    Parameters
    ----------
    problem : Problem
        Whose columns are of numbers or of ordered categories.
    z : float
        Quantile of the normal distribution of the Wilson bound that a leaf is worth; 0 for its accuracy.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search._worse_side import best_worse_side
    >>> from treewright.table import table_from
    >>> best_worse_side(make_problem(table_from([[20], [30], [40]]), [0, 0, 1], max_depth=1), 0.0)
    ThresholdSplit(column=0, threshold=35.0, missing_left=True)
    """
    search = _Search(problem, z)
    columns = [search.look_at(position) for position in range(len(problem.table.columns))]
    for column in sorted(columns, key=lambda column: -column.most):
        if column.most > search.value:
            search.look_inside(column)
    return split_found(problem.table, search.best, problem.sample_weight)


@dataclass
class _Column:
    """The rows of a column in buckets of neighbouring values."""

    position: int
    rows: NDArray[np.intp] | None  # with a value; None is all
    bucket: NDArray[np.uint16]  # of each of these
    missing: Numbers  # sums over the others
    most: float = -np.inf  # that a split inside of a bucket is worth

    def lefts(self, inside: Numbers) -> Iterator[tuple[Numbers, bool]]:
        """Yield the sums up to the end of each bucket, without the missing rows and with them."""
        upto = np.cumsum(inside, axis=0)
        yield upto, False
        if self.missing[-1] > 0:
            yield upto + self.missing, True


@dataclass
class _Search:
    """The best split so far."""

    problem: Problem
    z: float
    value: float = -np.inf
    best: Found | None = None
    total: Numbers = field(init=False)  # weight of each class, and the number of rows

    def __post_init__(self) -> None:
        problem = self.problem
        self.scale = problem.table.n_rows / problem.total_weight  # observations of the bound
        self.buckets = max(1, min(BUCKETS, MOST_SUMS // problem.n_classes))
        self.total = self.sums(np.zeros(problem.table.n_rows, dtype=np.uint16), None, 1)[0]

    def sums(self, group: NDArray[np.integer[Any]], rows: NDArray[np.intp] | None, n_groups: int) -> Numbers:
        """Return the weight of each class, and the number of rows, of each group of some rows, or of all."""
        k, y, weight = self.problem.n_classes, self.problem.y, self.problem.sample_weight
        if rows is not None:
            y, weight = y[rows], weight[rows]
        of_class = np.bincount(group.astype(np.intp) * k + y, weight, n_groups * k).reshape(n_groups, k)
        return np.column_stack([of_class, np.bincount(group, minlength=n_groups)])

    def look_at(self, position: int) -> _Column:
        """Look at the splits between the buckets of a column."""
        x, rows, missing = self.problem.table.X[:, position], None, np.zeros_like(self.total)
        if self.problem.table.columns[position].has_missing:
            rows = np.flatnonzero(~np.isnan(x))
            x = x[rows]
            known = self.sums(np.zeros(len(x), dtype=np.uint16), rows, 1)
            missing = self.total - known[0]
            self.take(known, lambda _: (position, np.inf, np.inf, False))
        bucket = self._buckets_of(x) if len(x) else np.zeros(0, dtype=np.uint16)
        column = _Column(position, rows, bucket, missing)
        inside = self.sums(bucket, rows, self.buckets)
        ends = np.flatnonzero(inside[:, -1] > 0)[:-1]  # of buckets with rows behind them
        for left, missing_left in column.lefts(inside):

            def between(end: int, left_too: bool = missing_left) -> Found:
                below = bucket <= ends[end]
                return position, float(x[below].max()), float(x[~below].min()), left_too

            self.take(left[ends], between)
            column.most = max(column.most, float(self._most(left, inside).max()))
        return column

    def look_inside(self, column: _Column) -> None:
        """Look at the splits inside of the buckets of a column that may hold a better one."""
        position, rows, bucket = column.position, column.rows, column.bucket
        x = self.problem.table.X[:, position] if rows is None else self.problem.table.X[rows, position]
        inside = self.sums(bucket, rows, self.buckets)
        for left, missing_left in column.lefts(inside):
            most = self._most(left, inside)
            while len(left_over := np.flatnonzero(most > self.value)):
                left_over = left_over[np.argsort(-most[left_over], kind="stable")]
                n_rows = np.cumsum(inside[left_over, -1])
                some = left_over[
                    : max(1, int(np.searchsorted(n_rows, MOST_SUMS // len(self.total), "right")))
                ]
                most[some] = -np.inf
                chosen = np.zeros(self.buckets, dtype=np.bool_)
                chosen[some] = True
                here = np.flatnonzero(chosen[bucket])
                values, first, rank = np.unique(x[here], return_index=True, return_inverse=True)
                of_value = bucket[here[first]]
                within = np.cumsum(self.sums(rank, here if rows is None else rows[here], len(values)), axis=0)
                begins = np.searchsorted(of_value, of_value)  # of the values in the same bucket
                before = np.where((begins > 0)[:, None], within[begins - 1], 0.0)
                inner = np.flatnonzero(of_value[:-1] == of_value[1:])

                def around(
                    k: int, values: Numbers = values, inner: Any = inner, left_too: bool = missing_left
                ) -> Found:
                    return position, float(values[inner[k]]), float(values[inner[k] + 1]), left_too

                self.take(((left - inside)[of_value] + within - before)[inner], around)

    def take(self, left: Numbers, split: Callable[[int], Found]) -> None:
        """Keep the best split of some, by the sums of their left sides, if it is better than the best so far."""
        if len(left) == 0:
            return
        right = self.total - left
        worse = np.minimum(self._worth(left), self._worth(right))
        least = max(1, self.problem.min_samples_leaf)
        worse[(left[:, -1] < least) | (right[:, -1] < least)] = -np.inf
        at = int(np.argmax(worse))
        if worse[at] > self.value:
            self.value, self.best = float(worse[at]), split(at)

    def _buckets_of(self, x: Numbers) -> NDArray[np.uint16]:
        """Return a bucket for each value, in the order of the values.

        They divide the range of the values evenly, or, if that puts too many into one, the values of some rows.
        """
        low, high = float(x.min()), float(x.max())
        with np.errstate(all="ignore"):
            per_value = np.float64(self.buckets) / (np.float64(high) - low)
        if np.isfinite(per_value) and per_value > 0:
            even = np.minimum((x - low) * per_value, self.buckets - 1).astype(np.uint16)
            if np.bincount(even).max() <= SKEWED * len(x):
                return even
        some = np.unique(x[:: max(1, len(x) // SAMPLE)])
        ends = some[:: len(some) // self.buckets + 1]
        return np.searchsorted(ends[1:], x, "right").astype(np.uint16)

    def _worth(self, sums: Numbers) -> Numbers:
        """Return what leaves of these sums are worth."""
        weight = sums[:, :-1].sum(axis=1)
        some = np.where(weight > 0, weight, 1.0)
        return wilson(np.clip(sums[:, :-1].max(axis=1) / some, 0, 1), some * self.scale, self.z)

    def _most(self, left: Numbers, inside: Numbers) -> Numbers:
        """Return what the worse side of a split inside of each bucket is worth at most."""
        sides = []
        for outside in (left - inside, self.total - left):
            weight = outside[:, :-1].sum(axis=1)[:, None] + inside[:, :-1]
            some = np.where(weight > 0, weight, 1.0)
            right = np.clip((outside[:, :-1] + inside[:, :-1]) / some, 0, 1)
            sides.append(wilson(right, some * self.scale, self.z).max(axis=1))
        return np.where(inside[:, -1] > 1, np.minimum(*sides) + ROUNDING, -np.inf)
