"""Check a survival tree and its certificate against the data, without any code of the search.

Cumulative hazards are recomputed from events and times, and deviances row by row; the other checks are those of every
additive loss.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.problem import SurvivalProblem
from treewright.result import SolveResult, SurvivalResult
from treewright.tree import Tree, TreeKind
from treewright.verify._additive import RELATIVE, Question, check, verify_additive
from treewright.verify._report import Check, VerificationReport

__all__ = ["verify_survival"]

Rows = NDArray[np.int64]


def verify_survival(problem: SurvivalProblem, claim: SolveResult | Tree) -> VerificationReport:
    """Check a survival tree, or a result with its tree, against the data.

    Parameters
    ----------
    problem : SurvivalProblem
        The training data and the question; from `treewright.problem.make_survival_problem`.
    claim : SurvivalResult or Tree
        A tree claims its structure, counts and values; a result claims its numbers as well.

    Returns
    -------
    VerificationReport
        ``report.ok`` is the verdict, ``str(report)`` a table.

    Examples
    --------
    >>> from treewright.problem import make_survival_problem
    >>> from treewright.search import solve_survival
    >>> from treewright.table import table_from
    >>> from treewright.verify import verify_survival
    >>> outcome = ([True, True, True], [9.0, 8.0, 1.0])
    >>> problem = make_survival_problem(table_from([[20], [30], [40]]), outcome, max_depth=1)
    >>> verify_survival(problem, solve_survival(problem)).ok
    True
    """
    question = Question(
        problem,
        TreeKind.SURVIVAL,
        SurvivalResult,
        "exponential",
        lambda rows: _deviance(problem, rows),
        lambda tree, rows: _values(problem, tree, rows),
    )
    return verify_additive(question, claim)


def _ratio(problem: SurvivalProblem, rows: Rows) -> float:
    weight = problem.sample_weight[rows]
    seen = math.fsum((weight * problem.event[rows]).tolist())
    return seen / math.fsum((weight * problem.hazard[rows]).tolist()) if seen > 0 else 0.0


def _deviance(problem: SurvivalProblem, rows: Rows) -> float:
    """Return half the deviance of a leaf."""
    ratio = _ratio(problem, rows)
    if ratio == 0:
        return 0.0
    fitted, event = ratio * problem.hazard[rows], problem.event[rows]
    hazard = np.where(event, fitted, 1.0)
    # log1p keeps the digits for rows of large weight that fit well; the logarithm for rows with a hazard close to 0.
    logarithm = np.where(hazard > 0.5, np.log1p(np.maximum(hazard - 1, -0.5)), np.log(hazard))
    own = np.where(event, hazard - 1 - logarithm, fitted)
    return max(0.0, math.fsum((problem.sample_weight[rows] * own).tolist()))


def _values(problem: SurvivalProblem, tree: Tree, rows: list[Rows]) -> Iterator[Check]:
    order = np.argsort(-problem.time, kind="stable")
    at_risk = problem.sample_weight[order].cumsum()
    hazard, total = {}, 0.0
    moments, first = np.unique(-problem.time[order], return_index=True)
    ends = [*first[1:], len(order)]
    for moment, begin, end in reversed(
        list(zip(-moments, first, ends, strict=True))
    ):  # from the first time on
        here = order[begin:end]
        total += float((problem.sample_weight[here] * problem.event[here]).sum()) / float(at_risk[end - 1])
        hazard[float(moment)] = total
    unit = math.ldexp(1.0, -problem.hazard_bits)  # unit of rounded hazards; a note states when it is large
    off = [
        row
        for row, time in enumerate(problem.time.tolist())
        if abs(hazard[time] - problem.hazard[row]) > max(RELATIVE * hazard[time], unit)
    ]
    fault = f"row {off[0]}: {hazard[float(problem.time[off[0]])]:.9g}" if off else ""
    yield check("cumulative hazards", not fault, f"{len(problem.time)} rows", fault)
    wrong = ""
    for node, here in enumerate(rows):
        if len(here) == 0:
            wrong = f"node {node} has no rows"
            break
        ratio = _ratio(problem, here)
        if not abs(ratio - tree.value[node, 0]) <= RELATIVE * ratio:  # sums of nonnegative terms
            wrong = f"node {node}: the ratio is {ratio:.9g}, the tree says {tree.value[node, 0]:.9g}"
            break
    yield check("hazard ratio of each node", not wrong, f"{len(rows)} ratios", wrong)
