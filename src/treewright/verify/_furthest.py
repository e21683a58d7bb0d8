"""How far a tree of numbers is from a regression ensemble on the row where it is furthest.

Independent of the method: the box of each leaf, low < x <= high, is bounded by the least and the largest value that
each tree of the ensemble can add there. Where that leaves more than the furthest row so far, the box is cut in two at
a node of the tree that leaves most open; where every tree has one leaf, the number is known. Boxes of a batch are
treated by the same array operations. As for classes (`_faithful`) the time has no useful bound in general.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.convert import EnsembleTree, NumberEnsemble
from treewright.errors import InputError
from treewright.tree import ThresholdSplit, Tree
from treewright.verify._comparable import refuse_other_columns

__all__ = ["Furthest", "furthest_apart"]

BATCH = 4096  # boxes treated at once
LARGEST = float(np.finfo(np.float32).max)  # models refuse rows beyond
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Furthest:
    """How far a tree and an ensemble are apart.

    Parameters
    ----------
    distance : float
        On `row`; what was given as `beyond` if no row is further.
    at_most : float
        No row is further: equal to `distance`, but where `max_boxes` ended the search.
    row : ndarray of shape (n_features,) or None
    n_boxes : int
        Boxes that were looked at.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from treewright.convert import NumberEnsemble, from_sklearn
    >>> from treewright.verify import furthest_apart
    >>> fine = DecisionTreeRegressor().fit([[0.0], [1.0], [2.0]], [1.0, 1.5, 9.0])
    >>> coarse = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0], [2.0]], [1.0, 1.5, 9.0])
    >>> furthest_apart(from_sklearn(coarse), NumberEnsemble.from_model(fine)).distance
    0.25
    """

    distance: float
    at_most: float
    row: Numbers | None
    n_boxes: int


def furthest_apart(
    tree: Tree, ensemble: NumberEnsemble, *, beyond: float = 0.0, max_boxes: int | None = None
) -> Furthest:
    """Find the row without missing values on which a tree is furthest from an ensemble.

    Parameters
    ----------
    tree : Tree
        Regression tree of one output with threshold splits over the columns of the ensemble.
    ensemble : NumberEnsemble
    beyond : float, default=0.0
        Ends with the first row that is further than this, if it is above 0; else with the furthest of all.
    max_boxes : int or None, default=None
        Gives up after so many boxes.

    Returns
    -------
    Furthest
        In float64 sums, which are within ``ensemble.rounding`` of the model's.

    Raises
    ------
    InputError
        If the tree has other columns than the ensemble, is of another kind, or has splits that are no thresholds.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from treewright.convert import NumberEnsemble, from_sklearn
    >>> from treewright.verify import furthest_apart
    >>> model = DecisionTreeRegressor().fit([[0.0], [1.0], [2.0]], [1.0, 1.5, 9.0])
    >>> furthest_apart(from_sklearn(model), NumberEnsemble.from_model(model)).distance
    0.0
    """
    if tree.classes is not None or tree.value.shape[1] != 1 or tree.lines is not None:
        raise InputError("The tree must say one number in each leaf; this one is of another kind.")
    refuse_other_columns(tree, ensemble.n_features)
    used = [own.feature[own.feature >= 0] for own in ensemble.trees]
    asked = [split.column for split in tree.splits if isinstance(split, ThresholdSplit)]
    columns = np.unique(np.concatenate([*used, np.array(asked, dtype=np.int64)])).astype(np.int64)
    place = np.zeros(ensemble.n_features, dtype=np.int64)
    place[columns] = np.arange(len(columns))
    stack = [_leaf_boxes(tree, place, len(columns))]
    far, row, n_boxes = beyond, None, 0
    while stack:
        low, high, value = stack.pop()
        if len(low) > BATCH:
            stack.append((low[:-BATCH], high[:-BATCH], value[:-BATCH]))
            low, high, value = low[-BATCH:], high[-BATCH:], value[-BATCH:]
        n_boxes += len(low)
        least, largest, column, cut = _ranges(ensemble, place, low, high)
        with np.errstate(over="ignore"):  # a file may say any number
            reach = np.maximum(largest - value, value - least)
        settled = column < 0
        best = int(np.argmax(np.where(settled, reach, -np.inf)))
        if settled[best] and reach[best] > far:
            far, row = float(reach[best]), _row(low[best], high[best], columns, ensemble.n_features)
            if beyond > 0:
                return Furthest(far, np.inf, row, n_boxes)
        open_ = np.flatnonzero(~settled & (reach > far))
        if not len(open_):
            continue
        if max_boxes is not None and n_boxes >= max_boxes:
            left = [float(reach[open_].max()), *(_most(ensemble, place, *boxes) for boxes in stack)]
            return Furthest(far, max(far, *left), row, n_boxes)
        open_ = open_[
            np.argsort(reach[open_], kind="stable")
        ]  # those that reach furthest come last, and are next
        here, at = np.arange(len(open_)), column[open_]
        upper, lower = high[open_].copy(), low[open_].copy()
        upper[here, at] = lower[here, at] = cut[open_]
        halves = (np.stack(pair, axis=1) for pair in ((low[open_], lower), (upper, high[open_])))
        low, high = (ends.reshape(-1, ends.shape[2]) for ends in halves)
        stack.append((low, high, np.repeat(value[open_], 2)))
    return Furthest(far, far, row, n_boxes)


def _leaf_boxes(tree: Tree, place: NDArray[np.int64], width: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return the boxes of the leaves, without those that no row reaches, and what each leaf says."""
    boxes = []
    pending = [(0, np.full(width, -np.inf), np.full(width, np.inf))]
    while pending:
        node, low, high = pending.pop()
        split = tree.splits[node]
        if not isinstance(split, ThresholdSplit):
            boxes.append((low, high, tree.value[node, 0]))
            continue
        j = place[split.column]
        upper, lower = high.copy(), low.copy()
        upper[j], lower[j] = min(high[j], split.threshold), max(low[j], split.threshold)
        if low[j] < upper[j]:
            pending.append((int(tree.children_left[node]), low, upper))
        if lower[j] < high[j]:
            pending.append((int(tree.children_right[node]), lower, high))
    low, high, value = (np.array(part) for part in zip(*boxes, strict=True))
    return low.reshape(len(boxes), width), high.reshape(len(boxes), width), value


