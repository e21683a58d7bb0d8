"""Survival trees, made from splits in depth-first order and the events and hazards of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.tree._column import Column
from treewright.tree._routing import children_of, rows_of_nodes
from treewright.tree._split import Split
from treewright.tree._tree import Tree, TreeKind

__all__ = ["grow_survival"]


def grow_survival(
    columns: Sequence[Column],
    splits: Sequence[Split | None],
    X: NDArray[np.float64],
    events: NDArray[np.float64],
    hazard: NDArray[np.float64],
) -> Tree:
    """Make a survival tree from splits in depth-first order; each node holds its hazard ratio.

    Parameters
    ----------
    columns : sequence of Column
    splits : sequence of Split or None
        One entry per node, depth-first, left before right; None for a leaf.
    X : ndarray of shape (n_rows, n_columns)
        Encoded rows.
    events : ndarray of shape (n_rows,), float64
        Weight of each row with an event; 0 for a censored row.
    hazard : ndarray of shape (n_rows,), float64
        Weight of each row times the cumulative hazard of the whole table at the row's time.

    Returns
    -------
    Tree
        `value` is the weight of a node's events divided by the node's hazard; 0 without events.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit, grow_survival
    >>> table, events, hazard = table_from([[20], [40]]), np.array([0.0, 1.0]), np.array([0.5, 0.5])
    >>> tree = grow_survival(table.columns, [ThresholdSplit(0, 30.0), None, None], table.X, events, hazard)
    >>> bool(tree.value[1, 0] < tree.value[2, 0])  # less risk on the left
    True
    """
    left, right = children_of(splits)
    value = np.zeros((len(splits), 1), dtype=np.float64)
    count = np.zeros(len(splits), dtype=np.int64)
    for node, rows in enumerate(rows_of_nodes(splits, X)):
        seen = float(events[rows].sum())
        value[node, 0] = seen / float(hazard[rows].sum()) if seen > 0 else 0.0
        count[node] = len(rows)
    prediction = np.zeros(len(splits), dtype=np.int32)
    return Tree(tuple(columns), None, tuple(splits), left, right, prediction, value, count, TreeKind.SURVIVAL)
