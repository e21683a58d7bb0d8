"""How the trees of a near-optimal set vote on rows, without listing them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.near_optimal._counts import Counts

__all__ = ["sums_of_leaves", "votes_of_rows", "votes_of_training_rows"]


def votes_of_training_rows(counts: Counts, n_trees: int) -> NDArray[np.float64]:
    """Return the share of trees for each training row and label, shape (n_rows, n_classes).

    A row gets a label in exactly the trees in which the node that holds it is a leaf of that label, and these
    sets of trees are disjoint; the counts of the nodes are exact, so that the shares are as precise as
    floating point.
    """
    graph = counts.graph
    share = np.array([count / n_trees for labels in counts.leaf_counts() for count in labels])
    kind, n_kinds, ones = graph.rows
    out = graph.native.sum_by_row(ones, n_kinds, share).reshape(n_kinds, -1)
    return np.asarray(np.minimum(out[kind], 1.0))


def votes_of_rows(counts: Counts, n_trees: int, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of trees for each of any rows and label, shape (n_rows, n_classes).

    Twins may judge a new row differently, and two paths that hold the same training rows may not both hold it. So the
    outside pass is done along the row's own edges, for each distinct row once: a child gets the trees of its parent as
    often as splits of the edge send the row there.
    """
    graph = counts.graph
    splits = graph.cuts.splits
    right = np.array([~split.goes_left(X) for split in splits], dtype=np.bool_).reshape(len(splits), len(X))
    distinct, which = np.unique(right, axis=1, return_inverse=True)
    column = graph.arrays["column"]
    out = np.zeros((distinct.shape[1], graph.problem.n_classes))
    # Of each distinct split and place in a pinned edge: the open splits, and whether each is a mirror image of it.
    members = [
        [(s, graph.same_side(int(source), s)) for s in counts.open_twins(place)]
        for place, source in enumerate(graph.arrays["source"])
    ]
    for row in range(distinct.shape[1]):
        goes = distinct[:, row]
        by_split = np.zeros((len(members), 2), dtype=np.uint32)
        for place, group in enumerate(members):
            for split, same in group:
                by_split[place, int(goes[split] == same)] += 1
        to_side = by_split[column] if len(column) else np.zeros((0, 2), np.uint32)
        for edge in (*graph.pinned, *graph.edges(0)):
            to_side[edge] = 0
            for split in counts.twins(edge, 0 if edge in graph.edges(0) else -1):
                same = graph.same_side(int(graph.arrays["source"][column[edge]]), split)
                to_side[edge, int(goes[split] == same)] += 1
        totals = np.array(counts.leaf_counts(to_side), dtype=object).sum(axis=0)
        out[row] = [int(count) / n_trees for count in totals]
    return np.asarray(out[which.reshape(-1)])


def sums_of_leaves(counts: Counts, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of values (n_rows, n_classes) over the training rows of each node, shape (n_nodes, n_classes)."""
    graph = counts.graph
    kind, n_kinds, ones = graph.rows
    by_kind = np.zeros((n_kinds, values.shape[1]), dtype=np.int64)
    np.add.at(by_kind, kind, values)
    return np.asarray(graph.native.sum_by_node(ones, n_kinds, by_kind.reshape(-1))).reshape(graph.n_nodes, -1)
