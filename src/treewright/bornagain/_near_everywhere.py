"""A tree whose number is near that of a regression forest on every row there can be, with proof.

A box of rows, low < x <= high in every column, may be a leaf if the forest's numbers in it lie within twice the
tolerance of each other: the leaf says their middle. The box with the widest range is split next, at that question of a
tree of the forest, asked where the box stands in it, which leaves the least range beyond the tolerance; so a run that
ends early has a small proven distance, too. Afterwards sibling leaves become one where their ranges allow it.

The range of a box is the sum, tree by tree, of the least and the largest value of the leaves that the box reaches: no
row of it has a number outside. It need not be attained, but it is the number itself where every tree is decided, so any
tolerance is reached in the end. The model adds floating numbers in an order of its own; what that can move is added to
every distance: each of the n + 4 roundings of n numbers moves the sum by at most eps times the sum of their largest
magnitudes. (A single tree adds nothing.)

Fewest leaves are not promised, for the boxes of cells are too many to try. What is proven: a leaf is near numbers of a
range of twice the tolerance only, so the numbers of some rows, one in each leaf here, need as many leaves as it takes
such ranges to hold them all.
"""

from __future__ import annotations

import heapq
import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.convert import from_sklearn
from treewright.errors import InputError
from treewright.result import StopReason
from treewright.tree import Column, ColumnKind, ThresholdSplit, Tree, leaves_in_words

__all__ = ["NearEverywhere", "near_everywhere"]

SINGLE = ("DecisionTreeRegressor", "ExtraTreeRegressor")
KINDS = ("RandomForestRegressor", "ExtraTreesRegressor", "GradientBoostingRegressor", *SINGLE)
LARGEST = float(np.finfo(np.float32).max)  # scikit-learn refuses rows beyond
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class NearEverywhere:
    """A tree that is near a regression forest on every row, and what is proven of it.

    Parameters
    ----------
    tree : Tree
        Of numbers.
    tolerance : float
        What was asked for.
    distance : float
        No row without missing values has numbers of tree and forest that are further apart.
    needed_leaves : int
        Fewer leaves cannot be within the tolerance everywhere.
    rows : ndarray of shape (n_leaves, n_columns)
        One in each leaf; the forest's numbers of these prove `needed_leaves`.
    stop_reason : StopReason or None
        What ended the run before `distance` was within the tolerance; None if it is, or `max_leaves` are too few.
    seconds : float

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from treewright.bornagain import near_everywhere
    >>> model = DecisionTreeRegressor().fit([[0.0], [1.0], [2.0]], [1.0, 1.5, 9.0])
    >>> found = near_everywhere(model, tolerance=0.5)
    >>> found.tree.n_leaves, found.needed_leaves, found.tree.value[found.tree.is_leaf].ravel().tolist()
    (2, 2, [1.25, 9.0])
    """

    tree: Tree
    tolerance: float
    distance: float
    needed_leaves: int
    rows: Numbers
    stop_reason: StopReason | None
    seconds: float

    def sentence(self) -> str:
        """Return what is proven in one sentence."""
        tree, asked = self.tree, f"{self.tolerance:.4g}"
        said = (
            f"This tree of depth {tree.depth} and {leaves_in_words(tree)} says a number within "
            f"{_up(self.distance)} of the model's on every row without missing values: proven."
        )
        if self.distance > self.tolerance:
            why = "max_leaves is too small" if self.stop_reason is None else self.stop_reason.value
            said += f" It was asked to be within {asked} ({why})."
        return f"{said} A tree of fewer than {self.needed_leaves} leaves cannot be within {asked} everywhere."


def _up(number: float) -> str:
    """Return four digits of a number, not below it."""
    said = f"{number:.4g}"
    return said if float(said) >= number else f"{number * (1 + 1e-3):.4g}"


@dataclass(frozen=True, eq=False)
class _Forest:
    """Trees of numbers that are added up; `slack` is what rounding can move their sum."""

    split: list[tuple[list[int], list[float], list[int], list[int]]]
    least: list[list[float]]
    largest: list[list[float]]
    bias: float
    slack: float
    names: tuple[str, ...]

    def settle(self, nodes: list[int], low: Numbers, high: Numbers) -> list[int]:
        """Go down in every tree while the box lies on one side."""
        out = []
        for node, (column, threshold, left, right) in zip(nodes, self.split, strict=True):
            while (j := column[node]) >= 0:
                if high[j] <= threshold[node]:
                    node = left[node]
                elif low[j] >= threshold[node]:
                    node = right[node]
                else:
                    break
            out.append(node)
        return out

    def box(self, nodes: list[int], low: Numbers, high: Numbers) -> _Box:
        """Return the box with its range."""
        at = self.settle(nodes, low, high)
        least = self.bias + math.fsum(values[node] for values, node in zip(self.least, at, strict=True))
        largest = self.bias + math.fsum(values[node] for values, node in zip(self.largest, at, strict=True))
        return _Box(at, low, high, least, largest)

    def halves(self, box: _Box, column: int, threshold: float) -> tuple[_Box, _Box]:
        """Return the rows of a box that are at most the threshold, and the others."""
        high, low = box.high.copy(), box.low.copy()
        high[column] = low[column] = threshold
        return self.box(box.nodes, box.low, high), self.box(box.nodes, low, box.high)


