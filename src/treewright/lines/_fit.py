"""The lines of all leaves of a tree that was chosen for constants.

Nothing of the proof changes: splits, means and loss of the result are those of the constants, and so is every figure of
its certificate. What the lines leave of the loss stands beside it in ``stats``. The fit keeps the time limit of the
search: a leaf whose turn comes too late, largest first, keeps its constant, and a note says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from treewright.errors import InputError
from treewright.lines._ridge import fit_ridge
from treewright.problem import RegressionProblem
from treewright.result import RegressionResult, StopReason, told_to_stop
from treewright.search import Limits
from treewright.tree import ColumnKind, Line, Tree, mean_of

__all__ = ["LEAF_MODELS", "LeafLines", "check_leaf_model", "fit_lines", "with_lines"]

LEAF_MODELS = ("constant", "linear", "simple_linear")
SECONDS_OF_WORK = 1e-9  # that a multiplication takes at most, on one core; most machines need a tenth


class _TimeIsOver(Exception):
    """The next piece of work would not end in time."""


@dataclass(frozen=True)
class LeafLines:
    """Lines of the leaves of one tree.

    Parameters
    ----------
    lines : tuple of Line or None
        One entry per node.
    in_time : int
        Leaves that the fit came to; the others keep their constants.
    interrupted : bool
        By Ctrl-C.
    """

    lines: tuple[Line | None, ...]
    in_time: int
    interrupted: bool


def check_leaf_model(leaf_model: Any, criterion: str) -> bool:
    """Return whether leaves get lines that are fitted after the tree was chosen.

    Parameters
    ----------
    leaf_model : {"constant", "linear", "simple_linear"}
    criterion : str
        Of the regression tree.

    Returns
    -------
    bool

    Raises
    ------
    InputError
        `leaf_model` is another word, or the lines would not be for the loss of `criterion`.

    Examples
    --------
    >>> from treewright.lines import check_leaf_model
    >>> check_leaf_model("linear", "squared_error"), check_leaf_model("simple_linear", "squared_error")
    (True, False)
    """
    if leaf_model not in LEAF_MODELS:
        raise InputError(f"leaf_model={leaf_model!r}; choose one of {', '.join(LEAF_MODELS)}.")
    if leaf_model != "constant" and criterion != "squared_error":
        raise InputError(
            f"leaf_model={leaf_model!r} fits lines by least squares, but criterion={criterion!r}. Take "
            "criterion='squared_error', or leave leaf_model out."
        )
    return bool(leaf_model == "linear")


def fit_lines(tree: Tree, problem: RegressionProblem, limits: Limits | None = None) -> LeafLines:
    """Fit the line of each leaf, largest leaf first.

    Parameters
    ----------
    tree : Tree
        Of means.
    problem : RegressionProblem
        Whose rows the tree was chosen for.
    limits : Limits, default=None
        Whose time has begun to run; None is no limit.

    Returns
    -------
    LeafLines

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.lines import fit_lines
    >>> from treewright.problem import make_regression_problem
    >>> from treewright.search import solve_regression
    >>> from treewright.table import table_from
    >>> x = np.arange(60.0)
    >>> problem = make_regression_problem(table_from(x.reshape(-1, 1)), np.where(x < 30, x, 2 * x), max_depth=1)
    >>> fit_lines(solve_regression(problem).tree, problem).lines[0] is None  # the root is no leaf
    True
    """
    limits = (limits or Limits()).started()
    columns = np.array(
        [j for j, column in enumerate(tree.columns) if column.kind is not ColumnKind.CATEGORICAL],
        dtype=np.int64,
    )
    X, y, weight = problem.table.X, problem.targets, problem.sample_weight
    rows_of = _rows_of_leaves(tree, X)
    lines: list[Line | None] = [None] * tree.node_count
    done = 0
    try:
        with threadpool_limits(limits=1, user_api="blas"):  # the same sums on every machine
            for node in sorted(rows_of, key=lambda node: (-len(rows_of[node]), node)):
                rows, go_on = rows_of[node], _within(limits)
                go_on(0.0)
                here = slice(None) if len(rows) == len(X) else rows  # of a single leaf nothing is copied
                found = fit_ridge(X[here], y[here], weight[here], columns, go_on=go_on)
                lines[node] = None if found is None else found.line
                done += 1
    except _TimeIsOver:
        pass
    except KeyboardInterrupt:
        return LeafLines(tuple(lines), done, True)
    return LeafLines(tuple(lines), done, False)


def with_lines(
    result: RegressionResult, problem: RegressionProblem, limits: Limits | None = None
) -> RegressionResult:
    """Return a result whose leaves have lines; everything that was proven stays valid.

    Parameters
    ----------
    result : RegressionResult
        Of constants.
    problem : RegressionProblem
        That it answers.
    limits : Limits, default=None
        As in `fit_lines`.

    Returns
    -------
    RegressionResult
        ``options["leaf_model"]`` is "linear"; ``stats`` has ``lines``, the number of leaves with a line, and
        ``loss_with_lines``, the loss of the tree with its lines, divided by that of a single leaf.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.lines import with_lines
    >>> from treewright.problem import make_regression_problem
    >>> from treewright.search import solve_regression
    >>> from treewright.table import table_from
    >>> x = np.arange(60.0)
    >>> problem = make_regression_problem(table_from(x.reshape(-1, 1)), np.where(x < 30, x, 2 * x), max_depth=1)
    >>> with_lines(solve_regression(problem), problem).stats["lines"]
    2
    """
    fitted = fit_lines(result.tree, problem, limits)
    tree = replace(result.tree, lines=fitted.lines)
    late = tree.n_leaves - fitted.in_time
    notes = result.notes
    if late:
        why = "Ctrl-C came" if fitted.interrupted else "The time was over"
        leaves = "one leaf" if late == 1 else f"{late} leaves"
        notes = (*notes, f"{why} before the lines of {leaves} were fitted; they say constants.")
    stats = {
        **result.stats,
        "lines": sum(line is not None for line in fitted.lines),
        "loss_with_lines": _loss_left(tree, problem, result.loss),
    }
    if fitted.interrupted:
        stats |= told_to_stop(StopReason.INTERRUPT)
    return replace(
        result, tree=tree, stats=stats, options={**result.options, "leaf_model": "linear"}, notes=notes
    )


def _within(limits: Limits) -> Callable[[float], None]:
    """Return what is called before each piece of work, with its number of multiplications."""

    def go_on(work: float) -> None:
        left = limits.left()
        if left <= 0 or SECONDS_OF_WORK * work > left:
            raise _TimeIsOver

    return go_on


def _rows_of_leaves(tree: Tree, X: NDArray[np.float64]) -> dict[int, NDArray[np.int64]]:
    leaf = tree.apply(X)
    order = np.argsort(leaf, kind="stable")
    ends = np.flatnonzero(np.diff(leaf[order])) + 1
    return {int(leaf[rows[0]]): rows for rows in np.split(order, ends)}


def _loss_left(tree: Tree, problem: RegressionProblem, loss: float) -> float:
    """Return what the tree leaves of the loss of a single leaf; that of the constants if there is no line."""
    if not any(line is not None for line in tree.lines or ()):
        return loss
    y, weight = problem.targets, problem.sample_weight / problem.sample_weight.sum()
    unit = float(np.abs(y).max())
    said = tree.predict(problem.table.X).reshape(y.shape)
    left, single = (
        float(np.dot(weight, (((y / 2 - other / 2) / unit) ** 2).sum(axis=1)))
        for other in (said, _mean(y, problem.sample_weight))
    )
    return left / single


def _mean(y: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([mean_of(one, weight) for one in y.T])