def _ranges(
    ensemble: NumberEnsemble, place: NDArray[np.int64], low: Numbers, high: Numbers
) -> tuple[Numbers, Numbers, NDArray[np.int64], Numbers]:
    """Return the range of the sums in each box, and where to cut it: column -1 where every tree has one leaf."""
    n = len(low)
    least, largest = np.full(n, ensemble.bias), np.full(n, ensemble.bias)
    column, cut, widest = np.full(n, -1), np.zeros(n), np.full(n, -np.inf)
    for tree in ensemble.trees:
        tree_least, tree_largest, node = _of_tree(tree, place, low, high)
        least += tree_least
        largest += tree_largest
        wider = (node >= 0) & (tree_largest - tree_least > widest)
        widest[wider] = (tree_largest - tree_least)[wider]
        column[wider], cut[wider] = place[tree.feature[node[wider]]], tree.threshold[node[wider]]
    return least, largest, column, cut


def _of_tree(
    tree: EnsembleTree, place: NDArray[np.int64], low: Numbers, high: Numbers
) -> tuple[Numbers, Numbers, NDArray[np.int64]]:
    """Return the least and the largest value in each box, and the first node with rows on both sides (or -1)."""
    n = len(low)
    least, largest, parts = np.full(n, np.inf), np.full(n, -np.inf), np.full(n, -1)
    reached = {0: np.arange(n)}  # rows of `low`; children come after their parent
    for node in range(len(tree.feature)):
        here = reached.pop(node, None)
        if here is None:
            continue
        if tree.feature[node] < 0:
            value = tree.value[node, 0]
            least[here], largest[here] = np.minimum(least[here], value), np.maximum(largest[here], value)
            continue
        j = place[tree.feature[node]]
        left, right = low[here, j] < tree.threshold[node], high[here, j] > tree.threshold[node]
        both = here[left & right]
        parts[both] = np.where(parts[both] < 0, node, parts[both])
        for side, child in ((left, tree.left[node]), (right, tree.right[node])):
            if side.any():
                reached[int(child)] = here[side]
    return least, largest, parts


def _most(
    ensemble: NumberEnsemble, place: NDArray[np.int64], low: Numbers, high: Numbers, value: Numbers
) -> float:
    """Return how far a row of these boxes can be at most."""
    most = 0.0
    for begin in range(0, len(low), BATCH):
        part = slice(begin, begin + BATCH)
        least, largest, _, _ = _ranges(ensemble, place, low[part], high[part])
        most = max(most, float(np.maximum(largest - value[part], value[part] - least).max()))
    return most


def _row(low: Numbers, high: Numbers, columns: NDArray[np.int64], n_features: int) -> Numbers:
    """Return a row of a box, of numbers that models take."""
    start = np.where(np.isfinite(low), low, 0.0)
    beyond = np.minimum(start + np.maximum(np.abs(start), 1.0), LARGEST)
    row = np.zeros(n_features)
    row[columns] = np.where(np.isfinite(high), high, beyond)
    return row
