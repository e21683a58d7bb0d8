"""The graph of a near-optimal set as arrays, and which of its trees belong to a set.

Costs. ``errors`` are whole numbers of cost units (for plain weights: rows), above what every tree pays; one
leaf costs the exact fraction ``leaf_penalty`` of them. A tree is in the set exactly if ``errors + leaf_penalty *
leaves <= budget``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.binarize import SplitMatrix
from treewright.near_optimal._bounds import LARGEST_BUDGET
from treewright.problem import Problem
from treewright.search import integer_costs

__all__ = ["Membership", "SetGraph", "words_of_rows"]


@dataclass(frozen=True, eq=False)
class SetGraph:
    """All trees of a near-optimal set, sharing their subtrees.

    Parameters
    ----------
    problem : Problem
    split_matrix : SplitMatrix
        The splits that the trees use.
    native : core.NearOptimalSet
        Holds the graph in the compiled core.
    arrays : mapping
        What its ``arrays()`` returned: nodes (a set of rows with the depth that is left), and edges (splits of
        a node).
    unit : Fraction
        Objective of one error.
    leaf_penalty : Fraction
        Errors that one leaf costs.
    base : int
        Errors that every tree makes: rows of equal content and different label.
    any_label : bool
    redundant : bool
    memory_limit : int
        Bytes, of a count.
    empty : bool, default=False
        Whether a run was stopped before it had any tree of the set.
    pinned : mapping of int to tuple of int
        Edges that stand for some splits alone (numbers in ``split_matrix``), not for all that are twins.
    rounding : Fraction, default=0
        Errors by which those of a tree differ at most from what real weights say.
    """

    problem: Problem
    split_matrix: SplitMatrix
    native: Any
    arrays: Mapping[str, Any]
    unit: Fraction
    leaf_penalty: Fraction
    base: int
    any_label: bool
    redundant: bool
    memory_limit: int
    empty: bool = False
    pinned: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    rounding: Fraction = Fraction(0)

    def costs(self, cells: Iterable[tuple[int, int]]) -> list[Fraction]:
        """Return the objectives, in errors, of trees of so many leaves and errors."""
        return [self.base + errors + self.leaf_penalty * leaves for leaves, errors in cells]

    @property
    def n_nodes(self) -> int:
        """Number of nodes; node 0 is the root, and children have larger numbers than their parents."""
        return len(self.arrays["depth"])

    @cached_property
    def twins(self) -> tuple[tuple[int, ...], ...]:
        """Splits of `split_matrix` that each split of the edges stands for, that one included.

        They send all rows the same way, or are mirror images, and have no edges of their own.
        """
        if not len(self.arrays["source"]):
            return ()
        rows = [bits.tobytes() for bits in self.split_matrix.packed]
        own = set(map(int, self.arrays["source"]))
        groups: dict[bytes, list[int]] = {}
        for number, bits in enumerate(rows):
            if number not in own:
                groups.setdefault(bits, []).append(number)
        if not groups:
            return tuple((source,) for source in map(int, self.arrays["source"]))
        out = []
        for source in map(int, self.arrays["source"]):
            mirrored = np.packbits(1 - self._goes_right(source), bitorder="little").tobytes()
            out.append(tuple(sorted([source, *groups.get(rows[source], []), *groups.get(mirrored, [])])))
        return tuple(out)

    def same_side(self, first: int, second: int) -> bool:
        """Whether two twins send the same rows left, rather than the one's left rows right."""
        return bool((self.split_matrix.packed[first, 0] ^ self.split_matrix.packed[second, 0]) & 1 == 0)

    def _goes_right(self, split: int) -> NDArray[np.uint8]:
        return np.unpackbits(
            self.split_matrix.packed[split], count=self.split_matrix.n_rows, bitorder="little"
        )

    @cached_property
    def leaf_errors(self) -> NDArray[np.int64]:
        """Errors of a leaf at each node by its label, shape (n_nodes, n_classes), above what every tree makes."""
        flat: NDArray[np.int64] = self.arrays["leaf_cost"]
        return flat.reshape(self.n_nodes, self.problem.n_classes)

    def leaf_labels(self, node: int) -> list[int]:
        """Return the labels that a leaf at the node may have."""
        if self.arrays["leaf_rows"][node] < self.problem.min_samples_leaf:
            return []
        if self.any_label:
            return list(range(self.problem.n_classes))
        return [int(np.argmin(self.leaf_errors[node]))]

    def edges(self, node: int) -> range:
        """Return the numbers of the splits of a node."""
        return range(int(self.arrays["first_edge"][node]), int(self.arrays["last_edge"][node]))

    @cached_property
    def rows(self) -> tuple[NDArray[np.int64], int, NDArray[np.uint64]]:
        """For each training row the number of its kind; how many kinds there are; and where they go.

        Rows that all splits send the same way are of one kind. The last is 64 kinds a word for each distinct split, a
        bit is 1 where it goes right.
        """
        bits = np.unpackbits(
            self.split_matrix.packed[self.arrays["source"]],
            axis=1,
            count=self.split_matrix.n_rows,
            bitorder="little",
        )  # (n_distinct, n_rows)
        packed = np.ascontiguousarray(np.packbits(bits, axis=0).T)
        if packed.shape[1] == 0:  # no split
            return np.zeros(self.split_matrix.n_rows, dtype=np.int64), 1, np.zeros(0, dtype=np.uint64)
        _, first, kind = np.unique(
            packed.view(np.dtype((np.void, packed.shape[1]))).reshape(-1),
            return_index=True,
            return_inverse=True,
        )
        return kind.reshape(-1).astype(np.int64), len(first), words_of_rows(bits[:, first])

    @cached_property
    def paid(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Weight of the training rows of each kind (see `rows`), and what they cost by their label, flat."""
        kind, n_kinds, _ = self.rows
        integers = integer_costs(self.problem)
        weight = np.zeros(n_kinds, dtype=np.int64)
        np.add.at(weight, kind, integers.weight)
        cost = np.zeros((n_kinds, self.problem.n_classes), dtype=np.int64)
        np.add.at(cost, kind, integers.weight[:, None] * integers.costs[self.problem.y])
        return weight, cost.reshape(-1)


@dataclass(frozen=True)
class Membership:
    """Which trees of a graph belong to a set.

    Parameters
    ----------
    budget : Fraction
        Largest cost of a tree, in errors: the bound of the set, and what rounding may have added to a tree.
    max_leaves : int or None
    open_splits : frozenset of int or None
        Numbers of the splits (in ``split_matrix``) that a tree may use; None is all.
    root_splits : frozenset of int or None
        Those that it may begin with.
    """

    budget: Fraction
    max_leaves: int | None = None
    open_splits: frozenset[int] | None = None
    root_splits: frozenset[int] | None = None

    def max_errors(self, graph: SetGraph) -> list[int]:
        """Return the most errors of a tree of each number of leaves, 0 to the largest; -1 for none."""
        left = min(self.budget, Fraction(LARGEST_BUDGET)) - graph.base  # no tree of a graph costs more
        one = math.lcm(left.denominator, graph.leaf_penalty.denominator)
        whole, leaf = int(left * one), int(graph.leaf_penalty * one)
        largest = graph.problem.table.n_rows
        if leaf > 0:
            largest = min(largest, max(0, whole // leaf))
        if self.max_leaves is not None:
            largest = min(largest, self.max_leaves)
        return [-1] + [max(-1, (whole - leaf * n) // one) for n in range(1, largest + 1)]


def words_of_rows(goes_right: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Pack rows of a matrix of zeros and ones, 64 columns to a word, each row to whole words."""
    packed = np.packbits(goes_right, axis=1, bitorder="little")
    padded = np.zeros((len(packed), -(-goes_right.shape[1] // 64) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.reshape(-1).view(np.dtype("<u8")).astype(np.uint64)
