"""Prove that a tree and an ensemble predict the same class for every row, or find a row on which they differ.

The proof is independent of the methods. It reads the thresholds of both models and proves, for the box of each leaf of
the tree, that the ensemble predicts the leaf's class on the whole box. A box is decided by interval bounds over the
trees of the ensemble or, once every tree has only one reachable leaf in the box, by the ensemble's own sums. A box that
is not decided is cut in two at a node of the ensemble's tree whose value is least certain. The problem is NP-hard
(Vidal and Schiffer 2020, Theorem 1), so the time has no useful bound in general; many thousand leaves take seconds.

Boxes are stored as intervals of cells between the thresholds of both models. All boxes of a batch are treated by the
same array operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.convert import Ensemble, EnsembleTree
from treewright.errors import InputError
from treewright.tree import ThresholdSplit, Tree
from treewright.verify._comparable import refuse_other_columns

__all__ = ["FaithfulnessReport", "check_faithful"]

BATCH = 4096  # boxes treated at once


@dataclass(frozen=True)
class FaithfulnessReport:
    """Result of comparing a tree with an ensemble.

    Parameters
    ----------
    faithful : bool
        Whether both predict the same class for every row of the scope.
    counter_example : ndarray of shape (n_features,) or None
        A row for which they differ, with NaN for a missing value; None if they are the same for every row.
    tree_label, ensemble_label : object
        Their predictions for that row; None without such a row.
    n_boxes : int
        Number of boxes that the proof examined.
    scope : str
        The rows for which the result holds, in words.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, solve
    >>> from treewright.verify import check_faithful
    >>> forest = RandomForestClassifier(3, max_depth=1, random_state=0).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> ensemble = Ensemble.from_model(forest)
    >>> print(check_faithful(solve(ensemble).tree, ensemble).sentence())
    Proven faithful: the tree and the ensemble decide alike on all rows without missing values (2 boxes).
    """

    faithful: bool
    counter_example: NDArray[np.float64] | None
    tree_label: Any
    ensemble_label: Any
    n_boxes: int
    scope: str

    def sentence(self) -> str:
        """Return the result as one sentence.

        Returns
        -------
        str
        """
        if self.faithful:
            where = f"{self.scope} ({self.n_boxes} boxes)"
            return f"Proven faithful: the tree and the ensemble decide alike on {where}."
        assert self.counter_example is not None  # a report that is not faithful has one
        return (
            f"Not faithful: on the row {self.counter_example.tolist()} the tree says {self.tree_label} and "
            f"the ensemble says {self.ensemble_label}."
        )


def check_faithful(tree: Tree, ensemble: Ensemble) -> FaithfulnessReport:
    """Prove that `tree` predicts the same class as `ensemble` for every row, or find a row on which they differ.

    Parameters
    ----------
    tree : Tree
        Classification tree with threshold splits over the columns of the ensemble.
    ensemble : Ensemble
        If it has a domain (`Ensemble.within`), only the rows of the domain are compared. The check uses the trees as
        they were before the domain was applied.

    Returns
    -------
    FaithfulnessReport

    Raises
    ------
    InputError
        If the tree has other columns than the ensemble, is not a classification tree, or has splits that are not
        threshold splits.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, solve
    >>> from treewright.verify import check_faithful
    >>> forest = RandomForestClassifier(3, max_depth=1, random_state=0).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> ensemble = Ensemble.from_model(forest)
    >>> check_faithful(solve(ensemble).tree, ensemble).faithful
    True
    """
    if not tree.predicts_classes:
        raise InputError(f"check_faithful compares classes; this is a {tree.kind.value} tree.")
    refuse_other_columns(tree, ensemble.n_features)
    space = _Space(tree, ensemble)
    n_boxes = 0
    lo, hi, label = space.leaf_boxes()
    stack = [(lo, hi, label)]
    while stack:
        lo, hi, label = stack.pop()
        if len(lo) > BATCH:
            stack.append((lo[BATCH:], hi[BATCH:], label[BATCH:]))
            lo, hi, label = lo[:BATCH], hi[:BATCH], label[:BATCH]
        n_boxes += len(lo)
        lo, hi, label = space.possible(lo, hi, label)
        if not len(lo):
            continue
        wrong, undecided, feature, cut = space.judge(lo, hi, label)
        if wrong is not None:
            row = space.point(lo[wrong], hi[wrong])
            return _counter_example(row, tree, ensemble, n_boxes)
        if len(undecided):
            parts = np.arange(len(undecided))
            low_hi, high_lo = hi[undecided].copy(), lo[undecided].copy()
            low_hi[parts, feature] = cut
            high_lo[parts, feature] = cut + 1
            stack.append(
                (
                    np.concatenate([lo[undecided], high_lo]),
                    np.concatenate([low_hi, hi[undecided]]),
                    np.tile(label[undecided], 2),
                )
            )
    return FaithfulnessReport(True, None, None, None, n_boxes, ensemble.scope)


def _counter_example(
    row: NDArray[np.float64], tree: Tree, ensemble: Ensemble, n_boxes: int
) -> FaithfulnessReport:
    by_tree = tree.predict(row[None, :])[0]
    by_ensemble = ensemble.predict(row[None, :])[0]
    if by_tree == by_ensemble:
        raise AssertionError("the counter-example is none: please report this as a bug of verify")
    return FaithfulnessReport(False, row, by_tree, by_ensemble, n_boxes, ensemble.scope)


class _Space:
    """Cells between the thresholds of both models; cell i of a column is (t[i-1], t[i]]."""

    def __init__(self, tree: Tree, ensemble: Ensemble) -> None:
        self.tree = tree
        self.domain = ensemble.domain
        if ensemble.whole is not None:  # before the domain, which is applied here by independent code
            ensemble = ensemble.whole
        self.ensemble = ensemble
        assert ensemble.missing is not None  # set in __post_init__
        self.missing = ensemble.missing
        self.thresholds: list[NDArray[np.float64]] = []
        for f, planes in enumerate(ensemble.thresholds):
            own = [s.threshold for s in tree.splits if isinstance(s, ThresholdSplit) and s.column == f]
            both = np.unique(np.concatenate([planes, np.asarray(own, dtype=np.float64)]))
            both = self._asked(both[np.isfinite(both)])
            if self.domain is not None:  # no cells without a row of the domain
                both = np.floor(both) if self.domain.integer[f] else both
                both = both[(both >= self.domain.low[f]) & (both < self.domain.high[f])]
            self.thresholds.append(np.unique(both))
        # The top cell of a column with a rule for missing values is "missing".
        self.known = np.array([len(t) for t in self.thresholds])  # last known cell
        self.last = self.known + self.missing
        kind = np.float32 if ensemble.single else np.float64
        size = sum(float(np.abs(t.value).max()) for t in ensemble.trees)
        size += float(np.abs(ensemble.bias).max()) + abs(ensemble.cut)
        # The rounding error of a sum of n terms is below n ulp of the sum of absolute values; links may add a few ulp
        # of 1.
        self.margin = 8.0 * (len(ensemble.trees) + 4) * float(np.finfo(kind).eps) * (size + 1.0)
        if ensemble.link == "softmax32":
            self.margin += 1e-6
        if ensemble.is_exact:  # nothing is rounded: a tie is exact, and the class of smaller index wins
            self.margin = 0.0

    def cell(self, feature: int, threshold: float) -> int:
        """Return the largest known cell that ``x <= threshold`` sends left; -1 if there is none."""
        threshold = float(self._asked(np.float64(threshold)))
        if self.domain is not None and threshold >= self.domain.high[feature]:
            threshold = np.inf  # all values of the domain
        elif self.domain is not None and self.domain.integer[feature]:
            threshold = np.floor(threshold)
        return (
            int(np.searchsorted(self.thresholds[feature], threshold, side="right"))
            - 1
            + int(np.isinf(threshold))
        )

    def _asked(self, threshold: Any) -> Any:
        """Return the largest number of a row that is not above a threshold, if all rows are of float32 numbers."""
        if self.ensemble.inputs != "float32":
            return threshold
        with np.errstate(over="ignore"):
            near = threshold.astype(np.float32)
            return np.where(near > threshold, np.nextafter(near, np.float32(-np.inf)), near).astype(
                np.float64
            )

    def leaf_boxes(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the boxes of the tree's leaves, with each leaf's class as an index of the ensemble's classes."""
        tree, ensemble = self.tree, self.ensemble
        assert tree.classes is not None  # checked at the border
        index = {label: k for k, label in enumerate(ensemble.classes.tolist())}
        own = tree.classes.tolist()
        lo, hi, labels = [], [], []
        start = np.zeros(ensemble.n_features, dtype=np.int64)
        stack = [(0, start, self.last.astype(np.int64))]
        while stack:
            node, low, high = stack.pop()
            split = tree.splits[node]
            if split is None:
                lo.append(low)
                hi.append(high)
                labels.append(index.get(own[tree.prediction[node]], -1))
                continue
            f, edge = split.column, self.cell(split.column, getattr(split, "threshold", np.inf))
            for side, child in ((True, tree.children_left[node]), (False, tree.children_right[node])):
                for a, b in self.parts(f, edge, split.missing_left, side, int(low[f]), int(high[f])):
                    part_low, part_high = low.copy(), high.copy()
                    part_low[f], part_high[f] = a, b
                    stack.append((int(child), part_low, part_high))
        return np.array(lo), np.array(hi), np.array(labels)

    def parts(
        self, f: int, edge: int, missing_left: bool, left: bool, a: int, b: int
    ) -> list[tuple[int, int]]:
        """Return the intervals of the cells a..b that go to one side: of known values, and the cell "missing" alone."""
        known = int(self.known[f])
        pieces = []
        low, high = (a, min(b, edge, known)) if left else (max(a, edge + 1), min(b, known))
        if low <= high:
            pieces.append((low, high))
        if self.missing[f] and b == self.last[f] and missing_left == left:
            pieces.append((int(self.last[f]), int(self.last[f])))
        return pieces

    def possible(
        self, lo: NDArray[np.int64], hi: NDArray[np.int64], label: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Drop boxes that contain no row of the domain, and shrink the others by the cells that contain none.

        At most one column of a group (one-hot columns) is in its upper cell. A box with two of them is impossible; one
        of them fixes the other columns. If exactly one column must be 1 and only one of them can be, it is.
        """
        if self.domain is None or not len(lo):
            return lo, hi, label
        lo, hi = lo.copy(), hi.copy()
        keep = np.ones(len(lo), dtype=np.bool_)
        for columns, others in self.groups():
            ones = lo[:, columns].sum(axis=1)
            keep &= ones <= 1
            settled = np.flatnonzero(ones == 1)
            hi[settled[:, None], columns] = lo[settled[:, None], columns]
            if others:
                continue
            open_ = hi[:, columns] > lo[:, columns]
            keep &= (ones > 0) | open_.any(axis=1)
            last = np.flatnonzero((ones == 0) & (open_.sum(axis=1) == 1))
            only = np.array(columns)[open_[last].argmax(axis=1)]
            lo[last, only] = 1
        return lo[keep], hi[keep], label[keep]

    def groups(self) -> Iterator[tuple[list[int], bool]]:
        """Yield for each group its columns with a split, and whether a row can have 0 in all of them."""
        assert self.domain is not None  # checked by the callers
        for group in self.domain.groups:
            able = [j for j in group if self.domain.high[j] >= 1]
            columns = [j for j in able if len(self.thresholds[j])]
            if columns:
                yield columns, group in self.domain.at_most_one or len(columns) < len(able)

    def judge(
        self, lo: NDArray[np.int64], hi: NDArray[np.int64], label: NDArray[np.int64]
    ) -> tuple[int | None, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return a box with another class (or None), the undecided boxes, and where to cut them."""
        ensemble, n = self.ensemble, len(lo)
        k = ensemble.n_classes
        rows = np.arange(n)
        low = np.zeros((n, k))  # lower bounds: how far each class is ahead of the class of the box's leaf
        high = np.zeros((n, k))
        widest = np.full(n, -1.0)
        feature = np.zeros(n, dtype=np.int64)
        cut = np.full(n, -1, dtype=np.int64)
        fixed = np.ones(n, dtype=np.bool_)
        kind = np.float32 if ensemble.single else np.float64
        scores = np.tile(ensemble.bias.astype(kind), (n, 1))
        one_score = ensemble.link == "positive"
        bias = np.array([0.0, ensemble.bias[0] - ensemble.cut]) if one_score else ensemble.bias
        target = np.maximum(label, 0)
        low += bias[None, :] - bias[target][:, None]
        high += bias[None, :] - bias[target][:, None]
        for tree in ensemble.trees:
            reach, open_node = self.reachable(tree, lo, hi)
            leaves = np.flatnonzero(tree.feature < 0)
            value = tree.value[leaves]
            if one_score:
                value = np.column_stack([np.zeros(len(leaves)), value[:, 0]])
            margin = value[None, :, :] - value[:, target].T[:, :, None]  # (n, leaves, k)
            here = reach[leaves].T[:, :, None]
            tree_low = np.where(here, margin, np.inf).min(axis=1)
            tree_high = np.where(here, margin, -np.inf).max(axis=1)
            low += tree_low
            high += tree_high
            unsure = open_node >= 0
            fixed &= ~unsure
            width = (tree_high - tree_low).max(axis=1)
            better = unsure & (width > widest)
            widest[better] = width[better]
            node = np.maximum(open_node, 0)
            feature[better] = tree.feature[node][better]
            edge = np.array(
                [self.cell(max(int(f), 0), t) for f, t in zip(tree.feature, tree.threshold, strict=True)]
            )
            cut[better] = edge[node][better]
            leaf = leaves[np.argmax(reach[leaves], axis=0)]
            scores += np.where(unsure[:, None], 0.0, tree.value[leaf]).astype(kind)
        # If every tree has one reachable leaf, the ensemble's own sums decide; otherwise bounds beyond the margin.
        own = ensemble.classify(scores.astype(np.float64))
        others = np.arange(k)[None, :] != target[:, None]
        wins_tie = (np.arange(k)[None, :] > target[:, None]) & ensemble.is_exact
        behind = (high < -self.margin) | (wins_tie & (high <= 0.0))
        right = np.all(~others | behind, axis=1) & (label >= 0)
        lost = np.any(others & (low > self.margin), axis=1) | (label < 0)
        right = np.where(fixed, own == label, right)
        lost = np.where(fixed, own != label, lost)
        if lost.any():
            return int(np.argmax(lost)), rows[:0], rows[:0], rows[:0]
        undecided = np.flatnonzero(~right)
        feature, cut = feature[undecided], cut[undecided]
        # If the threshold does not separate the known cells, the cell "missing" goes to the other side.
        known = self.known[feature]
        inside = (lo[undecided, feature] <= cut) & (cut < np.minimum(hi[undecided, feature], known))
        return None, undecided, feature, np.where(inside, cut, known)

    def reachable(
        self, tree: EnsembleTree, lo: NDArray[np.int64], hi: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return whether each box reaches each node, (n_nodes, n), and its first node with two ways (or -1)."""
        n = len(lo)
        reach = np.zeros((len(tree.feature), n), dtype=np.bool_)
        reach[0] = True
        open_node = np.full(n, -1, dtype=np.int64)
        for node in np.flatnonzero(tree.feature >= 0):
            f = int(tree.feature[node])
            edge = self.cell(f, float(tree.threshold[node]))
            a, b, known = lo[:, f], hi[:, f], int(self.known[f])
            lacks = (b == self.last[f]) & bool(self.missing[f])
            left = ((a <= np.minimum(edge, known)) & (a <= known)) | (lacks & tree.missing_left[node])
            right = (np.maximum(a, edge + 1) <= np.minimum(b, known)) | (lacks & ~tree.missing_left[node])
            reach[tree.left[node]] |= reach[node] & left
            reach[tree.right[node]] |= reach[node] & right
            first = reach[node] & left & right & (open_node < 0)
            open_node[first] = node
        return reach, open_node

    def point(self, cell: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a row of a cell: in each column its upper threshold, a number beyond the last threshold, or NaN.

        `high` is the upper end of the box, and all rows of the box have the same prediction. If no column of a group is
        1 in the given cell, although one must be, another cell of the box is used.
        """
        row = np.empty(len(cell))
        cell = cell.copy()
        for columns, others in () if self.domain is None else self.groups():
            if not others and not cell[columns].any():
                cell[next(j for j in columns if high[j] > 0)] = 1
        for f, z in enumerate(cell):
            planes = self.thresholds[f]
            if z > self.known[f]:
                row[f] = np.nan
            elif z < len(planes):
                row[f] = planes[z]
            else:
                row[f] = planes[-1] + max(1.0, abs(planes[-1])) if len(planes) else 0.0
                if self.domain is not None:
                    row[f] = self.domain.clip(f, row[f])
        domain = self.domain
        for group in () if domain is None else domain.one_hot:
            if domain is not None and not row[list(group)].any():  # set a column without a split to 1
                able = (j for j in group if domain.high[j] >= 1)
                row[next(j for j in able if not len(self.thresholds[j]))] = 1.0
        return row
