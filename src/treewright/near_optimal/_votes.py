"""How the trees of a near-optimal set vote on rows, without listing them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.near_optimal._counts import Counts

__all__ = ["sums_of_leaves", "votes_of_rows", "votes_of_training_rows"]


def votes_of_training_rows(counts: Counts, n_trees: int) -> NDArray[np.float64]:
    """Return the share of trees for each training row and label, shape (n_rows, n_classes).

    A row gets a label in exactly the trees in which the node that holds it is a leaf of that label, and these
    sets of trees are disjoint. Only numbers that are not negative are added, so nothing cancels.
    """
    graph = counts.graph
    kind, n_kinds, ones = graph.rows
    trees = np.ldexp(counts.leaf_trees(), -n_trees.bit_length())  # sums over nodes stay within float64
    votes = graph.native.sum_by_row(ones, n_kinds, trees.reshape(-1)).reshape(n_kinds, -1)
    return np.asarray((votes / votes.sum(axis=1, keepdims=True))[kind])


def votes_of_rows(counts: Counts, n_trees: int, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of trees for each of any rows and label, shape (n_rows, n_classes).

    A row that all splits send as they send a training row gets the votes of that one. Any other may be judged
    differently by twins, and two paths that hold the same training rows may not both hold it. So its outside pass is
    done along its own edges: a child gets the trees of its parent as often as splits of the edge send the row there.
    """
    split_matrix = counts.graph.split_matrix
    right = np.array([~split.goes_left(X) for split in split_matrix.splits], dtype=np.bool_)
    known = {
        row.tobytes(): number
        for number, row in enumerate(np.packbits(split_matrix.goes_right, axis=0).T.copy())
    }
    rows = [
        row.tobytes() for row in np.packbits(right.reshape(len(split_matrix.splits), len(X)), axis=0).T.copy()
    ]
    out = np.zeros((len(rows), counts.graph.problem.n_classes))
    found = np.array([known.get(row, -1) for row in rows], dtype=np.int64)
    if (found >= 0).any():
        out[found >= 0] = votes_of_training_rows(counts, n_trees)[found[found >= 0]]
    ways = _Ways(counts)
    done: dict[bytes, NDArray[np.float64]] = {}
    for number in np.flatnonzero(found < 0):
        row = rows[number]
        if row not in done:
            votes = counts.leaf_trees(ways.to_side(right[:, number]))
            done[row] = votes / votes.sum()
        out[number] = done[row]
    return out


class _Ways:
    """How many open splits of each edge send a row to either side."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        graph = counts.graph
        self._column = graph.arrays["column"]
        # Of each distinct split and place in a pinned edge: the open splits, and whether each is a mirror image of it.
        self._members = [
            [(s, graph.same_side(int(source), s)) for s in counts.open_twins(place)]
            for place, source in enumerate(graph.arrays["source"])
        ]
        self._own = []  # of edges with splits of their own
        for edge in {*graph.pinned, *graph.edges(0)}:
            source = int(graph.arrays["source"][self._column[edge]])
            open_splits = counts.twins(edge, 0 if edge in graph.edges(0) else -1)
            self._own.append((edge, [(s, graph.same_side(source, s)) for s in open_splits]))

    def to_side(self, goes_right: NDArray[np.bool_]) -> NDArray[np.uint32]:
        """Return the number of splits of each edge that send a row to its first and second child."""
        by_split = np.zeros((len(self._members), 2), dtype=np.uint32)
        for place, group in enumerate(self._members):
            for split, same in group:
                by_split[place, int(goes_right[split] == same)] += 1
        out = by_split[self._column] if len(self._column) else np.zeros((0, 2), np.uint32)
        for edge, group in self._own:
            out[edge] = 0
            for split, same in group:
                out[edge, int(goes_right[split] == same)] += 1
        return out


def sums_of_leaves(counts: Counts, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of values (n_rows, n_classes) over the training rows of each node, shape (n_nodes, n_classes)."""
    graph = counts.graph
    kind, n_kinds, ones = graph.rows
    by_kind = np.zeros((n_kinds, values.shape[1]), dtype=np.int64)
    np.add.at(by_kind, kind, values)
    return np.asarray(graph.native.sum_by_node(ones, n_kinds, by_kind.reshape(-1))).reshape(graph.n_nodes, -1)
