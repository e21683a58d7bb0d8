"""Exact counts of the trees of a set, by leaves and errors, at every node of its graph."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.near_optimal._graph import Membership, SetGraph
from treewright.near_optimal._watch import Watch, check_ended
from treewright.result import StopReason
from treewright.search import stop_reason

__all__ = ["Cell", "Counts"]

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
    KeyboardInterrupt, or `TimeOver` for the limits of a `Watch`.
    """

    graph: SetGraph
    membership: Membership
    _cells: dict[int, dict[Cell, int]] = field(default_factory=dict, repr=False)

    def twins(self, edge: int, node: int) -> list[int]:
        """Return the splits of `split_matrix` that an edge of the node stands for here."""
        pinned = self.graph.pinned.get(edge)
        group = self.graph.twins[self.graph.arrays["column"][edge]] if pinned is None else pinned
        return self._allowed(group, at_root=node == 0)

    def open_twins(self, place: int) -> list[int]:
        """Return the splits of `split_matrix` that a distinct split stands for here, below the root."""
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

    def make_within(self, watch: Watch) -> None:
        """Count now, unless that is done."""
        if "native" not in self.__dict__:
            self.__dict__["native"] = _finished(self._count(**watch.native()))

    def make(self, time_limit: float, report: Any) -> StopReason | None:
        """Count now, within limits; return what ended the count too early."""
        native = self._count(time_limit=time_limit, report=report)
        if native.too_many:  # a count of over 1000 bits is not held
            return StopReason.MEMORY_LIMIT
        if native.complete:
            self.__dict__["native"] = native
        return stop_reason(native.stop)

    @cached_property
    def shares(self) -> Any:
        """The counts in floating point, for answers that are shares."""
        return _finished(self._count_shares(watch=Watch()))

    def leaf_trees(self, to_side: NDArray[np.uint32] | None = None) -> NDArray[np.float64]:
        """Return the number of trees in which each node is a leaf with each label, shape (n_nodes, n_classes).

        With `to_side`, for each edge the number of its splits that send a row to either side: the number of trees in
        which that row gets each label, shape (n_classes,). Rounded to about twelve digits; 0 if there is no such tree.
        """
        asked = np.zeros(0, dtype=np.uint32) if to_side is None else to_side.reshape(-1)
        stop, found = self.shares.leaves(
            to_side=asked,
            by_node=to_side is None,
            time_limit=math.inf,
            memory_limit=self.graph.memory_limit,
        )
        check_ended(stop)
        out: NDArray[np.float64] = found.reshape(-1, self.graph.problem.n_classes)
        if self._must_split:  # a leaf at the root is not a tree of this set
            if to_side is None:
                out[0] = 0
            else:
                out[0, [label for label in self.graph.leaf_labels(0) if self._is_tree(label)]] -= 1
        return out if to_side is None else out[0]

    def _is_tree(self, label: int) -> bool:
        """Return whether a leaf at the root alone is counted."""
        most = self.membership.max_errors(self.graph)
        return len(most) > 1 and int(self.graph.leaf_errors[0, label]) <= most[1]

    def root_edges(self) -> dict[int, int]:
        """Return the number of trees that begin with each edge of the root."""
        return dict(zip(self.graph.edges(0), _whole_numbers(self.native.root_edges()), strict=True))

    def n_split_trees(self, watch: Watch) -> float:
        """Return the number of trees with at least two leaves, rounded to about twelve digits; nothing else is held."""
        total: float = _finished(self._count_shares(watch=watch, root_only=True)).total()
        return total

    def least_errors(self, others: Counts, watch: Watch) -> tuple[dict[int, int], dict[int, int]]:
        """Return by leaves the fewest errors of a tree with a split that is closed in `others`, and of one without."""
        rule = self._rule(watch)
        most = rule["max_errors"]
        stop, *found = self.graph.native.column_worth(**rule, **watch.native(), copies_without=others.copies)
        check_ended(stop)
        with_it, without = (
            {
                leaves: errors
                for leaves, errors in enumerate(least.tolist())
                if leaves < len(most) and errors <= most[leaves] and (leaves > 1 or not self._must_split)
            }
            for least in found
        )
        return with_it, without

    def reliance(self, others: Counts, watch: Watch) -> tuple[float, float] | None:
        """Return the least and the most by which the loss of a tree rises if columns are drawn anew.

        The columns are those whose splits are closed in `others`; None if there is no tree.
        """
        graph = self.graph
        _, n_kinds, ones = graph.rows
        weight, cost = graph.paid
        stop, found = graph.native.reliance(
            **self._rule(watch),
            **watch.native(),
            copies_of=self.copies - others.copies,
            ones=ones,
            n_rows=n_kinds,
            weight=weight,
            cost=cost,
            leaf_at_root=not self._must_split,
        )
        check_ended(stop)
        if found is None:
            return None
        scale = float(graph.unit / int(weight.sum()))
        least, most = found
        return least * scale + 0.0, most * scale + 0.0  # no negative zero

    def extremes(self, leaf_value: NDArray[np.int64], watch: Watch) -> Any:
        """Return the largest sums of leaf values, shape (n_nodes, n_classes), as the compiled core found them."""
        return _finished(
            self.graph.native.extremes(
                **self._rule(watch), leaf_value=leaf_value.reshape(-1), time_limit=watch.left()
            )
        )

    def _count_shares(self, *, watch: Watch, root_only: bool = False) -> Any:
        return self.graph.native.shares(**self._rule(watch), **watch.native(), root_only=root_only)

    def _count(self, *, time_limit: float = math.inf, report: Any = None, root_only: bool = False) -> Any:
        return self.graph.native.count(
            **self._rule(Watch()), time_limit=time_limit, report=report, root_only=root_only
        )

    def _rule(self, watch: Watch) -> dict[str, Any]:
        return {
            "max_errors": self.membership.max_errors(self.graph),
            "copies": self.copies,
            "any_label": self.graph.any_label,
            "redundant": self.graph.redundant,
            "memory_limit": max(1, self.graph.memory_limit // watch.share),
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


def _finished(native: Any) -> Any:
    check_ended(native.stop, too_many=getattr(native, "too_many", False))
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
