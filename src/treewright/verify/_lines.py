"""Check the linear models in the leaves of a regression tree: the loss that remains is recomputed row by row.

No optimality is claimed for these lines. Apart from the loss, their form can be wrong (see `_structure.py`), and the
number of coefficients that each claims (see `_freedom.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from treewright._plural import count_of
from treewright.problem import RegressionProblem
from treewright.result import SolveResult
from treewright.tree import Line, Tree
from treewright.verify._additive import check
from treewright.verify._freedom import OF_ONE_COLUMN, freedom_of, is_freedom
from treewright.verify._means import mean_of
from treewright.verify._report import Check
from treewright.verify._route import rows_of_nodes
from treewright.verify._words import is_number

__all__ = ["line_checks"]

RELATIVE = 1e-7  # relative error of a sum over rows; the terms of a line may cancel


def line_checks(problem: RegressionProblem, claim: SolveResult | Tree) -> Iterator[Check]:
    """Yield the checks of the lines of a tree whose structure was checked, and of the numbers in its result."""
    tree, result = (claim.tree, claim) if isinstance(claim, SolveResult) else (claim, None)
    said = None if result is None else result.options.get("leaf_model", "constant")
    if result is not None and (tree.lines is not None or said != "constant"):
        has = "constant" if tree.lines is None else "linear"
        yield check("leaf_model", said == has, repr(said), has)
    if tree.lines is None:
        return
    rows = rows_of_nodes(tree, problem.table.X)
    leaves = np.flatnonzero(tree.is_leaf).tolist()
    left = single = _loss(problem, np.arange(len(problem.y)))
    if single > 0:
        left = math.fsum(_left(problem, tree, node, rows[node]) for node in leaves) / single
    most = math.fsum(_loss(problem, rows[node]) for node in leaves) / (single or 1.0)
    most += RELATIVE * (most + RELATIVE)
    yield check("lines lose no more than constants", left <= most, f"<= {most:.9g}", f"{left:.9g}")
    fault = next(
        (
            f"node {node}"
            for node in leaves
            if _is_beyond(problem, tree.lines[node], rows[node])
            and not (result is None and _ends_with_its_rows(problem, tree, node, rows[node]))
        ),
        "",
    )
    yield check("lines keep to the targets of their leaves", not fault, f"{len(leaves)} leaves", fault)
    yield _freedom_check(problem, tree, rows, may_be_simple=result is None)
    if result is None:
        return
    claimed, count = result.stats.get("loss_with_lines"), result.stats.get("lines")
    held = sum(line is not None for line in tree.lines)
    yield check("lines", count == held and not isinstance(count, bool), repr(count), str(held))
    agrees = is_number(claimed) and abs(float(claimed) - left) <= RELATIVE * max(left, RELATIVE)
    yield check("loss with lines", agrees, repr(claimed), f"{left:.12g}")


def _freedom_check(
    problem: RegressionProblem, tree: Tree, rows: list[NDArray[np.int64]], *, may_be_simple: bool
) -> Check:
    fault = ""
    for node, line in enumerate(tree.lines or ()):
        if line is None or fault:
            continue
        if (
            may_be_simple
            and line.freedom == OF_ONE_COLUMN
            and _ends_with_its_rows(problem, tree, node, rows[node])
        ):
            continue
        found = freedom_of(problem, line, tree.value[node], rows[node])
        if not is_freedom(line.freedom, found):
            fault = f"node {node}: {found[0]:.9g}, the tree says {line.freedom:.9g}"
    held = sum(line is not None for line in tree.lines or ())
    return check("coefficients of each line", not fault, count_of(held, "line"), fault)


def _is_beyond(problem: RegressionProblem, line: Line | None, rows: NDArray[np.int64]) -> bool:
    """Whether a line's smallest and largest prediction are not the smallest and the largest target of its leaf."""
    if line is None:
        return False
    y = problem.targets[rows]
    return line.low != tuple(y.min(axis=0).tolist()) or line.high != tuple(y.max(axis=0).tolist())


def _ends_with_its_rows(problem: RegressionProblem, tree: Tree, node: int, rows: NDArray[np.int64]) -> bool:
    """Whether a line in one column is limited to the range of its predictions for the leaf's own rows.

    Lines are limited in this way if the tree was chosen for them.
    """
    line = None if tree.lines is None else tree.lines[node]
    if line is None or len(line.columns) != 1 or problem.targets.shape[1] != 1:
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        apart = problem.table.X[rows, line.columns[0]] - line.centers[0]
        said = float(tree.value[node, 0]) + line.slopes[0][0] * apart
    return (line.low[0], line.high[0]) == (float(said.min()), float(said.max()))


def _loss(problem: RegressionProblem, rows: NDArray[np.int64]) -> float:
    """Return the sum of squared errors of some rows about their mean, in units of the largest target."""
    weight = problem.sample_weight[rows]
    unit = _unit(problem)
    return math.fsum(
        float((weight / problem.sample_weight.max() * ((y / 2 - mean_of(y, weight) / 2) / unit) ** 2).sum())
        for y in problem.targets[rows].T
    )


def _left(problem: RegressionProblem, tree: Tree, node: int, rows: NDArray[np.int64]) -> float:
    """Return the sum of squared errors of a leaf's predictions for its rows."""
    line = None if tree.lines is None else tree.lines[node]
    if line is None:
        return _loss(problem, rows)
    weight = problem.sample_weight[rows] / problem.sample_weight.max()
    lost = 0.0
    for output, y in enumerate(problem.targets[rows].T):
        said = _said(line, output, float(tree.value[node, output]), problem.table.X[rows])
        lost += float((weight * ((y / 2 - said / 2) / _unit(problem)) ** 2).sum())
    return lost


def _said(line: Line, output: int, mean: float, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean plus slopes times differences from the centers; a missing value counts as the center."""
    apart = X[:, list(line.columns)] - np.array(line.centers)
    with np.errstate(over="ignore", invalid="ignore"):
        terms = np.where(np.isnan(apart), 0.0, apart) * np.array(line.slopes[output])
        return np.asarray(np.clip(mean + terms.sum(axis=1), line.low[output], line.high[output]))


def _unit(problem: RegressionProblem) -> float:
    return float(np.abs(problem.y / 2).max()) or 1.0
