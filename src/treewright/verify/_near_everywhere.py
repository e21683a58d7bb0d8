"""Check a tree that is near a regression ensemble everywhere, and its certificate, against the ensemble.

The distance is proven again by independent code (`_furthest`). That fewer leaves are not enough is proven by rows whose
predictions are too far apart to share a leaf: the certificate contains these rows, and the ensemble's predictions for
them are computed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.convert import NumberEnsemble
from treewright.errors import InputError
from treewright.result import BornAgainResult, SolveStatus
from treewright.tree import Tree, exactly
from treewright.verify._domain_boxes import original
from treewright.verify._domain_check import domain_check, same_as_claimed
from treewright.verify._furthest import furthest_apart
from treewright.verify._near_form import check, checks_of_form, refuse_other_questions
from treewright.verify._report import Check, VerificationReport
from treewright.verify._words import is_number

__all__ = ["verify_near_everywhere"]

NUMBERS = ("ensemble_trees", "ensemble_leaves", "leaves", "depth", "depth_lower_bound", "leaves_lower_bound")
QUESTION = ("tolerance", "max_leaves")
LARGEST = float(np.finfo(np.float32).max)  # largest value in a row


def verify_near_everywhere(
    ensemble: NumberEnsemble,
    result: BornAgainResult,
    *,
    asked: Mapping[str, float | int | None] | None = None,
) -> VerificationReport:
    """Check a tree that is near a regression ensemble everywhere, and its certificate, against the ensemble.

    Parameters
    ----------
    ensemble : NumberEnsemble
        Within the domain that the result names, if there is one.
    result : BornAgainResult
        Result of `treewright.bornagain.near_everywhere` or ``BornAgainTreeRegressor(faithful="everywhere")``.
    asked : mapping of str to number, default=None
        The question as it was given, ``tolerance`` and ``max_leaves``, if it is known independently of the result.
        If None, the question that the result states is used unchecked.

    Returns
    -------
    VerificationReport
        Contains a check for every statement of the certificate's sentence.

    Raises
    ------
    InputError
        If the result is of another kind, or `asked` does not have exactly these two keys.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from treewright.bornagain import near_everywhere
    >>> from treewright.convert import NumberEnsemble
    >>> from treewright.verify import verify_near_everywhere
    >>> model = DecisionTreeRegressor().fit([[0.0], [1.0], [2.0]], [1.0, 1.5, 9.0])
    >>> verify_near_everywhere(NumberEnsemble.from_model(model), near_everywhere(model, tolerance=0.5)).ok
    True
    """
    if not isinstance(result, BornAgainResult) or result.options.get("objective") != "values-everywhere":
        raise InputError(
            "The result is not of a tree near a regression ensemble everywhere; use another check."
        )
    refuse_other_questions(asked, QUESTION)

    def fault_of_columns() -> str:
        names = tuple(column.name for column in result.tree.columns)
        return "" if names == ensemble.feature_names else ", ".join(ensemble.feature_names)[:60]

    checks = checks_of_form(result, _fault_of_fields, fault_of_columns, QUESTION, asked)
    if all(one.ok for one in checks):
        checks += _claims(ensemble, result)
    return VerificationReport(tuple(checks))  # the bound was checked, too


def _fault_of_fields(result: BornAgainResult) -> str:
    tree = result.tree
    if (
        tree.classes is not None
        or tree.lines is not None
        or tree.value.shape != (tree.node_count, 1)
        or not np.isfinite(tree.value).all()
    ):
        return "the leaves do not say one number each"
    for name in NUMBERS:
        if not is_number(result.stats.get(name)):
            return f"stats: {name} is {result.stats.get(name)!r:.60}"
    for name in QUESTION:
        if not (is_number(result.options.get(name)) and result.options[name] >= 0):
            return f"options: {name} is {result.options.get(name)!r:.60}"
    if not 0 <= result.loss < np.inf:
        return f"loss is {result.loss!r:.60}"
    if _rows(result.stats.get("rows_apart"), len(tree.columns)) is None:
        return "stats: rows_apart holds no rows"
    return ""


def _claims(ensemble: NumberEnsemble, result: BornAgainResult) -> Iterator[Check]:
    tree, stats, options = result.tree, result.stats, result.options
    yield same_as_claimed("scope", result.scope, ensemble.scope)
    yield domain_check(ensemble, result)
    yield same_as_claimed("trees of the ensemble", stats["ensemble_trees"], len(ensemble.trees))
    yield same_as_claimed("leaves of the ensemble", stats["ensemble_leaves"], ensemble.n_leaves)
    yield same_as_claimed("objective", result.objective, tree.n_leaves)
    yield same_as_claimed("leaves", stats["leaves"], tree.n_leaves)
    yield same_as_claimed("depth", stats["depth"], tree.depth)
    fault = "" if tree.n_leaves <= options["max_leaves"] else str(tree.n_leaves)
    yield check(
        "max_leaves",
        fault,
        f"at most {options['max_leaves']}",
        "The tree breaks the limit that was asked for.",
    )
    wrong = np.flatnonzero(_middles(tree) != tree.value[:, 0])
    fault = f"{_middles(tree)[wrong[0]]:.9g} in node {wrong[0]}" if len(wrong) else ""
    yield check(
        "number of each node that is no leaf", fault, "the middle of those below", "A number was changed."
    )
    furthest = furthest_apart(tree, ensemble, beyond=max(result.loss - ensemble.rounding, 5e-324))
    fault = "" if furthest.row is None else f"{exactly(furthest.distance)} on {_in_words(furthest.row, tree)}"
    yield check(
        "distance",
        fault,
        f"at most {exactly(result.loss)} on {result.scope}",
        "The tree is of another ensemble.",
    )
    yield from _bounds(ensemble, result)


def _bounds(ensemble: NumberEnsemble, result: BornAgainResult) -> Iterator[Check]:
    tree, stats, tolerance = result.tree, result.stats, float(result.options["tolerance"])
    rows = _rows(stats["rows_apart"], len(tree.columns))
    assert rows is not None  # checked before
    if ensemble.domain is not None:
        outside = np.flatnonzero(~ensemble.domain.contains(rows))
        fault = _in_words(rows[outside[0]], tree) if len(outside) else ""
        yield check(
            "rows of the domain", fault, f"{len(rows)} rows", "A row outside proves nothing about it."
        )
    numbers = np.sort(original(ensemble).predict(rows))
    close = np.flatnonzero(np.diff(numbers) <= 2 * (tolerance + ensemble.rounding))
    fault = f"{numbers[close[0]]:.9g} and {numbers[close[0] + 1]:.9g}" if len(close) else ""
    said = f"{len(rows)} rows, each two more than twice {exactly(tolerance)} apart"
    yield check("rows that are too far apart for one leaf", fault, said, "They do not prove the bound.")
    yield same_as_claimed("leaves_lower_bound", stats["leaves_lower_bound"], len(rows))
    yield same_as_claimed("lower_bound", result.lower_bound, len(rows))
    yield same_as_claimed("depth_lower_bound", stats["depth_lower_bound"], (len(rows) - 1).bit_length())
    fault = ""
    if result.status is SolveStatus.OPTIMAL_UNDER_GUESSES:
        fault = "nothing is guessed"
    elif result.status is SolveStatus.OPTIMAL:
        if result.loss > tolerance:
            fault = "not within the tolerance"
        elif tree.n_leaves != len(rows):
            fault = f"{tree.n_leaves} leaves"
        elif result.stop_reason is not None:
            fault = result.stop_reason.value
    hint = "A tree is proven least only if it is within the tolerance, and no fewer leaves can be."
    yield check("status", fault, result.status.value, hint)
    fault = ""
    if result.stop_reason is not None and result.loss <= tolerance:
        fault = "the tree is within the tolerance"
    yield check(
        "stop_reason", fault, str(result.stop_reason and result.stop_reason.value), "Nothing was left to do."
    )


def _rows(stated: Any, n_columns: int) -> NDArray[np.float64] | None:
    """Return the rows that a certificate lists by columns, with 0 in the others; None if the list is not valid."""
    if not isinstance(stated, list) or not stated:
        return None
    rows = np.zeros((len(stated), n_columns))
    for i, row in enumerate(stated):
        if not isinstance(row, list):
            return None
        for entry in row:
            if not isinstance(entry, list) or len(entry) != 2 or not all(map(is_number, entry)):
                return None
            column, value = entry
            if column not in range(n_columns) or abs(value) > LARGEST:
                return None
            rows[i, int(column)] = value
    return rows


def _middles(tree: Tree) -> NDArray[np.float64]:
    """Return for each node the middle of the range of the predictions of the leaves below it."""
    least = tree.value[:, 0].copy()
    largest = least.copy()
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        below = [tree.children_left[node], tree.children_right[node]]
        least[node], largest[node] = least[below].min(), largest[below].max()
    return np.asarray(least + (largest - least) / 2)


def _in_words(row: NDArray[np.float64], tree: Tree) -> str:
    """Return a row's values in the columns that the tree splits on, in words."""
    named = sorted({split.column for split in tree.splits if split is not None and hasattr(split, "column")})
    return ", ".join(f"{tree.columns[j].name} = {row[j]:.6g}" for j in named[:6]) or "any row"
