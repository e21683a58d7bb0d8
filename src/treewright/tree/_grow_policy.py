"""Policy trees, made from splits in depth-first order and the rewards of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.tree._column import Column
from treewright.tree._grow import mean_of
from treewright.tree._routing import children_of, rows_of_nodes
from treewright.tree._split import Split
from treewright.tree._tree import Tree, TreeKind

__all__ = ["grow_policy"]

CELLS_AT_ONCE = 1 << 20


def grow_policy(
    columns: Sequence[Column],
    actions: NDArray[Any],
    splits: Sequence[Split | None],
    X: NDArray[np.float64],
    rewards: NDArray[np.float64],
    sample_weight: NDArray[np.float64],
    regret: NDArray[np.float64],
) -> Tree:
    """Make a policy tree from splits in depth-first order; each node holds the mean reward of each action.

    Parameters
    ----------
    columns : sequence of Column
    actions : ndarray of shape (n_actions,)
        Labels.
    splits : sequence of Split or None
        One entry per node, depth-first, left before right; None for a leaf.
    X : ndarray of shape (n_rows, n_columns)
        Encoded rows.
    rewards : ndarray of shape (n_rows, n_actions), float64
    sample_weight : ndarray of shape (n_rows,)
        Positive.
    regret : ndarray of shape (n_rows, n_actions), float64
        Loss of each row under each action compared with its best one, with weights and costs of actions included. A
        node takes the action whose regret, summed over its rows, is least, and the first of these on ties.

    Returns
    -------
    Tree

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit, grow_policy
    >>> table, rewards = table_from([[20], [40]]), np.array([[1.0, 0.0], [0.0, 3.0]])
    >>> regret = rewards.max(axis=1, keepdims=True) - rewards
    >>> splits = [ThresholdSplit(0, 30.0), None, None]
    >>> tree = grow_policy(table.columns, np.array(["wait", "treat"]), splits, table.X, rewards, np.ones(2), regret)
    >>> tree.predict(np.array([[25.0], [60.0]])).tolist()
    ['wait', 'treat']
    """
    left, right = children_of(splits)
    value = np.zeros((len(splits), len(actions)), dtype=np.float64)
    count = np.zeros(len(splits), dtype=np.int64)
    prediction = np.zeros(len(splits), dtype=np.int32)
    for node, rows in enumerate(rows_of_nodes(splits, X)):
        chosen = slice(None) if len(rows) == len(X) else rows  # without a copy if these are all rows
        weight = sample_weight[chosen]
        value[node] = _means_of(rewards[chosen], weight)
        count[node] = len(rows)
        prediction[node] = regret[chosen].sum(axis=0).argmin()
    return Tree(
        tuple(columns), actions, tuple(splits), left, right, prediction, value, count, TreeKind.POLICY
    )


def _means_of(rewards: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `mean_of` for each column, bit for bit, several columns at once: there may be a thousand actions."""
    means = np.empty(rewards.shape[1])
    share = weight / weight.sum()
    at_once = max(1, CELLS_AT_ONCE // len(rewards))
    for begin in range(0, len(means), at_once):
        some = np.ascontiguousarray(
            rewards[:, begin : begin + at_once].T
        )  # contiguous, so that each action is added up in the same order as by itself
        with np.errstate(over="ignore", invalid="ignore"):
            mean = some[:, 0] + (share * (some - some[:, :1])).sum(axis=1)
        for far in np.flatnonzero(~np.isfinite(mean)):
            mean[far] = mean_of(some[far], weight)
        means[begin : begin + at_once] = mean
    return means
