"""From an engine's answer to a result; the same for all engines of the exact search.

Every tree is pruned here before it is handed out (`_prune.py`). Where a search was stopped, that is what keeps its tree
from being worse than its own subtrees. Where a search claims a proof, no pruning can be better, and the tree costs what
the search says; if not, the proof is false. The better tree is then handed out without any claim, and a
`RefutedProofWarning` says so: a user keeps working with an honest result, and tests, which turn warnings into errors,
fail.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from treewright.errors import RefutedProofWarning
from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus, StopReason, note_of_rounding
from treewright.search._integers import is_coarse
from treewright.search._prune import Pruning, best_pruning
from treewright.tree import Tree, settle_missing

__all__ = ["LEAVES_NOT_PROVEN", "measured", "pruning_of", "refute", "result_of"]

ROUNDING = 1e-11  # relative, of objectives as float64 sums
LEAVES_NOT_PROVEN = (
    "A tree of the same loss with fewer leaves may exist; the smallest number of leaves is not proven."
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
    stop: StopReason | None,
    stats: dict[str, Any],
    options: dict[str, Any],
    notes: tuple[str, ...],
    conditional: bool = False,
    tolerance: float = 0.0,
    pruning: Pruning | None = None,
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
        The largest cost of the tree according to the engine. If the tree costs more and the run was stopped, it was
        stopped while its tree was written, and only the lower bound is claimed. If the run was not stopped, the engine
        counted wrongly, and nothing is claimed.
    slack : float
        What integer rounding may have moved (0 for whole weights).
    scope : str
    stop : StopReason or None
        What ended the run early.
    stats, options : dict
    notes : tuple of str
    conditional : bool, default=False
        Whether `proven` depends on guesses; a pruning may then refute it without a defect in the engine.
    tolerance : float, default=0.0
        A difference up to this size may be missed by a proof in floating point.
    pruning : Pruning or None, default=None
        Of the tree, from `pruning_of`, where it is known already.

    Returns
    -------
    SolveResult
        Without any claim if a pruning of the tree refutes one.

    Warns
    -----
    RefutedProofWarning
        A pruning of the tree is better than was claimed possible, or the tree is worse than was claimed.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import result_of, solve
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1], max_depth=1)
    >>> tree = solve(problem).tree
    >>> about = {"scope": "all thresholds", "stop": None, "stats": {}, "options": {}, "notes": ()}
    >>> result = result_of(problem, tree, proven=False, lower_bound=0.01, slack=0.0, **about)
    >>> result.status.name, result.objective, result.lower_bound
    ('FEASIBLE', 0.02, 0.01)
    """
    loss, objective = measured(problem, tree)
    pruning = pruning or _pruning_of(problem, tree, objective, options.get("min_leaf_accuracy") or 0.0)
    objective = (
        loss + problem.cost_complexity * pruning.merged_leaves
    )  # of the given tree, but for needless splits
    if upper_bound is not None and objective > upper_bound + 1e-9 * abs(objective):
        if stop is None:
            claim = f"a tree with an objective of {upper_bound:.9g} at most"
            notes = (*notes, refute(claim, f"{objective:.9g}", "its own tree"))
            lower_bound = min(1.0, problem.cost_complexity)  # every tree has a leaf
        proven = False
    if is_coarse(slack, objective):
        proven = False
        notes = (
            *notes,
            note_of_rounding("The weights and costs", slack),
        )
    if pruning.tree is not tree:
        pruned_loss, pruned_objective = measured(problem, pruning.tree)
        if pruned_objective <= objective + ROUNDING * abs(objective):
            claimed = objective - 2 * slack if proven else lower_bound
            tree, loss, objective = pruning.tree, pruned_loss, pruned_objective
            if not conditional and objective < claimed - max(tolerance, ROUNDING * abs(claimed)):
                notes = (*notes, refute(f"no objective below {claimed:.9g}", f"{objective:.9g}"))
                proven, lower_bound = False, min(1.0, problem.cost_complexity)  # every tree has a leaf
    bound = objective - 2 * slack if proven else min(objective, lower_bound)
    constraints = {
        name: getattr(problem, name)
        for name in ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")
    }
    return SolveResult(
        tree=settle_missing(tree, problem.table.X, problem.sample_weight),
        status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
        objective=objective,
        lower_bound=max(0.0, bound),
        loss=loss,
        scope=scope,
        stop_reason=None if proven else stop,
        stats=stats,
        options={**constraints, **options},
        notes=(*problem.notes, *notes),
    )


def pruning_of(problem: Problem, tree: Tree) -> Pruning:
    """Return the pruning that every result is held against.

    Parameters
    ----------
    problem : Problem
    tree : Tree
    """
    return _pruning_of(problem, tree, measured(problem, tree)[1], 0.0)


def _pruning_of(problem: Problem, tree: Tree, objective: float, min_leaf_accuracy: float) -> Pruning:
    return best_pruning(
        problem, tree, objective, min_leaf_accuracy=min_leaf_accuracy, seconds=SECONDS_OF_PRUNING
    )


def refute(claim: str, found: str, whose: str = "a pruning of its own tree") -> str:
    """Warn that a tree is better than what was claimed, and return the note for its result.

    Parameters
    ----------
    claim : str
        What no tree was to have: "no objective below 0.4".
    found : str
        What the other tree has.
    whose : str, default="a pruning of its own tree"
        Where that tree comes from.
    """
    note = (
        f"The search claimed that there is {claim}, but {whose} has {found}. That proof is wrong, "
        "so nothing is claimed about this tree; please report it as a bug."
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
