"""Check a regression tree that was chosen for its leaves' lines in one column, without any code of the search.

The loss of a leaf is that of the best line in one column, recomputed from residuals; each line must reach this loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.problem import RegressionProblem
from treewright.result import SolveResult
from treewright.tree import ColumnKind
from treewright.verify._additive import RELATIVE, check
from treewright.verify._freedom import OF_ONE_COLUMN
from treewright.verify._means import mean_of
from treewright.verify._report import Check
from treewright.verify._route import rows_of_nodes

__all__ = ["has_simple_lines", "loss_of_best_line", "loss_of_constant", "simple_line_checks"]

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


def loss_of_best_line(problem: RegressionProblem) -> Callable[[Rows], float]:
    """Return the function from the rows of a leaf to the squared error of its best line, or of its best constant."""
    y, weight = _target(problem), problem.sample_weight / problem.sample_weight.max()
    columns = [
        problem.table.X[:, j]
        for j, column in enumerate(problem.table.columns)
        if column.kind is not ColumnKind.CATEGORICAL
    ]

    def loss(rows: Rows) -> float:
        w, apart = weight[rows], _about_mean(y[rows], weight[rows])
        least = float((w * apart**2).sum())
        for column in columns:
            x = column[rows]
            if np.isnan(x).any() or x.min() == x.max():
                continue
            x = _about_mean(x / float(np.abs(x).max()), w)
            x = x / float(np.abs(x).max())
            error = apart - float((w * x * apart).sum()) / float((w * x * x).sum()) * x
            least = min(least, float((w * error**2).sum()))
        return least

    return loss


def loss_of_constant(problem: RegressionProblem) -> float:
    """Return the squared error of all rows about their mean, in the same unit."""
    weight = problem.sample_weight / problem.sample_weight.max()
    return float((weight * _about_mean(_target(problem), weight) ** 2).sum())


def simple_line_checks(problem: RegressionProblem, claim: SolveResult) -> Iterator[Check]:
    """Yield the checks of the lines of a result whose tree and losses have passed their checks."""
    tree, X, y = claim.tree, problem.table.X, _target(problem)
    weight = problem.sample_weight / problem.sample_weight.max()
    unit, loss, slack = _unit(problem), loss_of_best_line(problem), RELATIVE * loss_of_constant(problem)
    fault, count = "", 0
    for node, rows in enumerate(rows_of_nodes(tree, X)):
        if fault or tree.splits[node] is not None:
            continue
        line = None if tree.lines is None else tree.lines[node]
        said = np.full(len(rows), float(tree.value[node, 0]))
        if line is not None:
            count += 1
            x = X[rows, line.columns[0]]
            with np.errstate(over="ignore", invalid="ignore"):  # a line in a damaged file
                said = said + line.slopes[0][0] * (x - line.centers[0])
            if len(line.columns) != 1 or np.isnan(x).any():
                fault = f"node {node}: more columns than one, or rows without its value"
            elif line.freedom != OF_ONE_COLUMN:
                fault = f"node {node}: {line.freedom:.9g} coefficients instead of {OF_ONE_COLUMN:g}"
            elif (line.low[0], line.high[0]) != (float(said.min()), float(said.max())):
                fault = (
                    f"node {node}: from {line.low[0]:.9g} to {line.high[0]:.9g}, not what it says of its rows"
                )
        with np.errstate(over="ignore", invalid="ignore"):
            left = float((weight[rows] * (y[rows] - said / unit) ** 2).sum())
        if not fault and not left <= loss(rows) + slack:
            fault = f"node {node}: loses {left:.9g}, the best line {loss(rows):.9g}"
    yield check("best line of each leaf", not fault, f"{tree.n_leaves} leaves", fault)
    lines = claim.stats.get("lines")
    yield check("lines", lines == count and not isinstance(lines, bool), repr(lines), str(count))


def _about_mean(values: Floats, weight: Floats) -> Floats:
    first = values - mean_of(values, weight)
    return np.asarray(first - float((weight * first).sum()) / math.fsum(weight.tolist()))


def _unit(problem: RegressionProblem) -> float:
    return float(np.abs(problem.y).max()) or 1.0


def _target(problem: RegressionProblem) -> Floats:
    return np.asarray(problem.y / _unit(problem))


def has_simple_lines(claim: SolveResult) -> bool:
    """Whether a result claims that its tree was chosen for lines in one column."""
    return bool(claim.options.get("leaf_model") == "simple_linear")
