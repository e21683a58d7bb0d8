"""Exact counts of the trees of a set, by leaves and errors, at every node of its graph."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import SolverError
from treewright.near_optimal._graph import Membership, SetGraph
from treewright.result import StopReason
from treewright.search import stop_reason

__all__ = ["Cell", "Counts", "root_cells"]

Cell = tuple[int, int]  # leaves, errors


@dataclass(frozen=True, eq=False)
class Counts:
    """How many subtrees of each node belong to a set, by leaves and errors.

    Parameters
    ----------
    graph : SetGraph
    membership : Membership

    Notes
    -----
    Counted when first asked, with the graph's memory limit. A count that does not end is an error: `SolverError`,
    or KeyboardInterrupt.
    """

    graph: SetGraph
    membership: Membership
    _cells: dict[int, dict[Cell, int]] = field(default_factory=dict, repr=False)

    def twins(self, edge: int, node: int) -> list[int]:
        """Return the splits of `cuts` that an edge of the node stands for here."""
        pinned = self.graph.pinned.get(edge)
        group = self.graph.twins[self.graph.arrays["column"][edge]] if pinned is None else pinned
        return self._allowed(group, at_root=node == 0)

    def open_twins(self, place: int) -> list[int]:
        """Return the splits of `cuts` that a distinct split stands for here, below the root."""
        return self._allowed(self.graph.twins[place], at_root=False)

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
        for edge, group in self.graph.pinned.items():
            out[edge] = len(self._allowed(group, at_root=False))
        for edge in self.graph.edges(0):
            out[edge] = len(self.twins(edge, 0))
        return out

    @cached_property
    def native(self) -> Any:
        """What the compiled core counted."""
        return _finished(self._count())

    def make(self, time_limit: float, report: Any) -> StopReason | None:
        """Count now, within limits; return what ended the count too early."""
        native = self._count(time_limit=time_limit, report=report)
        if native.too_many:  # a count of over 1000 bits is not held
            return StopReason.MEMORY_LIMIT
        if native.complete:
            self.__dict__["native"] = native
        return stop_reason(native.stop)

    def leaf_counts(self, to_side: NDArray[np.uint32] | None = None) -> list[list[int]]:
        """Return for each node and label the number of trees in which the node is a leaf with this label.

        With `to_side`, for each edge the number of its splits that send a row to either side: the number of trees in
        which that row falls into the leaf.
        """
        asked = np.zeros(0, dtype=np.uint32) if to_side is None else to_side.reshape(-1)
        words = self.native.leaves(to_side=asked, time_limit=math.inf, memory_limit=self.graph.memory_limit)
        if words is None:
            raise KeyboardInterrupt
        flat = _whole_numbers(words)
        k = self.graph.problem.n_classes
        if self._must_split:
            flat[:k] = [0] * k
        return [flat[node * k : (node + 1) * k] for node in range(self.graph.n_nodes)]

    def root_edges(self) -> dict[int, int]:
        """Return the number of trees that begin with each edge of the root."""
        return dict(zip(self.graph.edges(0), _whole_numbers(self.native.root_edges()), strict=True))

    def extremes(self, leaf_value: NDArray[np.int64]) -> Any:
        """Return the largest sums of leaf values, shape (n_nodes, n_classes), as the compiled core found them."""
        return _finished(
            self.graph.native.extremes(**self._rule(), leaf_value=leaf_value.reshape(-1), time_limit=math.inf)
        )

    def _count(self, *, time_limit: float = math.inf, report: Any = None, root_only: bool = False) -> Any:
        return self.graph.native.count(
            **self._rule(), time_limit=time_limit, report=report, root_only=root_only
        )

    def _rule(self) -> dict[str, Any]:
        return {
            "most_errors": self.membership.most_errors(self.graph),
            "copies": self.copies,
            "any_label": self.graph.any_label,
            "redundant": self.graph.redundant,
            "memory_limit": self.graph.memory_limit,
        }

    def cells(self, node: int) -> dict[Cell, int]:
        """Return the number of subtrees of the node for each number of leaves and errors, ascending."""
        if node not in self._cells:
            self._cells[node] = self._counted(self.native, node)
        return self._cells[node]

    def _counted(self, native: Any, node: int) -> dict[Cell, int]:
        leaves, errors, words = native.cells(node)
        places = zip(leaves.tolist(), errors.tolist(), strict=True)
        found = dict(zip(places, _whole_numbers(words), strict=True))
        if node == 0 and self._must_split:
            found = {cell: count for cell, count in found.items() if cell[0] > 1}
        return found


def root_cells(graph: SetGraph, membership: Membership) -> dict[Cell, int]:
    """Return how many trees there are, by leaves and errors, without holding the counts of other nodes."""
    counts = Counts(graph, membership)
    return counts._counted(_finished(counts._count(root_only=True)), 0)


def _finished(native: Any) -> Any:
    reason = stop_reason(native.stop)
    if reason is StopReason.INTERRUPT:
        raise KeyboardInterrupt
    if reason is not None or getattr(native, "too_many", False):
        raise SolverError(
            "The counts of the trees do not fit the memory limit; raise memory_limit, or ask for fewer trees: a "
            "smaller epsilon, a larger cost_complexity."
        )
    return native


def _whole_numbers(words: NDArray[np.uint64]) -> list[int]:
    """Turn rows of 64-bit words, lowest first, into Python integers."""
    out = words[:, 0].tolist() if len(words) else []
    for place in range(1, words.shape[1] if len(words) else 0):
        if words[:, place].any():
            out = [
                low + (high << 64 * place) for low, high in zip(out, words[:, place].tolist(), strict=True)
            ]
    return out
