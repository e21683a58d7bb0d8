"""Check the scope of a certificate, the set of splits that it covers: does it agree with tree, notes and table?

Which splits were offered is known only to the search. But every wording of the scope has consequences that can be
checked. For example, a proof over two quantiles per column cannot have found a tree with three thresholds of the same
column; the table must have a column with more than two thresholds; and a note must name that column. A proof over all
thresholds has no such note.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus
from treewright.tree import CategorySplit, Column, ColumnKind, LinearSplit, Split, ThresholdSplit
from treewright.verify._report import Check

__all__ = ["fault_of_scope", "fault_of_whole_scope", "is_latent", "scope_check"]

LINEAR = "all trees of linear splits"  # scope of hardened latent trees, about which nothing is proven
CATEGORIES = "all single categories"
N = r"([1-9]\d{0,8})"
FEWER = rf"(?:, of categories the {N} most frequent of a column)?"
# Of one quantile or category, older files have the plural, too.
QUANTILES = re.compile(rf"the given splits \(at most {N} quantiles? a column\){FEWER}")
GIVEN = re.compile(rf"the given thresholds{FEWER}")
CHOSEN = re.compile(
    rf"the chosen splits \(at most {N} (?:quantiles or categories|quantile or category) a column\)"
)
GUESSED = re.compile(rf"the {N} guessed thresholds? \(not all thresholds\)")
FREQUENT = re.compile(
    rf"(?:all thresholds and )?(the {N} most frequent categor(?:ies|y) of a column) against the rest"
)
CHANGES = "the thresholds at which the label changes (not all thresholds)"
NOTHING = "the splits of the table"  # scope of a fit on shards if none of them was searched
LEFT_OUT = re.compile(
    r"Not all (thresholds|categories) were offered, only .*, in (\d{1,9}) columns?: .*", re.DOTALL
)
KEPT = re.compile(
    r"The reference uses \d+ thresholds?; \d+ (?:were|was) kept by column elimination .*", re.DOTALL
)
NOT_NEEDED = re.compile(
    r"The guess(?:ed lower bounds were| was) not needed: .*", re.DOTALL
)  # in addition to the notes on the guess; older files have the shorter form
CHANGED = re.compile(
    r"Only \d+ of \d+ splits were offered: thresholds where the label changes\. .*", re.DOTALL
)
NAMED = 8  # how many columns a note names


@dataclass(frozen=True)
class _Scope:
    """Content of a scope: the most thresholds and categories that were offered per column; None is all."""

    thresholds: int | None = None
    categories: int | None = None


def scope_check(problem: Problem, result: SolveResult) -> Check:
    """Return the check of a result's scope against its tree, its notes and the table."""
    fault = fault_of_scope(problem.table.columns, result, problem.table.X)
    hint = "The scope must name the splits of this table, or a part of them, as the library does."
    return Check("scope", not fault, f"{result.scope:.60}", fault or "as claimed", hint if fault else "")


def fault_of_whole_scope(columns: tuple[Column, ...], result: SolveResult) -> str:
    """Return the fault of a scope that must be that of all splits, or an empty string."""
    whole = _all_splits(columns)
    return fault_of_scope(columns, result) if result.scope == whole else f"all of them are {whole!r}"


def is_latent(result: SolveResult) -> bool:
    """Whether the tree of a result has linear splits that were trained by gradient descent, not searched."""
    return result.options.get("method") == "latent"


def fault_of_scope(
    columns: tuple[Column, ...], result: SolveResult, X: NDArray[np.float64] | None = None
) -> str:
    """Return the fault of a result's scope, or an empty string.

    Parameters
    ----------
    columns : tuple of Column
        Columns of the table.
    result : SolveResult
        Its fields must have the right types, and its tree these columns.
    X : ndarray of shape (n_rows, n_columns), default=None
        The encoded table, if it is available.

    Returns
    -------
    str
    """
    scope, whole = result.scope, _all_splits(columns)
    if is_latent(result) or scope == LINEAR:
        if not is_latent(result) or scope != LINEAR:
            return f"{LINEAR!r} are those of the method 'latent' alone"
        return "" if result.status is SolveStatus.FEASIBLE else "nothing can be proven over these"
    if other := next((split for split in result.tree.splits if _is_other(split, columns)), None):
        return f"the tree has {other}"
    if scope == NOTHING:
        return "" if result.options.get("method") == "shards" else f"all of them are {whole!r}"
    if scope == CHANGES:
        return _without(result, CHANGED)
    if found := GUESSED.fullmatch(scope):
        used = len(
            {
                (s.column, _side(s, columns))
                for s in result.tree.splits
                if s is not None and not isinstance(s, LinearSplit)
            }
        )
        return f"the tree has {used}" if used > int(found[1]) else _without(result, KEPT)
    said = _said(scope, whole)
    if said is None:
        return f"all of them are {whole!r}"
    return (
        _fault_of_tree(columns, result, said)
        or _fault_of_notes(columns, result, said)
        or _fault_of_table(columns, X, said)
        or _fault_of_engine(result, scope, whole)
    )


