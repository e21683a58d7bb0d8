"""Graphs of the trees of a graph that use a column, or that begin like another tree.

Neither rule can be told at one edge, so nodes are divided by what is known above or below them. What comes out is a
graph of the same form, on which all passes work as on the first. Nodes that no tree reaches may be left in it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright._native import core
from treewright.near_optimal._graph import SetGraph
from treewright.tree import Tree

__all__ = ["native_of", "trees_like", "trees_that_ask"]


def trees_that_ask(graph: SetGraph, wanted: Collection[int]) -> SetGraph:
    """Return the graph of the trees that use one of the splits `wanted` (numbers in ``split_matrix``) at least once.

    Each node becomes two: of its subtrees that use one, which no leaf does, and of those that use none. An edge of
    other splits leads to the first if either side does. The two sets of subtrees are disjoint, and so are the
    edges' pairs of sides: every tree is counted once.
    """
    n, arrays = graph.n_nodes, graph.arrays
    column, left, right = (np.asarray(arrays[name]) for name in ("column", "left", "right"))
    parent = np.repeat(np.arange(n), np.asarray(arrays["last_edge"]) - np.asarray(arrays["first_edge"]))
    edge = np.arange(len(column))
    groups = _groups(graph)
    in_full = [set(group) & set(wanted) for group in graph.twins]
    some = np.array([bool(part) for part in in_full], dtype=np.bool_)[column]
    rest = np.array(
        [len(part) < len(group) for part, group in zip(in_full, graph.twins, strict=True)], dtype=np.bool_
    )[column]
    for number, group in graph.pinned.items():
        some[number], rest[number] = bool(set(group) & set(wanted)), bool(set(group) - set(wanted))
    parts = []  # of edges: parent, old edge, left child, right child, whether of wanted splits
    for mask, asks, use, a, b in (
        (rest, False, 1, 1, 1),
        *((rest, False, 0, *sides) for sides in ((0, 1), (1, 0), (0, 0))),
        *((some, True, 0, *sides) for sides in ((1, 1), (1, 0), (0, 1), (0, 0))),
    ):
        chosen = edge[mask]
        parts.append(
            np.stack(
                [
                    2 * parent[chosen] + use,
                    chosen,
                    2 * left[chosen] + a,
                    2 * right[chosen] + b,
                    np.full(len(chosen), asks),
                ]
            )
        )
    table = np.concatenate(parts, axis=1)
    table = table[:, np.argsort(table[0], kind="stable")]
    pinned = {}
    mixed = np.flatnonzero((some & rest)[table[1]]) if len(column) else ()
    old_pins = np.flatnonzero(np.isin(table[1], list(graph.pinned))) if graph.pinned else ()
    for new in {*map(int, mixed), *map(int, old_pins)}:
        group = groups(int(table[1, new]))
        asks = bool(table[4, new])
        pinned[new] = tuple(split for split in group if (split in wanted) is asks)
    doubled = {name: np.repeat(np.asarray(arrays[name]), 2) for name in ("depth", "budget", "leaf_rows")}
    doubled["leaf_rows"][::2] = 0  # no leaf asks anything
    first = np.searchsorted(table[0], np.arange(2 * n + 1))
    return _made(
        graph,
        {
            **doubled,
            "leaf_cost": np.repeat(graph.leaf_errors, 2, axis=0).reshape(-1),
            "first_edge": first[:-1],
            "last_edge": first[1:],
            "column": column[table[1]],
            "left": table[2],
            "right": table[3],
        },
        pinned,
    )


@dataclass(frozen=True)
class _Spot:
    """A node of the tree to be like, at a node of the graph."""

    of_tree: int
    of_graph: int


def trees_like(graph: SetGraph, tree: Tree) -> SetGraph:
    """Return the graph of the trees that have the splits of `tree` at the same places; its leaves may be split."""
    if tree.splits[0] is None:
        return graph
    numbers = {split: number for number, split in enumerate(graph.split_matrix.splits)}
    arrays, groups = graph.arrays, _groups(graph)
    spots: dict[_Spot, list[tuple[int, _Spot | int, _Spot | int]]] = {}
    pending = [_Spot(0, 0)]
    while pending:
        spot = pending.pop()
        if spot in spots:
            continue
        split = numbers.get(tree.splits[spot.of_tree])  # type: ignore[arg-type]  # no spot is at a leaf
        edges = spots[spot] = []
        for edge in graph.edges(spot.of_graph):
            if split is None or split not in groups(edge):
                continue
            below = {}
            same = graph.same_side(int(arrays["source"][arrays["column"][edge]]), split)
            for side, name in ((0, "left"), (1, "right")):
                of_tree = int(
                    (tree.children_left, tree.children_right)[side if same else 1 - side][spot.of_tree]
                )
                child = int(arrays[name][edge])
                below[name] = child if tree.splits[of_tree] is None else _Spot(of_tree, child)
            edges.append((edge, below["left"], below["right"]))
            pending += [child for child in below.values() if isinstance(child, _Spot)]
    nodes: list[_Spot | int] = [*spots, *range(graph.n_nodes)]
    at = [node.of_graph if isinstance(node, _Spot) else node for node in nodes]
    depth = np.asarray(arrays["depth"])[at]
    order = np.lexsort((np.arange(len(nodes)), -depth))  # levels, spots first: the root is the first of all
    place = {nodes[old]: new for new, old in enumerate(order)}
    made: dict[str, list[int]] = {name: [] for name in ("first_edge", "last_edge", "column", "left", "right")}
    pinned: dict[int, tuple[int, ...]] = {}
    leaf_rows = np.asarray(arrays["leaf_rows"])[at][order]
    for new, old in enumerate(order):
        node = nodes[old]
        made["first_edge"].append(len(made["column"]))
        if isinstance(node, _Spot):
            leaf_rows[new] = 0  # it is split
            edges = spots[node]
        else:
            edges = [
                (edge, int(arrays["left"][edge]), int(arrays["right"][edge])) for edge in graph.edges(node)
            ]
        for edge, left, right in edges:
            if isinstance(node, _Spot):
                pinned[len(made["column"])] = (numbers[tree.splits[node.of_tree]],)  # type: ignore[index]
            elif edge in graph.pinned:
                pinned[len(made["column"])] = graph.pinned[edge]
            made["column"].append(int(arrays["column"][edge]))
            made["left"].append(place[left])
            made["right"].append(place[right])
        made["last_edge"].append(len(made["column"]))
    return _made(
        graph,
        {
            "depth": depth[order],
            "budget": np.asarray(arrays["budget"])[at][order],
            "leaf_rows": leaf_rows,
            "leaf_cost": graph.leaf_errors[at][order].reshape(-1),
            **{name: np.array(values, dtype=np.int64) for name, values in made.items()},
        },
        pinned,
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


def _groups(graph: SetGraph) -> Any:
    """Return a function from an edge to the splits that it stands for."""
    column = graph.arrays["column"]

    def group(edge: int) -> tuple[int, ...]:
        return graph.pinned.get(edge) or graph.twins[column[edge]]

    return group


def _made(graph: SetGraph, arrays: dict[str, Any], pinned: dict[int, tuple[int, ...]]) -> SetGraph:
    native = native_of({**graph.arrays, **arrays})
    return replace(graph, native=native, arrays=native.arrays(), pinned=pinned)
