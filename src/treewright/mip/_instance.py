"""What a formulation sees of a problem: numbers in [0, 1], equal rows once, and the way back to splits.

Columns are those that the search ranks (numbers, each category against the rest, each direction of missing
values). They are scaled in one of two ways.

* ``scaling="rank"`` puts the k-th smallest of m values at k / (m - 1). A split depends on the order alone, so
  nothing is lost, and the smallest gap of a column is 1 / (m - 1): above the solver's tolerance for any table that
  a MIP can hold.
* ``scaling="range"`` is the papers': (x - min) / (max - min). Near-equal values then have gaps below the tolerance
  (1e-6), and equation 13 no longer separates left from right there; `narrow` lists these columns.

Rows with the same ranks and label are one row, with their summed weight and count. Rows with the same ranks and other
labels share a pattern: they fall into the same leaf in every tree, and share the variables that say so. Both are exact
for all formulations here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from treewright.problem import Problem
from treewright.search import RankedColumn, rank_matrix, ranked_columns
from treewright.table import check_indicators

__all__ = ["SCALINGS", "TOLERANCE", "Instance"]

SCALINGS = ("rank", "range")
TOLERANCE = 1e-6  # of both solvers, for a row and for an integer
RANK_BYTES = 4  # of a cell of the ranks
LARGE = 1 << 20  # cells: beyond, rows are not sorted by all of their columns


@dataclass(frozen=True, eq=False)
class Instance:
    """Distinct rows of a problem, scaled.

    Parameters
    ----------
    problem : Problem
    columns : tuple of RankedColumn
        With a last column that holds no rank if the table has none that varies.
    scaling : {"rank", "range"}
    ranks : ndarray of shape (n_columns, problem.table.n_rows), uint32
        Of all rows.
    some : ndarray of shape (n_rows,), int64
        The first input row of each distinct row.
    y : ndarray of shape (n_rows,), int32
    weight : ndarray of shape (n_rows,)
        Summed over the equal rows; the mean over the input rows is 1.
    count : ndarray of shape (n_rows,)
        How many input rows each one stands for.
    group : ndarray of shape (problem.table.n_rows,), int64
        The distinct row of each input row.
    pattern : ndarray of shape (n_rows,), int64
        Which rows have the same ranks.
    first : ndarray of shape (n_patterns,), int64
        One row of each pattern.
    """

    problem: Problem
    columns: tuple[RankedColumn, ...]
    scaling: str
    ranks: NDArray[np.uint32]
    some: NDArray[np.int64]
    y: NDArray[np.int32]
    weight: NDArray[np.float64]
    count: NDArray[np.float64]
    group: NDArray[np.int64]
    pattern: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem, scaling: str = "rank") -> Instance:
        """Scale a problem's table and merge its equal rows; refuse texts whose ranks do not fit into memory."""
        check_indicators(problem.table.columns, problem.table.n_rows, RANK_BYTES)
        columns = tuple(ranked_columns(problem.table))
        if not columns:  # nothing can be split; one constant column keeps the formulations whole
            columns = (RankedColumn(np.zeros(problem.table.n_rows, dtype=np.uint32), 0),)
        full = rank_matrix(columns, problem.table.n_rows)
        some, group, first, pattern = _groups(_patterns(full), problem.y, problem.n_classes)
        weight = np.bincount(group, weights=problem.sample_weight).astype(np.float64)
        return cls(
            problem=problem,
            columns=columns,
            scaling=scaling,
            ranks=full,
            some=some,
            y=problem.y[some],
            weight=weight * (problem.table.n_rows / problem.total_weight),
            count=np.bincount(group).astype(np.float64),
            group=group,
            pattern=pattern,
            first=first,
        )

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """Ranks of the distinct rows, shape (n_rows, n_columns); a program that is not written needs none."""
        return self.ranks[:, self.some].T.astype(np.int64, order="C")

    @cached_property
    def level(self) -> tuple[NDArray[np.float64], ...]:
        """Of each column the scaled value of each rank, ascending from 0 to 1."""
        return tuple(_levels(column, self.scaling) for column in self.columns)

    @cached_property
    def x(self) -> NDArray[np.float64]:
        """``level[j][rank[i, j]]`` of each distinct row and column."""
        return np.column_stack([self.level[j][self.rank[:, j]] for j in range(len(self.columns))])

    @cached_property
    def epsilon(self) -> NDArray[np.float64]:
        """Smallest difference between two consecutive distinct values of each column."""
        return np.array([np.diff(steps).min(initial=1.0) for steps in self.level])

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return len(self.y)

    @property
    def n_columns(self) -> int:
        """Number of columns, each with its own thresholds."""
        return len(self.columns)

    @property
    def n_patterns(self) -> int:
        """Number of different rows when labels do not count."""
        return len(self.first)

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.weight.sum())

    @property
    def narrow(self) -> tuple[str, ...]:
        """Names of the table's columns with a gap too small for the solver's tolerance to keep apart."""
        small = [c.column for c, gap in zip(self.columns, self.epsilon, strict=True) if gap < 2 * TOLERANCE]
        return tuple(self.problem.table.columns[j].name for j in dict.fromkeys(small))

    @property
    def row_costs(self) -> NDArray[np.float64]:
        """Cost of each class for each distinct row, weight included, shape (n_rows, n_classes)."""
        return self.weight[:, None] * self.problem.costs[self.y]

    @property
    def unit(self) -> float:
        """Power of two next above the loss of a single leaf or the penalty of one leaf, whichever is larger.

        The optimum is at most twice that, whatever the sizes of costs and weights are; a solver, whose tolerances are
        absolute, gets losses in this unit.
        """
        largest = max(self._least_loss / self.total, self.problem.cost_complexity)
        return math.ldexp(1.0, math.frexp(largest)[1]) if largest > 0 else 1.0

    @cached_property
    def program_costs(self) -> NDArray[np.float64]:
        """`row_costs` in `unit`, none above twice the loss of a single leaf.

        A tree that pays such a cost is worse than a single leaf, with its full costs and with these. So both have the
        same best trees, and no coefficient is much larger than what a good tree loses.
        """
        most = 2 * self._least_loss if self._least_loss > 0 else math.inf
        return np.minimum(self.row_costs, most) / self.unit

    @cached_property
    def _least_loss(self) -> float:
        return float(self.row_costs.sum(axis=0).min())

    def by_pattern(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up values of the distinct rows over each pattern."""
        sums = np.zeros((self.n_patterns, *values.shape[1:]))
        np.add.at(sums, self.pattern, values)
        return sums


def _groups(of_row: NDArray[np.int64], y: NDArray[np.int32], n_classes: int) -> tuple[NDArray[np.int64], ...]:
    """Return of the different rows, by pattern, then by label, the first, and which each row is; likewise of patterns.

    Parameters
    ----------
    of_row : ndarray of shape (n_rows,), int64
        Pattern of each row.
    y : ndarray of shape (n_rows,), int32
    n_classes : int
    """
    n = len(of_row)
    if int(of_row.max(initial=-1)) == n - 1:  # no two are equal: nothing is sorted
        some = np.empty(n, dtype=np.int64)
        some[of_row] = np.arange(n)
        return some, of_row, np.arange(n), np.arange(n)
    keys, some, group = np.unique(of_row * n_classes + y, return_index=True, return_inverse=True)
    _, first, pattern = np.unique(keys // n_classes, return_index=True, return_inverse=True)
    return some, group, first, pattern


def _patterns(rank: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Number the different rows of ranks of shape (n_columns, n_rows); those of a small table in their own order.

    Sorting the rows of a large one would take seconds, which no clock is looked at in. There a number of 64 bits is
    drawn for every column, and rows are equal if their sums of ranks times these numbers are; that is then checked.
    """
    if rank.size > LARGE:
        for ranks in rank:
            if int(ranks.max()) == len(ranks) - 1:  # a column that tells all rows apart
                return np.asarray(ranks, dtype=np.int64)
        draw = np.random.default_rng(0)
        total = np.zeros(rank.shape[1], dtype=np.uint64)
        for ranks in rank:
            total += ranks * draw.integers(2**64, dtype=np.uint64)
        _, some, pattern = np.unique(total, return_index=True, return_inverse=True)
        if all(np.array_equal(ranks, ranks[some][pattern]) for ranks in rank):
            return pattern
    pattern = np.unique(rank.T, axis=0, return_inverse=True)[1]
    return pattern.ravel()


def _levels(column: RankedColumn, scaling: str) -> NDArray[np.float64]:
    n_ranks = int(column.rank.max(initial=0)) + 1
    even = np.arange(n_ranks) / max(1, n_ranks - 1)
    if scaling == "rank" or column.values is None or np.isnan(column.values).any():
        return even  # a missing value has no place among numbers but its rank
    low, high = column.values[0], column.values[-1]
    scaled = (column.values / 2 - low / 2) / (high / 2 - low / 2)  # halves cannot overflow
    return np.asarray(scaled, dtype=np.float64)
