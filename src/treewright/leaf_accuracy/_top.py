"""Any single tree as the common `Tree`: the top of a hybrid tree.

A `Tree` and a fitted model are taken as they are; a model that is not fitted is cloned and fitted. Models
that search over others (`GridSearchCV`) give their best one. scikit-learn's trees are fitted on
the numbers that `Inputs` makes of a table, so that they take categories, too; `from_sklearn` reads them, and
each of their splits is then one of the table's own column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from treewright._plural import kind_of
from treewright.convert import from_sklearn
from treewright.errors import InputError
from treewright.guess import largest_magnitude, rows_in_time
from treewright.leaf_accuracy._inputs import Inputs
from treewright.problem import make_problem
from treewright.result import SolveResult
from treewright.table import Table, table_from
from treewright.tree import CategorySplit, Column, ColumnKind, Split, ThresholdSplit, Tree, grow, split_at

__all__ = ["Top", "make_top", "tree_of_sklearn"]

ACCEPTED = (
    "a treewright Tree, a treewright classifier with a single tree, or scikit-learn's DecisionTreeClassifier or "
    "ExtraTreeClassifier, fitted or not, also inside GridSearchCV and the like"
)


@dataclass(frozen=True, eq=False)
class Top:
    """The tree on top, and where it comes from.

    Parameters
    ----------
    tree : Tree
    result : SolveResult or None
        What its method proved, if it proves anything.
    model : estimator or None
        The fitted model; None if the tree itself was given.
    n_learned : int or None, default=None
        Rows that chose its splits, where the time was too short for all.
    """

    tree: Tree
    result: SolveResult | None
    model: Any
    n_learned: int | None = None


def make_top(
    top: Any,
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    random_state: int | None = None,
    categorical_features: Sequence[str] | Sequence[int] | None = None,
    time_limit: float | None = None,
) -> Top:
    """Return the tree of `top`, fitted on the rows if it is not fitted yet.

    Parameters
    ----------
    top : Tree or classifier
    X : array-like or frame of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
    sample_weight : array-like of shape (n_rows,), default=None
    random_state : int or None, default=None
        For a model that is not fitted and whose own `random_state` is None; also for the model that a search tries.
    categorical_features : sequence of str or int, default=None
        Columns of numbers that a tree of scikit-learn, fitted here, is to read as categories.
    time_limit : float or None, default=None
        Seconds for a model that is not fitted: its own limit if that is longer, or a limit on the rows of a large table
        that a tree of scikit-learn learns its splits from.

    Returns
    -------
    Top

    Raises
    ------
    InputError
        It has no single tree, is a regression tree, or was fitted on other columns.
    """
    if isinstance(top, Tree):
        _refuse_categories(categorical_features, "a Tree")
        return Top(_classifies(top), None, None)
    if isinstance(top, type) or not hasattr(top, "fit"):
        made = f"the class {top.__name__}" if isinstance(top, type) else repr(top)
        raise InputError(f"top is {made}; give {ACCEPTED}.")
    if type(top).__name__ == "FrozenEstimator":  # scikit-learn's way to keep a fit through clone
        top = top.estimator
    inner = _innermost(top)
    if isinstance(inner, BaseDecisionTree) and not isinstance(
        inner, (DecisionTreeClassifier, ExtraTreeClassifier)
    ):
        raise InputError(f"top is {kind_of(inner)}, which predicts numbers; give {ACCEPTED}.")
    if hasattr(inner, "estimators_") or hasattr(inner, "n_estimators"):
        raise InputError(
            f"top is {kind_of(inner)}, which has many trees and explains nothing; give {ACCEPTED}. "
            "BornAgainTreeClassifier turns a small forest into one tree."
        )
    if not _is_fitted(top):
        model = clone(top)
        known = model.get_params()
        if random_state is not None:
            for one in (model, _innermost(model)):  # a search, and what it tries
                if one.get_params(deep=False).get("random_state", 0) is None:
                    one.set_params(random_state=random_state)
        if time_limit is not None and "time_limit" in known:
            own = known["time_limit"]
            model.set_params(time_limit=time_limit if own is None else min(own, time_limit))
        if isinstance(inner, BaseDecisionTree):
            table = table_from(X, categorical_features=categorical_features)
            return _fit_sklearn(model, table, y, sample_weight, np.inf if time_limit is None else time_limit)
        _refuse_categories(categorical_features, kind_of(inner))
        return _read(_fit(model, X, y, sample_weight), X)
    _refuse_categories(categorical_features, f"{kind_of(inner)} that is fitted")
    return _read(top, X)


def _refuse_categories(categorical_features: Any, top: str) -> None:
    if categorical_features is not None:
        raise InputError(
            f"categorical_features was given, but top is {top}, which decides that itself. Leave it out here."
        )


def _fit_sklearn(
    model: Any, table: Table, y: ArrayLike, sample_weight: ArrayLike | None, seconds: float
) -> Top:
    """Fit a tree of scikit-learn on the inputs of the table: on as many rows of a large one as there is time for."""
    problem = make_problem(table, y, sample_weight=sample_weight)  # rows of weight zero are left out
    columns = problem.table.columns
    inputs = Inputs.of(columns)
    weights = None if sample_weight is None else problem.sample_weight
    labels, matrix = problem.classes[problem.y], inputs.matrix(problem.table.X)
    largest = largest_magnitude(matrix)
    if largest > float(np.finfo(np.float32).max):
        raise InputError(
            f"A column holds {largest:g}, which a tree of scikit-learn cannot read (32-bit floats end at 3.4e38). "
            "Divide the column, or give a top of this library, such as OptimalTreeClassifier(max_depth=3)."
        )

    def fit(rows: Any) -> Any:
        return _fit(clone(model), matrix[rows], labels[rows], None if weights is None else weights[rows])

    rows = rows_in_time(matrix, problem.y, seconds, fit)
    fitted = fit(slice(None) if rows is None else rows)
    if not isinstance(_best(fitted), BaseDecisionTree):
        raise InputError(f"top is {kind_of(fitted)}, which has no single tree; give {ACCEPTED}.")
    tree = tree_of_sklearn(_best(fitted), columns, inputs, problem.classes)
    if rows is not None:  # its leaves answer for all rows
        tree = grow(
            columns,
            problem.classes,
            list(tree.splits),
            problem.table.X,
            problem.y,
            problem.sample_weight,
            problem.costs,
        )
    return Top(tree, None, fitted, None if rows is None else len(rows))


def _fit(model: Any, X: Any, y: Any, sample_weight: ArrayLike | None) -> Any:
    if sample_weight is None:
        return model.fit(X, y)
    # A search hands everything on to the model that it tries.
    if not has_fit_parameter(_innermost(model), "sample_weight"):
        raise InputError(
            f"sample_weight was given, but the top, {kind_of(model)}, takes none. Leave the weights "
            "out, or give another top."
        )
    return model.fit(X, y, sample_weight=sample_weight)


def _read(model: Any, X: Any) -> Top:
    """Return the tree of a fitted model."""
    best = _best(model)
    tree = getattr(best, "tree_", None)
    if isinstance(best, (DecisionTreeClassifier, ExtraTreeClassifier)):
        if best.n_outputs_ > 1:
            raise InputError(f"top has {best.n_outputs_} outputs; give a tree that was fitted on one.")
        names = getattr(best, "feature_names_in_", None)
        if names is None and len(table := table_from(X).names) == best.n_features_in_:
            names = table
        elif names is None:
            names = [f"x{j}" for j in range(best.n_features_in_)]
        columns = tuple(Column(str(name), ColumnKind.CONTINUOUS) for name in names)
        tree = tree_of_sklearn(best, columns, Inputs.of(columns))
    if not isinstance(tree, Tree):
        hint = " Its hardened tree can be the top: model.harden().tree." if hasattr(best, "harden") else ""
        raise InputError(f"top is {kind_of(best)}, which has no single tree; give {ACCEPTED}.{hint}")
    result = getattr(best, "result_", None)
    return Top(_classifies(tree), result if isinstance(result, SolveResult) else None, model)


def tree_of_sklearn(
    model: Any, columns: Sequence[Column], inputs: Inputs, classes: NDArray[Any] | None = None
) -> Tree:
    """Return a fitted tree of scikit-learn as a `Tree` with the same decision for every row.

    Parameters
    ----------
    model : DecisionTreeClassifier or ExtraTreeClassifier
        Fitted on ``inputs.matrix`` of encoded rows.
    columns : sequence of Column
    inputs : Inputs
    classes : ndarray of shape (n_classes,), default=None
        Sorted classes of the tree, if there are more than the model saw (all their rows had weight zero).

    Returns
    -------
    Tree
        A missing value goes where the model sends it; in a column without any, where most rows went.

    Notes
    -----
    scikit-learn stores shares; times the weight of the node they are the weights, to rounding. Whole numbers
    are restored, which is right unless weights are fractions that close to one.
    """
    own = from_sklearn(model, feature_names=[f"input {k}" for k in range(len(inputs.column))])
    assert own.classes is not None  # make_top refuses regression trees
    splits: list[Split | None] = []
    for split in own.splits:
        if split is None:
            splits.append(None)
            continue
        assert isinstance(split, ThresholdSplit)  # scikit-learn has no others
        j, code = inputs.column[split.column], inputs.category[split.column]
        splits.append(
            split_at(j, split.threshold, split.missing_left, ordered=columns[j].ordered)
            if code is None or split.threshold == np.inf  # of the indicator: whether the word is known
            else CategorySplit(j, (code,), split.missing_left)
        )
    known = own.classes if classes is None else classes
    places = np.searchsorted(known, own.classes)
    value = np.zeros((own.node_count, len(known)))
    whole = np.round(own.value)
    value[:, places] = np.where(np.isclose(own.value, whole, rtol=1e-9, atol=0), whole, own.value)
    return replace(
        own,
        columns=tuple(columns),
        classes=known,
        splits=tuple(splits),
        value=value,
        prediction=places[own.prediction].astype(np.int32),
    )


def _innermost(model: Any) -> Any:
    """Return the model that a search (GridSearchCV and the like) tries, or `model` itself."""
    while hasattr(getattr(model, "estimator", None), "fit") and not (
        type(model).__module__.startswith("treewright.") or hasattr(model, "n_estimators")
    ):
        model = model.estimator
    return model


def _best(model: Any) -> Any:
    """Return the best model of a fitted search, or `model` itself."""
    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    return model


def _is_fitted(model: Any) -> bool:
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _classifies(tree: Tree) -> Tree:
    if not tree.predicts_classes:
        raise InputError(f"top is a {tree.kind.value} tree; give {ACCEPTED}.")
    return tree
