"""Check a tree of largest F1 and its certificate against the data, without any code of the search.

The tree is checked as a tree of plain misclassification costs. Its leaf labels are best if they are the cheapest when a
false positive costs F and a false negative 2 - F, where F is the largest F1 itself (with the penalty of its leaves).
The bound is checked on the tree's prunings and subtrees in the same way: no tree has an objective below b if, and only
if, at ``F = 1 - b`` none costs less than ``2 b`` times the weight of the positive rows
(``FP + FN + leaves >= 2 b / F * TP``, times F).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.problem import F1Problem, Problem
from treewright.result import F1Result, SolveResult, SolveStatus
from treewright.tree import Tree
from treewright.verify._additive import check
from treewright.verify._facts import TOLERANCE, Facts, is_whole
from treewright.verify._missing_side import missing_checks, unchecked_of
from treewright.verify._report import Check, VerificationReport
from treewright.verify._scope import scope_check
from treewright.verify._subtrees import Objective, best_subtree
from treewright.verify._verify import LARGEST_ROUNDING, SMALL_SUM, verify
from treewright.verify._words import fault_of_fields, question_checks

__all__ = ["verify_f1"]

MOST_TOLERANCE = 1e-8  # largest gap that a proof may leave if weights are whole numbers
SMALL = 1e-12  # relative: smaller differences of objectives count as equal


def verify_f1(problem: F1Problem, claim: SolveResult | Tree) -> VerificationReport:
    """Check a tree of largest F1, or a result with its tree, against the data.

    Parameters
    ----------
    problem : F1Problem
        The training data and the question; from `treewright.problem.make_f1_problem`.
    claim : F1Result or Tree
        A tree claims its structure, counts and leaf labels; a result claims its numbers as well.

    Returns
    -------
    VerificationReport
        ``report.ok`` is the verdict, ``str(report)`` a table.

    Examples
    --------
    >>> from treewright.problem import make_f1_problem
    >>> from treewright.search import solve_f1
    >>> from treewright.table import table_from
    >>> from treewright.verify import verify_f1
    >>> problem = make_f1_problem(table_from([[20], [30], [40]]), [0, 0, 1])
    >>> verify_f1(problem, solve_f1(problem)).ok
    True
    """
    tree, result = (claim.tree, claim) if isinstance(claim, SolveResult) else (claim, None)
    own = _own_objective(problem, tree)
    checks = list(verify(_at(problem, min(own, 1.0)), tree).checks)  # structure, counts, labels, limits
    if result is not None:
        fault = fault_of_fields(result) or ("" if isinstance(result, F1Result) else "not a result about F1")
        checks.append(check("fields of the certificate", not fault, "all that its sentence needs", fault))
    if result is not None and all(one.ok for one in checks):
        checks += _result_checks(problem, result)
    unchecked = unchecked_of(claim) if all(one.ok for one in checks) else ()
    return VerificationReport(tuple(checks), result is not None, unchecked)


def _at(problem: F1Problem, objective: float) -> Problem:
    """Return the problem with misclassification costs that decides whether a tree is below this objective."""
    costs = np.array([[0.0, 1 - objective], [1 + objective, 0.0]])
    return problem.into(Problem, costs=costs, cost_complexity=(1 - objective) * problem.cost_complexity)


def _parts(facts: Facts, tree: Tree) -> tuple[float, float]:
    """Return the weight of true positives and the weight of wrong predictions."""
    yes = tree.prediction[facts.leaves] == 1
    false, right = facts.weight[facts.leaves[yes]].sum(axis=0)
    return float(right), float(false + facts.weight[facts.leaves[~yes], 1].sum())


def _lost(right: float, wrong: float) -> float:
    return wrong / (2 * right + wrong) if right > 0 else 1.0


def _own_objective(problem: F1Problem, tree: Tree) -> float:
    """Return the objective of a tree, or 0 if its arrays are not a tree: the checks of the structure report that."""
    bare = verify(_at(problem, 0.0), tree).checks
    if any(not one.ok for one in bare if one.name in ("structure", "columns", "classes", "splits")):
        return 0.0
    right, wrong = _parts(Facts.of(_at(problem, 0.0), tree), tree)
    return _lost(right, wrong + problem.leaf_weight * tree.n_leaves)


def _result_checks(problem: F1Problem, result: F1Result | SolveResult) -> Iterator[Check]:
    tree = result.tree
    bound = float(result.lower_bound)
    right, wrong = _parts(facts := Facts.of(_at(problem, 0.0), tree), tree)
    loss, objective = _lost(right, wrong), _lost(right, wrong + problem.leaf_weight * tree.n_leaves)
    yield from missing_checks(problem.table, result, problem.sample_weight, facts.rows)
    yield from question_checks(_as_asked(problem), result, None)
    yield scope_check(_as_asked(problem), result)
    for name, claimed, found in (("loss", result.loss, loss), ("objective", result.objective, objective)):
        yield check(
            name, abs(claimed - found) <= TOLERANCE * max(found, SMALL), f"{claimed:.12g}", f"{found:.12g}"
        )
    near = TOLERANCE * objective
    yield check(
        "lower_bound <= objective", 0 <= bound <= objective + near, f"<= {objective:.12g}", f"{bound:.12g}"
    )
    least_objective = max(0.0, min(bound, objective) - near)
    at = _at(problem, least_objective)  # here a tree that is not better costs at least as much

    def costs(weight: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(
            (weight @ at.costs).min(axis=1) / at.total_weight + at.cost_complexity, dtype=np.float64
        )

    least = best_subtree(at, tree, facts, Objective(costs, lambda a, b: a + b))
    threshold = 2 * least_objective * problem.positive_weight / problem.total_weight
    yield check(
        "no pruning and no subtree is better",
        problem.positive_weight == 0 or least >= threshold * (1 - SMALL),
        f">= {threshold:.12g}",
        f"{least:.12g}",
    )
    gap = objective - bound
    proven = result.status is SolveStatus.OPTIMAL
    whole = is_whole(problem.sample_weight) and problem.total_weight**2 < SMALL_SUM
    most = MOST_TOLERANCE if whole else LARGEST_ROUNDING * objective
    consistent = not proven or (gap <= most + near and result.stop_reason is None)
    consistent &= result.status is not SolveStatus.OPTIMAL_UNDER_GUESSES
    yield check("status", consistent, result.status.value, f"objective and bound are {gap:.3g} apart")


def _as_asked(problem: F1Problem) -> Problem:
    """Return the problem with the leaf penalty of the question."""
    return replace(_at(problem, 0.0), cost_complexity=problem.cost_complexity)
