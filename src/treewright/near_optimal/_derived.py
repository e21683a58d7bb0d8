"""Graphs of the trees of a graph that use a column, or that begin like another tree.

Neither rule can be told at one edge, so nodes are divided by what is known above or below them. What comes out is a
graph of the same form, on which all passes work as on the first. Nodes that the root does not reach are left out, and
of trees that use a column also those that have none. How much memory that takes is known before it is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.near_optimal._graph import SetGraph
from treewright.near_optimal._watch import LittleMemory, Watch
from treewright.tree import Tree

__all__ = ["native_of", "trees_like", "trees_that_ask"]

Item = TypeVar("Item")
Whole = NDArray[np.int64]
Truth = NDArray[np.bool_]
EDGE_BYTES, NODE_BYTES, LABEL_BYTES, PIN_BYTES = (
    200,
    150,
    24,
    150,
)  # of a graph that is being made, at the most
AT_ONCE = 4096  # of what is looked at one by one, between two looks at the clock


@dataclass(frozen=True, eq=False)
class _Parts:
    """Nodes and edges of a graph, in any order; the root is node 0.

    Parameters
    ----------
    at : ndarray of shape (n_nodes,)
        Node of the old graph that has the same rows, depth and costs.
    leaf_rows : ndarray of shape (n_nodes,)
        0 where there may be no leaf.
    parent, old, left, right : ndarray of shape (n_edges,)
        ``old`` is the edge of the old graph that has the same splits.
    pin : ndarray of shape (n_edges,)
        The place in `groups` of the only splits that the edge stands for; -1 for all twins.
    groups : list of tuple of int
    """

    at: Whole
    leaf_rows: Whole
    parent: Whole
    old: Whole
    left: Whole
    right: Whole
    pin: Whole
    groups: list[tuple[int, ...]]


@dataclass
class _Groups:
    """Groups of splits, each once."""

    list: list[tuple[int, ...]] = field(default_factory=list)
    places: dict[tuple[int, ...], int] = field(default_factory=dict)

    def place(self, group: tuple[int, ...]) -> int:
        if group not in self.places:
            self.places[group] = len(self.list)
            self.list.append(group)
        return self.places[group]


def trees_that_ask(graph: SetGraph, wanted: Collection[int], watch: Watch) -> SetGraph:
    """Return the graph of the trees that use one of the splits `wanted` (numbers in ``split_matrix``) at least once.

    Each node becomes two: of its subtrees that use one, which no leaf does, and of those that use none. An edge of
    other splits leads to the first if either side does. The two sets of subtrees are disjoint, and so are the
    edges' pairs of sides: every tree is counted once.

    Raises
    ------
    TimeOver, LittleMemory
    """
    column, left, right = (np.asarray(graph.arrays[name]) for name in ("column", "left", "right"))
    parent, groups, chosen = _parents(graph), _Groups(), frozenset(wanted)

    def divided(group: tuple[int, ...]) -> list[int]:
        """The place of the splits of a group that are not wanted, and of those that are; -1 if there are none."""
        parts = [tuple(s for s in group if (s in chosen) is asks) for asks in (False, True)]
        return [groups.place(part) if part else -1 for part in parts]

    by_column = np.array([divided(group) for group in graph.twins], dtype=np.int64).reshape(-1, 2)
    pins = by_column[column]  # (n_edges, 2)
    for number, group in _looked_at(graph.pinned.items(), watch):
        pins[number] = divided(group)
    leaf_rows = np.repeat(np.asarray(graph.arrays["leaf_rows"]), 2)
    leaf_rows[::2] = 0  # no leaf asks anything
    alive = leaf_rows >= max(1, graph.problem.min_samples_leaf)
    ways = (  # whether the split is wanted, and whether node and sides are those of subtrees that use none
        (0, 1, 1, 1),
        *((0, 0, *sides) for sides in ((0, 1), (1, 0), (0, 0))),
        *((1, 0, *sides) for sides in ((1, 1), (1, 0), (0, 1), (0, 0))),
    )

    def among(edge: Whole, asks: int, a: int, b: int) -> Whole:
        kept: Whole = edge[(pins[edge, asks] >= 0) & alive[2 * left[edge] + a] & alive[2 * right[edge] + b]]
        return kept

    depth = np.asarray(graph.arrays["depth"])[parent]
    for level in np.unique(depth):
        watch.left()
        here = np.flatnonzero(depth == level)
        for asks, none, a, b in ways:
            alive[2 * parent[among(here, asks, a, b)] + none] = True
    every = np.arange(len(column))
    sizes = [len(among(every, asks, a, b)) for asks, _, a, b in ways]
    is_pinned = (pins >= 0).all(axis=1)
    is_pinned[list(graph.pinned)] = True
    n_pins = 8 * int(is_pinned.sum())
    _check_memory(graph, len(alive), sum(sizes), n_pins, watch)
    table = np.empty((5, sum(sizes)), dtype=np.int64)
    first = 0
    for size, (asks, none, a, b) in zip(sizes, ways, strict=True):
        watch.left()
        edge = among(every, asks, a, b)
        table[:, first : first + size] = (
            2 * parent[edge] + none,
            edge,
            2 * left[edge] + a,
            2 * right[edge] + b,
            np.where(is_pinned[edge], pins[edge, asks], -1),
        )
        first += size
    node, old, left, right, pin = table
    at = np.repeat(np.arange(graph.n_nodes), 2)
    return _made(graph, _Parts(at, leaf_rows, node, old, left, right, pin, groups.list), watch)


@dataclass(frozen=True)
class _Spot:
    """A node of the tree to be like, at a node of the graph."""

    of_tree: int
    of_graph: int


def trees_like(graph: SetGraph, tree: Tree, watch: Watch) -> SetGraph:
    """Return the graph of the trees that have the splits of `tree` at the same places; its leaves may be split.

    Raises
    ------
    TimeOver, LittleMemory
    """
    if tree.splits[0] is None:
        return graph
    numbers = {split: number for number, split in enumerate(graph.split_matrix.splits)}
    arrays, groups = graph.arrays, _Groups()
    spots = [_Spot(0, 0)]
    places = {spots[0]: 0}
    edges: list[tuple[int, ...]] = []  # columns of the table below
    pins = np.full(len(arrays["column"]), -1, dtype=np.int64)
    for edge, group in _looked_at(graph.pinned.items(), watch):
        pins[edge] = groups.place(group)
    below: list[tuple[int, int]] = []  # of each edge of a spot: spots are numbered from 0, nodes from -1 down
    for place, spot in _looked_at(_growing(spots), watch):
        split = numbers.get(tree.splits[spot.of_tree])  # type: ignore[arg-type]  # no spot is at a leaf
        if split is None:
            continue
        for edge in graph.edges(spot.of_graph):
            if split not in (graph.pinned.get(edge) or graph.twins[arrays["column"][edge]]):
                continue
            same = graph.same_side(int(arrays["source"][arrays["column"][edge]]), split)
            sides = []
            for side, name in ((0, "left"), (1, "right")):
                child_of = (tree.children_left, tree.children_right)[side if same else 1 - side]
                of_tree, child = int(child_of[spot.of_tree]), int(arrays[name][edge])
                if tree.splits[of_tree] is None:
                    sides.append(-1 - child)
                    continue
                own = _Spot(of_tree, child)
                if own not in places:
                    places[own] = len(spots)
                    spots.append(own)
                sides.append(places[own])
            edges.append((place, edge, groups.place((split,))))
            below.append((sides[0], sides[1]))
    n_spots = len(spots)
    _check_memory(graph, n_spots + graph.n_nodes, len(edges) + len(pins), int((pins >= 0).sum()), watch)
    node, old, pin = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    child_or_spot = np.array(below, dtype=np.int64).reshape(-1, 2).T
    own_left, own_right = np.where(child_or_spot < 0, n_spots - 1 - child_or_spot, child_or_spot)
    return _made(
        graph,
        _Parts(
            np.concatenate([[spot.of_graph for spot in spots], np.arange(graph.n_nodes)]),
            np.concatenate([np.zeros(n_spots, dtype=np.int64), arrays["leaf_rows"]]),  # a spot is split
            np.concatenate([node, n_spots + _parents(graph)]),
            np.concatenate([old, np.arange(len(pins))]),
            np.concatenate([own_left, n_spots + np.asarray(arrays["left"])]),
            np.concatenate([own_right, n_spots + np.asarray(arrays["right"])]),
            np.concatenate([pin, pins]),
            groups.list,
        ),
        watch,
    )


def native_of(arrays: Any) -> Any:
    """Return the compiled core's graph of arrays that have the form of ``SetGraph.arrays``."""
    kinds = {"depth": np.int32, "column": np.int32, "source": np.int32}
    names = (
        "depth", "budget", "first_edge", "last_edge", "leaf_cost", "leaf_rows", "column", "left", "right", "source",
    )  # fmt: skip
    given: dict[str, Any] = {
        name: np.ascontiguousarray(arrays[name], dtype=kinds.get(name, np.int64)) for name in names
    }
    given |= {name: int(arrays[name]) for name in ("leaf_penalty", "unit_shift", "min_count")}
    return core.NearOptimalSet.of_arrays(**given)


