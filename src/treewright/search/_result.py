"""From an engine's answer to a result; the same for all engines of the exact search.

Every tree is pruned here before it is handed out (`_prune.py`). Where a search was stopped, that is what keeps its tree
from being worse than its own subtrees. Where a search claims a proof, no pruning can be better; if one is, the proof is
false. The better tree is then handed out without any claim, and a `RefutedProofWarning` says so: a user keeps working
with an honest result, and tests, which turn warnings into errors, fail.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from treewright.errors import RefutedProofWarning
from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus
from treewright.search._limits import stop_reason
from treewright.search._prune import best_pruning
from treewright.tree import Tree, merge_equal_leaves

__all__ = ["LEAVES_NOT_PROVEN", "is_coarse", "measured", "refute", "result_of"]

LARGEST_GAP = 1e-4  # of an objective, left by rounded weights; beyond it nothing is called optimal
ROUNDING = 1e-11  # relative, of objectives as float64 sums
LEAVES_NOT_PROVEN = (
    "A tree of the same loss with fewer leaves may exist: the run ended before that was proven."
)
SECONDS_OF_PRUNING = 0.05  # beyond the first round


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
    conditional: bool = False,
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
    conditional : bool, default=False
        Whether `proven` rests on guesses, which a pruning may refute without any defect.
    """
    tree = merge_equal_leaves(tree)
    loss, objective = measured(problem, tree)
    stopped = stop_reason(stop) is not None
    if stopped and upper_bound is not None and objective > upper_bound + 1e-9 * abs(objective):
        proven = False
    if is_coarse(slack, objective):
        proven = False
        notes = (
            *notes,
            f"The weights and costs were rounded for the search; that may move an objective by {slack:.1e}.",
        )
    pruned = best_pruning(
        problem,
        tree,
        min_leaf_accuracy=options.get("min_leaf_accuracy") or 0.0,
        seconds=SECONDS_OF_PRUNING,
    )
    if pruned is not tree:
        claimed = objective - 2 * slack if proven else lower_bound
        tree = pruned
        loss, objective = measured(problem, tree)
        if not conditional and objective < claimed - ROUNDING * abs(claimed):
            notes = (*notes, refute(claimed, objective))
            proven, lower_bound = False, min(1.0, problem.cost_complexity)  # every tree has a leaf
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


def is_coarse(slack: float, objective: float) -> bool:
    """Say whether what rounding may have moved is too much of an objective to call it optimal.

    Parameters
    ----------
    slack : float
        By how much rounding may have moved the objective of a tree.
    objective : float
    """
    return objective > 0 and 2 * slack > LARGEST_GAP * objective


def refute(claimed: float, objective: float, whose: str = "a pruning of its own tree") -> str:
    """Warn that a tree is better than the proven bound, and return the note for its result.

    Parameters
    ----------
    claimed : float
        Bound that the search claimed.
    objective : float
        Of the tree that refutes it.
    whose : str, default="a pruning of its own tree"
        Where that tree comes from.
    """
    note = (
        f"The search claimed that no tree has an objective below {claimed:.9g}, but {whose} has "
        f"{objective:.9g}. That proof is false, so nothing is claimed of this tree; please report it as a defect."
    )
    warnings.warn(note, RefutedProofWarning, stacklevel=2)
    return note


def measured(problem: Problem, tree: Tree) -> tuple[float, float]:
    """Return the loss and the objective of a tree, from the weights in its leaves.

    Parameters
    ----------
    problem : Problem
    tree : Tree
    """
    leaf = tree.is_leaf
    paid = (tree.value[leaf] @ problem.costs)[np.arange(leaf.sum()), tree.prediction[leaf]].sum()
    loss = float(paid / problem.total_weight)
    return loss, loss + problem.cost_complexity * tree.n_leaves
