"""The front of regression trees: the tree of least loss for every number of leaves.

How it is found, and why its points are proven, is in `_front_by_penalties.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import InputError
from treewright.problem import Criterion, RegressionProblem, make_regression_problem
from treewright.result import RegressionResult, StopReason, note_of_rounding
from treewright.search._additive_result import MOST_TOLERANCE
from treewright.search._front_by_penalties import front_by_penalties
from treewright.search._frontier import Frontier, check_max_leaves
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._options import RankedOptions
from treewright.search._progress_bar import progress_bar
from treewright.search._prunings import best_prunings
from treewright.search._solve_regression import grown, regression_loss, solve_regression, what_is_rounded
from treewright.table import Table, table_from
from treewright.tree import Tree

__all__ = ["regression_frontier", "solve_regression_frontier"]


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
    n_jobs: int | None = None,
    progress: Any = "auto",
    search_options: RankedOptions | None = None,
) -> Frontier:
    """Find, for every number of leaves, the regression tree of provably least loss over all thresholds.

    Parameters
    ----------
    X : array-like, frame or Table of shape (n_rows, n_columns)
        numpy, pandas or polars; numbers, truth values, text; missing values allowed.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        Finite numbers; several outputs for criterion "squared_error".
    max_leaves : int, default=8
        Largest number of leaves, >= 1.
    max_depth : int or None, default=3
        Largest number of splits on a path; None is unlimited.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf; a float in (0, 1) is a fraction of the rows of weight above 0.
    criterion : {"squared_error", "poisson", "gamma", "absolute_error", "quantile"}, default="squared_error"
    quantile : float, default=0.5
        These two as in `OptimalTreeRegressor`.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights >= 0; weight 0 equals leaving the row out.
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as unordered categories.
    time_limit : float or None, default=30
        Seconds for the whole front, from the call on; after that each point has the best tree found and its own lower
        bound.
    step_limit : int or None, default=None
        Passes of the kernel in all searches together; unlike seconds, the result is the same on every machine.
    memory_limit : int or None, default=None
        Bytes for each search, which run one after the other; None is half of the machine's memory.
    n_jobs : int or None, default=None
        Threads of each search: -1 is all cores, None is 1 unless ``joblib.parallel_config`` says otherwise. The proven
        front does not depend on it.
    progress : "auto", bool or callable, default="auto"
        As in `OptimalTreeRegressor`; objective and bound are those of the running search.
    search_options : RankedOptions or None, default=None
        Switches of the bounds, for experiments; none of them changes the front.

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
    There is one search at a leaf penalty for each point that some penalty selects, and one with a limit on leaves for
    each of the others, which is slower. If depth 3 is proven in a second, the whole front of 8 leaves is usually proven
    in some seconds.

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
    limits = Limits(time_limit, step_limit, memory_limit, n_jobs=n_jobs).started()
    if search_options is not None and not isinstance(search_options, RankedOptions):
        raise InputError(
            f"search_options={search_options!r}; give a treewright.search.RankedOptions or None."
        )
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
    options: RankedOptions | None = None,
    progress: ProgressCallback | None = None,
) -> Frontier:
    """Find for each number of leaves the regression tree of least loss.

    Parameters
    ----------
    problem : RegressionProblem
        ``max_leaf_nodes`` is the largest number of leaves and must be set; ``cost_complexity`` is ignored.
    limits : Limits, default=None
        Of the whole run.
    options : RankedOptions, default=None
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

    Examples
    --------
    >>> from treewright.problem import make_regression_problem
    >>> from treewright.search import solve_regression_frontier
    >>> from treewright.table import table_from
    >>> problem = make_regression_problem(
    ...     table_from([[20], [30], [40]]), [1.0, 1.0, 5.0], cost_complexity=0, max_depth=1, max_leaf_nodes=2
    ... )
    >>> [(point.tree.n_leaves, round(point.loss, 3)) for point in solve_regression_frontier(problem)]
    [(1, 1.0), (2, 0.0)]
    """
    if problem.max_leaf_nodes is None:
        raise InputError(
            "max_leaf_nodes is None; say up to how many leaves the frontier goes, for example 8."
        )
    losses = _Losses(problem, options)
    return front_by_penalties(problem, losses, limits=(limits or Limits()).started(), progress=progress)


class _Losses:
    """Regression trees, whose losses are shares of that of a single leaf."""

    noise = 1e-12

    def __init__(self, problem: RegressionProblem, options: RankedOptions | None) -> None:
        self.problem, self.options = problem, options

    def search(
        self,
        problem: RegressionProblem,
        limits: Limits | None = None,
        progress: ProgressCallback | None = None,
    ) -> RegressionResult:
        return solve_regression(
            problem, limits=limits, options=self.options, progress=progress, shallower=False
        )

    def prunings(self, result: RegressionResult, max_leaves: int) -> list[tuple[float, Tree]]:
        loss = regression_loss(self.problem)
        one_leaf = loss.leaf_loss()
        return [
            (cost / one_leaf, grown(self.problem, splits))
            for splits, cost in best_prunings(result.tree, self.problem.table.X, loss.leaf_loss, max_leaves)
            if len(splits) != result.tree.node_count
        ]

    def bounds(
        self, result: RegressionResult, leaf_penalty: float, sizes: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return np.asarray(result.lower_bound - leaf_penalty * sizes)

    def is_proven(self, loss: float, bound: float) -> bool:
        return loss - bound <= MOST_TOLERANCE

    def point(
        self,
        best: RegressionResult,
        leaves: int,
        bounds: NDArray[np.float64],
        proven: bool,
        stop: StopReason | None,
    ) -> dict[str, Any]:
        left = best.loss - max(0.0, min(best.loss, float(bounds[leaves])))
        notes = (*self.problem.notes, *self.problem.table.notes)
        if not proven and stop is None:
            notes = (*notes, note_of_rounding(what_is_rounded(self.problem), left))
        stats = {**best.stats, "tolerance": left if proven else 0.0}
        return {"stats": stats, "options": best.options, "notes": notes}
