"""Exact policy trees: from a problem to a tree with its certificate."""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np

from treewright.binarize import SplitMatrix
from treewright.problem import PolicyProblem
from treewright.result import PolicyResult
from treewright.search._additive_losses import ActionLoss
from treewright.search._additive_result import (
    AdditiveQuestion,
    as_shares,
    interrupted,
    search_all_thresholds,
)
from treewright.search._binary_policy import solve_binary_policy
from treewright.search._choose_engine import choose_for_actions, unranked_choice
from treewright.search._exact_sum import exact_sum
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._options import BinaryOptions, RankedOptions
from treewright.search._result import LEAVES_NOT_PROVEN
from treewright.search._shallow import search_then_shallower
from treewright.search._single_split import ends_unranked
from treewright.tree import Tree, grow_policy, merge_equal_leaves

__all__ = ["solve_policy"]


def solve_policy(
    problem: PolicyProblem,
    *,
    limits: Limits | None = None,
    options: BinaryOptions | RankedOptions | None = None,
    progress: ProgressCallback | None = None,
    shallower: bool = True,
) -> PolicyResult:
    """Find the policy tree with the smallest objective over all thresholds.

    Parameters
    ----------
    problem : PolicyProblem
    limits : Limits, default=None
        With None the only limit is the machine's memory.
    options : BinaryOptions or RankedOptions, default=None
        Switches, and the choice of the engine; the optimum depends on none.
    progress, shallower
        As in `treewright.search.solve`.

    Returns
    -------
    PolicyResult
        Status OPTIMAL if the search ended; otherwise the best tree with a proven lower bound. Ctrl-C ends the search
        in the same way.

    Raises
    ------
    SolverError
        No tree meets the constraints.

    Notes
    -----
    The loss of a leaf is the least sum over its rows of the regret of one action, which is misclassification with a
    cost vector for each row. Tables with few splits go to the search over binary columns, others to that over ranked
    columns (``cpp/include/treewright/objective/action_costs.hpp``). The regret of a row is capped at that of a single
    leaf. A tree that pays more on a row is no better than the single leaf, with or without the cap, and other trees are
    not changed by it. So the digits of the search's integers are used where the relevant trees differ.

    Examples
    --------
    >>> from treewright.problem import make_policy_problem
    >>> from treewright.search import solve_policy
    >>> from treewright.table import table_from
    >>> problem = make_policy_problem(table_from([[20], [40]]), [[1.0, 0.0], [0.0, 3.0]], max_depth=1)
    >>> solve_policy(problem).stats["mean_reward"]
    2.0
    """
    if shallower:
        search = partial(solve_policy, options=options, shallower=False)
        return search_then_shallower(search, problem, limits, progress)
    regret = problem.regret
    one_leaf = _least(regret)
    cost = regret if float(regret.max()) <= one_leaf else np.minimum(regret, one_leaf)
    action_costs = problem.action_costs.tolist()
    question = AdditiveQuestion(
        kind=PolicyResult,
        problem=problem,
        loss=ActionLoss(cost),
        one_leaf=one_leaf,
        grow=lambda splits: merge_equal_leaves(grow(problem, splits)),
        options={"method": "policy", "criterion": "regret"}
        | ({"action_costs": action_costs} if any(action_costs) else {}),
        rounded="The rewards",
        nothing_to_gain="One action is best for every row: no split can gain anything.",
        measure=lambda tree: regret_of(problem, tree),
        tolerance=2.0**-50
        * float(reduce(np.maximum, cost.T).sum()),  # each regret is off by 2**-51 of itself
        stats=lambda tree: rewards_of(problem, tree),
    )
    if one_leaf == 0:
        return question.trivial()
    limits = (limits or Limits()).started()
    if ends_unranked(problem, limits, options) is None:
        choice = choose_for_actions(problem, cost, options, limits)
    else:
        choice = unranked_choice(problem.table)
    if isinstance(choice.space, SplitMatrix):
        assert not isinstance(options, RankedOptions)  # it would have chosen the other engine
        report = as_shares(progress, one_leaf)
        try:
            answer = solve_binary_policy(
                problem, choice.space, cost, limits=limits, options=options, progress=report
            )
        except KeyboardInterrupt:  # outside of the engine, which would have kept its tree
            answer = interrupted(problem, question.loss, one_leaf, options)
    else:
        switches = options if isinstance(options, RankedOptions) else None
        answer = search_all_thresholds(
            problem, question.loss, one_leaf, limits=limits, options=switches, progress=progress,
            candidates=choice.space.candidates or None,
        )  # fmt: skip
    engine = {"engine": choice.engine, "engine_reason": choice.why}
    notes = () if answer.stats.get("leaves_proven", True) else (LEAVES_NOT_PROVEN,)
    return question.answered(replace(answer, stats={**answer.stats, **engine}), notes)


def grow(problem: PolicyProblem, splits: Any) -> Tree:
    """Return the tree of these splits, in depth-first order."""
    table = problem.table
    return grow_policy(
        table.columns,
        problem.actions,
        list(splits),
        table.X,
        problem.rewards,
        problem.sample_weight,
        problem.regret,
    )


def regret_of(problem: PolicyProblem, tree: Tree) -> float:
    """Return the weighted regret of a tree, exactly rounded."""
    chosen = tree.prediction[tree.apply(problem.table.X)]
    return exact_sum(problem.regret[np.arange(len(chosen)), chosen])


def rewards_of(problem: PolicyProblem, tree: Tree) -> dict[str, float]:
    """Return what the sentence says: mean net rewards of the tree, of one action, of the best one for each row."""
    rewards, costs = problem.rewards, problem.action_costs
    chosen = tree.prediction[tree.apply(problem.table.X)]
    share = problem.sample_weight / problem.sample_weight.sum()
    half = costs / 2  # halves cannot overflow

    def mean(values: Any) -> float:
        return 2 * exact_sum(share * values)

    def net(action: int) -> Any:  # one at a time: all together take new memory
        return rewards[:, action] / 2 - half[action]

    return {
        "mean_reward": mean(rewards[np.arange(len(chosen)), chosen] / 2 - half[chosen]),
        "best_single_reward": max(mean(net(action)) for action in range(problem.n_actions)),
        "best_each_reward": mean(reduce(np.maximum, map(net, range(problem.n_actions)))),
    }


def _least(regret: Any) -> float:
    """Return the least sum of a column."""
    return min(exact_sum(column) for column in regret.T)
