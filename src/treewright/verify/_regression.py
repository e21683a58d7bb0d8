"""Check a regression tree and its certificate against the data, without any code of the search.

Means and losses are recomputed in plain sums of centred squares; the rest is as for every additive loss.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.problem import RegressionProblem
from treewright.result import RegressionResult, SolveResult
from treewright.tree import Tree, TreeKind
from treewright.verify._additive import Question, check, verify_additive
from treewright.verify._means import is_mean_of, mean_of
from treewright.verify._report import Check, VerificationReport

__all__ = ["verify_regression"]


def verify_regression(problem: RegressionProblem, claim: SolveResult | Tree) -> VerificationReport:
    """Check a regression tree, and the result that it comes with, against the data.

    Parameters
    ----------
    problem : RegressionProblem
        The training data and the question; from `treewright.problem.make_regression_problem`.
    claim : RegressionResult or Tree

    Returns
    -------
    VerificationReport
        ``report.ok`` is the verdict, ``str(report)`` a table.
    """
    question = Question(
        problem,
        TreeKind.REGRESSION,
        RegressionResult,
        "squared_error",
        lambda rows: _loss(problem, rows),
        lambda tree, rows: _means(problem, tree, rows),
    )
    return verify_additive(question, claim)


def _means(problem: RegressionProblem, tree: Tree, rows: list[NDArray[np.int64]]) -> Iterator[Check]:
    off = ""
    for node, here in enumerate(rows):
        if len(here) == 0:
            off = f"node {node} has no rows"
            break
        if not is_mean_of(float(tree.value[node, 0]), problem.y[here], problem.sample_weight[here]):
            mean = mean_of(problem.y[here], problem.sample_weight[here])
            off = f"node {node}: the mean is {mean:.9g}, the tree says {tree.value[node, 0]:.9g}"
            break
    yield check("mean of each node", not off, f"{len(rows)} means", off)


def _loss(problem: RegressionProblem, rows: NDArray[np.int64]) -> float:
    """Return the weighted sum of squared errors of a leaf, in units that cannot overflow."""
    unit = float(np.abs(problem.y / 2).max()) or 1.0
    centred = (problem.y[rows] - mean_of(problem.y[rows], problem.sample_weight[rows])) / unit
    return float((problem.sample_weight[rows] * centred**2).sum())
