"""Exact survival trees: from a problem to a tree with its certificate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treewright.binarize import scope_of_all
from treewright.problem import SurvivalProblem
from treewright.result import SolveStatus, SurvivalResult
from treewright.search._additive import SurvivalLoss, solve_additive
from treewright.search._limits import Limits, Progress, ProgressCallback
from treewright.search._options import SweepOptions
from treewright.tree import Tree, grow_survival

__all__ = ["solve_survival"]

ENGINE_REASON = "it looks at all thresholds"
MOST_TOLERANCE = 1e-8  # of a proof, as a share of the deviance of one leaf


def solve_survival(
    problem: SurvivalProblem,
    *,
    limits: Limits | None = None,
    options: SweepOptions | None = None,
    progress: ProgressCallback | None = None,
) -> SurvivalResult:
    """Find the survival tree of smallest objective over all thresholds.

    Parameters
    ----------
    problem : SurvivalProblem
    limits : Limits, default=None
        None is no limit but the machine's memory.
    options : SweepOptions, default=None
        Switches of the bounds; the optimum depends on none.
    progress : callable, default=None
        Called about 20 times a second with a `Progress`; a true return value stops the search.

    Returns
    -------
    SurvivalResult
        Status OPTIMAL if the search ended; otherwise the best tree with a proven lower bound. Ctrl-C ends the search
        in the same way.

    Raises
    ------
    SolverError
        No tree meets the constraints.

    Notes
    -----
    The loss, its bounds and the error of its logarithms are in ``cpp/include/treewright/objective/survival.hpp``.
    Hazards and weights of a problem are whole multiples of a unit, so nothing of them is rounded here.
    """
    shown: dict[str, Any] = {
        name: getattr(problem, name)
        for name in ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")
    }
    common: dict[str, Any] = {
        "scope": scope_of_all(problem.table),
        "options": {"method": "survival", "criterion": "exponential", **shown},
    }
    loss = _loss(problem)
    one_leaf = loss.leaf_loss()
    if one_leaf == 0:
        note = (
            "No row had the event: one leaf of hazard 0 is right on every row."
            if not problem.event.any()
            else "One hazard fits every row exactly: no split can gain anything."
        )
        return SurvivalResult(
            _tree(problem, [None]), SolveStatus.OPTIMAL, problem.cost_complexity, problem.cost_complexity, 0.0,
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
    share = answer.loss / one_leaf
    objective = share + problem.cost_complexity * answer.n_leaves
    tolerance = answer.tolerance / one_leaf
    proven = answer.proven and tolerance <= MOST_TOLERANCE
    notes = (*problem.notes, *problem.table.notes)
    if answer.proven and not proven:
        notes = (
            *notes,
            f"Logarithms were rounded for the search; that may move an objective by {tolerance:.1e} of so small a "
            "deviance.",
        )
    bound = objective - tolerance if answer.proven else min(objective, answer.lower_bound / one_leaf)
    return SurvivalResult(
        tree=_tree(problem, answer.splits),
        status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
        objective=objective,
        lower_bound=max(0.0, bound),
        loss=share,
        stop_reason=None if answer.proven else answer.stop,
        stats={**answer.stats, "tolerance": tolerance, "engine": "sweep", "engine_reason": ENGINE_REASON},
        notes=notes,
        **{**common, "options": {**common["options"], **answer.options}},
    )


def _loss(problem: SurvivalProblem) -> SurvivalLoss:
    weight = problem.sample_weight.astype(np.int64)
    hazard = np.ldexp(problem.hazard, problem.hazard_bits).astype(np.int64)
    return SurvivalLoss(weight * problem.event, weight * hazard)


def _tree(problem: SurvivalProblem, splits: Any) -> Tree:
    table, weight = problem.table, problem.sample_weight
    return grow_survival(
        table.columns, list(splits), table.X, weight * problem.event, weight * problem.hazard
    )


def _share(progress: ProgressCallback, one_leaf: float) -> ProgressCallback:
    """Return a callback that tells objectives as shares of one leaf's deviance."""

    def report(now: Progress) -> Any:
        return progress(
            replace(now, objective=now.objective / one_leaf, lower_bound=now.lower_bound / one_leaf)
        )

    return report