def _said(scope: str, whole: str) -> _Scope | None:
    """Return the content of a scope (`whole` is that of all splits), or None if the library has no such wording."""
    if scope == whole:
        return _Scope()
    if found := QUANTILES.fullmatch(scope):
        return _Scope(int(found[1]), int(found[2]) if found[2] else None)
    if found := CHOSEN.fullmatch(scope):
        return _Scope(int(found[1]), int(found[1]))
    if found := GIVEN.fullmatch(scope):
        return _Scope(None, int(found[1]) if found[1] else None)
    found = FREQUENT.fullmatch(scope)
    if found and scope == whole.replace(CATEGORIES, found[1]):
        return _Scope(None, int(found[2]))
    return None


def _fault_of_tree(columns: tuple[Column, ...], result: SolveResult, said: _Scope) -> str:
    """Return a fault if the tree uses more thresholds or categories of a column than were offered."""
    used = {(s.column, _side(s, columns)) for s in result.tree.splits if isinstance(s, CategorySplit)}
    used |= {
        (s.column, (s.threshold,))
        for s in result.tree.splits
        if isinstance(s, ThresholdSplit) and np.isfinite(s.threshold)
    }
    for column, n_used in Counter(column for column, _ in used).items():
        most = said.categories if _has_single_categories(columns[column]) else said.thresholds
        if most is not None and n_used > most:
            return f"the tree has {n_used} of {columns[column].name!r:.60}"
    return ""


def _fault_of_notes(columns: tuple[Column, ...], result: SolveResult, said: _Scope) -> str:
    """Return a fault if splits were left out and no note states how many were kept, and of which columns."""
    if GIVEN.fullmatch(result.scope) and said.categories is None:
        return ""
    noted = {found[1]: (note, int(found[2])) for note in result.notes if (found := LEFT_OUT.fullmatch(note))}
    for kind, level in (("thresholds", said.thresholds), ("categories", said.categories)):
        if kind not in noted:
            continue
        note, n_columns = noted[kind]
        named = sum(f"{column.name} ({level} of " in note for column in columns)
        if level is None or named < min(n_columns, NAMED):
            return f"{note:.80}"
    if said != _Scope():
        return "" if noted else "no note says what was left out"
    if any(NOT_NEEDED.fullmatch(note) for note in result.notes):
        return ""
    return next(
        (f"{note:.80}" for note in result.notes if KEPT.fullmatch(note) or CHANGED.fullmatch(note)), ""
    )


def _fault_of_table(columns: tuple[Column, ...], X: NDArray[np.float64] | None, said: _Scope) -> str:
    """Return a fault if splits were left out but no column has more than were offered."""
    if said == _Scope() or X is None:
        return ""
    for j, column in enumerate(columns):
        if _has_single_categories(column):
            level, n_choices = said.categories, len(column.categories)
        else:
            n_values = len(np.unique(X[~np.isnan(X[:, j]), j]))
            if n_values == 0:  # a column without a split was not read: it may have any number of values
                return ""
            level, n_choices = said.thresholds, n_values - 1
        if level is not None and n_choices > level:
            return ""
    return "no column has more"


def _fault_of_engine(result: SolveResult, scope: str, whole: str) -> str:
    """Return a fault if a search over ranked columns does not have all thresholds in its scope."""
    everywhere = scope == whole or FREQUENT.fullmatch(scope)
    return "" if everywhere or result.engine != "ranked" else "ranked columns have all thresholds"


def _without(result: SolveResult, note: re.Pattern[str]) -> str:
    said = any(note.fullmatch(text) for text in result.notes)
    return "" if said else "no note says what was left out"


def _side(split: ThresholdSplit | CategorySplit, columns: tuple[Column, ...]) -> tuple[float, ...]:
    """Return a form of a split that is the same for both ways to write it, missing values aside."""
    if isinstance(split, ThresholdSplit):
        return (split.threshold,)
    right = set(range(len(columns[split.column].categories))) - set(split.left)
    return min(tuple(split.left), tuple(sorted(right)), key=lambda side: (len(side), side))


def _is_other(split: Split | None, columns: tuple[Column, ...]) -> bool:
    """Whether a split is neither a threshold nor one category against the rest."""
    if isinstance(split, CategorySplit):
        n_categories = len(columns[split.column].categories)
        if columns[split.column].ordered:  # the lowest categories go left
            return split.left != tuple(range(len(split.left))) or not 0 < len(split.left) < n_categories
        return len(split.left) not in (1, n_categories - 1)
    return isinstance(split, LinearSplit)


def _all_splits(columns: tuple[Column, ...]) -> str:
    categories = f"{CATEGORIES} against the rest" if any(map(_has_single_categories, columns)) else ""
    if any(column.kind is ColumnKind.CONTINUOUS or column.ordered for column in columns):
        return f"all thresholds and {categories}" if categories else "all thresholds"
    return categories or "all splits of the 0/1 columns"


def _has_single_categories(column: Column) -> bool:
    """Whether single categories of the column are offered against the rest; ordered ones have thresholds instead."""
    return column.kind is ColumnKind.CATEGORICAL and not column.ordered