@dataclass(eq=False)
class _Box:
    nodes: list[int]
    low: Numbers
    high: Numbers
    least: float
    largest: float
    split: tuple[int, float, _Box, _Box] | None = None

    @property
    def middle(self) -> float:
        return self.least + (self.largest - self.least) / 2

    @property
    def reach(self) -> float:
        """How far a number of the box can be from its middle."""
        return max(self.largest - self.middle, self.middle - self.least)


def near_everywhere(
    model: Any, *, tolerance: float, max_leaves: int = 1000, time_limit: float | None = 60.0
) -> NearEverywhere:
    """Find a small tree whose number is within a tolerance of a regression forest's on every row.

    Parameters
    ----------
    model : RandomForestRegressor, ExtraTreesRegressor, GradientBoostingRegressor, or a single tree of scikit-learn
        Fitted, with one output.
    tolerance : float
        In the units of the target, >= 0.
    max_leaves : int, default=1000
        Beyond so many the run ends with what it has; then `NearEverywhere.distance` is above the tolerance.
    time_limit : float or None, default=60.0
        Seconds, to the same effect; so is Ctrl-C.

    Returns
    -------
    NearEverywhere

    Raises
    ------
    InputError
        A parameter is out of range, or the model is of another kind or not fitted.

    Notes
    -----
    The distance holds for the floating numbers of ``model.predict``, whose roundings it includes. With a tolerance
    below these (0, of a forest) the run ends when every box has one number.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from treewright.bornagain import near_everywhere
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(5, max_depth=2, random_state=0).fit(X, y)
    >>> found = near_everywhere(forest, tolerance=30)
    >>> found.distance <= 30, abs(found.tree.predict(X) - forest.predict(X)).max() <= 30
    (True, np.True_)
    """
    if isinstance(tolerance, bool) or not 0 <= tolerance < np.inf:
        raise InputError(
            f"tolerance={tolerance!r}; give a finite number of at least 0, in the target's units."
        )
    if isinstance(max_leaves, bool) or not max_leaves >= 1:
        raise InputError(f"max_leaves={max_leaves!r}; give at least 1.")
    if time_limit is not None and not time_limit >= 0:
        raise InputError(f"time_limit={time_limit!r}; give at least 0 seconds, or None for no limit.")
    start = time.monotonic()
    forest = _read(model)
    width = len(forest.names)
    root = forest.box([0] * len(forest.split), np.full(width, -np.inf), np.full(width, np.inf))
    goal = max(tolerance - forest.slack, 0.0)
    stop = None
    try:
        stop = _refine(forest, root, goal, max_leaves, None if time_limit is None else start + time_limit)
    except KeyboardInterrupt:  # `split` is set in one step, so the tree is whole
        stop = StopReason.INTERRUPT
    leaves = _merge(root, goal)
    distance = max(leaf.reach for leaf in leaves) + forest.slack
    rows = np.array([_inside(leaf) for leaf in leaves])
    attained = np.sort(
        [forest.box(leaf.nodes, row, row).least for leaf, row in zip(leaves, rows, strict=True)]
    )
    return NearEverywhere(
        tree=_tree(root, forest.names),
        tolerance=float(tolerance),
        distance=distance,
        needed_leaves=_fewest(attained, 2 * (tolerance + forest.slack)),
        rows=rows,
        stop_reason=stop if distance > tolerance else None,
        seconds=time.monotonic() - start,
    )


def _refine(
    forest: _Forest, root: _Box, goal: float, max_leaves: int, end: float | None
) -> StopReason | None:
    """Split boxes, the widest first, until all are within the goal or a limit is reached."""
    widest = [(-root.reach, 0, root)]
    n_leaves = 1
    while -widest[0][0] > goal:
        if n_leaves >= max_leaves:
            return None
        if end is not None and time.monotonic() >= end:
            return StopReason.TIME_LIMIT
        box = widest[0][2]
        asked = {
            (column[node], threshold[node])
            for node, (column, threshold, _, _) in zip(box.nodes, forest.split, strict=True)
            if column[node] >= 0
        }
        beyond, best = math.inf, None
        for column, threshold in sorted(asked):
            halves = forest.halves(box, column, threshold)
            left = sum(max(half.reach - goal, 0.0) for half in halves)
            if left < beyond:
                beyond, best = left, (column, threshold, *halves)
        assert best is not None  # where every tree is decided the range is one number
        box.split = best
        heapq.heapreplace(widest, (-best[2].reach, 2 * n_leaves - 1, best[2]))
        heapq.heappush(widest, (-best[3].reach, 2 * n_leaves, best[3]))
        n_leaves += 1
    return None


