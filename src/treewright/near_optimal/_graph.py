"""The graph of a near-optimal set as arrays, and exact counts on it.

Costs. ``errors`` are whole numbers of cost units (for plain weights: rows), above what every tree pays; one
leaf costs the exact fraction ``leaf_price`` of them. A tree is in the set exactly if ``errors + leaf_price *
leaves <= budget``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.binarize import Cuts
from treewright.errors import SolverError
from treewright.problem import Problem
from treewright.result import StopReason
from treewright.search import stop_reason

__all__ = ["Counts", "Membership", "SetGraph"]

Cell = tuple[int, int]  # leaves, errors


@dataclass(frozen=True, eq=False)
class SetGraph:
    """All trees of a near-optimal set, sharing their subtrees.

    Parameters
    ----------
    problem : Problem
    cuts : Cuts
        The splits that the trees use.
    native : core.NearOptimalProblem
        Holds the graph in the compiled core.
    arrays : mapping
        What its ``graph()`` returned: nodes (a set of rows with the depth that is left), and edges (splits of
        a node).
    unit : Fraction
        Objective of one error.
    leaf_price : Fraction
        Errors that one leaf costs.
    base : int
        Errors that every tree makes: rows of equal content and different label.
    any_label : bool
    redundant : bool
    memory_limit : int
        Bytes, of a count.
    empty : bool, default=False
        Whether a run was stopped before it had any tree of the set.
    """

    problem: Problem
    cuts: Cuts
    native: Any
    arrays: Mapping[str, Any]
    unit: Fraction
    leaf_price: Fraction
    base: int
    any_label: bool
    redundant: bool
    memory_limit: int
    empty: bool = False

    @property
    def n_nodes(self) -> int:
        """Number of nodes; node 0 is the root, and children have larger numbers than their parents."""
        return len(self.arrays["depth"])

    @cached_property
    def twins(self) -> tuple[tuple[int, ...], ...]:
        """Splits of `cuts` that send all rows as each distinct one does, that one included; by distinct split."""
        rows = [bits.tobytes() for bits in self.cuts.packed]
        groups: dict[bytes, list[int]] = {}
        for number, bits in enumerate(rows):
            groups.setdefault(bits, []).append(number)
        out = []
        for source in self.arrays["source"]:
            mirrored = np.packbits(1 - self._goes_right(source), bitorder="little").tobytes()
            out.append(tuple(sorted([*groups[rows[source]], *groups.get(mirrored, [])])))
        return tuple(out)

    def same_side(self, first: int, second: int) -> bool:
        """Whether two twins send the same rows left, rather than the one's left rows right."""
        return bool((self.cuts.packed[first, 0] ^ self.cuts.packed[second, 0]) & 1 == 0)

    def _goes_right(self, split: int) -> NDArray[np.uint8]:
        return np.unpackbits(self.cuts.packed[split], count=self.cuts.n_rows, bitorder="little")

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
    def edge_columns(self) -> NDArray[np.int64]:
        """Column of the table that each edge's split asks; of twins, that of the first."""
        of_split = np.array([split.column for split in self.cuts.splits], dtype=np.int64)
        if not len(self.arrays["column"]):
            return np.zeros(0, dtype=np.int64)
        return np.asarray(of_split[self.arrays["source"][self.arrays["column"]]])


