"""Exact survival trees: from a problem to a tree with its certificate."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from treewright.problem import SurvivalProblem
from treewright.result import SurvivalResult
from treewright.search._additive_losses import SurvivalLoss
from treewright.search._additive_result import AdditiveQuestion
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._options import RankedOptions
from treewright.search._shallow import search_then_shallower
from treewright.tree import Tree, grow_survival

__all__ = ["solve_survival"]


def solve_survival(
    problem: SurvivalProblem,
    *,
    limits: Limits | None = None,
    options: RankedOptions | None = None,
    progress: ProgressCallback | None = None,
    shallower: bool = True,
) -> SurvivalResult:
    """Find the survival tree with the smallest objective over all thresholds.

    Parameters
    ----------
    problem : SurvivalProblem
    limits : Limits, default=None
        With None the only limit is the machine's memory.
    options : RankedOptions, default=None
        Switches of the bounds; the optimum depends on none.
    progress, shallower
        As in `treewright.search.solve`.

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
    Hazards and weights of a problem are whole multiples of a unit, so nothing of them is rounded here. Where hazards
    were rounded before, by at most a share e of themselves, a leaf with d events and hazards H loses d log H - d log d
    less the sum of d log h over its rows, and so 2 d e more or less. With D events in all the loss of a tree is off by
    2 D e, and so is that of one leaf, whose share is told: a share of at most 1 is off by 4 D e of it, the difference
    of two by 8 D e.

    Examples
    --------
    >>> from treewright.problem import make_survival_problem
    >>> from treewright.search import solve_survival
    >>> from treewright.table import table_from
    >>> outcome = ([True, True, True], [9.0, 8.0, 1.0])
    >>> problem = make_survival_problem(table_from([[20], [30], [40]]), outcome, max_depth=1)
    >>> solve_survival(problem).tree.splits[0].threshold
    35.0
    """
    if shallower:
        search = partial(solve_survival, options=options, shallower=False)
        return search_then_shallower(search, problem, limits, progress)
    loss = _loss(problem)
    nothing_to_gain = (
        "One hazard fits every row exactly: no split can gain anything."
        if problem.event.any()
        else "No row had the event: one leaf of hazard 0 is right on every row."
    )
    question = AdditiveQuestion(
        kind=SurvivalResult,
        problem=problem,
        loss=loss,
        one_leaf=loss.leaf_loss(),
        grow=partial(_tree, problem),
        options={"method": "survival", "criterion": "exponential"},
        rounded="Logarithms",
        nothing_to_gain=nothing_to_gain,
        tolerance=8 * problem.hazard_error * float(problem.sample_weight[problem.event].sum()),
    )
    return question.solved(limits, options, progress)


def _loss(problem: SurvivalProblem) -> SurvivalLoss:
    weight = problem.sample_weight.astype(np.int64)
    hazard = np.ldexp(problem.hazard, problem.hazard_bits).astype(np.int64)
    return SurvivalLoss(weight * problem.event, weight * hazard)


def _tree(problem: SurvivalProblem, splits: Any) -> Tree:
    table, weight = problem.table, problem.sample_weight
    return grow_survival(
        table.columns, list(splits), table.X, weight * problem.event, weight * problem.hazard
    )