def _merge(root: _Box, goal: float) -> list[_Box]:
    """Narrow each range to those of its halves, merge leaves where that allows it, and return the leaves."""
    for box in reversed(_depth_first(root)):
        if box.split is not None:
            halves = box.split[2:]
            box.least, box.largest = min(h.least for h in halves), max(h.largest for h in halves)
            if all(half.split is None for half in halves) and box.reach <= goal:
                box.split = None
    return [box for box in _depth_first(root) if box.split is None]


def _depth_first(root: _Box) -> list[_Box]:
    found, pending = [], [root]
    while pending:
        box = pending.pop()
        found.append(box)
        if box.split is not None:
            pending += [box.split[3], box.split[2]]
    return found


def _inside(box: _Box) -> Numbers:
    """Return a row of a box, of numbers that the model takes."""
    low = np.where(np.isfinite(box.low), box.low, 0.0)
    beyond = np.minimum(low + np.maximum(np.abs(low), 1.0), LARGEST)
    return np.where(np.isfinite(box.high), box.high, beyond)


def _fewest(numbers: Numbers, width: float) -> int:
    """Return how many ranges of a width hold all of these ascending numbers."""
    count, end = 0, -math.inf
    for number in numbers.tolist():
        if number > end:
            count, end = count + 1, number + width
    return count


def _tree(root: _Box, names: tuple[str, ...]) -> Tree:
    boxes = _depth_first(root)
    number = {id(box): k for k, box in enumerate(boxes)}
    left, right = (np.full(len(boxes), -1, dtype=np.int32) for _ in range(2))
    count = np.ones(len(boxes), dtype=np.int64)  # a tree without rows: one for each leaf
    for k in range(len(boxes) - 1, -1, -1):
        split = boxes[k].split
        if split is not None:
            left[k], right[k] = number[id(split[2])], number[id(split[3])]
            count[k] = count[left[k]] + count[right[k]]
    return Tree(
        columns=tuple(Column(name, ColumnKind.CONTINUOUS) for name in names),
        classes=None,
        splits=tuple(None if b.split is None else ThresholdSplit(b.split[0], b.split[1]) for b in boxes),
        children_left=left,
        children_right=right,
        prediction=np.zeros(len(boxes), dtype=np.int32),
        value=np.array([[box.middle] for box in boxes]),
        n_node_samples=count,
    )


def _read(model: Any) -> _Forest:
    """Read the trees of a model of scikit-learn, what they are multiplied by, and what is added to them."""
    kind = type(model).__name__
    if kind not in KINDS or not type(model).__module__.startswith("sklearn."):
        raise InputError(f"A {kind} is not read; give a fitted {', '.join(KINDS)} of scikit-learn.")
    members, scale, bias = [model], 1.0, 0.0
    if kind not in SINGLE:
        if "estimators_" not in vars(model):
            raise InputError(f"This {kind} is not fitted; call fit first.")
        members = list(np.ravel(model.estimators_))
        scale = 1.0 / len(members)
    if kind == "GradientBoostingRegressor":
        scale = float(model.learning_rate)
        start = getattr(model.init_, "constant_", None)
        if start is None and model.init_ != "zero":
            raise InputError(
                "The first numbers of this GradientBoostingRegressor come from a model; leave init out."
            )
        bias = 0.0 if start is None else float(np.ravel(start)[0])
    trees = [from_sklearn(member) for member in members]
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(trees[0].columns))])
    least = [scale * tree.value[:, 0] for tree in trees]
    largest = [values.copy() for values in least]
    for tree, low, high in zip(trees, least, largest, strict=True):
        for node in range(tree.node_count - 1, -1, -1):  # children come after their parent
            if not tree.is_leaf[node]:
                below = [tree.children_left[node], tree.children_right[node]]
                low[node], high[node] = low[below].min(), high[below].max()
    most = abs(bias) + sum(float(np.abs(values).max()) for values in (*least, *largest))
    split = [
        (
            [s.column if isinstance(s, ThresholdSplit) else -1 for s in tree.splits],
            [s.threshold if isinstance(s, ThresholdSplit) else 0.0 for s in tree.splits],
            tree.children_left.tolist(),
            tree.children_right.tolist(),
        )
        for tree in trees
    ]
    return _Forest(
        split=split,
        least=[values.tolist() for values in least],
        largest=[values.tolist() for values in largest],
        bias=bias,
        slack=0.0 if kind in SINGLE else (len(trees) + 4) * float(np.finfo(np.float64).eps) * most,
        names=tuple(map(str, names)),
    )
