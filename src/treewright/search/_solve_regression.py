"""Exact regression trees: from a problem to a tree with its certificate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.binarize import scope_of_all
from treewright.problem import RegressionProblem
from treewright.result import RegressionResult, SolveStatus
from treewright.search._additive import SquaredErrorLoss, solve_additive
from treewright.search._limits import Limits, Progress, ProgressCallback
from treewright.search._options import SweepOptions
from treewright.tree import Split, grow_regression

__all__ = ["solve_regression"]

ENGINE_REASON = "it looks at all thresholds"
MOST_TOLERANCE = 1e-8  # of the loss of one leaf: what rounding may hide beyond is no proof


def solve_regression(
    problem: RegressionProblem,
    *,
    limits: Limits | None = None,
    options: SweepOptions | None = None,
    progress: ProgressCallback | None = None,
) -> RegressionResult:
    """Find the regression tree of smallest objective over all thresholds.

    Parameters
    ----------
    problem : RegressionProblem
    limits : Limits, default=None
        None is no limit but the machine's memory.
    options : SweepOptions, default=None
        Switches of the bounds; the optimum depends on none.
    progress : callable, default=None
        Called about 20 times a second with a `Progress`; a true return value stops the search.

    Returns
    -------
    RegressionResult
        Status OPTIMAL if the search ended; otherwise the best tree with a proven lower bound. Ctrl-C ends the search
        in the same way.

    Raises
    ------
    SolverError
        No tree meets the constraints.

    Notes
    -----
    Branch and bound over sets of rows; the bounds and their proofs are in ``cpp/include/treewright/objective/`` and
    ``cpp/include/treewright/bounds/``. Losses are compared as integers; what the rounding can hide stands in
    ``result.stats["tolerance"]`` and in the sentence.
    """
    y = _normalized(problem.y)
    options_shown = {
        name: getattr(problem, name)
        for name in ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")
    }
    common: dict[str, Any] = {
        "scope": scope_of_all(problem.table),
        "options": {"method": "regression", "criterion": "squared_error", **options_shown},
    }
    loss = SquaredErrorLoss(y, problem.sample_weight)
    one_leaf = loss.leaf_loss()
    if one_leaf == 0:
        tree = _tree(problem, [None])
        note = "All targets are equal: one leaf is right on every row."
        return RegressionResult(
            tree, SolveStatus.OPTIMAL, problem.cost_complexity, problem.cost_complexity, 0.0,
            stats={"seconds": 0.0, "subproblems": 0, "tolerance": 0.0}, notes=(*problem.notes, note), **common,
        )  # fmt: skip
    answer = solve_additive(
        problem.table,
        loss,
        cost_complexity=problem.cost_complexity,
        max_depth=problem.max_depth,
        max_leaf_nodes=problem.max_leaf_nodes,
        min_samples_leaf=problem.min_samples_leaf,
        limits=limits,
        options=options,
        progress=None if progress is None else _share(progress, one_leaf),
    )
    share = answer.loss / answer.leaf_loss
    objective = share + problem.cost_complexity * answer.n_leaves
    tolerance = answer.tolerance / answer.leaf_loss
    notes = (*problem.notes, *problem.table.notes)
    proven = answer.proven and tolerance <= MOST_TOLERANCE
    if tolerance > MOST_TOLERANCE:
        notes = (
            *notes,
            f"The weights and targets were rounded for the search; that may move an objective by {tolerance:.1e}.",
        )
    return RegressionResult(
        tree=_tree(problem, answer.splits),
        status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
        objective=objective,
        lower_bound=objective - tolerance
        if answer.proven
        else min(objective, answer.lower_bound / answer.leaf_loss),
        loss=share,
        stop_reason=None if answer.proven else answer.stop,
        stats={**answer.stats, "tolerance": tolerance, "engine": "sweep", "engine_reason": ENGINE_REASON},
        notes=notes,
        **{**common, "options": {**common["options"], **answer.options}},
    )


def _normalized(y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre the targets and divide them by a power of two, so that no square overflows or vanishes."""
    with np.errstate(over="ignore"):
        spread = float(y.max()) / 2 - float(y.min()) / 2
    if spread == 0:
        return np.zeros(len(y))
    exponent = int(np.frexp(spread)[1])
    scaled = np.ldexp(y, -exponent)
    return np.asarray(scaled - (scaled.max() / 2 + scaled.min() / 2), dtype=np.float64)


def _tree(problem: RegressionProblem, splits: Any) -> Any:
    table = problem.table
    found: list[Split | None] = list(splits)
    return grow_regression(table.columns, found, table.X, problem.y, problem.sample_weight)


def _share(progress: ProgressCallback, one_leaf: float) -> ProgressCallback:
    """Return a callback that tells objectives as shares of one leaf's loss."""

    def report(now: Progress) -> Any:
        return progress(
            replace(now, objective=now.objective / one_leaf, lower_bound=now.lower_bound / one_leaf)
        )

    return report
