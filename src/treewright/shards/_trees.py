"""Trees as they travel between shards: their splits in depth-first order, and what falls into their leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.shards._exact import exact_sums
from treewright.shards._question import Question
from treewright.shards._spill import Rows
from treewright.tree import Split, Tree, grow

__all__ = [
    "LEAF_ONLY",
    "Counted",
    "Shape",
    "added",
    "count_rows",
    "counts_of_pruning",
    "grown",
    "pruned",
    "skeleton",
]

Shape = tuple[Split | None, ...]
LEAF_ONLY: Shape = (None,)


@dataclass(frozen=True)
class Counted:
    """What falls into the leaves of a tree, from left to right.

    Parameters
    ----------
    rows : tuple of int
        Rows of each leaf.
    weight : tuple of tuple of (int or Fraction)
        Sum of the sample weights of each class, of each leaf.
    """

    rows: tuple[int, ...]
    weight: tuple[tuple[Any, ...], ...]

    def cost(self, question: Question) -> Fraction:
        """Return what the leaves pay for their cheapest labels, without the leaf penalties."""
        return sum((question.label(weight)[1] for weight in self.weight), Fraction(0))

    def cost_with(self, labels: Sequence[int], question: Question) -> Fraction:
        """Return what the leaves pay for the given labels."""
        paid = question.paid
        return sum(
            (
                amount * paid[c][label]
                for label, weight in zip(labels, self.weight, strict=True)
                for c, amount in enumerate(weight)
                if amount
            ),
            Fraction(0),
        )


@lru_cache(maxsize=4096)
def skeleton(shape: Shape) -> Tree:
    """Return a tree of these splits without any counts."""
    width = 1 + max((split.column for split in shape if split is not None), default=0)
    nothing = np.empty(0)
    return grow(
        (),
        np.array([0]),
        shape,
        np.empty((0, width)),
        np.empty(0, dtype=np.int32),
        nothing,
        np.zeros((1, 1)),
    )


def count_rows(shape: Shape, rows: Rows, n_classes: int) -> Counted:
    """Send rows through a tree and add up, exactly.

    Parameters
    ----------
    shape : tuple of Split or None
    rows : Rows
    n_classes : int
    """
    tree = skeleton(shape)
    n_leaves = tree.n_leaves
    number = np.cumsum(tree.is_leaf) - 1
    leaf = number[tree.apply(rows.X)].astype(np.int64)
    sums = exact_sums(leaf * n_classes + rows.y, rows.weight, n_leaves * n_classes)
    weight = tuple(tuple(sums[k * n_classes : (k + 1) * n_classes]) for k in range(n_leaves))
    return Counted(tuple(int(n) for n in np.bincount(leaf, minlength=n_leaves)), weight)


def added(parts: Sequence[Counted]) -> Counted:
    """Return the counts of all rows from those of their parts.

    Parameters
    ----------
    parts : sequence of Counted
        Of one tree.
    """
    rows = tuple(map(sum, zip(*(part.rows for part in parts), strict=True)))
    leaves = zip(*(part.weight for part in parts), strict=True)
    return Counted(rows, tuple(tuple(map(sum, zip(*leaf, strict=True))) for leaf in leaves))


def pruned(shape: Shape, counted: Counted, question: Question) -> tuple[Shape, Counted]:
    """Make a leaf of every node that is no more expensive as one, or that has a leaf of too few rows.

    Parameters
    ----------
    shape : tuple of Split or None
    counted : Counted
        Over all rows.
    question : Question

    Returns
    -------
    shape : tuple of Split or None
        Within `min_samples_leaf` unless not even one leaf is.
    counted : Counted
    """
    leaf_penalty = question.leaf_penalty * question.total
    leaves = iter(zip(counted.rows, counted.weight, strict=True))

    def walk(place: int) -> tuple[int, list[Split | None], list[tuple[int, tuple[Any, ...]]], Fraction]:
        split = shape[place]
        if split is None:
            rows, weight = next(leaves)
            return place + 1, [None], [(rows, weight)], question.label(weight)[1] + leaf_penalty
        after, left, left_leaves, left_cost = walk(place + 1)
        after, right, right_leaves, right_cost = walk(after)
        kept, cost = left_leaves + right_leaves, left_cost + right_cost
        rows = sum(n for n, _ in kept)
        weight = tuple(map(sum, zip(*(w for _, w in kept), strict=True)))
        alone = question.label(weight)[1] + leaf_penalty
        if alone <= cost or any(n < question.min_samples_leaf for n, _ in kept):
            return after, [None], [(rows, weight)], alone
        return after, [split, *left, *right], kept, cost

    _, splits, kept, _ = walk(0)
    return tuple(splits), Counted(tuple(n for n, _ in kept), tuple(w for _, w in kept))


def counts_of_pruning(shape: Shape, own: Shape, counted: Counted) -> Counted:
    """Return the counts of a pruning from those of the tree.

    Parameters
    ----------
    shape : tuple of Split or None
    own : tuple of Split or None
        Of the pruning.
    counted : Counted
        Of the tree.
    """
    rows: list[int] = []
    weight: list[tuple[Any, ...]] = []

    def walk(place: int, kept: int, leaf: int, open_: bool) -> tuple[int, int, int]:
        """Return the positions behind this subtree in `shape` and `own`, and the next leaf."""
        if shape[place] is None:
            rows.append(counted.rows[leaf])
            weight.append(counted.weight[leaf])
            return place + 1, kept + 1, leaf + 1
        cut = not open_ or own[kept] is None
        start = len(rows)
        place, inner, leaf = walk(place + 1, kept + 1, leaf, not cut)
        place, inner, leaf = walk(place, inner, leaf, not cut)
        if cut and open_:
            total = sum(rows[start:])
            sums = tuple(map(sum, zip(*weight[start:], strict=True)))
            del rows[start:], weight[start:]
            rows.append(total)
            weight.append(sums)
            return place, kept + 1, leaf
        return place, inner, leaf

    walk(0, 0, 0, True)
    return Counted(tuple(rows), tuple(weight))


def grown(shape: Shape, counted: Counted, question: Question) -> Tree:
    """Return the tree with the counts of all rows and the cheapest label in each node.

    Parameters
    ----------
    shape : tuple of Split or None
    counted : Counted
    question : Question
    """
    bare = skeleton(shape)
    n_nodes = bare.node_count
    sums: list[list[Any]] = [[0] * question.n_classes for _ in range(n_nodes)]
    rows = [0] * n_nodes
    leaves = iter(range(len(counted.rows)))
    for node in range(n_nodes):
        if shape[node] is None:
            leaf = next(leaves)
            rows[node], sums[node] = counted.rows[leaf], list(counted.weight[leaf])
    for node in range(n_nodes - 1, -1, -1):  # children come after parents
        if shape[node] is not None:
            for child in (int(bare.children_left[node]), int(bare.children_right[node])):
                rows[node] += rows[child]
                sums[node] = [a + b for a, b in zip(sums[node], sums[child], strict=True)]
    value: NDArray[np.float64] = np.array(
        [[float(f * w) for f, w in zip(question.factors, node, strict=True)] for node in sums]
    )
    return Tree(
        question.columns,
        question.classes,
        shape,
        bare.children_left.copy(),
        bare.children_right.copy(),
        np.array([question.label(node)[0] for node in sums], dtype=np.int32),
        value,
        np.array(rows, dtype=np.int64),
    )
