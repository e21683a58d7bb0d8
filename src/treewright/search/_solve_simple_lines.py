"""Regression trees whose leaves are lines in one column, chosen together: the tree is proven best for its lines.

A leaf says the line of least squared error among those of all columns of numbers and truth values, or a constant where
none of them varies. A column whose value some training row of the leaf lacks cannot have the line of the leaf: the loss
would need a value for that row which is no part of the line. New rows that lack the value get the leaf's mean.

Beyond the smallest and the largest value of the leaf's rows the line goes on flat.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.problem import RegressionProblem
from treewright.result import RegressionResult
from treewright.search._additive_result import AdditiveQuestion, search_all_thresholds
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._options import RankedOptions
from treewright.search._simple_lines import SimpleLinesLoss, best_line, best_of_lines, losses_of_lines
from treewright.search._solve_regression import grown
from treewright.tree import ColumnKind, Line, Tree, columns_of, mean_of

__all__ = ["simple_line_importances", "solve_simple_lines"]

EXTREME = 1e140  # of a column or target, or one over it: slopes and squares stay floating-point numbers
NEAR = 1e-9  # of the variance; by more than that no line is off that floating-point numbers can write
FREEDOM = 2.0  # coefficients of a line

Floats = NDArray[np.float64]


def solve_simple_lines(
    problem: RegressionProblem,
    *,
    limits: Limits | None = None,
    options: RankedOptions | None = None,
    progress: ProgressCallback | None = None,
) -> RegressionResult:
    """Find the tree of smallest objective whose leaves are lines in one column, over all thresholds.

    Parameters
    ----------
    problem : RegressionProblem
        For squared error of one output. Its leaf penalty is a share of the variance: of the loss of one constant.
    limits, options, progress
        As in `treewright.search.solve_regression`.

    Returns
    -------
    RegressionResult
        ``options["leaf_model"]`` is "simple_linear"; all its fields speak of the tree with its lines.
        ``stats["lines"]`` is the number of leaves with a line.

    Raises
    ------
    InputError
        Several outputs; weights that are not whole numbers of a common part; numbers that cannot be compared as whole
        ones. The message says what to do.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.problem import make_regression_problem
    >>> from treewright.search import solve_simple_lines
    >>> from treewright.table import table_from
    >>> x = np.arange(8.0)
    >>> y = np.where(x < 4, x, 10 - 2 * x)
    >>> problem = make_regression_problem(table_from(x[:, None]), y, max_depth=1, min_samples_leaf=2)
    >>> result = solve_simple_lines(problem)
    >>> result.tree.n_leaves, round(result.loss, 6), result.stats["lines"]
    (2, 0.0, 2)
    """
    if problem.n_outputs > 1:
        raise InputError(
            f"leaf_model='simple_linear' takes one target, y has {problem.n_outputs} columns: give a single column, "
            "or take leaf_model='linear'."
        )
    numbers = _columns_of_numbers(problem)
    X = problem.table.X if len(numbers) == len(problem.table.columns) else problem.table.X[:, numbers]
    names = tuple(problem.table.columns[j].name for j in numbers)
    is_constant = bool(problem.y.min() == problem.y.max())
    if not is_constant:
        _refuse_extremes(names, X)
        _refuse_extremes(("y",), problem.y[:, None])
    y = np.ldexp(problem.y, -int(np.frexp(float(np.abs(problem.y).max()))[1]))  # below 1, and nothing lost
    loss = SimpleLinesLoss(y, problem.sample_weight, X, names)
    variance = 0.0 if is_constant else loss.variance()
    question = AdditiveQuestion(
        kind=RegressionResult,
        problem=problem,
        loss=loss,
        one_leaf=variance,
        grow=lambda splits: _with_simple_lines(grown(problem, splits), problem, numbers, loss),
        options={"method": "regression", "criterion": problem.criterion, "leaf_model": "simple_linear"},
        rounded="The targets and columns",
        leaves_choose=True,
        nothing_to_gain="All targets are equal: one leaf is right on every row.",
        stats=lambda tree: {"lines": sum(line is not None for line in tree.lines or ())},
    )
    if is_constant:
        return question.trivial()
    answer = search_all_thresholds(
        problem, loss, variance, limits=limits, options=options, progress=progress, share_of=variance
    )
    result = question.answered(answer)
    _check_written(result, problem)
    return result


def simple_line_importances(tree: Tree, problem: RegressionProblem) -> Floats:
    """Return for each column by how much the objective grows without it: splits become leaves, lines use other columns.

    Parameters
    ----------
    tree : Tree
        With lines in one column.
    problem : RegressionProblem

    Returns
    -------
    ndarray of shape (n_columns,)
        In units of the objective; 0 for a column that no split and no line uses.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.problem import make_regression_problem
    >>> from treewright.search import simple_line_importances, solve_simple_lines
    >>> from treewright.table import table_from
    >>> x = np.arange(8.0)
    >>> problem = make_regression_problem(table_from(x[:, None]), 2 * x, cost_complexity=0.1)
    >>> simple_line_importances(solve_simple_lines(problem).tree, problem).round(6)
    array([1.])
    """
    X, y, weight = problem.table.X, problem.y, problem.sample_weight
    y = y / (float(np.abs(y).max()) or 1.0)
    numbers = _columns_of_numbers(problem)
    variance = best_line(X, y, weight, numbers[:0])[1]
    worth = np.zeros(len(tree.columns))
    if variance == 0:
        return worth

    left_out = np.array([-1, *tree.asked])  # one column each time, and none

    def leaf(rows: NDArray[np.intp]) -> Floats:
        single, left = losses_of_lines(X, y, weight, numbers, rows)
        kept = (numbers[: len(left)] != column for column in left_out.tolist())
        paid = [best_of_lines(numbers[: len(left)][some], single, left[some])[1] for some in kept]
        return np.array(paid) / variance + problem.cost_complexity

    def cost(node: int, rows: NDArray[np.intp]) -> Floats:
        """Return the cost of a subtree without each of the columns."""
        split = tree.splits[node]
        if split is None:
            return leaf(rows)
        goes_left = split.goes_left(X, rows)
        paid = cost(int(tree.children_left[node]), rows[goes_left])
        paid = paid + cost(int(tree.children_right[node]), rows[~goes_left])
        return np.where(np.isin(left_out, columns_of(split)), leaf(rows), paid)

    paid = cost(0, np.arange(len(y)))
    worth[left_out[1:]] = np.maximum(0.0, paid[1:] - paid[0])
    return worth


def _columns_of_numbers(problem: RegressionProblem) -> NDArray[np.intp]:
    columns = enumerate(problem.table.columns)
    return np.array([j for j, column in columns if column.kind is not ColumnKind.CATEGORICAL], dtype=np.intp)


def _refuse_extremes(names: tuple[str, ...], X: Floats) -> None:
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)  # NaN only where no value is known
    spread, size = high / 2 - low / 2, np.maximum(np.abs(low), np.abs(high))
    extreme = (low < high) & ~((spread > 1 / EXTREME) & (size < EXTREME))
    for j in np.flatnonzero(extreme).tolist():
        raise InputError(
            f"Column {names[j]!r} ranges from {low[j]:g} to {high[j]:g}: slopes of lines would not be floating-point "
            f"numbers. {'Divide' if size[j] >= EXTREME else 'Multiply'} it by a power of ten."
        )


def _with_simple_lines(
    tree: Tree, problem: RegressionProblem, numbers: NDArray[np.intp], loss: SimpleLinesLoss
) -> Tree:
    """Return the tree with the best line in each leaf."""
    leaf = tree.apply(problem.table.X)
    lines: list[Line | None] = [None] * tree.node_count
    for node in np.unique(leaf).tolist():
        rows = np.flatnonzero(leaf == node)
        X, y, weight = problem.table.X, problem.y, problem.sample_weight
        line, _ = loss.line(rows)
        if line is not None:
            at = int(numbers[line])
            lines[node] = _line(at, X[rows, at], y[rows], weight[rows], float(tree.value[node, 0]))
    return replace(tree, lines=tuple(lines))


def _line(column: int, x: Floats, y: Floats, weight: Floats, mean: float) -> Line:
    """Return the line of least squared error of a leaf in one column."""
    center = mean_of(x, weight)
    apart, moved = y - mean, x - center
    apart, moved = apart - np.average(apart, weights=weight), moved - np.average(moved, weights=weight)
    unit = float(np.abs(moved).max())
    slope = float((weight * moved / unit * apart).sum()) / float((weight * (moved / unit) ** 2).sum()) / unit
    ends = mean + slope * (np.array([x.min(), x.max()]) - center)
    return Line((column,), (center,), ((slope,),), (float(ends.min()),), (float(ends.max()),), FREEDOM)


def _check_written(result: RegressionResult, problem: RegressionProblem) -> None:
    """Refuse lines whose centers and slopes are off when they are rounded to floating-point numbers."""
    y, weight = problem.y, problem.sample_weight
    unit = float(np.abs(y).max())
    left = float((weight * (y / unit - result.tree.predict(problem.table.X) / unit) ** 2).sum())
    if left <= (result.loss + NEAR) * best_line(problem.table.X, y / unit, weight, np.arange(0))[1]:
        return
    used = {result.tree.columns[line.columns[0]].name for line in result.tree.lines or () if line is not None}
    raise InputError(
        f"A line in one of the columns {', '.join(map(repr, sorted(used)))} cannot be written in floating-point "
        "numbers, for the column's values are far from 0 and close together. Subtract a constant from it, about its "
        "mean."
    )
