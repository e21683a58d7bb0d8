"""Check a small tree that is near a regression model's predictions: count the rows, and try smaller trees.

That no smaller tree is near on as many rows is proven by the method and cannot be recomputed. Its bounds are compared
with every tree that can be made from this one by turning splits into leaves or replacing them by the subtree on one of
their sides, with all numbers that the leaves could predict.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import InputError
from treewright.result import BornAgainResult, SolveStatus
from treewright.table import Table
from treewright.tree import Tree
from treewright.verify._missing_side import missing_checks, unchecked_of
from treewright.verify._near_form import check, checks_of_form, refuse_other_questions
from treewright.verify._report import Check, VerificationReport
from treewright.verify._route import rows_of_nodes
from treewright.verify._scope import fault_of_whole_scope
from treewright.verify._words import is_number

__all__ = ["verify_near_values"]

COUNTS = ("rows", "rows_alike", "rows_asked", "leaves", "leaves_lower_bound")
ROUNDING = 1e-9  # relative rounding error of a mean
QUESTION = ("tolerance", "share", "max_depth", "max_leaves")
DEEP = (
    10  # in deeper trees splits are only turned into leaves: replacing them doubles the work with each level
)


def verify_near_values(
    predicted: ArrayLike,
    table: Table,
    result: BornAgainResult,
    *,
    asked: Mapping[str, float | int | None] | None = None,
) -> VerificationReport:
    """Check a tree that is near a regression model on given rows, and its certificate, against the model's predictions.

    Parameters
    ----------
    predicted : array-like of shape (n_rows,)
        Predictions of the model for the rows that the tree was made from.
    table : Table
        These rows, with the columns of the tree.
    result : BornAgainResult
        Result of `treewright.bornagain.distil_values` or ``BornAgainTreeRegressor``.
    asked : mapping of str to number, default=None
        The question as it was given, ``tolerance``, ``share``, ``max_depth`` and ``max_leaves``, if it is known
        independently of the result. If None, the question that the result states is used unchecked.

    Returns
    -------
    VerificationReport
        Contains a check for every statement of the certificate's sentence.

    Raises
    ------
    InputError
        If `predicted` is not one finite number per row, the result is of another kind, or `asked` does not have exactly
        these four keys.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treewright.bornagain import distil_values
    >>> from treewright.table import table_from
    >>> from treewright.verify import verify_near_values
    >>> X, y = load_diabetes(return_X_y=True)
    >>> result = distil_values(y[:60], X[:60], tolerance=60, share=0.2, max_depth=2)
    >>> asked = {"tolerance": 60, "share": 0.2, "max_depth": 2, "max_leaves": 16}
    >>> verify_near_values(y[:60], table_from(X[:60]), result, asked=asked).ok
    True
    """
    if not isinstance(result, BornAgainResult) or result.options.get("objective") != "values":
        raise InputError(
            "The result is not of a tree near a model's numbers; use verify or verify_born_again."
        )
    numbers = np.asarray(predicted, dtype=np.float64)
    if numbers.shape != (table.n_rows,) or not np.isfinite(numbers).all():
        raise InputError(f"predicted must be {table.n_rows} finite numbers, one a row; got {numbers.shape}.")
    refuse_other_questions(asked, QUESTION)

    def fault_of_columns() -> str:
        return "" if result.tree.columns == table.columns else "other columns"

    checks = checks_of_form(result, _fault_of_fields, fault_of_columns, QUESTION, asked)
    unchecked: tuple[str, ...] = ()
    if all(one.ok for one in checks):
        unchecked = unchecked_of(result)
        checks += _claims(numbers, table, result)
    return VerificationReport(tuple(checks), True, unchecked)


def _fault_of_fields(result: BornAgainResult) -> str:
    tree, options = result.tree, result.options
    if (
        tree.classes is not None
        or tree.value.shape != (tree.node_count, 1)
        or not np.isfinite(tree.value).all()
    ):
        return "the leaves do not say one number each"
    for name in COUNTS:
        if not is_number(result.stats.get(name)):
            return f"stats: {name} is {result.stats.get(name)!r:.60}"
    for name in QUESTION:
        if not (is_number(options.get(name)) and options[name] >= 0):
            return f"options: {name} is {options.get(name)!r:.60}"
    if not isinstance(options.get("splits"), str):
        return f"options: splits is {options.get('splits')!r:.60}"
    return ""


def _claims(numbers: NDArray[np.float64], table: Table, result: BornAgainResult) -> Iterator[Check]:
    tree, stats, options, n = result.tree, result.stats, result.options, len(numbers)
    tolerance = float(options["tolerance"])
    allowed = math.floor(options["share"] * n + 1e-9)
    passed = rows_of_nodes(tree, table.X)
    leaf = tree.apply(table.X)
    low, high = _ranges(numbers, tolerance)
    near = int(((low <= tree.value[leaf, 0]) & (tree.value[leaf, 0] <= high)).sum())
    outside = n - near
    counted = np.array([len(rows) for rows in passed])
    wrong = np.flatnonzero((counted != tree.n_node_samples) | (counted == 0))
    fault = f"{counted[wrong[0]]} in node {wrong[0]}" if len(wrong) else ""
    said = f"{tree.n_node_samples[wrong[0]]}" if len(wrong) else f"{n} in all, some in each"
    yield check("rows of the nodes", fault, said, "The tree is of other rows.")
    mean = float(np.mean(numbers))
    apart = np.abs(tree.value[~tree.is_leaf, 0] - mean) > ROUNDING * (abs(mean) + np.abs(numbers).max())
    fault = f"{mean:.9g}" if apart.any() else ""
    yield check("number of each node that is no leaf", fault, "the mean of all", "A number was changed.")
    yield from missing_checks(table, result, np.ones(n), passed)
    yield _equal("rows", stats["rows"], n)
    yield _equal("rows that are near", stats["rows_alike"], near)
    yield _equal("rows that were asked", stats["rows_asked"], n - allowed)
    yield _equal("loss", result.loss, outside / n)
    yield _equal("scope", result.scope, f"{near} of the {n} rows that it was made from")
    yield _equal("objective", result.objective, tree.n_leaves)
    yield _equal("leaves", stats["leaves"], tree.n_leaves)
    for name, size in (("max_depth", tree.depth), ("max_leaves", tree.n_leaves)):
        fault = "" if size <= options[name] else str(size)
        yield check(name, fault, f"at most {options[name]}", "The tree breaks the limit of its own proof.")
    fault = fault_of_whole_scope(table.columns, replace(result, scope=str(options["splits"])))
    yield check("splits", fault, f"{options['splits']:.60}", "These are not the splits of this table.")
    least = fewest_outside(tree, table.X, numbers, tolerance)
    yield from _bounds(result, least, outside, allowed)


def _bounds(result: BornAgainResult, least: list[int], outside: int, allowed: int) -> Iterator[Check]:
    """Yield the checks of the bounds.

    ``least[k - 1]`` is the smallest number of rows outside the tolerance for a tree of k leaves made from this one.
    """
    leaves, bound = result.tree.n_leaves, result.stats["leaves_lower_bound"]
    proven = result.status is SolveStatus.OPTIMAL
    if outside <= allowed:  # the bound holds only for trees that reach the share
        smaller = next((k for k, rows in enumerate(least, 1) if rows <= allowed), leaves)
        fault = f"{smaller} leaves are enough" if bound > smaller else ""
    else:
        fault = f"{leaves}" if bound > leaves else ""
    yield check(
        "leaves_lower_bound", fault, f"at least {bound}", "A smaller tree is as near: the bound is wrong."
    )
    yield _equal("lower_bound", result.lower_bound, leaves if proven else bound)
    fault = ""
    if result.status is SolveStatus.OPTIMAL_UNDER_GUESSES:
        fault = "nothing is guessed"
    elif proven:
        goal = max(allowed, outside)
        smaller = next((k for k, rows in enumerate(least[: leaves - 1], 1) if rows <= goal), 0)
        if smaller:
            fault = f"{smaller} leaves are as near"
        elif least[leaves - 1] < outside:
            fault = f"{leaves} leaves are near on {outside - least[leaves - 1]} more rows"
        elif result.stop_reason is not None:
            fault = result.stop_reason.value
    hint = "A tree is proven least only if the search ended and no part of it does better."
    yield check("status", fault, result.status.value, hint)


def fewest_outside(
    tree: Tree, X: NDArray[np.float64], numbers: NDArray[np.float64], tolerance: float
) -> list[int]:
    """Return, at [leaves - 1], the fewest rows outside the tolerance for any tree made from this one.

    The leaves of that tree may predict any numbers.
    """
    goes_left = {node: split.goes_left(X) for node, split in enumerate(tree.splits) if split is not None}
    low, high = _ranges(numbers, tolerance)
    sides = (True, False) if tree.depth <= DEEP else ()

    def outside(rows: NDArray[np.bool_]) -> int:
        begin, end = np.sort(low[rows]), np.sort(high[rows])
        begun = np.searchsorted(begin, begin, side="right")  # at each start of a range
        return len(begin) - int((begun - np.searchsorted(end, begin)).max(initial=0))

    @cache
    def least(node: int, path: tuple[tuple[int, bool], ...]) -> tuple[int, ...]:
        rows = np.ones(len(numbers), dtype=np.bool_)
        for above, left in path:
            rows &= goes_left[above] == left
        best = [outside(rows)]
        if node not in goes_left:
            return tuple(best)
        children = {True: int(tree.children_left[node]), False: int(tree.children_right[node])}
        a, b = (least(children[left], (*path, (node, left))) for left in (True, False))
        for i, one in enumerate(a):
            for j, other in enumerate(b):
                _note(best, i + j + 1, one + other)
        for left in sides:  # the split is replaced by one of its sides
            for k, rows_outside in enumerate(least(children[left], path)):
                _note(best, k, rows_outside)
        return tuple(np.minimum.accumulate(best).tolist())

    found = list(least(0, ()))
    return found + [found[-1]] * (tree.n_leaves - len(found))


def _ranges(
    numbers: NDArray[np.float64], tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each prediction of the model the range of leaf values that are within the tolerance."""
    with np.errstate(over="ignore"):
        wide = tolerance + (1e-9 * tolerance + 4 * np.finfo(np.float64).eps * np.abs(numbers))
        return numbers - wide, numbers + wide


def _note(best: list[int], k: int, value: int) -> None:
    best += [value] * (k + 1 - len(best))
    best[k] = min(best[k], value)


def _equal(name: str, claimed: Any, found: Any) -> Check:
    fault = "" if claimed == found else str(found)
    return check(name, fault, f"{claimed!s:.60}", "The certificate is of other numbers, or of another tree.")