def _growing(items: list[Item]) -> Iterator[tuple[int, Item]]:
    """Yield the items of a list with their places, those that are appended meanwhile, too."""
    place = 0
    while place < len(items):
        yield place, items[place]
        place += 1


def _looked_at(items: Iterable[Item], watch: Watch) -> Iterator[Item]:
    """Yield items, with a look at the clock now and then."""
    for number, item in enumerate(items):
        if number % AT_ONCE == 0:
            watch.left()
        yield item


def _parents(graph: SetGraph) -> Whole:
    """Return the node of each edge."""
    first, last = (np.asarray(graph.arrays[name]) for name in ("first_edge", "last_edge"))
    return np.repeat(np.arange(graph.n_nodes), last - first)


def _check_memory(graph: SetGraph, n_nodes: int, n_edges: int, n_pins: int, watch: Watch) -> None:
    node = NODE_BYTES + LABEL_BYTES * graph.problem.n_classes
    needed = node * n_nodes + EDGE_BYTES * n_edges + PIN_BYTES * n_pins
    limit = graph.memory_limit // watch.share
    if needed > limit:
        raise LittleMemory(
            f"The smaller set takes up to {needed:,} bytes while it is made, and memory_limit leaves {limit:,}; raise "
            "memory_limit, or ask for fewer trees: a smaller epsilon, a larger cost_complexity."
        )


