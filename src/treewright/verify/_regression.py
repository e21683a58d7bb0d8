"""Check a regression tree and its certificate against the data, without any code of the search.

Means, quantiles and losses are recomputed row by row; the other checks are those of every additive loss.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from treewright.problem import RegressionProblem
from treewright.result import RegressionResult, SolveResult
from treewright.tree import Tree, TreeKind
from treewright.verify._additive import Question, check, verify_additive
from treewright.verify._lines import line_checks
from treewright.verify._means import is_mean_of, mean_of
from treewright.verify._report import Check, VerificationReport
from treewright.verify._simple_lines import (
    has_simple_lines,
    loss_of_best_line,
    loss_of_constant,
    simple_line_checks,
)

__all__ = ["verify_regression"]

ROUNDING = 1e-11  # rounding error of shares of weight


def verify_regression(problem: RegressionProblem, claim: SolveResult | Tree) -> VerificationReport:
    """Check a regression tree, or a result with its tree, against the data.

    Parameters
    ----------
    problem : RegressionProblem
        The training data and the question; from `treewright.problem.make_regression_problem`.
    claim : RegressionResult or Tree
        A tree claims its structure, counts and values; a result claims its numbers as well.

    Returns
    -------
    VerificationReport
        ``report.ok`` is the verdict, ``str(report)`` a table.

    Examples
    --------
    >>> from treewright.problem import make_regression_problem
    >>> from treewright.search import solve_regression
    >>> from treewright.table import table_from
    >>> from treewright.verify import verify_regression
    >>> problem = make_regression_problem(table_from([[20], [30], [40]]), [1.0, 1.0, 5.0], max_depth=1)
    >>> verify_regression(problem, solve_regression(problem)).ok
    True
    """
    options: dict[str, float | int] = {}
    if isinstance(claim, SolveResult) and has_simple_lines(claim):
        return _verify_simple_lines(problem, claim)
    if problem.criterion == "quantile":
        options["quantile"] = problem.quantile
    if problem.targets.shape[1] > 1:
        options["n_outputs"] = problem.targets.shape[1]
    question = Question(
        problem,
        TreeKind.REGRESSION,
        RegressionResult,
        problem.criterion,
        lambda rows: _loss(problem, rows),
        lambda tree, rows: _values(problem, tree, rows),
        options=options,
    )
    report = verify_additive(question, claim)
    if not report.ok:  # what a line says rests on all of that
        return report
    return replace(report, checks=(*report.checks, *line_checks(problem, claim)))


def _verify_simple_lines(problem: RegressionProblem, claim: SolveResult) -> VerificationReport:
    """Check a result whose tree was chosen for lines in one column; its losses are shares of the variance."""
    asked = problem.criterion == "squared_error" and problem.y.ndim == 1
    fault = "" if asked else "another loss, or several outputs"
    found = check("lines in one column", asked, "squared error of one output", fault)
    if not asked:
        return VerificationReport((found,), claims_bound=True)
    question = Question(
        problem,
        TreeKind.REGRESSION,
        RegressionResult,
        problem.criterion,
        loss_of_best_line(problem),
        lambda tree, rows: _values(problem, tree, rows),
        unit=loss_of_constant(problem) or None,
    )
    report = verify_additive(question, claim)
    if not report.ok:  # what a line says rests on all of that
        return report
    return replace(report, checks=(*report.checks, *simple_line_checks(problem, claim)))


def _values(problem: RegressionProblem, tree: Tree, rows: list[NDArray[np.int64]]) -> Iterator[Check]:
    if problem.share is not None:
        yield _quantiles(problem, tree, rows, problem.share)
        return
    yield check(
        "mean of each node", not (off := _wrong_mean(problem, tree, rows)), f"{tree.value.size} means", off
    )


def _wrong_mean(problem: RegressionProblem, tree: Tree, rows: list[NDArray[np.int64]]) -> str:
    """Return, in words, the first node whose value is not the mean of its rows, or an empty string."""
    targets = problem.targets
    if tree.value.shape[1] != targets.shape[1]:
        return f"{tree.value.shape[1]} values a node for {targets.shape[1]} outputs"
    for node, here in enumerate(rows):
        if len(here) == 0:
            return f"node {node} has no rows"
        weight = problem.sample_weight[here]
        for output in range(targets.shape[1]):
            said, y = float(tree.value[node, output]), targets[here, output]
            if not is_mean_of(said, y, weight):
                of = f" of output {output}" if targets.shape[1] > 1 else ""
                return f"node {node}: the mean{of} is {mean_of(y, weight):.9g}, the tree says {said:.9g}"
    return ""


def _quantiles(
    problem: RegressionProblem, tree: Tree, rows: list[NDArray[np.int64]], share: Fraction
) -> Check:
    """Return the quantile of each node: the first target at or below which at least the share of weight lies.

    If exactly the share does, it is the middle between this target and the next.
    """
    off = ""
    for node, here in enumerate(rows):
        if len(here) == 0:
            off = f"node {node} has no rows"
            break
        order = np.argsort(problem.y[here], kind="stable")
        y, up_to = problem.y[here][order], np.cumsum(problem.sample_weight[here][order])
        beyond = up_to / up_to[-1] - share.numerator / share.denominator
        first = int(np.argmax(beyond >= -ROUNDING))
        value, following = float(y[first]), float(y[min(first + 1, len(y) - 1)])
        middle = value / 2 + following / 2
        wanted = {middle} if abs(beyond[first]) <= ROUNDING / 100 else {value}
        if ROUNDING / 100 < abs(beyond[first]) <= ROUNDING:  # rounding leaves open which case it is
            wanted = {value, middle, following}
        if float(tree.value[node, 0]) not in wanted:
            off = f"node {node}: the quantile is {min(wanted):.9g}, the tree says {tree.value[node, 0]:.9g}"
            break
    return check("quantile of each node", not off, f"{len(rows)} quantiles", off)


def _loss(problem: RegressionProblem, rows: NDArray[np.int64]) -> float:
    """Return the loss of a leaf at its best value, in units in which nothing can overflow."""
    unit = float(np.abs(problem.y / 2).max()) or 1.0
    weight = problem.sample_weight[rows] / problem.sample_weight.max()
    if problem.share is not None:
        return _quantile_loss(problem.y[rows], unit, weight, problem.share)
    if problem.criterion == "squared_error":
        total = 0.0
        for y in problem.targets[rows].T:
            mean = mean_of(y, problem.sample_weight[rows])
            total += float((weight * ((y - mean) / unit) ** 2).sum())
        return total
    mean = mean_of(problem.y[rows], problem.sample_weight[rows])
    y, mean = problem.y[rows] / unit, mean / unit
    near = y < 2 * mean  # for larger targets a difference from 1 would lose digits
    with np.errstate(divide="ignore", invalid="ignore"):  # Poisson targets of 0: replaced below
        logarithm = np.where(near, np.log1p((mean - y) / y), np.log(mean / y))
        lost = (
            np.where(y > 0, mean - y - y * logarithm, mean)
            if problem.criterion == "poisson"
            else logarithm - (mean - y) / mean
        )
    return max(0.0, math.fsum((weight * lost).tolist()))


def _quantile_loss(
    y: NDArray[np.float64], unit: float, weight: NDArray[np.float64], share: Fraction
) -> float:
    """Return the least loss of a leaf, in units of the differences of targets: it is reached at one of the targets."""
    up, down = share.numerator, share.denominator - share.numerator
    order = np.argsort(y)
    y, weight = y[order], weight[order]
    beyond = weight.sum() - np.cumsum(weight)
    at = int(np.argmax((up + down) * beyond <= down * weight.sum() * (1 + 1e-14)))
    # Differences are taken before dividing: targets far from zero would lose the digits of their difference.
    apart = (y / 2 - y[at] / 2) / (unit / 2)
    return math.fsum((weight * np.where(apart > 0, up * apart, -down * apart)).tolist())
