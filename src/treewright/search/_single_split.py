"""The best tree of one split, of a large table whose limits end before its columns are ranked.

A stopped run is not worse than the best tree of one split. Of more than `MOST_CELLS` cells it promises no more, and
where the limits leave no time to rank the columns, or too few steps for the first pass over pairs of splits, the search
over all thresholds would find just that tree, after it has sorted every column. The compiled core finds it without
(``cpp/include/treewright/tree/single_split.hpp``), in a tenth of the time.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.binarize import SplitMatrix, between, known_split
from treewright.problem import Problem
from treewright.result import StopReason
from treewright.search._limits import Limits
from treewright.search._options import BinaryOptions, RankedOptions
from treewright.search._prune_additive import RowSums
from treewright.search._space import MOST_SPLITS
from treewright.table import Table
from treewright.tree import CategorySplit, Column, ColumnKind, Split, split_at

__all__ = [
    "COSTS",
    "GINI",
    "LOG_LOSS",
    "NOTHING_SEARCHED",
    "UNRANKED",
    "best_of_splits",
    "ends_ungrouped",
    "ends_unranked",
    "one_split",
    "split_found",
    "split_of_labels",
    "split_of_sums",
    "split_of_targets",
]

COSTS, LOG_LOSS, GINI = range(3)  # losses of labels, for the core
MOST_CELLS = 2**22  # as in the core: above, a stopped run promises no more than one split
RANKING = 6e-8  # seconds for each cell: to rank it, and to sort it in the core
GROUPING = 1e-6  # seconds for each row: to find out which are equal
MOST_WORK = 200_000_000  # as in the core
MOST_UNGROUPED = 2**25  # cells whose equal rows are looked for though no time, or no step, is left
ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)  # of a byte
SAMPLE = 1024  # rows whose values are counted
FEW_SPLITS = 128  # of continuous columns, as binary columns; beyond, as ranked columns
UNRANKED = {  # in the statistics of such a run
    "engine": "ranked",
    "engine_reason": "the limits end before the columns are ranked: it is the best tree of one split",
}
NOTHING_SEARCHED = {
    "subproblems": 0,
    "steps": 0,
    "seconds": 0.0,
    "bytes": 0,
    "cache_entries": 0,
    "cache_shed": 0,
}


class Asked(Protocol):
    """What is asked of a table, as far as it matters here."""

    @property
    def table(self) -> Table: ...
    @property
    def max_depth(self) -> int | None: ...
    @property
    def max_leaf_nodes(self) -> int | None: ...
    @property
    def min_samples_leaf(self) -> int: ...


def ends_unranked(
    problem: Asked,
    limits: Limits,
    options: BinaryOptions | RankedOptions | None = None,
    *,
    few_values: bool = False,
) -> StopReason | None:
    """Return which limit leaves nothing of a search over all thresholds but the best single split; None if none does.

    Parameters
    ----------
    problem : Problem or TreeProblem
    limits : Limits
        Their time is running.
    options : BinaryOptions, RankedOptions or None, default=None
        ``RankedOptions(unranked=False)`` switches it off. Options of the search over binary columns ask for that.
    few_values : bool, default=False
        Whether a table whose numbers have few values is searched in no other way than by ranks, or by groups of equal
        rows, which are made of ranks. Groups are searched in few steps: only a limit of one step leaves none.

    Notes
    -----
    Without `few_values` tables whose numbers have few values may be searched in other ways, which begin in other ways:
    None.
    """
    table = problem.table
    no_split = problem.max_depth == 0 or problem.max_leaf_nodes == 1
    if table.X.size <= MOST_CELLS or no_split or table.n_rows < problem.min_samples_leaf:
        return None
    if isinstance(options, BinaryOptions) and options != BinaryOptions():
        return None
    if isinstance(options, RankedOptions) and not options.unranked:
        return None
    steps = math.inf if limits.step_limit is None else limits.step_limit
    if limits.left() < RANKING * table.X.size:
        stop = StopReason.TIME_LIMIT
    elif steps < len(table.columns):  # a pass is a step for each column at least
        stop = StopReason.STEP_LIMIT
    else:
        return None
    nothing = stop is StopReason.TIME_LIMIT or steps == 1
    return stop if (few_values and nothing) or _has_many_thresholds(table) else None


def split_of_labels(
    table: Table,
    loss: int,
    y: NDArray[np.integer[Any]],
    weight: NDArray[np.float64],
    n_classes: int,
    min_leaf: int,
    costs: NDArray[np.float64] | None = None,
    below: float = math.inf,
) -> Split | None:
    """Return the split of least loss of labels, None where no split has `min_leaf` rows on both sides.

    Parameters
    ----------
    table : Table
    loss : int
        COSTS of the cheapest prediction, LOG_LOSS or GINI impurity of the shares.
    y : ndarray of shape (n_rows,), int
    weight : ndarray of shape (n_rows,), float64
    n_classes : int
    min_leaf : int
    costs : ndarray of shape (n_classes, n_classes), default=None
        For COSTS: of predicting the second class for a row of the first.
    below : float, default=inf
        A split is found only where it costs less than this share of what one leaf costs.
    """
    flat = np.empty(0) if costs is None else np.ascontiguousarray(costs, dtype=np.float64).ravel()
    codes = np.ascontiguousarray(y, dtype=np.int32)
    weight = np.ascontiguousarray(weight, dtype=np.float64)
    found = core.best_split_of_labels(
        table.X, _n_codes(table), loss, codes, weight, n_classes, flat, min_leaf, below
    )
    return split_found(table, found, weight)


def split_of_sums(
    table: Table,
    rows: RowSums,
    min_leaf: int,
    below: float = math.inf,
) -> Split | None:
    """Return the split of least loss, where that is a function of sums over the rows.

    Parameters
    ----------
    table : Table
    rows : RowSums
    min_leaf : int
    below : float, default=inf
        As in `split_of_labels`.

    Notes
    -----
    Missing values of later rows go to the side of more rows, until the result weighs them.
    """
    numbers = np.ascontiguousarray(rows.numbers, dtype=np.float64)
    found = core.best_split_of_sums(table.X, _n_codes(table), rows.kind, numbers, min_leaf, below)
    return split_found(table, found, None)


def split_of_targets(
    table: Table,
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    sides: tuple[int, int],
    min_leaf: int,
    below: float = math.inf,
) -> Split | None:
    """Return the split of least quantile loss, None where no split has `min_leaf` rows on both sides.

    Parameters
    ----------
    table : Table
        Without columns of text.
    y, weight : ndarray of shape (n_rows,), float64
        Weights are positive.
    sides : (int, int)
        What a unit above and below the value of a leaf costs.
    min_leaf : int
    below : float, default=inf
        As in `split_of_labels`; there is none where one leaf loses nothing.
    """
    y, weight = (np.ascontiguousarray(one, dtype=np.float64) for one in (y, weight))
    up, down = sides
    found: Any
    found, _ = core.best_split_of_targets(table.X, y, weight, float(up), float(down), min_leaf, below)
    return split_found(table, found, weight)


def split_found(table: Table, found: Any, weight: NDArray[np.float64] | None) -> Split | None:
    """Return a split that was found, None for None.

    Parameters
    ----------
    table : Table
    found : (int, float, float, bool) or None
        Column; the values around the split, infinite where it asks whether the value is known, or twice the code of a
        category; whether missing values go left.
    weight : ndarray of shape (n_rows,) or None
        Which side gets missing values of later rows, if there are none: the one that weighs more; None counts rows.
    """
    if found is None:
        return None
    position, low, high, missing_left = found
    if np.isinf(low):
        return known_split(position)
    column = table.columns[position]
    if not column.has_missing:
        left = table.X[:, position] <= low if _is_ordered(column) else table.X[:, position] == low
        known = table.n_rows if weight is None else weight.sum()
        missing_left = bool(2 * (np.count_nonzero(left) if weight is None else weight[left].sum()) >= known)
    if not _is_ordered(column):
        return CategorySplit(position, (int(low),), missing_left)
    threshold = float(between(np.array([low]), np.array([high]))[0])
    return split_at(position, threshold, missing_left, ordered=column.ordered)


def ends_ungrouped(
    problem: Problem, split_matrix: SplitMatrix, limits: Limits, options: BinaryOptions
) -> StopReason | None:
    """Return which limit leaves nothing of a search over binary columns but the best single split; None if none does.

    Parameters
    ----------
    problem : Problem
    split_matrix : SplitMatrix
    limits : Limits
        Their time is running.
    options : BinaryOptions
        Where any is set, ``engine="binary"`` for one, the search itself is asked for; ``plain_steps`` only says how
        a search goes on.

    Notes
    -----
    A stopped search over binary columns completes its tree within a number of additions
    (``cpp/src/search/row_greedy.hpp``). Where the first split takes as many, there is no second. There is none either
    where to find the equal rows alone would take most of a second.
    """
    if replace(options, plain_steps=BinaryOptions.plain_steps) != BinaryOptions():
        return None
    no_split = problem.max_depth == 0 or problem.max_leaf_nodes == 1
    if no_split or problem.table.n_rows < problem.min_samples_leaf or not split_matrix.splits:
        return None
    if limits.left() <= GROUPING * problem.table.n_rows:
        stop = StopReason.TIME_LIMIT
    elif limits.step_limit == 1:
        stop = StopReason.STEP_LIMIT
    else:
        return None
    cells = split_matrix.packed.size * 8
    if cells > MOST_UNGROUPED:
        return stop
    if cells * (problem.n_classes + 1) < MOST_WORK:
        return None
    ones = int(ONES[split_matrix.packed].sum(dtype=np.int64))
    return stop if ones * (problem.n_classes + 1) >= MOST_WORK else None


def best_of_splits(problem: Problem, split_matrix: SplitMatrix) -> int | None:
    """Return the number of the split of least loss, None where no split has `min_samples_leaf` rows on both sides.

    None, too, where the problem allows no split.
    """
    if problem.max_depth == 0 or problem.max_leaf_nodes == 1 or not split_matrix.splits:
        return None
    best: Any = core.best_of_packed_splits(
        np.ascontiguousarray(split_matrix.packed),
        problem.y,
        problem.sample_weight,
        problem.n_classes,
        np.ascontiguousarray(problem.costs, dtype=np.float64).ravel(),
        problem.min_samples_leaf,
    )
    return None if best is None else int(best)


def one_split(split: Split | None) -> list[Split | None]:
    """Return the splits of a tree of this one, or of a single leaf, depth-first."""
    return [None] if split is None else [split, None, None]


def _n_codes(table: Table) -> NDArray[np.uint32]:
    """Return how many categories each column has; 0 for numbers and ordered categories, which are split like them."""
    return np.array(
        [0 if _is_ordered(column) else len(column.categories) for column in table.columns], dtype=np.uint32
    )


def _is_ordered(column: Column) -> bool:
    return column.kind is not ColumnKind.CATEGORICAL or column.ordered


def _has_many_thresholds(table: Table) -> bool:
    """Whether some rows show that thresholds are too many, and enough of all splits, for binary columns."""
    continuous = [j for j, column in enumerate(table.columns) if column.kind is ColumnKind.CONTINUOUS]
    others = sum(1 + 2 * column.has_missing for column in table.columns)
    others += min(MOST_SPLITS, sum(len(column.categories) for column in table.columns))
    seen = 0
    for j in continuous:
        some = table.X[:SAMPLE, j]
        seen += max(0, len(np.unique(some[~np.isnan(some)])) - 1)
        if seen > max(FEW_SPLITS, others):
            return True
    return False
