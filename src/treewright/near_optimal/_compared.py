"""What trees of a set can differ in: the range of anything additive over rows, and gaps between groups."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import numbers_of, refuse_lossy
from treewright.convert import TreeLike
from treewright.errors import InputError, SolverError
from treewright.near_optimal._bounds import check_bound, check_count, up_to
from treewright.near_optimal._extremes import Extremes, whole_values
from treewright.near_optimal._restricted import RestrictedSet
from treewright.near_optimal._row_gaps import GapKind, RowGap, row_gaps
from treewright.near_optimal._watch import TimeOver, Watch
from treewright.near_optimal._within import Within, first_within
from treewright.problem import Problem
from treewright.search import integer_costs
from treewright.tree import Tree

__all__ = ["ComparedSet", "Extent", "Extreme"]


class Extreme(NamedTuple):
    """A largest or least value, and the best tree that has it.

    Parameters
    ----------
    value : float
    tree : Tree

    Examples
    --------
    >>> from treewright import near_optimal_trees
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
    >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
    >>> farthest = trees.discrepancy()  # the share of rows on which a tree of the set and the best one differ
    >>> farthest.value, farthest.tree.n_leaves
    (0.25, 1)
    """

    value: float
    tree: Tree


class Extent(NamedTuple):
    """The range of a value over all trees of a set; both ends are reached.

    Parameters
    ----------
    least, most : Extreme

    Examples
    --------
    >>> from treewright import near_optimal_trees
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
    >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
    >>> gaps = trees.gap_range([True, True, False, False], label="yes")
    >>> gaps.least.value, gaps.most.value
    (-0.5, 0.0)
    """

    least: Extreme
    most: Extreme


@dataclass(frozen=True, eq=False, repr=False)
class ComparedSet(RestrictedSet):
    """A set whose trees are compared with each other."""

    def extreme(self, leaf_value: ArrayLike) -> Extent:
        """Return the least and the largest sum over the training rows of a value that depends on the predicted label.

        Parameters
        ----------
        leaf_value : array-like of shape (n_rows, n_classes)
            ``leaf_value[i, k]`` counts for row i of the training table if a tree predicts class k (in the order of the
            sorted labels). Whole numbers, or decimals of at most six places: sums are exact.

        Returns
        -------
        Extent
            ``least`` and ``most``, each with its value and the best tree of the set that reaches it.

        Raises
        ------
        InputError
            The set is empty; another shape; numbers that cannot be added exactly.

        Notes
        -----
        One pass over the graph each, the recursion of the counts with (max, +) in place of (+, x).

        Examples
        --------
        How many rows can be predicted as the last class, at least and at most:

        >>> import numpy as np
        >>> from sklearn.datasets import load_iris
        >>> from treewright import near_optimal_trees
        >>> X, y = load_iris(return_X_y=True)
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.02, max_depth=2, epsilon=0.1)
        >>> extent = trees.extreme(np.eye(3)[[2] * len(y)])
        >>> bool(extent.least.value <= sum(trees[0].predict(X) == 2) <= extent.most.value)
        True
        """
        problem = self.graph.problem
        values = _of_training_rows(problem, numbers_of("leaf_value", leaf_value))
        wanted = (problem.table.n_rows, problem.n_classes)
        if values.shape != wanted:
            raise InputError(
                f"leaf_value has shape {values.shape}; give a number for each training row and class, shape {wanted}."
            )
        whole, unit = whole_values("leaf_value", values)
        return self._extent(whole, unit)

    def _extent(
        self, values: NDArray[np.int64], unit: Fraction, tolerance: int = 0, watch: Watch | None = None
    ) -> Extent:
        self._some("no tree that could be the least or the most")
        most = Extremes.of_rows(self.counts, values, watch)
        return Extent(self._largest(most.negative(), -unit, tolerance), self._largest(most, unit, tolerance))

    def _largest(self, sums: Extremes, unit: Fraction, tolerance: int = 0) -> Extreme:
        """Return the best tree of the largest sum; sums that differ by at most `tolerance` count as equal."""
        by_cell = sums.cells(0)
        least = max(by_cell.values()) - tolerance
        cell = next(cell for _, cell, _ in self._cells if by_cell[cell] >= least)
        value = by_cell[cell]
        return Extreme(float(value * unit), self._tree(sums.tree(0, cell, value)))

    def discrepancy(self, base: TreeLike = None) -> Extreme:
        """Return the largest weighted share of training rows that a tree of the set labels unlike another tree.

        Parameters
        ----------
        base : Tree, SolveResult or fitted estimator, default=None
            The other tree, of the set or not, over the same columns and labels; None is the best of the set.

        Returns
        -------
        Extreme
            The share, and the best tree that differs so much.

        Raises
        ------
        InputError
            The set is empty, or `base` has no tree, or one with other columns or labels.

        References
        ----------
        C. Marx, F. Calmon, B. Ustun (2020). Predictive Multiplicity in Classification. ICML. (Definition 4)

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> trees.discrepancy().value
        0.25
        """
        self._some("no tree that could differ")
        problem = self.graph.problem
        tree = self[0] if base is None else self._own_tree(base)
        label = tree.prediction[tree.apply(problem.table.X)]
        weight = integer_costs(problem).weight
        values = np.repeat(weight[:, None], problem.n_classes, axis=1)
        values[np.arange(len(label)), label] = 0
        return self._largest(Extremes.of_rows(self.counts, values), Fraction(1, int(weight.sum())))

    def gap_range(
        self,
        group: ArrayLike | str,
        kind: Literal["parity", "opportunity"] = "parity",
        *,
        label: Any = None,
        time_limit: float | None = None,
    ) -> Extent:
        """Return the least and the largest gap between a group of training rows and all others over all trees.

        Parameters
        ----------
        group : array-like of bool, shape (n_rows,), or str
            Which rows are in the group; or a column of the table with two values, the larger of which is the group.
            Rows without a value are among the others.
        kind : {"parity", "opportunity"}, default="parity"
            "parity": share of the group that is predicted `label`, less that of the others. "opportunity": the same
            among the rows that have the label.
        label : object, default=None
            The label in question; None is the last of two.
        time_limit : float or None, default=None
            Seconds; None is no limit.

        Returns
        -------
        Extent
            Signed, from -1 to 1. Exact; where products of the weights pass 2^60, gaps that differ by at most
            2^-40 count as equal.

        Raises
        ------
        InputError
            The set is empty; the group or its complement has no rows; the label is unknown.
        SolverError
            `time_limit` ended before; the message has the gap of the best tree, which is in the range.

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> gaps = trees.gap_range([True, True, False, False], label="yes")
        >>> gaps.least.value, gaps.most.value
        (-0.5, 0.0)
        """
        if kind not in ("parity", "opportunity"):
            raise InputError(
                f'kind={kind!r}; choose "parity" or "opportunity". Equal odds are two gaps: best_with_gap takes "odds".'
            )
        watch = Watch.started(time_limit)
        (gap,) = self._gaps(group, kind, label)
        try:
            self.counts.make_within(watch)
            return self._extent(gap.values, gap.unit, gap.tolerance, watch)
        except TimeOver:
            raise SolverError(self._gap_so_far(gap)) from None

    def best_with_gap(
        self,
        group: ArrayLike | str,
        at_most: float,
        kind: GapKind = "parity",
        *,
        label: Any = None,
        look_at: int = 100_000,
        time_limit: float | None = None,
    ) -> tuple[Tree | None, int, float]:
        """Return the best tree whose gap between a group and all others is small, with proof.

        Parameters
        ----------
        group : array-like of bool, shape (n_rows,), or str
            As in `gap_range`.
        at_most : float
            Largest absolute gap, 0 to 1, as it is written; one that is copied from `gap_range` or `gap_frontier` keeps
            its tree. Where products of the weights pass 2^60, a gap at most 2^-40 above it passes, too.
        kind : {"parity", "opportunity", "odds"}, default="parity"
            "odds": the gap among the rows that have the label, and the gap among those that do not.
        label : object, default=None
            As in `gap_range`.
        look_at : int, default=100000
            How many partial trees to look at before giving up.
        time_limit : float or None, default=None
            Seconds, after which to give up as well; None is no limit.

        Returns
        -------
        tree : Tree or None
        n_looked_at : int
            Partial trees.
        bound : float
            No tree whose gap is so small has a smaller objective: that of the tree, or what the search had come to.
            Where there is no such tree in the whole set, which may be empty, `bound_`.

        Raises
        ------
        InputError
            The group or its complement has no rows; the label is unknown.

        Notes
        -----
        Sizes of trees are taken in order of their objective. A partial tree is given up if the ranges of the gap of
        what is still open in it cannot add up to an allowed gap; so the first complete tree is the best.

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> tree, looked_at, bound = trees.best_with_gap([True, True, False, False], at_most=0.2, label="yes")
        >>> tree.n_leaves
        1
        """
        check_bound(at_most=at_most)
        check_count("look_at", look_at, 0)
        if kind not in ("parity", "opportunity", "odds"):
            raise InputError(f'kind={kind!r}; choose "parity", "opportunity" or "odds".')
        watch = Watch.started(time_limit)
        gaps = self._gaps(group, kind, label)
        looked, bound = 0, self.best.lower_bound
        try:
            self.counts.make_within(watch)
            if not self._cells:
                return None, looked, self.bound_
            sums = [Extremes.of_rows(self.counts, gap.values, watch) for gap in gaps]
            most = [gap.at_most(up_to(at_most)) for gap in gaps]
            budget, half = self._cells[0][0] - 1, (self._cells[0][0] + self.membership.budget) / 2
            for cost, cell, _ in self._cells:
                bound = float(cost * self.graph.unit)
                if cost > budget:  # ranges of the cheaper half are found in a fraction of the time of all
                    budget = half if cost <= half else self.membership.budget
                    ranges = [own.up_to(budget) for own in sums]
                    limits = [
                        Within(own, own.negative(), -most, most)
                        for own, most in zip(ranges, most, strict=True)
                    ]
                found = first_within(self.counts, cell, limits, look_at - looked, watch)
                looked += found.looked_at
                if found.steps is not None:
                    return self._tree(found.steps), looked, bound
                if not found.is_done:
                    return None, looked, bound
        except TimeOver:
            return None, looked, bound
        return None, looked, self.bound_

    def _gap_so_far(self, gap: RowGap) -> str:
        """Say what is known of the range of a gap when its time is over."""
        words = "The range of the gap was not found within time_limit; give more time, or use a smaller set."
        if "native" not in self.counts.__dict__:  # not even counted
            return words
        best = self[0]
        own = gap.signed(best.prediction[best.apply(self.graph.problem.table.X)])
        return f"{words} It holds {float(own):.6g}, the gap of the best tree."

    def _gaps(self, group: ArrayLike | str, kind: GapKind, label: Any) -> list[RowGap]:
        return row_gaps(self.graph.problem, self._group(group), kind, self._label(label))

    def _group(self, group: ArrayLike | str) -> NDArray[np.bool_]:
        problem = self.graph.problem
        if isinstance(group, str):
            (column,) = self._columns("group", group)
            x = problem.table.X[:, column]
            known = np.unique(x[~np.isnan(x)])
            if len(known) != 2:
                count = "1 value" if len(known) == 1 else f"{len(known)} values"
                raise InputError(
                    f"group={group!r} has {count}; name a column with two, or give True or False for each row."
                )
            return np.asarray(x == known[1])
        refuse_lossy("group", group)
        rows = _of_training_rows(problem, np.asarray(group))
        if rows.shape != (problem.table.n_rows,) or not np.isin(rows, (0, 1)).all():
            raise InputError(
                f"group: give True or False for each of the {problem.table.n_rows} training rows, or a column's name."
            )
        return rows.astype(np.bool_)

    def _label(self, label: Any) -> int:
        classes = self.graph.problem.classes
        if label is None:
            if len(classes) != 2:
                raise InputError(
                    f"label=None: there are {len(classes)} labels; give the one whose rates are compared."
                )
            return 1
        found = np.flatnonzero(classes == label) if np.ndim(label) == 0 else np.empty(0)
        if len(found) != 1:
            raise InputError(f"label={label!r}: the labels are {', '.join(map(str, classes.tolist()))}.")
        return int(found[0])

    def _some(self, what: str) -> None:
        if self.n_trees_ == 0:
            raise InputError(f"The set is empty: there is {what}.")


def _of_training_rows(problem: Problem, values: NDArray[Any]) -> NDArray[Any]:
    """Return values by training row as they are, and those by row of the input without the rows that were left out.

    As many values as there are training rows are theirs, in their order, whatever the order of the input was.
    """
    rows = problem.rows
    if rows is None or values.ndim == 0 or len(values) == len(rows) or len(values) <= rows.max(initial=-1):
        return values
    return np.asarray(values[rows])
