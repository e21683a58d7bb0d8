"""The best regression tree of every number of leaves, by searches at leaf penalties.

A tree that is best at a penalty p has the least loss among all trees of no more leaves: another with L' < L and k' <= k
would cost L' + p k' < L + p k. So one search gives one proven point, and the penalty at which two known points cost the
same finds a third between them, or proves that no penalty selects any. A search at a penalty is quick (every leaf must
earn it); one for exactly k leaves is not, and is made only for points that no penalty selects.

A search that was stopped has a bound v of the objective at its penalty. A tree of at most k leaves has loss
L >= v - p k, for it pays at most p k; and more leaves allow no larger loss, so bounds of more leaves hold for fewer.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import InputError
from treewright.problem import Criterion, RegressionProblem, make_regression_problem
from treewright.result import RegressionResult, SolveStatus, StopReason, note_of_rounding, told_to_stop
from treewright.search._additive_result import MOST_TOLERANCE
from treewright.search._frontier import Frontier, check_max_leaves
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._options import SweepOptions
from treewright.search._progress_bar import progress_bar
from treewright.search._prunings import best_prunings
from treewright.search._solve_regression import grown, regression_loss, solve_regression
from treewright.table import Table, table_from

__all__ = ["regression_frontier", "solve_regression_frontier"]

FIRST_PENALTY, PENALTY_STEP, LAST_PENALTY = 0.1, 3.0, 1e-7
SHARE = 3  # of the time that is left: a search gets one part in so many
LARGE_TABLE = 1 << 22  # cells: a pass over more takes a large part of a second
NOISE = 1e-12  # losses that differ by less are equal
ENDED = (StopReason.INTERRUPT, StopReason.CALLBACK)


def regression_frontier(
    X: Any,
    y: ArrayLike,
    *,
    max_leaves: int = 8,
    max_depth: int | None = 3,
    min_samples_leaf: int | float = 1,
    criterion: Criterion = "squared_error",
    quantile: float = 0.5,
    sample_weight: ArrayLike | None = None,
    categorical_features: Any = None,
    time_limit: float | None = 30.0,
    step_limit: int | None = None,
    memory_limit: int | None = None,
    progress: Any = "auto",
    search_options: SweepOptions | None = None,
) -> Frontier:
    """Find, for every number of leaves, the regression tree of provably least loss over all thresholds.

    Parameters
    ----------
    X : array-like, frame or Table of shape (n_rows, n_columns)
        numpy, pandas or polars; numbers, truth values, text; missing values allowed.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        Finite numbers; several outputs for criterion "squared_error".
    max_leaves : int, default=8
        Up to how many leaves, >= 1.
    max_depth : int or None, default=3
        Largest number of splits on a path; None is unlimited.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf; a float in (0, 1) is a fraction of the rows.
    criterion : {"squared_error", "poisson", "gamma", "absolute_error", "quantile"}, default="squared_error"
    quantile : float, default=0.5
        These two as in `OptimalTreeRegressor`.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights >= 0; weight 0 equals leaving the row out.
    categorical_features : sequence of str or int, default=None
        Columns of numbers that are to be read as unordered categories.
    time_limit : float or None, default=30
        Seconds for the whole front, from the call on; then each point has the best tree found and its own lower bound.
    step_limit : int or None, default=None
        Passes of the kernel, of all searches together; unlike seconds the same on every machine.
    memory_limit : int or None, default=None
        Bytes for each search, which run one after the other; None is half of the machine's memory.
    progress : "auto", bool or callable, default="auto"
        As in `OptimalTreeRegressor`; objective and bound are those of the search that runs.
    search_options : SweepOptions or None, default=None
        Switches of the bounds, for experiments; the front depends on none.

    Returns
    -------
    Frontier
        A sequence of `RegressionResult`, fewest leaves first; losses are shares of the loss of a single leaf. Ctrl-C
        ends the search as a limit does.

    Raises
    ------
    InputError
        The table, the target, the weights or a parameter cannot be used; the message says what to do.

    Notes
    -----
    One search at a leaf penalty for each point that some penalty selects, and one with a limit on leaves for each of
    the others, which is slower. Where depth 3 is proven in a second, so is usually the whole front of 8 leaves in some
    seconds.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treewright import regression_frontier
    >>> X, y = load_diabetes(return_X_y=True)
    >>> for point in regression_frontier(X, y, max_leaves=4, max_depth=2):
    ...     print(point.tree.n_leaves, round(point.loss, 3), point.status.value)
    1 1.0 proven optimal
    2 0.708 proven optimal
    3 0.617 proven optimal
    4 0.564 proven optimal
    """
    limits = Limits(time_limit, step_limit, memory_limit).started()
    if search_options is not None and not isinstance(search_options, SweepOptions):
        raise InputError(f"search_options={search_options!r}; give a treewright.search.SweepOptions or None.")
    most = check_max_leaves(max_leaves)
    table = X if isinstance(X, Table) else table_from(X, categorical_features=categorical_features)
    problem = make_regression_problem(
        table,
        y,
        sample_weight=sample_weight,
        cost_complexity=0.0,
        max_depth=max_depth,
        max_leaf_nodes=most,
        min_samples_leaf=min_samples_leaf,
        criterion=criterion,
        quantile=quantile,
    )
    with progress_bar(progress, time_limit) as report:
        return solve_regression_frontier(problem, limits=limits, options=search_options, progress=report)


def solve_regression_frontier(
    problem: RegressionProblem,
    *,
    limits: Limits | None = None,
    options: SweepOptions | None = None,
    progress: ProgressCallback | None = None,
) -> Frontier:
    """Find for each number of leaves the regression tree of least loss.

    Parameters
    ----------
    problem : RegressionProblem
        ``max_leaf_nodes`` says up to how many leaves and must be set; ``cost_complexity`` is not looked at.
    limits : Limits, default=None
        Of the whole run.
    options : SweepOptions, default=None
    progress : callable, default=None
        Called about 20 times a second with a `Progress` of the search that runs; a true return value stops the front.

    Returns
    -------
    Frontier

    Raises
    ------
    InputError
        ``max_leaf_nodes`` is None.
    SolverError
        No tree meets the constraints.
    """
    if problem.max_leaf_nodes is None:
        raise InputError(
            "max_leaf_nodes is None; say up to how many leaves the frontier goes, for example 8."
        )
    run = _Run(problem, (limits or Limits()).started(), options, progress)
    try:
        run.single_leaf()
        _search_penalties(run)
        _search_leaves(run)
    except KeyboardInterrupt:  # between two searches; they keep their trees
        run.stop = StopReason.INTERRUPT
        if not run.found:
            run.single_leaf()
    run.single_split()
    return run.frontier()


@dataclass
class _Run:
    """Trees and bounds so far, and what is left of the limits."""

    problem: RegressionProblem
    limits: Limits
    options: SweepOptions | None
    progress: ProgressCallback | None
    found: dict[int, RegressionResult] = field(default_factory=dict)  # best tree of so many leaves
    stop: StopReason | None = None  # of the run
    cut: StopReason | None = None  # of one search
    steps: int = 0
    seconds: float = 0.0
    searches: int = 0

    def __post_init__(self) -> None:
        most = self.problem.max_leaf_nodes
        assert most is not None
        self.most: int = most
        # A tree of so many leaves is no deeper, so deeper ones need not be searched.
        depth = self.problem.max_depth
        self.depth: int = most - 1 if depth is None else min(depth, most - 1)
        self.bound: NDArray[np.float64] = np.zeros(most + 1)  # of the loss with at most so many leaves

    @property
    def ended(self) -> bool:
        """Whether nothing more may be searched."""
        if self.stop in ENDED:
            return True
        if self.limits.left() <= 0:
            self.stop = StopReason.TIME_LIMIT
        elif self.limits.after(self.steps) is None:
            self.stop = StopReason.STEP_LIMIT
        else:
            return False
        return True

    def single_leaf(self) -> None:
        """Take the single leaf."""
        self.keep(solve_regression(replace(self.problem, cost_complexity=0.0, max_leaf_nodes=1)), 1)
        self.steps = 0

    def single_split(self) -> None:
        """Take the best tree of one split, where the run was stopped before that was proven.

        It costs a pass over the table, which a large one is given only if there is nothing else.
        """
        table = self.problem.table
        large = table.n_rows * len(table.columns) > LARGE_TABLE and any(size > 1 for size in self.found)
        if self.depth < 1 or large or (self.stop or self.cut) is None or self.is_proven(2):
            return
        asked = replace(self.problem, cost_complexity=0.0, max_leaf_nodes=2, max_depth=1)
        self.keep(solve_regression(asked, limits=Limits(step_limit=1)), 2)

    def search(self, leaf_penalty: float, leaves: int | None, parts: int) -> RegressionResult | None:
        """Search at a penalty, with a limit on leaves or none, for one of so many parts of the time; None without any.

        Ctrl-C and the callback end the run, a limit just this search.
        """
        if self.ended:
            return None
        left = self.limits.after(self.steps)
        assert left is not None  # it has not ended
        if left.time_limit is not None:
            left = replace(left, time_limit=max(left.left() / parts, 1e-3), begun=None)
        asked = replace(
            self.problem, cost_complexity=leaf_penalty, max_leaf_nodes=leaves, max_depth=self.depth
        )
        result = solve_regression(asked, limits=left, options=self.options, progress=self.progress)
        self.keep(result, leaves)
        self.stop = result.asked_to_stop or self.stop
        self.cut = result.stop_reason or self.cut
        return result

    def keep(self, result: RegressionResult, leaves: int | None) -> None:
        """Keep a tree, all that can be cut out of it, and what its bound says."""
        self.searches += 1
        self.steps += int(result.stats.get("steps", 0))
        self.seconds += float(result.stats.get("seconds", 0.0))
        sizes = np.arange(self.most + 1)
        if leaves is not None:
            sizes = sizes[: leaves + 1]
        leaf_penalty = float(result.options["cost_complexity"])
        np.maximum.at(self.bound, sizes, result.lower_bound - leaf_penalty * sizes)
        self._take(result)
        for loss, tree in self._prunings(result):
            self._take(replace(result, tree=tree, loss=loss))

    def _take(self, result: RegressionResult) -> None:
        size = result.tree.n_leaves
        if size not in self.found or result.loss < self.found[size].loss - NOISE:
            self.found[size] = result

    def _prunings(self, result: RegressionResult) -> list[tuple[float, Any]]:
        """Return the best trees of each smaller number of leaves that can be cut out of a tree."""
        if result.tree.n_leaves <= 2:
            return []
        table = self.problem.table
        loss = regression_loss(self.problem)
        one_leaf = loss.leaf_loss()
        found = []
        for splits, cost in best_prunings(result.tree, table.X, loss.leaf_loss, self.most):
            if len(splits) == result.tree.node_count:
                continue
            found.append((cost / one_leaf, grown(self.problem, splits)))
        return found

    def at_most(self, leaves: int) -> RegressionResult:
        """Return the best tree with at most so many leaves; the smallest of those that are equal."""
        best = self.found[1]
        for size in range(2, leaves + 1):
            if size in self.found and self.found[size].loss < best.loss - NOISE:
                best = self.found[size]
        return best

    def is_proven(self, leaves: int) -> bool:
        """Whether no tree with at most so many leaves has less loss."""
        return bool(self.at_most(leaves).loss - self._bounds()[leaves] <= MOST_TOLERANCE)

    def _bounds(self) -> NDArray[np.float64]:
        return np.maximum.accumulate(self.bound[::-1])[::-1]

    def frontier(self) -> Frontier:
        """Return the front."""
        bounds = self._bounds()
        stop = self.stop or self.cut
        stats = {
            "seconds": self.seconds,
            "steps": self.steps,
            "subproblems": self.steps,
            "searches": self.searches,
            **told_to_stop(stop),
        }
        results = []
        for leaves in range(1, self.most + 1):
            best = self.at_most(leaves)
            bound = max(0.0, min(best.loss, float(bounds[leaves])))
            proven = best.loss - bound <= MOST_TOLERANCE
            notes = (*self.problem.notes, *self.problem.table.notes)
            if not proven and stop is None:
                notes = (*notes, note_of_rounding("The weights and targets", best.loss - bound))
            results.append(
                replace(
                    best,
                    status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
                    objective=best.loss,
                    lower_bound=bound,
                    stop_reason=None if proven else stop,
                    stats={**best.stats, **stats, "tolerance": best.loss - bound if proven else 0.0},
                    options={
                        **best.options,
                        "cost_complexity": 0.0,
                        "max_depth": self.problem.max_depth,
                        "max_leaf_nodes": leaves,
                    },
                    notes=notes,
                )
            )
        proven = all(result.status is SolveStatus.OPTIMAL for result in results)
        return Frontier(tuple(results), None if proven else stop, stats)


def _search_penalties(run: _Run) -> None:
    """Find the points that some penalty selects, from few leaves to many."""
    single = run.found[1]
    if single.loss <= 0 or run.most == 1:
        return
    if 2**run.depth <= run.most:  # the last point needs no penalty
        last = run.search(0.0, None, SHARE)
        if last is not None:
            _between(run, single, last)
        return
    before, leaf_penalty = single, FIRST_PENALTY
    while leaf_penalty >= LAST_PENALTY:
        found = run.search(leaf_penalty, None, SHARE)
        if found is None:
            return
        _between(run, before, found)
        if found.status is not SolveStatus.OPTIMAL or found.tree.n_leaves >= run.most or found.loss <= NOISE:
            return
        before, leaf_penalty = found, leaf_penalty / PENALTY_STEP


def _between(run: _Run, few: RegressionResult, many: RegressionResult) -> None:
    """Find the points between two at the penalty at which they cost the same."""
    pending = [(few, many)]
    while pending:
        few, many = pending.pop()
        a, b = few.tree.n_leaves, many.tree.n_leaves
        if b - a < 2 or a >= run.most:
            continue
        leaf_penalty = (few.loss - many.loss) / (b - a)
        if all(run.is_proven(size) for size in range(a + 1, min(b, run.most + 1))) or leaf_penalty <= 0:
            continue
        found = run.search(min(leaf_penalty, 1.0), None, SHARE)
        if found is None:
            return
        size = found.tree.n_leaves
        if a < size < b and found.objective < few.loss + leaf_penalty * a - NOISE:
            pending += [(found, many), (few, found)]


def _search_leaves(run: _Run) -> None:
    """Search the points that no penalty selects with a limit on leaves, few leaves first."""
    for leaves in range(2, run.most + 1):
        if run.is_proven(leaves):
            continue
        open_points = sum(not run.is_proven(size) for size in range(leaves, run.most + 1))
        if run.search(0.0, leaves, open_points) is None:
            return