def _made(graph: SetGraph, parts: _Parts, watch: Watch) -> SetGraph:
    """Return the graph of what the root reaches: levels from the root down, the edges of a node together."""
    n_nodes = len(parts.at)
    order = np.argsort(parts.parent, kind="stable")
    first = np.searchsorted(parts.parent[order], np.arange(n_nodes + 1))
    reached = np.zeros(n_nodes, dtype=np.bool_)
    frontier = np.zeros(1, dtype=np.int64)
    while len(frontier):
        watch.left()
        reached[frontier] = True
        edge = order[_ranges(first[frontier], first[frontier + 1])]
        below = np.zeros(n_nodes, dtype=np.bool_)
        below[parts.left[edge]] = below[parts.right[edge]] = True
        frontier = np.flatnonzero(below & ~reached)
    nodes = np.flatnonzero(reached)
    depth = np.asarray(graph.arrays["depth"])[parts.at]
    nodes = nodes[np.argsort(-depth[nodes], kind="stable")]
    watch.left()
    edges = order[_ranges(first[nodes], first[nodes + 1])]
    new = np.full(n_nodes, -1, dtype=np.int64)
    new[nodes] = np.arange(len(nodes))
    last = np.cumsum(first[nodes + 1] - first[nodes])
    at = parts.at[nodes]
    arrays = {
        "depth": depth[nodes],
        "budget": np.asarray(graph.arrays["budget"])[at],
        "leaf_rows": parts.leaf_rows[nodes],
        "leaf_cost": graph.leaf_errors[at].reshape(-1),
        "first_edge": np.concatenate([[0], last[:-1]]),
        "last_edge": last,
        "column": np.asarray(graph.arrays["column"])[parts.old[edges]],
        "left": new[parts.left[edges]],
        "right": new[parts.right[edges]],
    }
    pin = parts.pin[edges]
    pinned = np.flatnonzero(pin >= 0)
    watch.left()
    native = native_of({**graph.arrays, **arrays})
    groups = {
        edge: parts.groups[place]
        for edge, place in _looked_at(zip(pinned.tolist(), pin[pinned].tolist(), strict=True), watch)
    }
    return replace(graph, native=native, arrays=native.arrays(), pinned=groups)


def _ranges(first: Whole, last: Whole) -> Whole:
    """Return the numbers from each `first` to before its `last`, one range behind the other."""
    size = last - first
    return np.repeat(first - (np.cumsum(size) - size), size) + np.arange(int(size.sum()))
