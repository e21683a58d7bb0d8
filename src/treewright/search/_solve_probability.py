"""Exact probability trees: from a problem of classes to the tree of least Brier score with its certificate."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.binarize import scope_of_all
from treewright.problem import Problem
from treewright.result import ProbabilityResult
from treewright.search._additive import SquaredErrorLoss
from treewright.search._additive_result import result_of_answer, search_all_thresholds, trivial_result
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._options import SweepOptions
from treewright.tree import Tree, grow

__all__ = ["solve_probability"]


def solve_probability(
    problem: Problem,
    *,
    limits: Limits | None = None,
    options: SweepOptions | None = None,
    progress: ProgressCallback | None = None,
) -> ProbabilityResult:
    """Find the tree whose leaf shares have the least Brier score over all thresholds.

    Parameters
    ----------
    problem : Problem
        Its ``cost_complexity`` is read as a share of the Brier score of a single leaf; its costs are not looked at.
    limits : Limits, default=None
        None is no limit but the machine's memory.
    options : SweepOptions, default=None
        Switches of the bounds; the optimum depends on none.
    progress : callable, default=None
        Called about 20 times a second with a `Progress`; a true return value stops the search.

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
    weighted Gini impurity, and the Brier score of its shares. So this is regression with one output for each class. Of
    two classes one output is enough: the other has the same error.
    """
    n_classes = len(problem.classes)
    targets = np.eye(n_classes)[problem.y] if n_classes > 2 else (problem.y == 1).astype(np.float64)
    loss = SquaredErrorLoss(targets, problem.sample_weight)
    one_leaf = loss.leaf_loss()
    mean = (2 if n_classes == 2 else 1) / problem.total_weight  # from a loss to a mean Brier score
    asked: dict[str, Any] = {
        "scope": scope_of_all(problem.table),
        "options": {"method": "probability", "criterion": "brier"},
    }
    if one_leaf == 0:
        note = "All labels are equal: one leaf is right on every row."
        stats = {"brier_score": 0.0, "single_leaf_brier_score": 0.0}
        return trivial_result(
            ProbabilityResult, problem, _tree(problem, [None]), note=note, stats=stats, **asked
        )
    answer = search_all_thresholds(problem, loss, one_leaf, limits=limits, options=options, progress=progress)
    return result_of_answer(
        ProbabilityResult,
        problem,
        _tree(problem, answer.splits),
        answer,
        one_leaf=one_leaf,
        loss=answer.loss,
        rounded="The weights",
        stats={"brier_score": mean * answer.loss, "single_leaf_brier_score": mean * one_leaf},
        **asked,
    )


def _tree(problem: Problem, splits: Any) -> Tree:
    table = problem.table
    zero_one = 1.0 - np.eye(len(problem.classes))
    return grow(
        table.columns, problem.classes, list(splits), table.X, problem.y, problem.sample_weight, zero_one
    )
