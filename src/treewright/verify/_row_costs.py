"""Check a tree for costs per row and class against the data, without any code of the search."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.problem import RowCostsProblem
from treewright.result import RowCostsResult, SolveResult
from treewright.tree import Tree, TreeKind
from treewright.verify._additive import RELATIVE, Mean, Question, check, same_classes, verify_additive
from treewright.verify._report import Check, VerificationReport

__all__ = ["verify_row_costs"]

Rows = NDArray[np.int64]


def verify_row_costs(problem: RowCostsProblem, claim: SolveResult | Tree) -> VerificationReport:
    """Check a tree, or a result with its tree, against rows that each have their own cost for each class.

    Parameters
    ----------
    problem : RowCostsProblem
        The training data and the question; from `treewright.problem.make_row_costs_problem`.
    claim : RowCostsResult or Tree
        A tree claims its structure, counts and values; a result claims its numbers as well.

    Returns
    -------
    VerificationReport
        ``report.ok`` is the verdict, ``str(report)`` a table.

    Examples
    --------
    >>> from treewright.problem import make_row_costs_problem
    >>> from treewright.search import solve_row_costs
    >>> from treewright.table import table_from
    >>> from treewright.verify import verify_row_costs
    >>> costs = [[0, 2], [0, 1], [7, 0]]
    >>> problem = make_row_costs_problem(table_from([[20], [30], [40]]), [0, 0, 1], costs, max_depth=1)
    >>> verify_row_costs(problem, solve_row_costs(problem)).ok
    True
    """
    share = problem.sample_weight / math.fsum(problem.sample_weight.tolist())
    paid = share[:, None] * problem.row_costs

    def sums(rows: Rows) -> NDArray[np.float64]:
        return np.array([math.fsum(column[rows].tolist()) for column in paid.T])

    scale = float(sums(np.arange(len(paid))).max()) or 1.0
    question = Question(
        problem,
        TreeKind.CLASSIFICATION,
        RowCostsResult,
        "row_costs",
        lambda rows: float(sums(rows).min()),
        lambda tree, rows: _values(problem, sums, scale, tree, rows),
        unit=1.0,  # costs are reported in their own unit
        scale=scale,
        means=lambda tree, rows: {
            "single_class_cost": Mean(float(sums(rows[0]).min()), scale),
            "least_cost": Mean(math.fsum(paid.min(axis=1).tolist()), scale),
        },
    )
    return verify_additive(question, claim)


def _values(
    problem: RowCostsProblem,
    sums: Callable[[Rows], NDArray[np.float64]],
    scale: float,
    tree: Tree,
    rows: list[Rows],
) -> Iterator[Check]:
    same = same_classes(problem.classes, tree)
    yield same
    if not same.ok:
        return
    weight_fault, class_fault = "", ""
    for node, here in enumerate(rows):
        weights = np.bincount(problem.y[here], problem.sample_weight[here], len(problem.classes))
        if not np.allclose(weights, tree.value[node], rtol=RELATIVE, atol=0):
            weight_fault = weight_fault or f"node {node}: {weights.tolist()}"
        paid = sums(here)
        if paid[tree.prediction[node]] > paid.min() + RELATIVE * scale:
            class_fault = class_fault or f"node {node}: class {int(paid.argmin())} is cheaper"
    yield check("weights of classes in each node", not weight_fault, f"{len(rows)} nodes", weight_fault)
    yield check("prediction of each node", not class_fault, "the cheapest class", class_fault)
