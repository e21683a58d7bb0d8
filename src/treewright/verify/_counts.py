"""The number of rows in each node: the first difference if the table is not the training table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright._plural import count_of
from treewright.tree import Tree
from treewright.verify._report import Check

__all__ = ["check_of_counts"]


def check_of_counts(tree: Tree, count: NDArray[np.int64]) -> Check:
    """Return the check that each node has as many rows as the tree states, with likely causes if it has not.

    Parameters
    ----------
    tree : Tree
    count : ndarray of shape (node_count,)
        Number of rows of the table that reach each node.
    """
    name, claimed = "rows in each node", f"{len(count)} counts"
    wrong = np.flatnonzero(tree.n_node_samples != count)
    if not len(wrong):
        return Check(name, True, claimed, "as claimed", "")
    node = int(wrong[0])
    found = f"node {node}: {tree.n_node_samples[node]}, the data give {count[node]}"
    if node == 0:
        hint = (
            f"The data have {count_of(int(count[0]), 'row')}, and the tree was made from "
            f"{count_of(int(tree.n_node_samples[0]), 'row')}: give the table that it was made from."
        )
    else:
        nodes = "1 node holds" if len(wrong) == 1 else f"{len(wrong)} nodes hold"
        hint = f"{nodes} other rows: a threshold, a count or the table was changed."
    return Check(name, False, claimed, found, hint)
