"""How the trees of a near-optimal set vote on the training rows, without listing them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.near_optimal._graph import Counts

__all__ = ["vote_counts"]

ROWS_AT_ONCE = 4096


def vote_counts(counts: Counts, n_trees: int) -> NDArray[np.float64]:
    """Return the share of trees for each training row and label, shape (n_rows, n_classes).

    A row gets a label in exactly the trees in which the node that holds it is a leaf of that label, and these
    sets of trees are disjoint; the counts of the nodes are exact, so that the shares are as precise as
    floating point.
    """
    graph = counts.graph
    share = np.array([[count / n_trees for count in labels] for labels in counts.leaf_counts()])
    rows, which = np.unique(np.ascontiguousarray(graph.cuts.goes_right.T), axis=0, return_inverse=True)
    out = np.zeros((len(rows), graph.problem.n_classes))
    for start in range(0, len(rows), ROWS_AT_ONCE):
        part = rows[start : start + ROWS_AT_ONCE].astype(np.bool_)
        out[start : start + len(part)] = _of_rows(counts, part, share)
    return np.asarray(np.minimum(out[which.reshape(-1)], 1.0))


def _of_rows(counts: Counts, rows: NDArray[np.bool_], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum the shares of the nodes that hold each row: a child holds its parent's rows on one side, whatever
    the parent.
    """
    graph, arrays = counts.graph, counts.graph.arrays
    holds: list[NDArray[np.uint8] | None] = [None] * graph.n_nodes
    holds[0] = np.packbits(np.ones(len(rows), dtype=np.bool_))
    right = [np.packbits(rows[:, source]) for source in arrays["source"]]
    out = np.zeros((len(rows), share.shape[1]))
    for node in range(graph.n_nodes):
        here = holds[node]
        assert here is not None  # parents come first
        for edge in graph.edges(node):
            goes_right = right[arrays["column"][edge]]
            for child, side in (
                (arrays["left"][edge], here & ~goes_right),
                (arrays["right"][edge], here & goes_right),
            ):
                if holds[child] is None:
                    holds[child] = side
        if share[node].any():
            out[np.unpackbits(here, count=len(rows)).view(np.bool_)] += share[node]
        holds[node] = None
    return out
