"""The best tree of at most three levels from the cells of all triples of columns, in whole numbers.

A *side* is one side of a split of one column: a set of its codes. What falls into a leaf below sides of three splits,
of any columns, is a sum of cells; so

    pair[g, h][l]  the least cost of l leaves (1 or 2) on the rows of the sides g and h,
    side[g][l]     of l leaves (1 to 4) on the rows of the side g: over the splits (h, h') the least
                   pair[g, h][l'] + pair[g, h'][l - l'],
    whole[l]       of l leaves (1 to 8) on all rows, likewise from `side`,

hold the least cost over *all* trees with l leaves whose splits are those of `Splits`: nothing is left out, every split
being tried at every node. Costs are whole numbers, as many to a unit as `Whole` says, and the leaf penalty is added in
fractions at the end; so the minimum is exact where `Whole.is_exact`, and otherwise each row is charged less than one
unit too little, which keeps the minimum a lower bound. Costs such as 3 * .1 are too many units for 64 bits: Python's
integers hold them exactly, where there are few sides. A leaf of fewer rows than `min_samples_leaf` is not allowed;
the rows must then be all there are. It costs the product of the sides of each triple, once: about a
millisecond for 16 bins.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.binarize import candidates_of, given_splits
from treewright.shards._coded import Coded
from treewright.shards._question import Question
from treewright.shards._trees import LEAF_ONLY, Shape
from treewright.table import Table
from treewright.tree import ColumnKind, LinearSplit, Split

__all__ = ["Best", "best_of_cells"]

LARGEST = 2**60  # of 64 bits: all rows cost less; stands for a tree that is not allowed
MOST_WIDE = 1 << 24  # products of sides and classes for which costs may be Python's integers, which are slow

Costs = NDArray[Any]  # int64, or Python's integers


@dataclass(frozen=True)
class Best:
    """The cheapest tree.

    Parameters
    ----------
    shape : Shape
    cost : Fraction
        In weight times cost, leaf penalties included: no tree costs less, where all were compared.
    is_exact : bool
        Whether the tree costs no more than that.
    is_whole : bool
        Whether all trees were compared; otherwise the time was over, and the tree is the cheapest of the others.
    scope : str
        Which splits were tried, in words.
    notes : tuple of str
    """

    shape: Shape
    cost: Fraction
    is_exact: bool
    is_whole: bool
    scope: str
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Whole:
    """Costs of classes in whole numbers.

    Parameters
    ----------
    paid : ndarray of shape (n_classes, n_classes), int64 or object
        Of predicting class p for a row of class c at ``paid[c, p]``.
    unit : Fraction
        Of weight times cost.
    is_exact : bool
    largest : int, default=LARGEST
        Stands for a tree that is not allowed; all rows cost less than a quarter of it.
    """

    paid: Costs
    unit: Fraction
    is_exact: bool
    largest: int = LARGEST

    @staticmethod
    def of(question: Question, class_rows: Sequence[int], may_be_wide: bool = False) -> Whole:
        """Return them for so many rows of each class, as Python's integers if they may be and 64 bits do not do."""
        given = question.paid
        factor = math.lcm(*(cost.denominator for row in given for cost in row))
        common = math.gcd(*(int(cost * factor) for row in given for cost in row)) or 1
        unit = Fraction(common, factor)
        most = sum((n * max(row) for n, row in zip(class_rows, given, strict=True)), Fraction(0))
        is_exact = most / unit < LARGEST // 4
        if not is_exact and may_be_wide:
            wide = np.array([[int(cost / unit) for cost in row] for row in given], dtype=object)
            return Whole(wide, unit, True, 8 << int(most / unit).bit_length())
        if not is_exact:
            unit = most / (LARGEST // 4)
        # A class without rows here may cost any amount.
        paid = [[min(int(cost / unit), LARGEST // 4) for cost in row] for row in given]
        return Whole(np.array(paid, dtype=np.int64), unit, is_exact)


@dataclass(frozen=True, eq=False)
class Splits:
    """The splits of all columns, and which codes they send left.

    Parameters
    ----------
    splits : list of Split
        Column by column.
    first : list of int
        The first split of each column, and the number of all.
    sides : list of ndarray of shape (2 * n_splits, n_codes), float64
        For each column, 1 where a side holds a code; left and right of each split in turn.
    """

    splits: list[Split]
    first: list[int]
    sides: list[NDArray[np.float64]]

    def of_column(self, j: int) -> slice:
        """The sides of a column among those of all."""
        return slice(2 * self.first[j], 2 * self.first[j + 1])

    def column(self, split: int) -> int:
        """The column of a split, as a position among those that are counted."""
        return next(j for j, end in enumerate(self.first[1:]) if split < end)

    def side(self, side: int) -> tuple[int, NDArray[np.float64]]:
        """The column of a side, and the codes that it holds."""
        j = self.column(side // 2)
        return j, self.sides[j][side - 2 * self.first[j]]


def best_of_cells(
    question: Question,
    thresholds: Any,
    coded: Coded,
    cells: NDArray[Any],
    is_over: Callable[[], bool] = lambda: False,
) -> Best:
    """Return the cheapest tree on the rows that were counted, of those that were compared before the time was over.

    Parameters
    ----------
    question : Question
    thresholds : mapping
    coded : Coded
    cells : ndarray of shape (n_cells,), uint32 or int64
    is_over : callable, optional
        Asked before each pair and triple of columns. After a true answer trees are left out, so that what was found
        bounds none of the others; those of one split are compared whatever the time is.
    """
    return _Search(question, thresholds, coded, cells, is_over).best()


class _Search:
    def __init__(
        self,
        question: Question,
        thresholds: Any,
        coded: Coded,
        cells: NDArray[Any],
        is_over: Callable[[], bool],
    ) -> None:
        self.is_over = is_over
        self.question, self.coded, self.cells = question, coded, cells
        self.place = {tuple(triple): t for t, triple in enumerate(coded.triples.tolist())}
        self.kept = np.array([float(factor > 0) for factor in question.factors])
        self.class_rows = self.counts(())
        self.splits, self.scope, self.notes = self._splits(thresholds)
        sides = 2 * len(self.splits.splits)
        few = sides ** (question.max_depth or 0) * question.n_classes <= MOST_WIDE
        self.whole = Whole.of(question, self.class_rows.astype(np.int64).tolist(), few)
        self.largest, self.dtype = self.whole.largest, self.whole.paid.dtype

    # What the cells say.

    def counts(self, columns: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the rows of each class and code of up to three columns, ascending; exact, being below 2**53."""
        triple = (
            columns if columns in self.place else next(own for own in self.place if set(columns) <= set(own))
        )
        t = self.place[triple]
        shape = (self.coded.n_classes, *(self.coded.columns[j].size for j in triple))
        own = self.cells[self.coded.begins[t] : self.coded.begins[t + 1]].reshape(shape)
        rest = tuple(1 + k for k, j in enumerate(triple) if j not in columns)
        return np.asarray(own.sum(axis=rest, dtype=np.float64))

    def leaf(self, rows: NDArray[np.float64]) -> Costs:
        """Return what leaves cost; the classes of their rows lie along the first axis."""
        n, paid = rows.astype(np.int64).astype(self.dtype, copy=False), self.whole.paid
        cost = np.full(n.shape[1:], self.largest, dtype=self.dtype)
        for label in range(paid.shape[1]):
            dear = [c for c in range(paid.shape[0]) if paid[c, label]]
            own = sum((n[c] * paid[c, label] for c in dear), np.zeros(n.shape[1:], dtype=self.dtype))
            np.minimum(cost, own, out=cost)
        if self.question.min_samples_leaf > 1:
            cost[np.tensordot(self.kept, rows, axes=1) < self.question.min_samples_leaf] = self.largest
        return cost

    def _splits(self, thresholds: Any) -> tuple[Splits, str, tuple[str, ...]]:
        """Return the splits that the search over given thresholds would offer, by the same code."""
        splits: list[Split] = []
        first, sides = [0], []
        columns = self.question.columns
        asked = {self.coded.columns[j].position for j in range(self.coded.n_split)}
        others = tuple(column for j, column in enumerate(columns) if j not in asked)
        nothing = given_splits(Table(others, np.zeros((2, len(others)), order="F")), {})
        for j in range(self.coded.n_split):
            own = self.coded.columns[j]
            rows = self.counts((j,)).sum(axis=0)
            seen = rows > 0
            here = replace(columns[own.position], has_missing=own.has_missing and bool(seen[-1]))
            if (
                here.name in thresholds
            ):  # of 0 and 1, perhaps, but a code stands for all values between two borders
                here = replace(here, kind=ColumnKind.CONTINUOUS, categories=())
            table = Table((here,), np.asfortranarray(own.values[seen].reshape(-1, 1)))
            given = {here.name: thresholds[here.name]} if here.name in thresholds else {}
            found = given_splits(table, given, candidates=candidates_of(table, rows[seen])).splits
            values = own.values.reshape(-1, 1)
            left = np.array([split.goes_left(values) for split in found], dtype=bool).reshape(-1, own.size)
            sides.append(np.stack([left, ~left], axis=1).reshape(-1, own.size).astype(np.float64))
            for split in found:
                assert not isinstance(split, LinearSplit)  # nobody gave one
                splits.append(replace(split, column=own.position))
            first.append(len(splits))
        return Splits(splits, first, sides), nothing.scope, nothing.notes

    def below(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """Return the rows of each class on the sides of up to three columns, ascending and perhaps repeated."""
        apart = tuple(dict.fromkeys(columns))
        rows = self.counts(apart)
        sizes = []
        for j in apart:  # its axis, the first one, goes to the end
            side = self.splits.sides[j]
            own = [len(side)] * columns.count(j)
            for _ in own[1:]:
                side = (side[:, None, :] * self.splits.sides[j][None]).reshape(-1, side.shape[1])
            rows = np.tensordot(rows, side, axes=(1, 1))
            sizes += own
        return rows.reshape(len(rows), *sizes)

    # The least costs.

    def pairs(self) -> tuple[Costs, Costs, bool]:
        """Return the least costs of one and of two leaves on the rows of every two sides, and whether all are known.

        What is not known stands as not allowed.
        """
        splits, depth = self.splits, self.question.max_depth or 0
        n = 2 * len(splits.splits)
        one = np.full((n, n), self.largest, dtype=self.dtype)
        two = np.full((n, n), self.largest, dtype=self.dtype)
        used = [j for j in range(self.coded.n_split) if len(splits.sides[j])]
        for i, j in itertools.combinations_with_replacement(used, 2) if depth >= 2 else ():
            if self.is_over():
                return one, two, False
            _lower(one, splits.of_column(i), splits.of_column(j), self.leaf(self.below((i, j))))
        if depth >= 3:
            for own in itertools.combinations_with_replacement(used, 3):
                if self.is_over():
                    return one, two, False
                cost = self.leaf(self.below(own))
                for axis in range(3):
                    above = [splits.of_column(column) for k, column in enumerate(own) if k != axis]
                    _lower(two, above[0], above[1], _both(cost, axis).min(axis=axis))
        return one, two, True

    def best(self) -> Best:
        """Return the cheapest tree."""
        question, n_splits = self.question, len(self.splits.splits)
        self.one, self.two, is_whole = self.pairs()
        self.side: dict[int, Costs] = {1: self._alone()}
        for leaves in range(2, 5):
            self.side[leaves] = np.minimum(
                self.largest,
                np.min(
                    [self._ways(a, b).min(axis=1, initial=self.largest) for a, b in _sums(leaves, 2)], axis=0
                ),
            )
        root = {1: int(self.leaf(self.class_rows[:, None])[0])}
        for leaves in range(2, 9):
            root[leaves] = min(
                (int(self._roots(a, b).min(initial=2 * self.largest)) for a, b in _sums(leaves, 4)),
                default=self.largest,
            )
        most = 2 ** (question.max_depth or 0)
        if question.max_leaf_nodes is not None:
            most = min(most, question.max_leaf_nodes)
        weight = question.weight_of(self.class_rows.astype(np.int64).tolist())
        priced = {
            leaves: cost * self.whole.unit + question.leaf_penalty * weight * leaves
            for leaves, cost in root.items()
            if leaves <= most and cost < self.largest and (leaves == 1 or n_splits)
        }
        if not priced:  # not even one leaf has enough rows
            priced = {1: question.leaf_penalty * weight}
        leaves = min(priced, key=lambda number: (priced[number], number))
        shape = LEAF_ONLY if leaves == 1 else self._grown(leaves, root[leaves])
        return Best(shape, priced[leaves], self.whole.is_exact, is_whole, self.scope, self.notes)

    def _alone(self) -> Costs:
        found = [np.empty(0, dtype=self.dtype)]
        found += [self.leaf(self.below((j,))) for j in range(self.coded.n_split) if len(self.splits.sides[j])]
        return np.concatenate(found)

    def _pair(self, leaves: int) -> Costs:
        return self.one if leaves == 1 else self.two

    def _ways(self, left: int, right: int) -> Costs:
        """Return for each side and split what so many leaves on its left and right cost."""
        return self._pair(left)[:, 0::2] + self._pair(right)[:, 1::2]

    def _roots(self, left: int, right: int) -> Costs:
        return self.side[left][0::2] + self.side[right][1::2]

    # The tree.

    def _grown(self, leaves: int, cost: int) -> Shape:
        """Return the first tree of that cost."""
        left, right = next(
            (a, b)
            for a, b in _sums(leaves, 4)
            if int(self._roots(a, b).min(initial=2 * self.largest)) == cost
        )
        split = int(np.argmin(self._roots(left, right)))
        return (
            self.splits.splits[split],
            *self._grown_side(2 * split, left),
            *self._grown_side(2 * split + 1, right),
        )

    def _grown_side(self, side: int, leaves: int) -> Shape:
        if leaves == 1:
            return LEAF_ONLY
        cost = self.side[leaves][side]
        left, right = next((a, b) for a, b in _sums(leaves, 2) if self._ways(a, b)[side].min() == cost)
        split = int(np.argmin(self._ways(left, right)[side]))
        ends = ((2 * split, left), (2 * split + 1, right))
        below = (LEAF_ONLY if n == 1 else (self._last(side, own), None, None) for own, n in ends)
        return (self.splits.splits[split], *itertools.chain.from_iterable(below))

    def _last(self, *above: int) -> Split:
        """Return the best split of the rows of two sides."""
        found: list[tuple[int, int]] = []
        for j in range(self.coded.n_split):
            if not len(self.splits.sides[j]):
                continue
            held = [self.splits.side(side) for side in above]
            apart = tuple(sorted({j, *(column for column, _ in held)}))
            rows = self.counts(apart)
            for column, codes in held:
                axis = 1 + apart.index(column)
                rows = rows * codes.reshape([-1 if k == axis else 1 for k in range(rows.ndim)])
            rest = tuple(1 + k for k, column in enumerate(apart) if column != j)
            cost = _both(self.leaf(rows.sum(axis=rest) @ self.splits.sides[j].T), 0)
            found.append((int(cost.min()), self.splits.first[j] + int(np.argmin(cost))))
        return self.splits.splits[min(found)[1]]


def _sums(leaves: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield the two numbers of leaves, at most `most` each, that make so many."""
    return ((a, leaves - a) for a in range(1, leaves) if a <= most and leaves - a <= most)


def _both(cost: Costs, axis: int) -> Costs:
    """Add the left and right sides along an axis."""
    ahead = (slice(None),) * axis
    both: Costs = cost[(*ahead, slice(0, None, 2))] + cost[(*ahead, slice(1, None, 2))]
    return both


def _lower(table: Costs, rows: slice, columns: slice, cost: Costs) -> None:
    """Lower the entries of a symmetric table to at most `cost`."""
    np.minimum(table[rows, columns], cost, out=table[rows, columns])
    np.minimum(table[columns, rows], cost.T, out=table[columns, rows])
