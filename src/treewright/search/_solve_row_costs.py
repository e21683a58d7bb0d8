"""Exact trees for costs of every row and class: a policy tree whose actions are the classes, told in mean costs."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np

from treewright.problem import PolicyProblem, RowCostsProblem
from treewright.result import RowCostsResult, SolveStatus
from treewright.search._exact_sum import exact_sum
from treewright.search._limits import Limits, Progress, ProgressCallback, retold
from treewright.search._options import BinaryOptions, RankedOptions
from treewright.search._solve_policy import solve_policy
from treewright.tree import Tree, TreeKind, grow

__all__ = ["solve_row_costs"]

FLOAT = 1e-13  # relative, of sums of costs and of the penalty as a share of them


def solve_row_costs(
    problem: RowCostsProblem,
    *,
    limits: Limits | None = None,
    options: BinaryOptions | RankedOptions | None = None,
    progress: ProgressCallback | None = None,
) -> RowCostsResult:
    """Find the tree of smallest mean cost and leaf penalties over all thresholds.

    Parameters
    ----------
    problem : RowCostsProblem
    limits : Limits, default=None
        With None the only limit is the machine's memory.
    options : BinaryOptions or RankedOptions, default=None
        Switches, and the choice of the engine; the optimum depends on none.
    progress : callable, default=None
        Called about 20 times a second with a `Progress`; a true return value stops the search.

    Returns
    -------
    RowCostsResult

    Raises
    ------
    SolverError
        No tree meets the constraints.

    Notes
    -----
    A row's costs are its least cost, which every tree pays, and regrets. With U the mean of the first, R the mean
    regret of the best single class and p the leaf penalty, ``mean cost + p * leaves = U + R (share + p / R * leaves)``;
    the bracket is the objective of the policy tree, so a proof of one is a proof of the other. With p above R no split
    pays.

    Examples
    --------
    >>> from treewright.problem import make_row_costs_problem
    >>> from treewright.search import solve_row_costs
    >>> from treewright.table import table_from
    >>> costs = [[0, 2], [0, 1], [7, 0]]  # of predicting 0 and 1 for each row
    >>> problem = make_row_costs_problem(table_from([[20], [30], [40]]), [0, 0, 1], costs, max_depth=1)
    >>> solve_row_costs(problem).tree.splits[0].threshold
    35.0
    """
    weight = problem.sample_weight / problem.sample_weight.max()
    total = exact_sum(weight)
    least = reduce(np.minimum, problem.row_costs.T)  # column by column, which is faster than along short rows
    always = exact_sum(weight * least / total)
    at_stake = min(exact_sum(weight * (column - least) / total) for column in problem.row_costs.T)
    leaf_penalty = problem.cost_complexity / at_stake if at_stake > 0 else 1.0
    no_split_pays = leaf_penalty >= 1
    asked = problem.into(
        PolicyProblem,
        rewards=-problem.row_costs,
        actions=problem.classes,
        action_costs=np.zeros(len(problem.classes)),
        cost_complexity=min(leaf_penalty, 1.0),
        max_leaf_nodes=1 if no_split_pays else problem.max_leaf_nodes,
    )

    def in_costs(now: Progress) -> Progress:
        objective, bound = always + at_stake * now.objective, always + at_stake * now.lower_bound
        return replace(now, objective=objective, lower_bound=bound)

    told = retold(progress, in_costs)
    found = solve_policy(asked, limits=limits, options=options, progress=told, shallower=False)
    tree = _with_counts(problem, found.tree)
    chosen = tree.prediction[tree.apply(problem.table.X)]
    paid = problem.row_costs[np.arange(len(chosen)), chosen]
    loss = exact_sum(weight / total * paid)
    objective = loss + problem.cost_complexity * tree.n_leaves
    tolerance = at_stake * float(found.stats.get("tolerance", 0.0)) + FLOAT * objective
    bound = always + at_stake * (found.lower_bound if found.status is not SolveStatus.OPTIMAL else 0.0)
    if found.status is SolveStatus.OPTIMAL:
        bound = objective - tolerance
    return RowCostsResult(
        tree=tree,
        status=found.status,
        objective=objective,
        lower_bound=max(0.0, min(objective, bound)),
        loss=loss,
        scope=found.scope,
        stop_reason=found.stop_reason,
        stats={
            **{name: value for name, value in found.stats.items() if not name.endswith("_reward")},
            "tolerance": tolerance,
            "single_class_cost": always + at_stake,
            "least_cost": always,
        },
        options={
            **found.options,
            "method": "row_costs",
            "criterion": "row_costs",
            "cost_complexity": problem.cost_complexity,
            "max_leaf_nodes": problem.max_leaf_nodes,
        },
        notes=found.notes,
    )


def _with_counts(problem: RowCostsProblem, tree: Tree) -> Tree:
    """Return the tree of classes with the same splits and predictions, and weights of classes in its nodes."""
    n_classes = len(problem.classes)
    grown = grow(
        tree.columns,
        problem.classes,
        tree.splits,
        problem.table.X,
        problem.y,
        problem.sample_weight,
        1.0 - np.eye(n_classes),
    )
    assert grown.kind is TreeKind.CLASSIFICATION
    return replace(grown, prediction=tree.prediction)
