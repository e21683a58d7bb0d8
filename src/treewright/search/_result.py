"""From an engine's answer to a result; the same for all engines of the exact search."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus
from treewright.search._limits import stop_reason
from treewright.tree import Tree, merge_equal_leaves

__all__ = ["result_of"]

LARGEST_GAP = 1e-4  # left by rounded weights; beyond it nothing is called optimal


def result_of(
    problem: Problem,
    tree: Tree,
    *,
    proven: bool,
    lower_bound: float,
    upper_bound: float | None = None,
    slack: float,
    scope: str,
    stop: Any,
    stats: dict[str, Any],
    options: dict[str, Any],
    notes: tuple[str, ...],
) -> SolveResult:
    """Put a tree and what the engine proved into a result; the objective is recomputed from the tree.

    Parameters
    ----------
    problem : Problem
    tree : Tree
    proven : bool
        Whether the engine proved the tree optimal, up to `slack`.
    lower_bound : float
        Proven bound on the objective.
    upper_bound : float, default=None
        What the engine says that the tree costs at most. If the tree costs more, the run was stopped while
        its tree was written, and nothing is claimed but the lower bound.
    slack : float
        What integer rounding may have moved (0 for whole weights).
    scope : str
    stop : core.Stop
    stats, options : dict
    notes : tuple of str
    """
    tree = merge_equal_leaves(tree)
    leaf = tree.is_leaf
    paid = (tree.value[leaf] @ problem.costs)[np.arange(leaf.sum()), tree.prediction[leaf]].sum()
    loss = float(paid / problem.total_weight)
    objective = loss + problem.cost_complexity * tree.n_leaves
    stopped = stop_reason(stop) is not None
    if stopped and upper_bound is not None and objective > upper_bound + 1e-9 * abs(objective):
        proven = False
    if objective > 0 and 2 * slack > LARGEST_GAP * objective:
        proven = False
        notes = (
            *notes,
            f"The weights and costs were rounded for the search; that may move an objective by {slack:.1e}.",
        )
    bound = objective - 2 * slack if proven else min(objective, lower_bound)
    constraints = {
        name: getattr(problem, name)
        for name in ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")
    }
    return SolveResult(
        tree=tree,
        status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
        objective=objective,
        lower_bound=max(0.0, bound),
        loss=loss,
        scope=scope,
        stop_reason=None if proven else stop_reason(stop),
        stats=stats,
        options={**constraints, **options},
        notes=(*problem.notes, *notes),
    )
