"""A hard tree that changes, and what its leaves predict: the ground that growing and refining stand on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.tree import LinearSplit, Split, children_of

__all__ = [
    "LEAF",
    "Check",
    "Labels",
    "Nodes",
    "Numbers",
    "Numbers64",
    "OutOfTimeError",
    "Rows",
    "Shares",
    "Target",
    "never",
]

LEAF = -1

Check = Callable[[], None]  # looks at the clock: raises OutOfTimeError when the time is over


class OutOfTimeError(Exception):
    """The time is over: what is being made is dropped, what was kept before stays."""


def never() -> None:
    """Let all the time of the world be left."""


Rows = NDArray[np.int64]
Numbers64 = NDArray[np.float64]


class Target(Protocol):
    """What leaves predict, and what a prediction costs."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one prediction: () for one number, (n_outputs,) for several."""

    def value(self, rows: Rows) -> float | Numbers64:
        """Return what a leaf of these rows predicts."""

    def sums(self, rows: Rows) -> Numbers64:
        """Return weights and weighted targets, (n_rows, 1 + outputs): a class is an output of 0 and 1."""

    def loss(self, rows: Rows, values: Numbers64) -> Numbers64:
        """Return what the predictions cost, row by row, weights included."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Classes: a leaf predicts the heaviest, a wrong row costs its weight.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), int32
    weight : ndarray of shape (n_rows,)
    """

    y: NDArray[np.int32]
    weight: Numbers64
    shape = ()

    def value(self, rows: Rows) -> float:
        """Return the heaviest class, the first of equals."""
        return float(np.bincount(self.y[rows], weights=self.weight[rows]).argmax())

    def sums(self, rows: Rows) -> Numbers64:
        """Return weights, in all and by class."""
        by_class = np.eye(int(self.y.max()) + 1)[self.y[rows]]
        return np.column_stack([np.ones(len(rows)), by_class]) * self.weight[rows, None]

    def loss(self, rows: Rows, values: Numbers64) -> Numbers64:
        """Return the weights of the wrong rows."""
        return np.where(self.y[rows] != values, self.weight[rows], 0.0)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers: a leaf predicts the mean, a row costs its weighted squared error, that of all its outputs together.

    Parameters
    ----------
    y : ndarray of shape (n_rows,) or (n_rows, n_outputs), float64
    weight : ndarray of shape (n_rows,)
    """

    y: Numbers64
    weight: Numbers64

    @property
    def shape(self) -> tuple[int, ...]:
        """() for one output, else (n_outputs,)."""
        return self.y.shape[1:]

    def value(self, rows: Rows) -> float | Numbers64:
        """Return the weighted mean."""
        mean: float | Numbers64 = np.average(self.y[rows], axis=0, weights=self.weight[rows])
        return mean

    def sums(self, rows: Rows) -> Numbers64:
        """Return weights and weighted numbers."""
        return np.column_stack([np.ones(len(rows)), self.y[rows]]) * self.weight[rows, None]

    def loss(self, rows: Rows, values: Numbers64) -> Numbers64:
        """Return the squared errors."""
        squares = (self.y[rows] - values) ** 2
        return self.weight[rows] * (squares if squares.ndim == 1 else squares.sum(axis=1))


@dataclass(frozen=True, eq=False)
class Shares:
    """Classes of which each row has a share: a leaf predicts the heaviest, a row costs its shares of the others.

    Parameters
    ----------
    shares : ndarray of shape (n_rows, n_classes)
        Of sum 1.
    weight : ndarray of shape (n_rows,)
    """

    shares: Numbers64
    weight: Numbers64
    shape = ()

    def value(self, rows: Rows) -> float:
        """Return the heaviest class, the first of equals."""
        return float((self.weight[rows] @ self.shares[rows]).argmax())

    def sums(self, rows: Rows) -> Numbers64:
        """Return weights, in all and by class."""
        return np.column_stack([np.ones(len(rows)), self.shares[rows]]) * self.weight[rows, None]

    def loss(self, rows: Rows, values: Numbers64) -> Numbers64:
        """Return the weights of the other classes."""
        return self.weight[rows] * (1 - self.shares[rows, values.astype(np.int64)])


@dataclass
class Nodes:
    """A tree that changes; node 0 is the root. `value` has an axis of nodes, and one of outputs if they are several."""

    splits: list[Split | None]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: Numbers64

    @classmethod
    def of(cls, splits: Sequence[Split | None]) -> Nodes:
        left, right = children_of(splits)
        return cls(list(splits), left.astype(np.int64), right.astype(np.int64), np.zeros(len(splits)))

    def copy(self) -> Nodes:
        return replace(
            self,
            splits=list(self.splits),
            left=self.left.copy(),
            right=self.right.copy(),
            value=self.value.copy(),
        )

    def split(self, node: int, split: Split) -> None:
        """Make a leaf a split with two leaves, which predict as it did."""
        n = len(self.splits)
        self.splits[node] = split
        self.splits += [None, None]
        self.left = np.append(self.left, [LEAF, LEAF])
        self.right = np.append(self.right, [LEAF, LEAF])
        self.value = np.concatenate([self.value, self.value[[node, node]]])
        self.left[node], self.right[node] = n, n + 1

    def order(self) -> list[int]:
        """Return the nodes, parents before children."""
        out, stack = [], [0]
        while stack:
            node = stack.pop()
            out.append(node)
            if self.splits[node] is not None:
                stack += [int(self.right[node]), int(self.left[node])]
        return out

    def reached(self, X: Numbers64, rows: Rows, check: Check = never) -> dict[int, Rows]:
        """Return the rows that reach each node, parents before children."""
        out: dict[int, Rows] = {}
        stack = [(0, rows)]
        while stack:
            node, here = stack.pop()
            out[node] = here
            split = self.splits[node]
            if split is not None:
                check()
                goes_left = split.goes_left(X, here)
                stack += [(int(self.right[node]), here[~goes_left]), (int(self.left[node]), here[goes_left])]
        return out

    def predicted(self, X: Numbers64, rows: Rows, node: int = 0) -> Numbers64:
        """Return what the subtree of a node makes of the rows."""
        out = np.empty((len(rows), *self.value.shape[1:]))
        stack = [(node, np.arange(len(rows)))]
        while stack:
            node, here = stack.pop()
            split = self.splits[node]
            if split is None:
                out[here] = self.value[node]
                continue
            goes_left = split.goes_left(X, rows[here])
            stack += [(int(self.right[node]), here[~goes_left]), (int(self.left[node]), here[goes_left])]
        return out

    def fit_leaves(self, X: Numbers64, rows: Rows, target: Target, check: Check = never) -> None:
        """Give every node the prediction of its rows; one without rows keeps its parent's."""
        reached = self.reached(X, rows, check)
        self.value = np.zeros((len(self.splits), *target.shape))
        for node, here in reached.items():
            check()
            if len(here):
                self.value[node] = target.value(here)
            if self.splits[node] is not None:  # a child of no rows keeps this
                self.value[self.left[node]] = self.value[self.right[node]] = self.value[node]

    def in_order(self, X: Numbers64, rows: Rows, kind: str) -> list[Split | None]:
        """Return the splits depth-first, without those that leave a side empty or are not of the kind."""
        out: list[Split | None] = []
        stack = [(0, rows)]
        while stack:
            node, here = stack.pop()
            split = self.splits[node]
            if split is not None:
                goes_left = split.goes_left(X, here)
                sides = [(int(self.right[node]), here[~goes_left]), (int(self.left[node]), here[goes_left])]
                fuller = max(sides, key=lambda side: len(side[1]))
                if len(fuller[1]) == len(here) or (kind == "axis" and isinstance(split, LinearSplit)):
                    stack.append((fuller[0], here))
                    continue
                stack += sides
            out.append(split)
        return out
