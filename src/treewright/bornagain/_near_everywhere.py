"""A tree whose number is near that of a regression ensemble on every row there can be, with proof.

A box of rows may be a leaf if the ensemble's numbers in it lie within twice the tolerance of each other: the leaf says
their middle. The box with the widest range (`_number_boxes`) is split next, at that question of a tree of the ensemble,
asked where the box parts in it, which leaves the least range beyond the tolerance; so a run that ends early has a small
proven distance, too. Afterwards sibling leaves become one where their ranges allow it. Where every tree is decided the
range is one number, so any tolerance is reached in the end.

The model adds floating numbers in an order of its own. What that can move, here and there, is at most
`NumberEnsemble.rounding` (eps is the float64 one): the sums of a box are one addition for each tree, the bias, and two
roundings for the middle. Twice `rounding` is added to every distance, so that also who adds up anew, as the checker
does, finds no more. (A single tree adds nothing: its numbers are stored, and differences are rounded up.)

Fewest leaves are not promised, for the boxes of cells are too many to try. What is proven: of two rows whose numbers
are more than twice the tolerance apart, one leaf cannot be near both; so rows that are so far apart in pairs
(`rows_apart`, one in each leaf here is a candidate) need a leaf each.

Within a domain both are about its rows: boxes have only these (`_number_boxes`), and so have the candidates.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._numbers import is_real, is_whole
from treewright.bornagain._notes import domain_notes
from treewright.bornagain._number_boxes import Box, Forest
from treewright.convert import NumberEnsemble
from treewright.errors import InputError
from treewright.result import BornAgainResult, SolveStatus, StopReason, told_to_stop
from treewright.search import Limits, Progress, half_of_memory
from treewright.tree import Column, ColumnKind, ThresholdSplit, Tree, exactly

__all__ = ["near_everywhere"]

SECONDS_BETWEEN_CALLS = 0.05
BOX_BYTES, END_BYTES = 600, 150  # of a leaf, and of each column that it was cut in: measured
ROWS_AT_ONCE = 256
CUT_SHORT = "Interrupted before it was sought how many leaves any such tree needs: the bound on leaves is that of one."
MOST_ANSWERS = 1 << 20  # of trees about rows, for the proof that so many leaves are needed


def near_everywhere(
    model: Any,
    *,
    tolerance: float,
    max_leaves: int = 1000,
    X: ArrayLike | None = None,
    time_limit: float | None = 60.0,
    step_limit: int | None = None,
    memory_limit: int | None = None,
    progress: Callable[[Progress], Any] | None = None,
) -> BornAgainResult:
    """Find a small tree whose number is within a tolerance of a regression ensemble's on every row.

    Parameters
    ----------
    model : NumberEnsemble, or a fitted regressor that `NumberEnsemble.from_model` reads
        Forests and boosted trees of scikit-learn, XGBoost and LightGBM. A NumberEnsemble within a domain
        (`NumberEnsemble.within`) asks for a tree that is near on the rows of the domain.
    tolerance : float
        In the units of the target, >= 0.
    max_leaves : int, default=1000
        With this many leaves the run ends with the tree so far; ``result.loss`` is then above the tolerance.
    X : array-like of shape (n_rows, n_features), default=None
        Rows to count in the nodes of the tree (they do not change it); None counts one for each leaf.
    time_limit : float or None, default=60.0
        Seconds, with the same effect. The limits below, Ctrl-C and the callback have this effect, too.
    step_limit : int or None, default=None
        Number of splits that are tried at boxes.
    memory_limit : int or None, default=None
        Bytes; None is half of the machine's memory.
    progress : callable, optional
        Called about 20 times a second with a `treewright.search.Progress`, whose objective is the distance proven so
        far; if it returns True, the run ends.

    Returns
    -------
    BornAgainResult
        ``loss`` is the proven distance: on no row without missing values are tree and model further apart. Within a
        domain this and all that follows is about its rows; nothing is proven about the tree's answers for others.
        ``objective`` is the number of leaves; a tree with fewer than ``lower_bound`` leaves cannot be within the
        tolerance everywhere. The status is OPTIMAL if these two are equal and the distance is within the tolerance.

    Raises
    ------
    InputError
        A parameter is out of range, the model is of another kind or not fitted, or a row of `X` is outside the domain.

    Notes
    -----
    The distance holds for the floating-point numbers of ``model.predict``: it includes their rounding. With a tolerance
    below this rounding (such as 0 for a forest) the run ends when every box has one number. A split takes time
    proportional to the square of the number of trees.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from treewright.bornagain import near_everywhere
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(5, max_depth=2, random_state=0).fit(X, y)
    >>> found = near_everywhere(forest, tolerance=30)
    >>> found.loss <= 30, abs(found.tree.predict(X) - forest.predict(X)).max() <= 30
    (True, np.True_)

    Near the model where all columns are positive:

    >>> from treewright.bornagain import Domain, NumberEnsemble
    >>> ensemble = NumberEnsemble.from_model(forest)
    >>> domain = Domain.of(ensemble.feature_names, {name: (0, 1) for name in ensemble.feature_names})
    >>> positive = near_everywhere(ensemble.within(domain), tolerance=30)
    >>> positive.tree.n_leaves < found.tree.n_leaves, positive.scope
    (True, 'all rows of the domain without missing values')
    """
    limits = Limits(time_limit, step_limit, memory_limit).started()
    _check(tolerance, max_leaves)
    ensemble = NumberEnsemble.from_model(model)
    rows = None if X is None else ensemble.encode(X)
    search = _Search(ensemble, float(tolerance), limits, progress)
    try:
        search.run(int(max_leaves))
    except KeyboardInterrupt:  # a box gets its halves in one step, so the tree is whole
        search.stop = StopReason.INTERRUPT
    try:
        return search.result(int(max_leaves), rows)
    except KeyboardInterrupt:  # merging twice is merging once; what takes long is the proof
        search.is_cut_short = True
        return search.result(int(max_leaves), rows)


def _check(tolerance: float, max_leaves: int) -> None:
    if not (is_real(tolerance) and 0 <= tolerance < math.inf):
        raise InputError(
            f"tolerance={tolerance!r}; give a finite number of at least 0, in the target's units."
        )
    if not is_whole(max_leaves) or max_leaves < 1:
        raise InputError(f"max_leaves={max_leaves!r}; give an integer of at least 1.")


class _Search:
    """Boxes that are split, the widest first, until all are within the goal or a limit is reached."""

    def __init__(
        self,
        ensemble: NumberEnsemble,
        tolerance: float,
        limits: Limits,
        progress: Callable[[Progress], Any] | None,
    ) -> None:
        self.ensemble, self.tolerance, self.limits, self.progress = ensemble, tolerance, limits, progress
        self.start = self.called = time.perf_counter()
        self.slack = 2 * ensemble.rounding
        self.goal = max(tolerance - self.slack, 0.0)
        self.forest = Forest(ensemble)
        self.root = self.forest.all_rows()
        self.widest = [(-self.root.reach, 0, self.root)]
        self.memory = self.forest.bytes
        self.steps = 0
        self.stop: StopReason | None = None
        self.is_cut_short = False  # by Ctrl-C while the result was put together

    def run(self, max_leaves: int) -> None:
        while -self.widest[0][0] > self.goal and len(self.widest) < max_leaves:
            box = self.widest[0][2]
            best = self._best(box)
            if best is None:
                return
            box.split = best
            box.nodes = None
            n_leaves = len(self.widest)
            heapq.heapreplace(self.widest, (-best[2].reach, 2 * n_leaves - 1, best[2]))
            heapq.heappush(self.widest, (-best[3].reach, 2 * n_leaves, best[3]))
            n_ends = max(len(best[2].ends), len(best[3].ends))  # more on one side within groups
            self.memory += 8 * len(self.forest.roots) + BOX_BYTES + END_BYTES * n_ends

    def _best(self, box: Box) -> tuple[int, float, Box, Box] | None:
        """Return the split that leaves the least range beyond the goal; None if a limit ends the run."""
        beyond, best = math.inf, None
        for cut in self.forest.questions(box):
            if self._ended(len(cut.column)):
                return None
            left = np.maximum(cut.reach() - self.goal, 0.0).sum(axis=0)
            k = int(np.argmin(left))
            if left[k] < beyond:
                beyond, best = left[k], self.forest.halves(box, cut, k)
        assert best is not None  # where every tree is decided the range is one number, within any goal
        return best

    def _ended(self, steps: int) -> bool:
        now = time.perf_counter()
        most = half_of_memory() if self.limits.memory_limit is None else self.limits.memory_limit
        if self.limits.left() <= 0:
            self.stop = StopReason.TIME_LIMIT
        elif self.limits.step_limit is not None and self.steps + steps > self.limits.step_limit:
            self.stop = StopReason.STEP_LIMIT
        elif self.memory > most:
            self.stop = StopReason.MEMORY_LIMIT
        elif self.progress is not None and now - self.called >= SECONDS_BETWEEN_CALLS:
            self.called = now
            distance = -self.widest[0][0] + self.slack
            if self.progress(Progress(now - self.start, distance, 0.0, self.steps, self.memory)):
                self.stop = StopReason.CALLBACK
        if self.stop is None:
            self.steps += steps
        return self.stop is not None

    def result(self, max_leaves: int, X: NDArray[np.float64] | None) -> BornAgainResult:
        leaves = _merge(self.root, self.goal)
        distance = max(leaf.reach for leaf in leaves) + self.slack
        needed = self._rows_apart(leaves[:1] if self.is_cut_short else leaves)
        within = distance <= self.tolerance
        stop = None if within else self.stop
        proven = within and len(needed) == len(leaves)
        tree = _tree(self.root, self.ensemble.feature_names, X)
        return BornAgainResult(
            tree=tree,
            status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
            objective=float(len(leaves)),
            lower_bound=float(len(needed)),
            loss=distance,
            scope=self.ensemble.scope,
            stop_reason=stop,
            stats={
                "seconds": time.perf_counter() - self.start,
                "depth": tree.depth,
                "leaves": len(leaves),
                "depth_lower_bound": (len(needed) - 1).bit_length(),
                "leaves_lower_bound": len(needed),
                "ensemble_trees": len(self.ensemble.trees),
                "ensemble_leaves": self.ensemble.n_leaves,
                "rows_apart": needed,
                "steps": self.steps,
                **told_to_stop(StopReason.INTERRUPT if self.is_cut_short else self.stop),
            },
            options={
                "method": "born-again",
                "objective": "values-everywhere",
                "tolerance": self.tolerance,
                "max_leaves": max_leaves,
                **self._named_domain(),
            },
            notes=self._notes(within, distance) + ((CUT_SHORT,) if self.is_cut_short else ()),
        )

    def _rows_apart(self, leaves: list[Box]) -> list[list[list[float]]]:
        """Return rows whose numbers are too far apart for one leaf, in pairs; of each the columns that are not 0.

        The model's number of a row is within `rounding` of ours. Of very many leaves some are asked, from the smallest
        number to the largest.
        """
        most = min(len(leaves), max(64, MOST_ANSWERS // len(self.ensemble.trees)))
        ordered = sorted(leaves, key=lambda leaf: leaf.middle)
        asked = np.linspace(0, len(leaves) - 1, most).round().astype(np.int64)
        rows = [self.forest.row(ordered[i]) for i in asked]
        numbers = np.empty(len(rows))
        for begin in range(0, len(rows), ROWS_AT_ONCE):
            block = rows[begin : begin + ROWS_AT_ONCE]
            dense = np.zeros((len(block), self.ensemble.n_features))
            for i, row in enumerate(block):
                dense[i, list(row)] = list(row.values())
            numbers[begin : begin + ROWS_AT_ONCE] = self.ensemble.predict(dense)
        width = 2 * (self.tolerance + self.ensemble.rounding)
        chosen, end = [], -math.inf
        for i in np.argsort(numbers, kind="stable"):
            if numbers[i] > end:
                chosen.append([[column, value] for column, value in sorted(rows[i].items())])
                end = math.nextafter(numbers[i] + width, math.inf) if width else numbers[i]
        return chosen

    def _named_domain(self) -> dict[str, Any]:
        domain = self.ensemble.domain
        return {} if domain is None else {"domain": domain.named(self.ensemble.feature_names)}

    def _notes(self, within: bool, distance: float) -> tuple[str, ...]:
        n_trees = len(self.ensemble.trees)
        kind = "a single tree" if n_trees == 1 else f"a sum of {n_trees:,} trees"
        source = (
            f"The model is {kind}, read from {self.ensemble.source}; its rounding is part of the distance."
        )
        about = (source, *domain_notes(self.ensemble))
        if within:
            return about
        if distance <= self.slack:
            return (
                f"The rounding of the model's sums takes {exactly(self.slack)} of the distance, more than is asked. "
                "Raise tolerance.",
                *about,
            )
        return (
            f"The tree can be further from the model than {exactly(self.tolerance)} on some rows. Raise tolerance, "
            "max_leaves or time_limit, or train fewer or shallower trees.",
            *about,
        )


def _merge(root: Box, goal: float) -> list[Box]:
    """Narrow each range to those of its halves, merge leaves where that allows it, and return the leaves."""
    boxes = root.depth_first()
    for box in reversed(boxes):
        if box.split is not None:
            halves = box.split[2:]
            box.least, box.largest = min(h.least for h in halves), max(h.largest for h in halves)
            if all(half.split is None for half in halves) and box.reach <= goal:
                box.split = None
    return [box for box in root.depth_first() if box.split is None]


def _tree(root: Box, names: tuple[str, ...], X: NDArray[np.float64] | None) -> Tree:
    """Return the tree of the boxes; a node that is no leaf says the middle of the numbers below it."""
    boxes = root.depth_first()
    n = len(boxes)
    number = {id(box): k for k, box in enumerate(boxes)}
    left, right = (np.full(n, -1, dtype=np.int32) for _ in range(2))
    least = np.array([box.middle for box in boxes])
    largest = least.copy()
    for k in range(n - 1, -1, -1):
        split = boxes[k].split
        if split is not None:
            left[k], right[k] = number[id(split[2])], number[id(split[3])]
            below = [left[k], right[k]]
            least[k], largest[k] = least[below].min(), largest[below].max()
    tree = Tree(
        columns=tuple(Column(name, ColumnKind.CONTINUOUS) for name in names),
        classes=None,
        splits=tuple(None if b.split is None else ThresholdSplit(b.split[0], b.split[1]) for b in boxes),
        children_left=left,
        children_right=right,
        prediction=np.zeros(n, dtype=np.int32),
        value=(least + (largest - least) / 2)[:, None],
        n_node_samples=np.zeros(n, dtype=np.int64),
    )
    if X is None:
        return tree
    count = np.bincount(tree.apply(X), minlength=n).astype(np.int64)
    for k in np.flatnonzero(~tree.is_leaf)[::-1]:
        count[k] = count[left[k]] + count[right[k]]
    return replace(tree, n_node_samples=count)
