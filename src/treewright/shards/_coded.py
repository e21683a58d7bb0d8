"""Rows as codes, counted by the codes of three columns at once: tables from which all trees of depth three are read.

Where every column has few splits, what a leaf of a tree of depth three holds is a sum of cells (class, code, code,
code) of three columns, for no path asks about more. One pass over the rows fills the cells of all triples of columns,
on as many workers as there are, and adds up: no tree has to be searched on shards, and the answer is exact over all
rows that were counted (`_best_of_cells`). It costs an increment a row and a triple, 1,140 of them for 20 columns.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.shards._deal import Shard
from treewright.shards._narrow import MISSING_CODE
from treewright.shards._question import Question
from treewright.shards._sampled import values_of_bins
from treewright.shards._work import Place, load
from treewright.tree import Column, ColumnKind

__all__ = ["CellTask", "Coded", "CodedColumn", "CountedCells", "cell_task", "coded_for"]

DEEPEST = 3
MOST_CODES = 254
MOST_TRIPLES = 4096  # increments a row: beyond, shards that are searched are no slower
MOST_CELLS = 1 << 25  # of four bytes
MOST_WORK = 1 << 28  # numbers of one step of the reading, which looks at no clock
MOST_ROWS = 2**32 - 1  # that a cell can count


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column as codes.

    Parameters
    ----------
    position : int
        In the table.
    borders : ndarray of shape (n_known_codes - 1,), float64
        Ascending; a value's code is the number of borders below it. Splits lie on borders only.
    known : ndarray of shape (n_known_codes,), float64
        A value of each code.
    has_missing : bool
        Whether there is one more code, of missing values.
    """

    position: int
    borders: NDArray[np.float64]
    known: NDArray[np.float64]
    has_missing: bool

    @property
    def size(self) -> int:
        """Number of codes."""
        return len(self.known) + self.has_missing

    @property
    def values(self) -> NDArray[np.float64]:
        """A value of each code, the missing one included."""
        return np.append(self.known, np.full(int(self.has_missing), np.nan))

    def encode(self, x: NDArray[np.float64], code: NDArray[np.uint8]) -> None:
        """Write the codes of values, which are missing only where this column says so."""
        core.code_values(np.ascontiguousarray(x), self.borders, code)
        if self.has_missing:
            code[code == MISSING_CODE] = self.size - 1


@dataclass(frozen=True, eq=False)
class Coded:
    """What is counted: columns, and which three of them together.

    Parameters
    ----------
    columns : tuple of CodedColumn
        At least three.
    n_split : int
        So many of them have splits; those behind them fill up the triples.
    triples : ndarray of shape (n_triples, 3), uint32
        Ascending positions in `columns`.
    n_classes : int
    """

    columns: tuple[CodedColumn, ...]
    n_split: int
    triples: NDArray[np.uint32]
    n_classes: int

    @cached_property
    def sizes(self) -> NDArray[np.uint32]:
        """Codes of each column."""
        return np.array([column.size for column in self.columns], dtype=np.uint32)

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """Where the cells of each triple begin, and the number of all."""
        each = self.n_classes * self.sizes[self.triples].astype(np.int64).prod(axis=1)
        return np.concatenate([[0], np.cumsum(each)])

    @property
    def n_cells(self) -> int:
        """Number of cells of all triples."""
        return int(self.begins[-1])


def coded_for(
    question: Question, thresholds: Any, n_rows: int, weighted: bool, memory: float
) -> Coded | None:
    """Return how the rows can be counted for a question; None where they have to be searched.

    Parameters
    ----------
    question : Question
    thresholds : "all" or mapping
    n_rows : int
        Of the source.
    weighted : bool
        Whether the rows have weights of their own: cells hold counts.
    memory : float
        Bytes for the cells of one worker.
    """
    depth = question.max_depth
    if not isinstance(thresholds, Mapping) or depth is None or not 1 <= depth <= DEEPEST:
        return None
    if weighted or n_rows > MOST_ROWS or question.n_classes > MOST_CODES:
        return None
    columns = []
    for j, column in enumerate(question.columns):
        known = _known(column, thresholds)
        if known is None:
            continue
        borders = known[:-1] if column.name in thresholds else known[:-1] + 0.5
        if len(known) > MOST_CODES:
            return None
        columns.append(CodedColumn(j, borders, known, column.has_missing))
    if _work(columns, depth, question.n_classes) > min(MOST_WORK, memory / 8):
        return None
    n_split = len(columns)
    n_fill = DEEPEST - min(depth, n_split)
    columns += [CodedColumn(0, np.empty(0), np.zeros(1), question.columns[0].has_missing)] * n_fill
    fill = range(n_split, n_split + n_fill)
    triples = [(*some, *fill) for some in itertools.combinations(range(n_split), DEEPEST - n_fill)]
    coded = Coded(tuple(columns), n_split, np.array(triples, dtype=np.uint32), question.n_classes)
    few = len(triples) <= MOST_TRIPLES and coded.n_cells <= min(MOST_CELLS, memory // 4)
    return coded if few else None


def _work(columns: list[CodedColumn], depth: int, n_classes: int) -> int:
    """Return how many numbers at most are held at a time while the best tree is read from the cells.

    `below` of one column with itself is the largest step: its sides to the power of the depth, for each code of an axis
    that is left or each class; and two tables and their sums hold a number for every two sides.
    """
    sides = [2 * column.size * (1 + column.has_missing) for column in columns]
    sizes = [column.size for column in columns]
    widest: int = max(sides, default=0) ** depth
    return widest * (max(sizes, default=1) + 4 * n_classes) + 4 * sum(sides) ** 2


def _known(column: Column, thresholds: Mapping[str, Any]) -> NDArray[np.float64] | None:
    """Return a value of each known code of a column; None where it has no splits."""
    if column.name in thresholds:
        return values_of_bins(np.unique(np.asarray(thresholds[column.name], dtype=np.float64)))
    if column.kind is ColumnKind.CATEGORICAL:
        return np.arange(len(column.categories), dtype=np.float64)
    return np.array([0.0, 1.0]) if column.kind is ColumnKind.BINARY else None


@dataclass(frozen=True, eq=False)
class CellTask:
    """Count the rows of some shards.

    Parameters
    ----------
    place : Place
    shards : dict of int to Shard
    coded : Coded
    seconds : float or None
        After which no further shard is begun.
    """

    place: Place
    shards: dict[int, Shard]
    coded: Coded
    seconds: float | None


@dataclass(frozen=True, eq=False)
class CountedCells:
    """What was counted.

    Parameters
    ----------
    shards : tuple of int
    cells : ndarray of shape (n_cells,), uint32
    """

    shards: tuple[int, ...]
    cells: NDArray[np.uint32]


def cell_task(task: CellTask) -> CountedCells:
    """Count the rows of some shards.

    Parameters
    ----------
    task : CellTask
    """
    began, coded = time.perf_counter(), task.coded
    cells = np.zeros(coded.n_cells, dtype=np.uint32)
    done: list[int] = []
    for k, shard in task.shards.items():
        if done and task.seconds is not None and time.perf_counter() - began > task.seconds:
            break
        rows = load(task.place, shard, {column.position for column in coded.columns})
        codes = np.empty((len(coded.columns), len(rows.y)), dtype=np.uint8)
        for column, code in zip(coded.columns, codes, strict=True):
            column.encode(rows.X[:, column.position], code)
        core.count_codes(codes, rows.y.astype(np.uint8), coded.sizes, coded.n_classes, coded.triples, cells)
        done.append(k)
    return CountedCells(tuple(done), cells)
