"""Check a regression tree and its certificate against the data, without any code of the search.

Means, quantiles and losses are recomputed row by row; the rest is as for every additive loss.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from treewright.problem import RegressionProblem
from treewright.result import RegressionResult, SolveResult
from treewright.tree import Tree, TreeKind
from treewright.verify._additive import RELATIVE, Question, check, verify_additive
from treewright.verify._report import Check, VerificationReport

__all__ = ["verify_regression"]

HALF_OF_LARGEST = float(np.finfo(np.float64).max) / 2


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
        problem.criterion,
        lambda rows: _loss(problem, rows),
        lambda tree, rows: _values(problem, tree, rows),
        options={"quantile": problem.quantile} if problem.criterion == "quantile" else {},
    )
    return verify_additive(question, claim)


def _values(problem: RegressionProblem, tree: Tree, rows: list[NDArray[np.int64]]) -> Iterator[Check]:
    if problem.share is not None:
        yield _quantiles(problem, tree, rows, problem.share)
        return
    half_scale = float(np.ptp(problem.y / 2)) or float(np.ptp(problem.y)) or 1.0  # halves cannot overflow
    off = ""
    for node, here in enumerate(rows):
        if len(here) == 0:
            off = f"node {node} has no rows"
            break
        mean = _mean(problem, here)
        if not abs(mean / 2 - tree.value[node, 0] / 2) <= RELATIVE * max(half_scale, abs(mean / 2)):
            off = f"node {node}: the mean is {mean:.9g}, the tree says {tree.value[node, 0]:.9g}"
            break
    yield check("mean of each node", not off, f"{len(rows)} means", off)


def _quantiles(
    problem: RegressionProblem, tree: Tree, rows: list[NDArray[np.int64]], share: Fraction
) -> Check:
    """A quantile is between the weights strictly below and up to it; of an interval any value is one."""
    off = ""
    for node, here in enumerate(rows):
        if len(here) == 0:
            off = f"node {node} has no rows"
            break
        y, weight, value = problem.y[here], problem.sample_weight[here], float(tree.value[node, 0])
        near = RELATIVE * max(float(np.abs(y / 2).max()) * 2, 1e-300)
        below, up_to = weight[y < value - near].sum(), weight[y <= value + near].sum()
        total, wanted = weight.sum(), share.numerator / share.denominator * weight.sum()
        if not below - RELATIVE * total <= wanted <= up_to + RELATIVE * total:
            off = f"node {node}: {below / total:.6g} of the weight lies below {value:.9g}, {up_to / total:.6g} up to it"
            break
    return check("quantile of each node", not off, f"{len(rows)} quantiles", off)


def _mean(problem: RegressionProblem, rows: NDArray[np.int64]) -> float:
    """Return the weighted mean; differences of the largest targets are taken of their halves."""
    y, weight = problem.y[rows], problem.sample_weight[rows]
    by = 1.0 if np.abs(y).max() < HALF_OF_LARGEST else 0.5
    origin = y[0] * by
    return float((origin + (weight / weight.sum() * (y * by - origin)).sum()) / by)


def _loss(problem: RegressionProblem, rows: NDArray[np.int64]) -> float:
    """Return the loss of a leaf at its best value, in units that cannot overflow."""
    unit = float(np.abs(problem.y / 2).max()) or 1.0
    weight = problem.sample_weight[rows] / problem.sample_weight.max()
    if problem.share is not None:
        return _quantile_loss(problem.y[rows] / unit, weight, problem.share)
    mean = _mean(problem, rows)
    if problem.criterion == "squared_error":
        return float((weight * ((problem.y[rows] - mean) / unit) ** 2).sum())
    y, mean = problem.y[rows] / unit, mean / unit
    apart = y - mean
    with np.errstate(divide="ignore", invalid="ignore"):  # rows of a Poisson target of 0 lose their mean
        if problem.criterion == "poisson":
            lost = np.where(y > 0, -y * _log1p(-apart / y) - apart, mean)
        else:
            lost = _log1p(-apart / y) + apart / mean
    return max(0.0, math.fsum((weight * lost).tolist()))


def _log1p(of: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log(1 + x): for x near 0 nothing is lost, and x near -1 was not made by a difference."""
    return np.asarray(np.log1p(of), dtype=np.float64)


def _quantile_loss(y: NDArray[np.float64], weight: NDArray[np.float64], share: Fraction) -> float:
    """Return the least loss at any target: it is least at one of them."""
    up, down = share.numerator, share.denominator - share.numerator
    order = np.argsort(y)
    y, weight = y[order], weight[order]
    beyond = weight.sum() - np.cumsum(weight)
    at = int(np.argmax((up + down) * beyond <= down * weight.sum() * (1 + 1e-14)))
    apart = y - y[at]
    return math.fsum((weight * np.where(apart > 0, up * apart, -down * apart)).tolist())
