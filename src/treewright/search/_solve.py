"""Exact search over given cuts: from a problem to a tree with its certificate."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from treewright._native import core
from treewright.binarize import Cuts
from treewright.errors import SolverError
from treewright.guess import ReferenceCosts
from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus
from treewright.search._integers import integer_costs
from treewright.search._limits import Limits, ProgressCallback, native_report, stop_reason
from treewright.search._options import SearchOptions
from treewright.search._under_guesses import under_guesses
from treewright.tree import Tree, grow, merge_equal_leaves

__all__ = ["result_of", "solve"]

NO_LIMIT = 2**20  # no tree is deeper or has more leaves in any search that ends
LARGEST_GAP = 1e-4  # left by rounded weights; beyond it nothing is called optimal


def solve(
    problem: Problem,
    cuts: Cuts,
    *,
    limits: Limits | None = None,
    options: SearchOptions | None = None,
    progress: ProgressCallback | None = None,
    reference: ReferenceCosts | None = None,
) -> SolveResult:
    """Find the tree of smallest objective whose splits are among `cuts`.

    Parameters
    ----------
    problem : Problem
    cuts : Cuts
        Made from the problem's table.
    limits : Limits, default=None
        None is no limit but the machine's memory.
    options : SearchOptions, default=None
    progress : callable, default=None
        Called about 20 times a second with a `Progress`; a true return value stops the search.
    reference : ReferenceCosts, default=None
        Guess lower bounds from what a reference model gets wrong (McTavish et al. 2022, section 4.3). The
        result is then conditional: its status is OPTIMAL_UNDER_GUESSES at best, and ``lower_bound`` is what
        Theorem 4.3 leaves.

    Returns
    -------
    SolveResult
        Status OPTIMAL if the search ended; otherwise the best tree with a proven lower bound. Ctrl-C ends
        the search in the same way.

    Raises
    ------
    SolverError
        No tree meets the constraints.

    Notes
    -----
    Branch and bound after Hu, Rudin and Seltzer (2019) with the bounds listed in
    ``cpp/include/treewright/bits/``. Ties are broken the same way on every run.
    """
    limits = limits or Limits()
    options = options or SearchOptions()
    integers = integer_costs(problem)
    bits = core.BitsProblem(
        cuts.goes_right,
        problem.y,
        integers.weight,
        integers.costs,
        leaf_price=problem.cost_complexity / integers.unit,
        min_count=problem.min_samples_leaf,
        equivalent_points=options.equivalent_points,
        guess=None
        if reference is None
        else integers.weight * integers.costs[problem.y, reference.predictions],
    )
    raw = bits.search(
        max_depth=-1 if problem.max_depth is None else min(problem.max_depth, NO_LIMIT),
        max_leaves=min(problem.max_leaf_nodes or 0, NO_LIMIT),
        options=options.native(),
        prices=None,
        report=native_report(progress, integers.unit),
        **limits.native(),
    )
    if not raw["feasible"]:
        raise SolverError(
            f"No tree has {problem.min_samples_leaf} rows in every leaf: the table has "
            f"{problem.table.n_rows}. Lower min_samples_leaf."
        )
    splits = [None if column < 0 else cuts.splits[column] for column in raw["shape"]]
    tree = grow(
        problem.table.columns,
        problem.classes,
        splits,
        problem.table.X,
        problem.y,
        problem.sample_weight,
        problem.costs,
    )
    stats = {name: raw[name] for name in ("seconds", "bytes", "cache_entries", "cache_shed")}
    result = result_of(
        problem,
        tree,
        proven=raw["exact"],
        lower_bound=raw["lower_bound"] * integers.unit - integers.slack,
        upper_bound=raw["upper_bound"] * integers.unit + integers.slack,
        slack=integers.slack,
        scope=cuts.scope,
        stop=raw["stop"],
        stats={
            "subproblems": raw["steps"],
            "distinct_rows": bits.n_rows,
            "distinct_columns": bits.n_columns,
            **stats,
        },
        options=asdict(options),
        notes=cuts.notes,
    )
    if reference is None:
        return result
    least = bits.base_cost * integers.unit + problem.cost_complexity - integers.slack  # one leaf, equal rows
    return under_guesses(result, problem, cuts, reference, least, integers.slack)


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
