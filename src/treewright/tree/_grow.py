"""Classification and regression trees, made from splits in depth-first order and the labels or targets of rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.tree._column import Column
from treewright.tree._routing import children_of, rows_of_nodes
from treewright.tree._split import Split
from treewright.tree._tree import Tree

__all__ = ["grow", "grow_regression", "mean_of", "quantile_of"]


def grow(
    columns: Sequence[Column],
    classes: NDArray[Any],
    splits: Sequence[Split | None],
    X: NDArray[np.float64],
    y: NDArray[np.int32],
    sample_weight: NDArray[np.float64],
    costs: NDArray[np.float64],
) -> Tree:
    """Make a classification tree from splits in depth-first order, with counts and predictions from data.

    Parameters
    ----------
    columns : sequence of Column
    classes : ndarray of shape (n_classes,)
        Labels.
    splits : sequence of Split or None
        One entry per node, depth-first, left before right; None for a leaf.
    X : ndarray of shape (n_rows, n_columns)
        Encoded rows.
    y : ndarray of shape (n_rows,), int32
        Class index of each row.
    sample_weight : ndarray of shape (n_rows,)
    costs : ndarray of shape (n_classes, n_classes)
        ``costs[true, predicted]``; a leaf predicts the class of least cost, the one with the lowest index on ties.

    Returns
    -------
    Tree

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit, grow
    >>> table, y = table_from([[20], [30], [40]]), np.array([0, 0, 1], dtype=np.int32)
    >>> splits = [ThresholdSplit(0, 35.0), None, None]  # the root, its left leaf, its right leaf
    >>> tree = grow(table.columns, np.array(["no", "yes"]), splits, table.X, y, np.ones(3), 1.0 - np.eye(2))
    >>> tree.classes[tree.prediction].tolist(), tree.n_node_samples.tolist()
    (['no', 'no', 'yes'], [3, 2, 1])
    """
    left, right = children_of(splits)
    value = np.zeros((len(splits), len(classes)), dtype=np.float64)
    count = np.zeros(len(splits), dtype=np.int64)
    exact = _add_up_exactly(sample_weight)
    for node, rows in enumerate(rows_of_nodes(splits, X)):
        if splits[node] is None or not exact:
            value[node] = np.bincount(y[rows], weights=sample_weight[rows], minlength=len(classes))
        count[node] = len(rows)
    if exact:  # a node is the sum of its children: otherwise each level would be a pass over all rows
        for node in range(len(splits) - 1, -1, -1):
            if splits[node] is not None:
                value[node] = value[left[node]] + value[right[node]]
    prediction = np.argmin(value @ costs, axis=1).astype(np.int32)
    return Tree(tuple(columns), classes, tuple(splits), left, right, prediction, value, count)


def _add_up_exactly(weight: NDArray[np.float64]) -> bool:
    """Whether sums of the weights do not depend on their order: whole numbers whose sum is exact in float64."""
    return bool((weight == np.floor(weight)).all()) and float(weight.sum()) < 2.0**53


def grow_regression(
    columns: Sequence[Column],
    splits: Sequence[Split | None],
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    sample_weight: NDArray[np.float64],
    quantile: Fraction | None = None,
) -> Tree:
    """Make a regression tree from splits in depth-first order; each node holds the weighted mean of its rows.

    Parameters
    ----------
    columns : sequence of Column
    splits : sequence of Split or None
        One entry per node, depth-first, left before right; None for a leaf.
    X : ndarray of shape (n_rows, n_columns)
        Encoded rows.
    y : ndarray of shape (n_rows,) or (n_rows, n_outputs), float64
    sample_weight : ndarray of shape (n_rows,)
        Positive.
    quantile : Fraction or None, default=None
        If given, nodes hold this quantile of their rows instead of the mean.

    Returns
    -------
    Tree
        A tree with ``classes=None``.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit, grow_regression
    >>> table, y = table_from([[20], [30], [40]]), np.array([1.0, 2.0, 9.0])
    >>> tree = grow_regression(table.columns, [ThresholdSplit(0, 35.0), None, None], table.X, y, np.ones(3))
    >>> tree.predict(np.array([[25.0], [60.0]]))
    array([1.5, 9. ])
    """
    left, right = children_of(splits)
    outputs = y.reshape(len(y), -1)
    value = np.zeros((len(splits), outputs.shape[1]), dtype=np.float64)
    count = np.zeros(len(splits), dtype=np.int64)
    for node, rows in enumerate(rows_of_nodes(splits, X)):
        here, weight = outputs[rows], sample_weight[rows]
        value[node] = [
            mean_of(one, weight) if quantile is None else quantile_of(one, weight, quantile) for one in here.T
        ]
        count[node] = len(rows)
    prediction = np.zeros(len(splits), dtype=np.int32)
    return Tree(tuple(columns), None, tuple(splits), left, right, prediction, value, count)


def mean_of(y: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    """Return the weighted mean, without overflow for large targets, and exact for constant ones.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), float64
        At least one target.
    weight : ndarray of shape (n_rows,), float64
        Positive.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.tree import mean_of
    >>> mean_of(np.array([1.0, 4.0]), np.array([2.0, 1.0]))
    2.0
    """
    # Added up by numpy itself and not by np.dot: the threads of BLAS spend more processor time waiting for each other
    # than the sum takes, and the last digit of the sum would depend on their number.
    origin, share = float(y[0]), weight / weight.sum()
    with np.errstate(over="ignore", invalid="ignore"):
        mean_apart = float((share * (y - origin)).sum())
    if np.isfinite(mean_apart):
        return origin + mean_apart
    return 2 * (
        origin / 2 + float((share * (y / 2 - origin / 2)).sum())
    )  # the difference of two targets may be beyond float64


def quantile_of(y: NDArray[np.float64], weight: NDArray[np.float64], share: Fraction) -> float:
    """Return a weighted quantile: `share` of the weight or more is at or below it, the rest or more at or above it.

    If a whole interval of values satisfies this, its middle is returned, so the median of two numbers is their mean.
    Shares that differ by less than 1e-12 count as equal.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), float64
        At least one target.
    weight : ndarray of shape (n_rows,), float64
        Positive.
    share : Fraction
        Between 0 and 1.

    Returns
    -------
    float

    Examples
    --------
    >>> from fractions import Fraction
    >>> import numpy as np
    >>> from treewright.tree import quantile_of
    >>> quantile_of(np.array([5.0, 1.0, 2.0]), np.ones(3), Fraction(1, 2))
    2.0
    """
    if weight.min() == weight.max():  # rows need not be sorted, and no sum is rounded
        at, over = divmod(len(y) * share.numerator, share.denominator)
        ends = np.partition(y, [at - 1, at] if over == 0 else [at])
        return float(ends[at]) if over else float(ends[at - 1]) / 2 + float(ends[at]) / 2
    order = np.argsort(y)
    below = np.cumsum(weight[order])
    wanted = below[-1] * (share.numerator / share.denominator)
    near = 1e-12 * below[-1]
    at = int(np.searchsorted(below, wanted - near))
    value = float(y[order[at]])
    if below[at] <= wanted + near and at + 1 < len(y):  # any value up to the next target satisfies it too
        return value / 2 + float(y[order[at + 1]]) / 2
    return value
