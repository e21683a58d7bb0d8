"""What the objective loses without a column.

`collapse_importances` answers at once, from the tree alone, with a bound from above: every split that asks about the
column becomes a leaf, and the rest stays as it is. That is a tree without the column, so the best tree without it is
at least as good. `importances_without` fits again, and answers exactly where both searches were proven over the same
splits but those of the column.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from treewright._plural import kind_of
from treewright.binarize import scope_of_all
from treewright.errors import InputError
from treewright.estimators._exact_tree import ExactTree
from treewright.problem import (
    PolicyProblem,
    ProbabilityProblem,
    Problem,
    RegressionProblem,
    RowCostsProblem,
    SurvivalProblem,
)
from treewright.result import RowCostsResult, SolveResult, SolveStatus
from treewright.search import regression_loss
from treewright.table import Table, with_blank_column
from treewright.tree import Tree, columns_of

__all__ = [
    "Importance",
    "collapse_importances",
    "importances_without",
    "leaves_without",
    "node_losses",
    "own_importances",
]


ROUNDED = 1e-6  # more than a search that counts as proven leaves open of an objective


@dataclass(frozen=True, slots=True)
class Importance:
    """The importance of one column.

    Parameters
    ----------
    column : str
    at_least, at_most : float
        By how much the least objective over the scope of the tree grows without the splits of the column. The two are
        equal if both searches were proven over the same other splits.

    Examples
    --------
    >>> from treewright.estimators import Importance
    >>> Importance("age", 0.1, 0.2).column
    'age'
    """

    column: str
    at_least: float
    at_most: float

    @property
    def proven(self) -> bool:
        """Whether the value is exact (to 1e-6, if numbers were rounded for the searches)."""
        return self.at_most - self.at_least <= ROUNDED


def importances_without(
    model: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, row_costs: Any = None
) -> Sequence[Importance]:
    """Fit again without each column that the tree splits on, and return by how much the least objective grows.

    Parameters
    ----------
    model : an Optimal...Tree estimator, or OptimalTreeClassifier or OptimalTreeRegressor
        Fitted on `X` and `y`.
    X : array-like or frame of shape (n_rows, n_columns)
        The rows of `fit`.
    y : array-like of shape (n_rows,), or what `fit` of the model takes in its place
    sample_weight : array-like of shape (n_rows,), default=None
    row_costs : array-like or frame of shape (n_rows, n_classes), default=None
        Those of `fit`, if it had any.

    Returns
    -------
    sequence of Importance
        The columns that the tree splits on, the most important first. If the tree is proven optimal, the importance of
        any other column is exactly 0, because the tree does not use it.

    Raises
    ------
    InputError
        `model` is of another class, `row_costs` were given to `fit` and not here, or `fit` refuses the rows.
    SolverError
        `min_leaf_accuracy` cannot be reached without one of the columns.

    Notes
    -----
    Without the column, the second search may have other splits than the remaining ones of the first: guessed ones, or
    those that ``thresholds="auto"`` chooses if it cannot take all. Then it says nothing about the first search. The
    importance lies between 0 and the increase of the objective when the tree's splits on the column become leaves
    (infinity if that breaks `min_leaf_accuracy`).

    This takes one `fit` for each column that the tree splits on, with the limits of `model`. If two columns have the
    same information, each has a small value, because the other can replace it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.estimators import importances_without
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = OptimalTreeClassifier(cost_complexity=0.02).fit(X, y)
    >>> for worth in importances_without(model, X, y):
    ...     print(f"{worth.column}: {worth.at_most:.3f}, {'exact' if worth.proven else 'at most'}")
    petal width (cm): 0.007, exact
    petal length (cm): 0.000, exact
    """
    check_is_fitted(model)
    if not isinstance(model, ExactTree):
        raise InputError(
            f"model is {kind_of(model)}; give a fitted OptimalTreeClassifier, OptimalTreeRegressor, "
            "OptimalProbabilityTree, OptimalPolicyTree or OptimalSurvivalTree."
        )
    if (row_costs is not None) != isinstance(model.result_, RowCostsResult):
        raise InputError(
            "row_costs must be those of fit: give them if it had them, and leave them out if not."
        )
    own, found = model.result_, []
    with_costs = {} if row_costs is None else {"row_costs": row_costs}
    for column in sorted(model.tree_.asked):
        other = (
            clone(model)
            .fit(with_blank_column(X, column), y, sample_weight=sample_weight, **with_costs)
            .result_
        )
        least, most = 0.0, float(model.feature_importances_[column]) + own.objective - own.lower_bound
        if _differ_by_one_column(model, own, other):
            exact = own.rounding == other.rounding == 0 and _both_proven(own, other)
            most = max(0.0, other.objective - (own.objective if exact else own.lower_bound))
            least = most if exact else max(0.0, other.lower_bound - own.objective)
        elif own.options.get("min_leaf_accuracy") is not None:
            most = math.inf
        found.append(Importance(model.tree_.columns[column].name, least, most))
    return sorted(found, key=lambda one: (-one.at_most, one.column))


def _both_proven(own: SolveResult, other: SolveResult) -> bool:
    return own.status is SolveStatus.OPTIMAL and other.status is SolveStatus.OPTIMAL


def _differ_by_one_column(model: Any, own: SolveResult, other: SolveResult) -> bool:
    """Whether the second search was under the limits of the first, over its splits without those of one column.

    That holds where both offered every split of their tables, and where the splits of a column do not depend on the
    other columns: given thresholds, and quantiles unless there were too many categories.
    """
    if any(own.options.get(name) != other.options.get(name) for name in ("max_depth", "max_leaf_nodes")):
        return False
    if all(result.scope == _scope_of_all(result.tree) for result in (own, other)):
        return True
    by_column = isinstance(getattr(model, "thresholds", None), (Mapping, Integral))
    return by_column and not any("most frequent" in result.scope for result in (own, other))


def _scope_of_all(tree: Tree) -> str:
    return scope_of_all(Table(tree.columns, np.empty((0, len(tree.columns)))))


def collapse_importances(
    tree: Tree, loss: NDArray[np.float64], cost_complexity: float
) -> NDArray[np.float64]:
    """Return for each column what the objective loses when all splits on it become leaves.

    Parameters
    ----------
    tree : Tree
    loss : ndarray of shape (node_count,)
        What each node adds to the loss as a leaf.
    cost_complexity : float
        Leaf penalty.

    Returns
    -------
    ndarray of shape (n_columns,)
        In units of the objective, not scaled to a sum of 1; 0 for a column without a split.
    """
    whole = loss + cost_complexity  # of the subtree at each node; of a leaf now
    for node in reversed(range(tree.node_count)):  # children come after parents
        if tree.splits[node] is not None:
            whole[node] = whole[tree.children_left[node]] + whole[tree.children_right[node]]
    worth = np.zeros(len(tree.columns))
    for column in tree.asked:
        pending = [0]
        while pending:
            node = pending.pop()
            split = tree.splits[node]
            if split is None:
                continue
            if column in columns_of(split):
                worth[column] += loss[node] + cost_complexity - whole[node]
            else:
                pending += [int(tree.children_left[node]), int(tree.children_right[node])]
    return np.maximum(worth, 0.0)


def leaves_without(tree: Tree, column: int) -> list[int]:
    """Return the nodes that are the leaves of a tree in which all splits on a column became leaves."""
    leaves, pending = [], [0]
    while pending:
        node = pending.pop()
        split = tree.splits[node]
        if split is None or column in columns_of(split):
            leaves.append(node)
        else:
            pending += [int(tree.children_left[node]), int(tree.children_right[node])]
    return leaves


AnyProblem = (
    Problem | RegressionProblem | RowCostsProblem | ProbabilityProblem | PolicyProblem | SurvivalProblem
)


def own_importances(tree: Tree, problem: AnyProblem) -> NDArray[np.float64]:
    """Return the `collapse_importances` of a tree that was searched for a problem."""
    return collapse_importances(tree, node_losses(tree, problem), problem.cost_complexity)


def node_losses(tree: Tree, problem: AnyProblem) -> NDArray[np.float64]:
    """Return what each node of a tree adds to the loss as a leaf, shape (node_count,)."""
    if isinstance(problem, ProbabilityProblem):
        return _shares_of_root(_scores_of_nodes(tree.value, problem.criterion))
    if isinstance(problem, PolicyProblem):
        regret = _sums_of_nodes(tree, tree.apply(problem.table.X), *problem.regret.T)
        return _shares_of_root(regret.min(axis=1))
    if isinstance(problem, SurvivalProblem):
        return _shares_of_root(_deviances_of_nodes(tree, problem))
    if isinstance(problem, Problem):
        return np.asarray((tree.value @ problem.costs).min(axis=1) / problem.total_weight, dtype=np.float64)
    if isinstance(problem, RowCostsProblem):
        share = problem.sample_weight / problem.total_weight
        at = tree.apply(problem.table.X)
        paid = _sums_of_nodes(tree, at, *(share * one for one in problem.row_costs.T))
        return np.asarray(paid.min(axis=1), dtype=np.float64)
    if problem.criterion != "squared_error":
        loss, at = regression_loss(problem), tree.apply(problem.table.X)
        of_leaf = {int(node): np.flatnonzero(at == node) for node in np.unique(at)}
        rows = [of_leaf.get(node, np.arange(0)) for node in range(tree.node_count)]
        for node in reversed(range(tree.node_count)):
            if tree.splits[node] is not None:
                rows[node] = np.concatenate([rows[tree.children_left[node]], rows[tree.children_right[node]]])
        return _shares_of_root(np.array([loss.leaf_loss(here) for here in rows]))
    # Squared error of a node is sum w d^2 - (sum w d)^2 / sum w, with d the distance from the mean of the root.
    leaf = tree.apply(problem.table.X)
    # Halves: two targets may lie further apart than a float. One output after the other: all take new pages.
    halves = [
        (targets, float(middle) / 2) for targets, middle in zip(problem.targets.T, tree.value[0], strict=True)
    ]
    unit = max(float(np.abs(targets / 2 - middle).max()) for targets, middle in halves) or 1.0
    # A power of two leaves the shares as they are, and squares of sums do not overflow.
    own = np.ldexp(problem.sample_weight, -math.frexp(float(problem.sample_weight.max()))[1])
    squares, first = np.zeros(len(own)), []
    for targets, middle in halves:
        apart = targets / 2 - middle
        apart /= unit
        squares += apart**2
        first.append(_sums_of_nodes(tree, leaf, own * apart)[:, 0])
    weight, second = _sums_of_nodes(tree, leaf, own, own * squares).T
    squared = sum((one**2 for one in first), np.zeros_like(weight))
    return _shares_of_root(second - np.divide(squared, weight, out=np.zeros_like(weight), where=weight > 0))


def _shares_of_root(loss: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(loss / loss[0] if loss[0] > 0 else np.zeros_like(loss), dtype=np.float64)


def _scores_of_nodes(weights: NDArray[np.float64], criterion: str) -> NDArray[np.float64]:
    """Return the sum of Brier scores, or of log losses, over the rows of nodes with these weights of the classes."""
    total = weights.sum(axis=1, keepdims=True)
    shares = weights / total
    if criterion == "brier":
        return np.asarray((weights * (1 - shares)).sum(axis=1), dtype=np.float64)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(-(weights * logs).sum(axis=1), dtype=np.float64)


def _deviances_of_nodes(tree: Tree, problem: SurvivalProblem) -> NDArray[np.float64]:
    """Return half the deviance of the rows of each node under one ratio: E log(H / E) less the sum of d log h.

    E are the events and H is the sum of the hazards h. An event has a hazard, for its own time adds to it.
    """
    events, hazard = problem.sample_weight * problem.event, problem.sample_weight * problem.hazard
    logs = np.log(problem.hazard, out=np.zeros_like(problem.hazard), where=events > 0)
    leaf = tree.apply(problem.table.X)
    seen, expected, apart = _sums_of_nodes(tree, leaf, events, hazard, events * logs).T
    ratio = np.divide(expected, seen, out=np.ones_like(seen), where=seen > 0)
    return np.asarray(seen * np.log(ratio) - apart, dtype=np.float64)


def _sums_of_nodes(tree: Tree, leaf: NDArray[np.int64], *by_row: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums of numbers of rows over the rows of each node, shape (node_count, n_numbers)."""
    sums = np.column_stack([np.bincount(leaf, numbers, tree.node_count) for numbers in by_row])
    for node in reversed(range(tree.node_count)):
        if tree.splits[node] is not None:
            sums[node] = sums[tree.children_left[node]] + sums[tree.children_right[node]]
    return np.asarray(sums, dtype=np.float64)