@dataclass(frozen=True)
class Membership:
    """Which trees of a graph belong to a set.

    Parameters
    ----------
    budget : Fraction
        Largest cost of a tree, in errors.
    max_leaves : int or None
    open_splits : frozenset of int or None
        Numbers of the splits (in ``cuts``) that a tree may use; None is all.
    root_splits : frozenset of int or None
        Those that it may begin with.
    """

    budget: Fraction
    max_leaves: int | None = None
    open_splits: frozenset[int] | None = None
    root_splits: frozenset[int] | None = None

    def most_errors(self, graph: SetGraph) -> list[int]:
        """Return the most errors of a tree of each number of leaves, 0 to the largest; -1 for none."""
        left = self.budget - graph.base
        largest = graph.problem.table.n_rows
        if graph.leaf_price > 0:
            largest = min(largest, max(0, left // graph.leaf_price))
        if self.max_leaves is not None:
            largest = min(largest, self.max_leaves)
        return [-1] + [max(-1, int((left - graph.leaf_price * n) // 1)) for n in range(1, largest + 1)]


@dataclass(frozen=True, eq=False)
class Counts:
    """How many subtrees of each node belong to a set, by leaves and errors.

    Parameters
    ----------
    graph : SetGraph
    membership : Membership
    n_words : int, default=0
        64-bit words of a count, if known from a larger set.

    Notes
    -----
    Counted when first asked, with the graph's memory limit. A count that does not end is an error: `SolverError`,
    or KeyboardInterrupt.
    """

    graph: SetGraph
    membership: Membership
    n_words: int = 0
    _cells: dict[int, dict[Cell, int]] = field(default_factory=dict, repr=False)

    def twins(self, edge: int, node: int) -> list[int]:
        """Return the splits of `cuts` that an edge of the node stands for here."""
        return self._allowed(self.graph.twins[self.graph.arrays["column"][edge]], at_root=node == 0)

    @property
    def _must_split(self) -> bool:
        return self.membership.root_splits is not None

    def _allowed(self, group: tuple[int, ...], *, at_root: bool) -> list[int]:
        allowed = self.membership.open_splits
        first = self.membership.root_splits if at_root else None
        return [s for s in group if (allowed is None or s in allowed) and (first is None or s in first)]

    @cached_property
    def copies(self) -> NDArray[np.uint32]:
        """How many open splits each edge stands for, shape (n_edges,)."""
        column = self.graph.arrays["column"]
        by_split = [len(self._allowed(group, at_root=False)) for group in self.graph.twins]
        out = np.array(by_split, dtype=np.uint32)[column] if len(column) else np.zeros(0, np.uint32)
        for edge in self.graph.edges(0):
            out[edge] = len(self.twins(edge, 0))
        return out

    @cached_property
    def raw(self) -> Mapping[str, Any]:
        """What the compiled core counted."""
        return self._finished(leaves=False)

    def make(self, time_limit: float, report: Any) -> StopReason | None:
        """Count now, within limits; return what ended the count too early."""
        raw = self._count(leaves=False, time_limit=time_limit, report=report)
        if raw["too_many"]:  # a count of over 1000 bits is not held
            return StopReason.MEMORY_LIMIT
        if raw["complete"]:
            self.__dict__["raw"] = raw
        return stop_reason(raw["stop"])

    def leaf_counts(self) -> list[list[int]]:
        """Return for each node and label the number of trees in which the node is a leaf with this label."""
        raw = self._finished(leaves=True)
        words = np.asarray(raw["leaf_counts"]).reshape(-1, raw["n_words"])
        flat = _whole_numbers(words)
        k = self.graph.problem.n_classes
        if self._must_split:
            flat[:k] = [0] * k
        return [flat[node * k : (node + 1) * k] for node in range(self.graph.n_nodes)]

    def root_edges(self) -> dict[int, int]:
        """Return the number of trees that begin with each edge of the root."""
        words = np.asarray(self.raw["root_edges"]).reshape(-1, self.raw["n_words"])
        return dict(zip(self.graph.edges(0), _whole_numbers(words), strict=True))

    def _finished(self, *, leaves: bool) -> Mapping[str, Any]:
        raw = self._count(leaves=leaves)
        reason = stop_reason(raw["stop"])
        if reason is StopReason.INTERRUPT:
            raise KeyboardInterrupt
        if reason is not None or raw["too_many"]:
            raise SolverError(
                "The counts of the trees do not fit the memory limit; raise memory_limit, or ask for fewer trees: a "
                "smaller epsilon, a larger cost_complexity."
            )
        return raw

    def _count(self, *, leaves: bool, time_limit: float = math.inf, report: Any = None) -> Mapping[str, Any]:
        raw: Mapping[str, Any] = self.graph.native.count(
            most_errors=self.membership.most_errors(self.graph),
            copies=self.copies,
            any_label=self.graph.any_label,
            redundant=self.graph.redundant,
            n_words=self.n_words,
            time_limit=time_limit,
            memory_limit=self.graph.memory_limit,
            report=report,
            leaves=leaves,
        )
        return raw

    def cells(self, node: int) -> dict[Cell, int]:
        """Return the number of subtrees of the node for each number of leaves and errors, ascending."""
        if node not in self._cells:
            raw = self.raw
            part = slice(raw["first_cell"][node], raw["first_cell"][node + 1])
            words = raw["counts"].reshape(-1, raw["n_words"])[part]
            places = zip(raw["leaves"][part].tolist(), raw["errors"][part].tolist(), strict=True)
            found = dict(zip(places, _whole_numbers(words), strict=True))
            if node == 0 and self._must_split:
                found = {cell: count for cell, count in found.items() if cell[0] > 1}
            self._cells[node] = found
        return self._cells[node]


def _whole_numbers(words: NDArray[np.uint64]) -> list[int]:
    """Turn rows of 64-bit words, lowest first, into Python integers."""
    out = words[:, 0].tolist() if len(words) else []
    for place in range(1, words.shape[1] if len(words) else 0):
        if words[:, place].any():
            out = [
                low + (high << 64 * place) for low, high in zip(out, words[:, place].tolist(), strict=True)
            ]
    return out
