"""Exact counts of the trees of a set, by leaves and errors, at every node of its graph."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.near_optimal._graph import Membership, SetGraph
from treewright.near_optimal._watch import Watch, check_ended
from treewright.result import StopReason
from treewright.search import stop_reason

__all__ = ["COLUMNS_AT_ONCE", "Cell", "Counts"]

Cell = tuple[int, int]  # leaves, errors
COLUMNS_AT_ONCE = 16  # that the compiled core counts in one pass


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
    def _kinds(self) -> tuple[NDArray[np.uint32], list[tuple[int, ...]]]:
        """For each edge the place of the splits that it stands for here, shape (n_edges,); and these splits."""
        groups = [tuple(self._allowed(group, at_root=False)) for group in self.graph.twins]
        kind = np.array(self.graph.arrays["column"], dtype=np.uint32)
        own: dict[tuple[int, ...], int] = {}
        for edge in {*self.graph.pinned, *self.graph.edges(0)}:
            group = tuple(self.twins(edge, int(edge not in self.graph.edges(0))))
            if group not in own:
                own[group] = len(groups)
                groups.append(group)
            kind[edge] = own[group]
        return kind, groups

    @cached_property
    def copies(self) -> NDArray[np.uint32]:
        """How many open splits each edge stands for, shape (n_edges,)."""
        kind, groups = self._kinds
        return np.array([len(group) for group in groups], dtype=np.uint32)[kind] if len(kind) else kind

    @cached_property
    def on_columns(self) -> NDArray[np.uint32]:
        """How many open splits of each kind of edge are on each column of the table, shape (n_kinds, n_columns)."""
        splits = self.graph.split_matrix.splits
        out = np.zeros((len(self._kinds[1]), len(self.graph.problem.table.names)), dtype=np.uint32)
        for place, group in enumerate(self._kinds[1]):
            for split in group:
                out[place, splits[split].column] += 1
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

    def least_with(self, watch: Watch) -> list[dict[int, int]]:
        """Return for each column by leaves the fewest errors of a tree with a split on it."""
        if len(self.on_columns) == 0:
            return [{} for _ in self.graph.problem.table.names]
        stop, found = self.graph.native.least_with_columns(**self._by_column(watch))
        check_ended(stop)
        return [self._of_trees(least) for least in found.reshape(self.on_columns.shape[1], -1)]

    def without(self, first: int, last: int, watch: Watch) -> list[tuple[float, dict[int, int]]]:
        """Return of the trees without each column from `first` on how many have at least two leaves, and the best.

        The numbers are rounded to about twelve digits; the best are the fewest errors by leaves. At most
        `COLUMNS_AT_ONCE` columns.
        """
        stop, found = self.graph.native.trees_without_columns(
            **self._by_column(watch), first=first, last=last
        )
        check_ended(stop)
        return [(n_split_trees, self._of_trees(least)) for n_split_trees, least in found]

    def _of_trees(self, least: NDArray[np.int64]) -> dict[int, int]:
        """Return by leaves the fewest errors of trees of this set."""
        most = self.membership.max_errors(self.graph)
        return {
            leaves: errors
            for leaves, errors in enumerate(least.tolist())
            if leaves < len(most) and errors <= most[leaves] and (leaves > 1 or not self._must_split)
        }

    def _by_column(self, watch: Watch) -> dict[str, Any]:
        return {
            **self._rule(watch),
            **watch.native(),
            "kind": self._kinds[0],
            "on_columns": self.on_columns.reshape(-1),
            "n_columns": self.on_columns.shape[1],
        }

    def shared_reliance(self, watch: Watch) -> Any:
        """Return what the reliance on every column needs."""
        graph = self.graph
        _, n_kinds, ones = graph.rows
        weight, cost = graph.paid
        return _finished(
            graph.native.reliance(
                **self._rule(watch),
                **watch.native(),
                ones=ones,
                n_rows=n_kinds,
                weight=weight,
                cost=cost,
                leaf_at_root=not self._must_split,
            )
        )

    def reliance(self, shared: Any, column: int, watch: Watch) -> tuple[float, float] | None:
        """Return the least and the most by which the loss of a tree rises if a column is drawn anew.

        None if there is no tree. `shared` is what `shared_reliance` returned.
        """
        stop, found = shared.of(
            copies_of=np.ascontiguousarray(self.on_columns[:, column][self._kinds[0]]),
            memory_limit=self._memory_limit(watch),
            **watch.native(),
        )
        check_ended(stop)
        if found is None:
            return None
        scale = float(self.graph.unit / int(self.graph.paid[0].sum()))
        least, most = found
        return least * scale + 0.0, most * scale + 0.0  # no negative zero

    def extremes(self, leaf_value: NDArray[np.int64], budget: Fraction, watch: Watch) -> Any:
        """Return the largest sums of leaf values, shape (n_nodes, n_classes), as the compiled core found them.

        Of subtrees that are part of a tree whose cost, in errors, is at most `budget`.
        """
        cheap = replace(self.membership, budget=min(budget, self.membership.budget))
        rule = self._rule(watch) | {"max_errors": cheap.max_errors(self.graph)}
        return _finished(
            self.graph.native.extremes(**rule, leaf_value=leaf_value.reshape(-1), time_limit=watch.left())
        )

    def _count_shares(self, *, watch: Watch) -> Any:
        return self.graph.native.shares(**self._rule(watch), **watch.native())

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
            "memory_limit": self._memory_limit(watch),
        }

    def _memory_limit(self, watch: Watch) -> int:
        return max(1, self.graph.memory_limit // watch.share)

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
