"""The searches for regression trees, with lines in the leaves of what they find."""

from __future__ import annotations

from dataclasses import replace

from treewright.lines._fit import with_lines
from treewright.problem import RegressionProblem
from treewright.result import RegressionResult, StopReason, told_to_stop
from treewright.search import (
    Frontier,
    Limits,
    ProgressCallback,
    RankedOptions,
    solve_regression,
    solve_regression_frontier,
)

__all__ = ["solve_frontier_with_lines", "solve_with_lines"]

SEARCH_SHARE = 0.9  # of the time, for the search; lines take the rest
AFTER_STOP = 0.4  # seconds for lines after Ctrl-C, or a callback that stopped the search
NO_TIME = 1e-9


def solve_with_lines(
    problem: RegressionProblem,
    *,
    limits: Limits | None = None,
    options: RankedOptions | None = None,
    progress: ProgressCallback | None = None,
) -> RegressionResult:
    """Find the regression tree of smallest objective for constant leaves, and fit lines in its leaves.

    Parameters
    ----------
    problem : RegressionProblem
        For squared error.
    limits : Limits, default=None
        Of search and lines together.
    options, progress
        As in `treewright.search.solve_regression`.

    Returns
    -------
    RegressionResult
        The proof is about constant leaves.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.lines import solve_with_lines
    >>> from treewright.problem import make_regression_problem
    >>> from treewright.table import table_from
    >>> x = np.arange(60.0)
    >>> problem = make_regression_problem(table_from(x.reshape(-1, 1)), np.where(x < 30, x, 2 * x), max_depth=1)
    >>> result = solve_with_lines(problem)
    >>> result.stats["lines"], result.status.name
    (2, 'OPTIMAL')
    """
    limits = (limits or Limits()).started()
    found = solve_regression(
        problem, limits=_of_search(limits), options=options, progress=progress, shallower=False
    )  # a note on shallower trees would be one on constant leaves
    return with_lines(found, problem, _of_lines(limits, found.asked_to_stop))


def solve_frontier_with_lines(
    problem: RegressionProblem, *, limits: Limits | None = None, options: RankedOptions | None = None
) -> Frontier:
    """Find the regression tree of least loss for each number of leaves, and fit lines in the leaves of all of them.

    Parameters
    ----------
    problem : RegressionProblem
        For squared error.
    limits : Limits, default=None
        Of search and lines together.
    options : RankedOptions, default=None

    Returns
    -------
    Frontier
        The proof is about constant leaves.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.lines import solve_frontier_with_lines
    >>> from treewright.problem import make_regression_problem
    >>> from treewright.table import table_from
    >>> x = np.arange(60.0)
    >>> problem = make_regression_problem(table_from(x.reshape(-1, 1)), 2 * x, max_leaf_nodes=2, max_depth=1)
    >>> [point.tree.n_leaves for point in solve_frontier_with_lines(problem)]
    [1, 2]
    """
    limits = (limits or Limits()).started()
    front = solve_regression_frontier(problem, limits=_of_search(limits), options=options)
    left = _of_lines(limits, front.asked_to_stop)
    lined: list[RegressionResult] = []
    for result in front.limits:
        assert isinstance(result, RegressionResult)  # what the search for such trees returns
        lined.append(with_lines(result, problem, left))
        if lined[-1].asked_to_stop is StopReason.INTERRUPT:
            left = Limits(time_limit=NO_TIME).started()
    if any(result.asked_to_stop is StopReason.INTERRUPT for result in lined):
        front = replace(front, stats={**front.stats, **told_to_stop(StopReason.INTERRUPT)})
    return replace(front, limits=tuple(lined))


def _of_search(limits: Limits) -> Limits:
    return (
        limits if limits.time_limit is None else replace(limits, time_limit=SEARCH_SHARE * limits.time_limit)
    )


def _of_lines(limits: Limits, asked_to_stop: StopReason | None) -> Limits:
    if asked_to_stop is None:
        return limits
    return Limits(time_limit=max(min(limits.left(), AFTER_STOP), NO_TIME)).started()
