"""Exact probability trees: from a problem of classes to the tree of least Brier score with its certificate."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from treewright.problem import ProbabilityProblem
from treewright.result import ProbabilityResult
from treewright.search._additive import loss_of
from treewright.search._additive_losses import AdditiveLoss, SquaredErrorLoss
from treewright.search._additive_result import AdditiveQuestion
from treewright.search._gini import GiniLoss
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._log_loss import LogLoss
from treewright.search._options import RankedOptions
from treewright.search._shallow import search_then_shallower
from treewright.tree import Tree, grow

__all__ = ["solve_probability"]


def solve_probability(
    problem: ProbabilityProblem,
    *,
    limits: Limits | None = None,
    options: RankedOptions | None = None,
    progress: ProgressCallback | None = None,
    shallower: bool = True,
) -> ProbabilityResult:
    """Find the tree whose leaf shares have the least Brier score or log loss over all thresholds.

    Parameters
    ----------
    problem : ProbabilityProblem
    limits : Limits, default=None
        With None the only limit is the machine's memory.
    options : RankedOptions, default=None
        Switches of the bounds; the optimum depends on none.
    progress, shallower
        As in `treewright.search.solve`.

    Returns
    -------
    ProbabilityResult

    Raises
    ------
    SolverError
        No tree meets the constraints.

    Notes
    -----
    With 0/1 indicators of the classes as targets, the squared error of a leaf of weight W is ``W - sum W_k^2 / W``: its
    weighted Gini impurity, and the Brier score of its shares. So this is regression with one output for each class. For
    two classes one output is enough, because the other has the same error.

    The log loss of a leaf is ``sum W_k log(W / W_k)``, in natural logarithms; its integers and the error of its
    logarithms are in ``cpp/include/treewright/objective/log_loss.hpp``.

    Examples
    --------
    >>> from treewright.problem import make_probability_problem
    >>> from treewright.search import solve_probability
    >>> from treewright.table import table_from
    >>> problem = make_probability_problem(table_from([[20], [30], [40]]), [0, 0, 1], max_depth=1)
    >>> solve_probability(problem).status.value
    'proven optimal'
    """
    if shallower:
        search = partial(solve_probability, options=options, shallower=False)
        return search_then_shallower(search, problem, limits, progress)
    loss, mean = _loss(problem)
    one_leaf = loss.leaf_loss()
    name = {"brier": "brier_score", "log_loss": "log_loss"}[problem.criterion]
    question = AdditiveQuestion(
        kind=ProbabilityResult,
        problem=problem,
        loss=loss,
        one_leaf=one_leaf,
        grow=partial(_tree, problem),
        options={"method": "probability", "criterion": problem.criterion},
        rounded="Logarithms, and weights that are not whole numbers,"
        if problem.criterion == "log_loss"
        else "The weights",
        nothing_to_gain="All labels are equal: one leaf is right on every row.",
        stats=lambda tree: {
            name: mean * loss_of(list(tree.splits), problem.table, loss),
            f"single_leaf_{name}": mean * one_leaf,
        },
    )
    return question.solved(limits, options, progress)


def _loss(problem: ProbabilityProblem) -> tuple[AdditiveLoss, float]:
    """Return the loss, and what it is to be multiplied by for the mean over rows."""
    n_classes = len(problem.classes)
    if problem.criterion == "log_loss":
        return LogLoss(problem.y, n_classes, problem.sample_weight), 1 / problem.total_weight
    if n_classes > 2:
        return GiniLoss(problem.y, n_classes, problem.sample_weight), 1 / problem.total_weight
    targets = (problem.y == 1).astype(np.float64)
    return SquaredErrorLoss(targets, problem.sample_weight), n_classes / problem.total_weight


def _tree(problem: ProbabilityProblem, splits: Any) -> Tree:
    table = problem.table
    zero_one = 1.0 - np.eye(len(problem.classes))
    return grow(
        table.columns, problem.classes, list(splits), table.X, problem.y, problem.sample_weight, zero_one
    )
