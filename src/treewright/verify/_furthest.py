"""The largest distance between a regression tree and a regression ensemble over all rows without missing values.

For an ensemble within a domain these are the rows of the domain (`_domain_boxes`).

The computation is independent of the method. The distance in the box of each leaf, low < x <= high, is bounded from the
least and the largest value that each tree of the ensemble can add there. If the bound is above the largest distance
found so far, the box is cut in two at a node of the ensemble's tree with the widest range of values; if every tree has
only one reachable leaf in the box, the distance is known. Boxes of a batch are treated by the same array operations. As
for classes (`_faithful`), the time has no useful bound in general.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.convert import EnsembleTree, NumberEnsemble
from treewright.errors import InputError
from treewright.tree import ThresholdSplit, Tree
from treewright.verify._comparable import refuse_other_columns
from treewright.verify._domain_boxes import DomainBoxes, original

__all__ = ["Furthest", "furthest_apart"]

BATCH = 4096  # boxes treated at once
Numbers = NDArray[np.float64]
Trees = tuple[EnsembleTree, ...]


@dataclass(frozen=True)
class Furthest:
    """The largest distance between a tree and an ensemble, and a row that has it.

    Parameters
    ----------
    distance : float
        Distance on `row`, in units of the target; equal to the argument `beyond` if no row has a larger one.
    at_most : float
        Upper bound of the distance on all rows: equal to `distance` unless the search ended before, by `max_boxes`
        (then a larger number) or with the first row above `beyond` (then infinite).
    row : ndarray of shape (n_features,) or None
        None if no row has a distance above `beyond`.
    n_boxes : int
        Number of boxes that were examined.

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
    """Find the row without missing values for which the predictions of a tree and an ensemble differ most.

    Parameters
    ----------
    tree : Tree
        Regression tree with one output and with threshold splits over the columns of the ensemble.
    ensemble : NumberEnsemble
        Within a domain, only the rows of the domain count.
    beyond : float, default=0.0
        If above 0, the search ends with the first row whose distance is larger than this; otherwise it finds the
        largest distance of all rows. In units of the target.
    max_boxes : int or None, default=None
        Largest number of boxes to examine, after which the search gives up; None is no limit.

    Returns
    -------
    Furthest
        Computed in float64; the model's own predictions differ by at most ``ensemble.rounding``.

    Raises
    ------
    InputError
        If the tree has other columns than the ensemble, is not a regression tree with one output, or has splits that
        are not threshold splits.

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
    used = [own.feature[own.feature >= 0] for own in original(ensemble).trees]
    asked = [split.column for split in tree.splits if isinstance(split, ThresholdSplit)]
    columns = np.unique(np.concatenate([*used, np.array(asked, dtype=np.int64)])).astype(np.int64)
    place = np.zeros(ensemble.n_features, dtype=np.int64)
    place[columns] = np.arange(len(columns))
    rows = DomainBoxes(ensemble.domain, columns, ensemble.n_features)
    trees = rows.trees(ensemble)
    stack = [_leaf_boxes(tree, place, rows)]
    far, row, n_boxes = beyond, None, 0
    while stack:
        low, high, value = stack.pop()
        if len(low) > BATCH:
            stack.append((low[:-BATCH], high[:-BATCH], value[:-BATCH]))
            low, high, value = low[-BATCH:], high[-BATCH:], value[-BATCH:]
        n_boxes += len(low)
        low, high, value = rows.possible(low, high, value)
        if not len(low):
            continue
        least, largest, column, cut = _ranges(trees, ensemble.bias, place, low, high)
        with np.errstate(over="ignore"):  # a model file may hold numbers of any size
            reach = np.maximum(largest - value, value - least)
        settled = column < 0
        best = int(np.argmax(np.where(settled, reach, -np.inf)))
        if settled[best] and reach[best] > far:
            far, row = float(reach[best]), rows.row(low[best], high[best])
            if beyond > 0:
                return Furthest(far, np.inf, row, n_boxes)
        open_ = np.flatnonzero(~settled & (reach > far))
        if not len(open_):
            continue
        if max_boxes is not None and n_boxes >= max_boxes:
            left = [
                float(reach[open_].max()),
                *(_most(trees, ensemble.bias, place, *boxes) for boxes in stack),
            ]
            return Furthest(far, max(far, *left), row, n_boxes)
        open_ = open_[
            np.argsort(reach[open_], kind="stable")
        ]  # in ascending order: the last ones are examined next
        here, at = np.arange(len(open_)), column[open_]
        upper, lower = high[open_].copy(), low[open_].copy()
        upper[here, at] = lower[here, at] = cut[open_]
        halves = (np.stack(pair, axis=1) for pair in ((low[open_], lower), (upper, high[open_])))
        low, high = (ends.reshape(-1, ends.shape[2]) for ends in halves)
        stack.append((low, high, np.repeat(value[open_], 2)))
    return Furthest(far, far, row, n_boxes)


def _leaf_boxes(tree: Tree, place: NDArray[np.int64], rows: DomainBoxes) -> tuple[Numbers, Numbers, Numbers]:
    """Return the boxes of the leaves, without those that no row reaches, and each leaf's prediction."""
    boxes = []
    pending = [(0, *rows.outermost())]
    while pending:
        node, low, high = pending.pop()
        split = tree.splits[node]
        if not isinstance(split, ThresholdSplit):
            boxes.append((low, high, tree.value[node, 0]))
            continue
        j, threshold = place[split.column], rows.threshold(split.column, split.threshold)
        upper, lower = high.copy(), low.copy()
        upper[j], lower[j] = min(high[j], threshold), max(low[j], threshold)
        if low[j] < upper[j]:
            pending.append((int(tree.children_left[node]), low, upper))
        if lower[j] < high[j]:
            pending.append((int(tree.children_right[node]), lower, high))
    low, high, value = (np.array(part) for part in zip(*boxes, strict=True))
    width = len(rows.columns)
    return low.reshape(len(boxes), width), high.reshape(len(boxes), width), value


def _ranges(
    trees: Trees, bias: float, place: NDArray[np.int64], low: Numbers, high: Numbers
) -> tuple[Numbers, Numbers, NDArray[np.int64], Numbers]:
    """Return the range of the sums in each box, and where to cut it: column -1 if every tree has one reachable leaf."""
    n = len(low)
    least, largest = np.full(n, bias), np.full(n, bias)
    column, cut, widest = np.full(n, -1), np.zeros(n), np.full(n, -np.inf)
    for tree in trees:
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
    trees: Trees, bias: float, place: NDArray[np.int64], low: Numbers, high: Numbers, value: Numbers
) -> float:
    """Return an upper bound of the distance on any row of these boxes."""
    most = 0.0
    for begin in range(0, len(low), BATCH):
        part = slice(begin, begin + BATCH)
        least, largest, _, _ = _ranges(trees, bias, place, low[part], high[part])
        most = max(most, float(np.maximum(largest - value[part], value[part] - least).max()))
    return most
