"""Check a policy tree and its certificate against the data, without any code of the search.

Regrets are recomputed from the rewards, row by row and in exact sums; the other checks are those of every additive
loss.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.problem import PolicyProblem
from treewright.result import PolicyResult, SolveResult
from treewright.tree import Tree, TreeKind
from treewright.verify._additive import RELATIVE, Mean, Question, check, verify_additive
from treewright.verify._means import is_mean_of, mean_of
from treewright.verify._report import Check, VerificationReport

__all__ = ["verify_policy"]

Rows = NDArray[np.int64]


def verify_policy(problem: PolicyProblem, claim: SolveResult | Tree) -> VerificationReport:
    """Check a policy tree, or a result with its tree, against the data.

    Parameters
    ----------
    problem : PolicyProblem
        The training data and the question; from `treewright.problem.make_policy_problem`.
    claim : PolicyResult or Tree
        A tree claims its structure, counts and values; a result claims its numbers as well.

    Returns
    -------
    VerificationReport
        ``report.ok`` is the verdict, ``str(report)`` a table.

    Examples
    --------
    >>> from treewright.problem import make_policy_problem
    >>> from treewright.search import solve_policy
    >>> from treewright.table import table_from
    >>> from treewright.verify import verify_policy
    >>> problem = make_policy_problem(table_from([[20], [40]]), [[1.0, 0.0], [0.0, 3.0]], max_depth=1)
    >>> verify_policy(problem, solve_policy(problem)).ok
    True
    """
    regret = _regrets(problem)
    one_leaf = float(_sums(regret, np.arange(len(regret))).min())
    question = Question(
        problem,
        TreeKind.POLICY,
        PolicyResult,
        "regret",
        lambda rows: float(_sums(regret, rows).min()),
        lambda tree, rows: _values(problem, regret, one_leaf, tree, rows),
        options={"action_costs": problem.action_costs.tolist() if problem.action_costs.any() else None},
        means=lambda tree, rows: _rewards(problem, tree, rows),
    )
    return verify_additive(question, claim)


def _regrets(problem: PolicyProblem) -> NDArray[np.float64]:
    """Return the weighted regret of each row and action, in a unit in which nothing can overflow.

    The unit is a power of two, so that dividing by it is exact. Every regret is rounded only once, however close
    rewards and costs are to each other.
    """
    rewards, costs = problem.rewards, problem.action_costs
    if np.ptp(costs) == 0:
        regret = rewards.max(axis=1)[:, None] - rewards
    else:
        paid = list(enumerate(costs.tolist()))
        regret = np.array(
            [
                [max(math.fsum((row[b], -d, -row[a], c)) for b, d in paid) for a, c in paid]
                for row in rewards.tolist()
            ]
        )
    unit = math.frexp(float(regret.max()))[1] - 500
    share = problem.sample_weight / problem.sample_weight.max()
    return np.asarray(np.ldexp(regret, -unit) * share[:, None], dtype=np.float64)


def _rewards(problem: PolicyProblem, tree: Tree, rows: list[Rows]) -> dict[str, Mean]:
    """Return the mean rewards after costs: of the tree, of the best single action, and of each row's best action."""
    net = problem.rewards / 2 - problem.action_costs / 2  # the difference of halves cannot overflow
    share = problem.sample_weight / problem.sample_weight.max()
    share = share / math.fsum(share.tolist())
    scale = 2.0**-1000 + float(np.abs(problem.rewards / 2).max() + np.abs(problem.action_costs / 2).max())
    leaves = np.flatnonzero(tree.is_leaf)
    found = {
        "mean_reward": math.fsum(
            part for node in leaves for part in (share * net[:, tree.prediction[node]])[rows[node]].tolist()
        ),
        "best_single_reward": max(math.fsum((share * column).tolist()) for column in net.T),
        "best_each_reward": math.fsum((share * net.max(axis=1)).tolist()),
    }
    return {name: Mean(2 * half, 2 * scale) for name, half in found.items()}


def _sums(regret: NDArray[np.float64], rows: Rows) -> NDArray[np.float64]:
    return np.array([math.fsum(regret[rows, action].tolist()) for action in range(regret.shape[1])])


def _values(
    problem: PolicyProblem, regret: NDArray[np.float64], one_leaf: float, tree: Tree, rows: list[Rows]
) -> Iterator[Check]:
    assert tree.classes is not None  # the structure was checked: a policy tree has labels of actions
    same = tree.classes.tolist() == problem.actions.tolist()
    yield check("actions", same, f"{problem.n_actions} actions", "" if same else str(tree.classes.tolist()))
    if not same:
        return
    mean_fault, action_fault = "", ""
    for node, here in enumerate(rows):
        if len(here) == 0:
            mean_fault = f"node {node} has no rows"
            break
        weight = problem.sample_weight[here]
        for action in range(problem.n_actions):
            gains = problem.rewards[here, action]
            if not is_mean_of(float(tree.value[node, action]), gains, weight):
                mean_fault = mean_fault or (
                    f"node {node}: the mean of action {action} is {mean_of(gains, weight):.9g}, the tree says "
                    f"{tree.value[node, action]:.9g}"
                )
        sums = _sums(regret, here)
        if sums[tree.prediction[node]] > sums.min() + RELATIVE * one_leaf:
            action_fault = action_fault or f"node {node}: action {int(sums.argmin())} is better"
    yield check("mean rewards of each node", not mean_fault, f"{len(rows)} nodes", mean_fault)
    yield check("action of each node", not action_fault, "the one of most reward", action_fault)
