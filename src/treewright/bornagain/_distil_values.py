"""A small tree that says nearly the numbers that a regression model says, with proof.

The model's numbers u label the rows. A leaf that predicts v is near the rows whose range, from u - e to u + e for the
tolerance e, holds v; and v may be moved down until it is where such a range begins, without losing a row. So the
points at which some range begins, and from which a range is lost on the way to the next such point, are all that a
leaf need choose from: the classes of a tree whose costs are 1 for the rows outside and 0 for those near
(`treewright.search.solve_row_costs`). Asked for each number of leaves in turn, that exact search says how many
rows must lie outside; the first number of leaves with few enough is the answer. k leaves hold at most the rows of the
best k points on the line: where these are too few, whatever the splits, k needs no search.

What is near is asked in one way, here and of new rows: whether v is between two float64 numbers, the ends of the range
(`ranges_around`). They are a little wider than e, for 0.35 is within 0.05 of 0.3 and of 0.4, whatever float64 makes of
these.

The points are as many as the rows at most, so time and memory grow with the square of the rows.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treewright._arguments import check_arguments, refuse_lossy
from treewright._numbers import is_real, is_whole
from treewright.bornagain._agreement import Agreement
from treewright.bornagain._value_ranges import (
    Numbers,
    are_near,
    outside_on_the_line,
    points_to_choose_from,
    ranges_around,
)
from treewright.errors import InputError
from treewright.problem import RowCostsProblem
from treewright.result import BornAgainResult, RowCostsResult, SolveStatus, StopReason, told_to_stop
from treewright.search import Limits, solve_row_costs
from treewright.table import Table, encode_like, table_from
from treewright.tree import Tree, exactly, wilson_interval

__all__ = ["distil_values", "value_agreement"]

MOST_COSTS = 2**25  # rows times windows
COST_BYTES = 70  # of each, measured: the table of costs, its integers, and the search's copies
LEAST_MEMORY = 2**26  # bytes that are always granted


def distil_values(
    predicted: ArrayLike,
    X: Any,
    *,
    tolerance: float,
    share: float = 0.0,
    max_depth: int = 4,
    max_leaves: int = 16,
    time_limit: float | None = 60.0,
    step_limit: int | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = 1,
    progress: Callable[[Any], bool | None] | None = None,
) -> BornAgainResult:
    """Find the tree with the fewest leaves that is near a regression model on given rows, or on nearly all of them.

    Parameters
    ----------
    predicted : array-like of shape (n_rows,)
        The predictions of any model for the rows, in the units of its target.
    X : array-like or frame of shape (n_rows, n_columns), or Table
    tolerance : float
        How far the tree's number may be from the model's, >= 0, in the same units.
    share : float, default=0.0
        Share of the rows, 0 to 1, on which it may be further.
    max_depth : int, default=4
        Largest number of splits on a path.
    max_leaves : int, default=16
        Largest number of leaves.
    time_limit : float or None, default=60.0
        Seconds.
    step_limit, memory_limit : int or None, default=None
        Steps and bytes of the searches together.
    n_jobs : int or None, default=1
        Threads of a search: -1 is all cores, None is 1 unless ``joblib.parallel_config`` says otherwise. The proof does
        not depend on it.
    progress : callable, optional
        Called about 20 times a second with a `treewright.search.Progress` (its objective is a share of rows); if it
        returns True, the run ends.

    Returns
    -------
    BornAgainResult
        ``tree`` is a regression tree over all thresholds between the rows' values (and single categories of text),
        ``objective`` and ``lower_bound`` are numbers of leaves, ``loss`` is the share of the rows that are further from
        the model than the tolerance. The status is OPTIMAL if no tree with fewer leaves within `max_depth` meets
        `share`, and none with as many leaves is near on more rows. If no tree that was found meets it, a note says so.

    Raises
    ------
    InputError
        A parameter is out of range, or there are too many rows with different numbers.

    Notes
    -----
    Distances are compared in float64, with a slack of 1e-9 of the tolerance and 1e-15 of the number. Nearness on these
    rows does not bound nearness on new ones: count it on other rows with `value_agreement`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from treewright.bornagain import distil_values
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(10, max_depth=3, random_state=0).fit(X, y)
    >>> result = distil_values(forest.predict(X[:100]), X[:100], tolerance=40, share=0.05, max_depth=2)
    >>> bool(np.mean(abs(result.tree.predict(X[:100]) - forest.predict(X[:100])) <= 40) >= 0.95)
    True
    """
    check_arguments(distil_values, locals(), "progress")
    start = time.monotonic()
    limits = Limits(time_limit, step_limit, memory_limit, n_jobs=n_jobs).started()
    table = X if isinstance(X, Table) else table_from(X)
    numbers = _numbers(predicted, table.n_rows)
    _check(tolerance, share, max_depth, max_leaves)
    points = points_to_choose_from(*ranges_around(numbers, float(tolerance)))
    granted = COST_BYTES * MOST_COSTS
    if memory_limit is not None:
        granted = min(granted, max(memory_limit, LEAST_MEMORY))
    need = COST_BYTES * len(points) * len(numbers)
    if need > granted:
        raise InputError(
            f"{len(numbers):,} rows with {len(points):,} windows of numbers take too much memory, about "
            f"{need / 2**20:,.0f} MiB of {granted / 2**20:,.0f} that are allowed; give fewer rows (a sample), a larger "
            "tolerance, or rounded numbers."
        )
    search = _Search(table, numbers, points, float(tolerance), max_depth, progress)
    allowed = math.floor(share * len(numbers) + 1e-9)
    search.run(allowed, min(int(max_leaves), table.n_rows), limits)  # more leaves than rows serve nobody
    return _result(search, allowed, max_leaves, share, time.monotonic() - start)


def value_agreement(
    tree: Tree, predicted: ArrayLike, X: Any, *, tolerance: float, confidence: float = 0.95
) -> Agreement:
    """Count the rows on which a tree is within a tolerance of a model's numbers.

    Parameters
    ----------
    tree : Tree
    predicted : array-like of shape (n_rows,)
        What the model predicts.
    X : array-like or frame of shape (n_rows, n_columns), or Table over the tree's columns
        For a statement about new rows, give rows that neither the model nor the tree was made from.
    tolerance : float
    confidence : float, default=0.95
        Two-sided level of the Wilson interval, strictly between 0 and 1.

    Returns
    -------
    Agreement

    Examples
    --------
    >>> from treewright import OptimalTreeRegressor
    >>> from treewright.bornagain import value_agreement
    >>> X, numbers = [[20], [30], [40]], [1.0, 1.1, 5.0]
    >>> tree = OptimalTreeRegressor(max_depth=1).fit(X, numbers).tree_
    >>> value_agreement(tree, numbers, X, tolerance=0.1).n_alike
    3
    """
    check_arguments(value_agreement, locals(), "tree")
    rows = X.X if isinstance(X, Table) else encode_like(X, tree.columns, expected_by="value_agreement")
    numbers = _numbers(predicted, len(rows))
    _check(tolerance, 0.0, 0, 1)
    near = int(are_near(tree.predict(rows), numbers, float(tolerance)).sum())
    return Agreement(
        len(rows), near, wilson_interval(near, len(rows), confidence)[0], confidence, float(tolerance)
    )


class _Search:
    """The searches for one number of leaves after another, and what they found."""

    def __init__(
        self,
        table: Table,
        numbers: Numbers,
        points: Numbers,
        tolerance: float,
        max_depth: int,
        progress: Callable[[Any], bool | None] | None,
    ) -> None:
        self.numbers, self.points, self.tolerance = numbers, points, tolerance
        self.low, self.high = ranges_around(numbers, tolerance)
        self.progress = progress
        outside = ~((self.low[:, None] <= points) & (points <= self.high[:, None]))
        self.problem = RowCostsProblem(
            table=table,
            y=np.zeros(len(numbers), dtype=np.int32),
            classes=np.arange(len(points)),
            row_costs=outside.astype(np.float64),
            sample_weight=np.ones(len(numbers)),
            cost_complexity=0.0,
            max_depth=max_depth,
        )
        self.steps = 0
        self.least: list[int] = []  # [leaves - 1] rows that must lie outside
        self.tree: Tree | None = None
        self.outside = len(numbers)
        self.proven = False
        self.stop: StopReason | None = None
        self.splits = ""  # those that were searched, in words
        self.told: StopReason | None = None  # to stop, by Ctrl-C or the callback, after a proof or before

    def run(self, allowed: int, max_leaves: int, limits: Limits) -> None:
        """Search until the answer is there, or the limits are: first among all sizes, then from the smallest on."""
        largest = self._solve(max_leaves, _half(limits))
        last = self._least(largest)
        self._keep(largest)
        goal = max(allowed, last)  # no tree at all leaves fewer than `last` outside
        line = outside_on_the_line(self.numbers, self.low, self.high, max_leaves)
        for n_leaves in range(1, max_leaves + 1):
            bound = max(int(line[n_leaves - 1]), last)
            if bound > goal:
                self.least.append(bound)
                continue
            left = limits.after(self.steps)
            if self.told is not None or left is None or left.left() <= 0:
                self.least.append(bound)
                ran_out = StopReason.STEP_LIMIT if left is None else StopReason.TIME_LIMIT
                self.stop = self.stop or ran_out
                return
            one = self._solve(n_leaves, left)
            self.least.append(max(self._least(one), bound))
            outside = self._outside(one.tree)
            if outside <= goal:
                self._keep(one)
                exact = self.least[-1] == outside and one.tree.n_leaves == n_leaves
                self.proven = exact and all(rows > goal for rows in self.least[:-1])
                break
            if outside < self.outside:
                self._keep(one)
        if self.proven:
            self.stop = None

    def _solve(self, n_leaves: int, limits: Limits) -> RowCostsResult:
        problem = replace(self.problem, max_leaf_nodes=n_leaves)
        result = solve_row_costs(problem, limits=limits, progress=self.progress)
        self.splits = result.scope
        self.steps += int(result.stats.get("steps", 0))
        self.stop = result.asked_to_stop or result.stop_reason or self.stop
        self.told = self.told or result.asked_to_stop
        return result

    def _least(self, result: RowCostsResult) -> int:
        """Whole rows: a bound of 3.2 means that at least 4 lie outside; the slack covers the division."""
        return max(0, math.ceil(result.lower_bound * len(self.numbers) - 1e-6))

    def _outside(self, tree: Tree) -> int:
        point = self.points[tree.prediction[tree.apply(self.problem.table.X)]]
        return int((~((self.low <= point) & (point <= self.high))).sum())

    def _keep(self, result: RowCostsResult) -> None:
        self.tree, self.outside = result.tree, self._outside(result.tree)

    def values(self) -> Tree:
        """Return the tree kept, as a regression tree: a leaf predicts the middle of the numbers that it is near.

        All their ranges hold the point of the leaf, so the number nearest to the middle that all hold is there.
        """
        tree = self.tree
        assert tree is not None
        at = tree.apply(self.problem.table.X)
        value = np.full(tree.node_count, float(np.mean(self.numbers)))
        for node in np.flatnonzero(tree.is_leaf):
            here = at == node
            point = self.points[tree.prediction[node]]
            near = here & (self.low <= point) & (point <= self.high)
            if near.any():
                within = self.numbers[near]
                middle = within.min() + (within.max() - within.min()) / 2  # finite: the sum may not be
                value[node] = min(max(middle, self.low[near].max()), self.high[near].min())
            else:
                value[node] = self.numbers[here].mean()
        return Tree(
            tree.columns, None, tree.splits, tree.children_left, tree.children_right,
            np.zeros_like(tree.prediction), value[:, None], tree.n_node_samples.copy(),
        )  # fmt: skip


def _result(search: _Search, allowed: int, max_leaves: int, share: float, seconds: float) -> BornAgainResult:
    n = len(search.numbers)
    tree = search.values()
    near = int(
        are_near(tree.predict(search.problem.table.X), search.numbers, search.tolerance).sum()
    )  # counted anew
    needed = 1 + next((k for k, rows in enumerate(search.least) if rows <= allowed), len(search.least))
    needed = min(needed, tree.n_leaves)
    notes = [
        "That the tree is near on these rows is no bound for new ones; count it on rows it has not seen."
    ]
    if n - near > allowed:
        notes.insert(
            0,
            f"The tree is further from the model than {exactly(search.tolerance)} on {n - near} rows, more than the "
            f"{allowed} that are allowed. Raise tolerance, share, max_leaves, max_depth or time_limit.",
        )
    return BornAgainResult(
        tree=tree,
        status=SolveStatus.OPTIMAL if search.proven else SolveStatus.FEASIBLE,
        objective=float(tree.n_leaves),
        lower_bound=float(tree.n_leaves if search.proven else needed),
        loss=(n - near) / n,
        scope=f"{near} of the {n} rows that it was made from",
        stop_reason=search.stop,
        stats={
            "seconds": seconds,
            "depth": tree.depth,
            "leaves": tree.n_leaves,
            "depth_lower_bound": int(needed - 1).bit_length(),
            "leaves_lower_bound": needed,
            "rows": n,
            "rows_alike": near,
            "rows_asked": n - allowed,
            "steps": search.steps,
            **told_to_stop(search.told),
        },
        options={
            "method": "born-again",
            "objective": "values",
            "tolerance": search.tolerance,
            "share": float(share),
            "max_depth": search.problem.max_depth,
            "max_leaves": max_leaves,
            "splits": search.splits,
        },
        notes=tuple(notes),
    )


def _half(limits: Limits) -> Limits:
    """Return limits of half the steps and of half the time that is left."""
    steps = None if limits.step_limit is None else max(1, limits.step_limit // 2)
    seconds = None if limits.time_limit is None else max(1e-3, limits.time_limit - limits.left() / 2)
    return replace(limits, step_limit=steps, time_limit=seconds)


def _numbers(predicted: ArrayLike, n_rows: int) -> Numbers:
    refuse_lossy("predicted", predicted)
    try:
        numbers = np.asarray(predicted, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"predicted must be one finite number per row ({error}).") from None
    if numbers.shape != (n_rows,) or not n_rows:
        raise InputError(f"predicted has shape {numbers.shape} for {n_rows} rows; give one number per row.")
    if not np.isfinite(numbers).all():
        raise InputError("predicted contains NaN or infinity; give finite numbers.")
    return numbers


def _check(tolerance: float, share: float, max_depth: int, max_leaves: int) -> None:
    if not (is_real(tolerance) and 0 <= tolerance < math.inf):
        raise InputError(
            f"tolerance={tolerance!r}; give a distance >= 0 in the units of the model's numbers."
        )
    if not (is_real(share) and 0 <= share <= 1):
        raise InputError(f"share={share!r}; give a share of the rows from 0 to 1.")
    for name, value, least in (("max_depth", max_depth, 0), ("max_leaves", max_leaves, 1)):
        if not is_whole(value) or value < least:
            raise InputError(f"{name}={value!r}; give an integer of at least {least}.")
