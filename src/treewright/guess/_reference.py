"""What a reference model is to this library: a fitted ensemble, its predictions, and its columns as our splits.

An unfitted reference is fitted here, on a matrix that any scikit-learn ensemble can read and whose every
split *is* one of ours: a column of numbers as it is; one with missing values twice, with the missing rows
below and above all values (so that each split has learned a direction for them); a category as a 0/1 column,
0 where it is that category (of text with very many values, the most frequent ones). A fitted reference was
fitted by somebody else on the table's own columns, so they must all be numbers.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._plural import kind_of
from treewright.errors import InputError
from treewright.guess._choose_size import choose_size
from treewright.guess._in_time import rows_in_time
from treewright.guess._magnitude import largest_magnitude
from treewright.guess._models import check_model, is_fitted
from treewright.guess._named import named_reference
from treewright.table import Table
from treewright.tree import ColumnKind, label_positions

__all__ = ["Input", "Reference", "make_reference", "predictions_of", "reference_cells", "reference_matrix"]

MOST_CATEGORIES = (
    512  # that an unfitted reference sees, each as a column of float64; a guess needs no rare ones
)


@dataclass(frozen=True, slots=True)
class Input:
    """One column of the matrix that the reference reads.

    Parameters
    ----------
    column : int
        Position in the table.
    category : int or None
        The category that is 0 in this column; None for numbers.
    missing_left : bool or None
        Where missing rows stand: below (True) or above (False) all values; None if there are none.
    """

    column: int
    category: int | None = None
    missing_left: bool | None = None


@dataclass(frozen=True, eq=False)
class Reference:
    """A fitted reference model on the rows of a problem.

    Parameters
    ----------
    model : estimator
    X : ndarray of shape (n_rows, n_inputs), float64
        What it reads.
    inputs : tuple of Input
    predictions : ndarray of shape (n_rows,), int32
        Class index that it predicts for each row.
    error : float
        Share of the weight that it predicts wrongly.
    n_learned : int or None, default=None
        Number of rows that it learned from, if the time was too short for all.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import make_reference, named_reference
    >>> from treewright.table import table_from
    >>> y = np.array([0, 0, 1], dtype=np.int32)
    >>> table, model = table_from([[20], [30], [40]]), named_reference("gbdt", n_estimators=5)
    >>> make_reference(model, table, y, np.array([0, 1]), np.ones(3)).error
    0.0
    """

    model: Any
    X: NDArray[np.float64]
    inputs: tuple[Input, ...]
    predictions: NDArray[np.int32]
    error: float
    n_learned: int | None = None


def reference_matrix(table: Table) -> tuple[NDArray[np.float64], tuple[Input, ...]]:
    """Return the table as numbers without gaps, and what each column of it is.

    Parameters
    ----------
    table : Table

    Returns
    -------
    X : ndarray of shape (n_rows, n_inputs), float64
    inputs : tuple of Input
    """
    columns: list[NDArray[Any]] = []
    inputs: list[Input] = []
    frequent = _frequent_categories(table)
    for j, x in enumerate(table.X.T):
        missing = np.isnan(x)
        if missing.all():
            continue
        if j in frequent:
            for code in frequent[j]:
                columns.append(np.not_equal(x, code))
                inputs.append(Input(j, code))
        elif not missing.any():
            columns.append(x)
            inputs.append(Input(j))
        else:
            low, high = float(x[~missing].min()), float(x[~missing].max())
            gap = max(1.0, abs(low), abs(high))  # far enough to survive float32
            for left in (True, False):
                columns.append(np.where(missing, low - gap if left else high + gap, x))
                inputs.append(Input(j, None, left))
    # Categories are truth values until here: as float64 all of them would be in memory twice.
    X = np.stack(columns, axis=1, dtype=np.float64) if columns else np.empty((table.n_rows, 0))
    return np.ascontiguousarray(X), tuple(inputs)


def reference_cells(table: Table) -> int:
    """Return how many cells the matrix of an unfitted reference has at most, without making it."""
    of_text = [c for c in table.columns if c.kind is ColumnKind.CATEGORICAL and not c.ordered]
    n_categories = sum(len(column.categories) for column in of_text)
    n_inputs = min(n_categories, max(MOST_CATEGORIES, len(of_text)))
    n_inputs += sum(
        1 + c.has_missing for c in table.columns if c.kind is not ColumnKind.CATEGORICAL or c.ordered
    )
    return table.n_rows * n_inputs


def _frequent_categories(table: Table) -> dict[int, list[int]]:
    """Return the codes of each text column that the reference sees: all, or equally many of each, the most frequent."""
    counts: dict[int, NDArray[np.int64]] = {}
    for j, column in enumerate(table.columns):
        if column.kind is ColumnKind.CATEGORICAL and not column.ordered:
            x = table.X[:, j]
            counts[j] = np.bincount(x[~np.isnan(x)].astype(np.int64))
    n_present = sorted(int(np.count_nonzero(rows)) for rows in counts.values())
    room, level = MOST_CATEGORIES, 0
    for i, n in enumerate(n_present):  # fewest first: what they leave is shared by the others
        level = max(1, room // (len(n_present) - i))
        room -= min(n, level)
    found = {}
    for j, rows in counts.items():
        heaviest = np.lexsort((np.arange(len(rows)), -rows))[: max(level, 1)]
        found[j] = np.sort(heaviest[rows[heaviest] > 0]).tolist()
    return found


def make_reference(
    model: Any,
    table: Table,
    y: NDArray[np.int32],
    classes: NDArray[Any],
    weight: NDArray[np.float64],
    is_over: Callable[[], bool] | None = None,
    seconds: float = np.inf,
) -> Reference:
    """Fit the reference if it is not fitted, and let it predict the rows.

    Parameters
    ----------
    model : estimator or None
        An unfitted one is cloned. None: scikit-learn's gradient boosting of 40 stumps, 50 trees of depth two or 20 of
        depth three, whichever has the least log loss on held-out rows; with more than two classes the stumps.
    table : Table
    y : ndarray of shape (n_rows,), int32
    classes : ndarray of shape (n_classes,)
    weight : ndarray of shape (n_rows,), float64
    is_over : callable, default=None
        Called after each tree of gradient boosting that is not fitted; when it returns True, no more trees are added.
    seconds : float, default=inf
        Seconds that are left. If fitting a model to all rows would take longer, it learns from a part of them.

    Returns
    -------
    Reference

    Raises
    ------
    InputError
        The model is not a classifier, is fitted to other columns or labels, or predicts a single class.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import make_reference, named_reference
    >>> from treewright.table import table_from
    >>> y = np.array([0, 0, 1], dtype=np.int32)
    >>> table, model = table_from([[20], [30], [40]]), named_reference("gbdt", n_estimators=5)
    >>> make_reference(model, table, y, np.array([0, 1]), np.ones(3)).predictions
    array([0, 0, 1], dtype=int32)
    """
    from sklearn.base import clone

    rows: NDArray[np.intp] | None = None
    if model is not None:
        check_model(model)
    if model is not None and is_fitted(model):
        X, inputs = _as_fitted_on(model, table)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X does not have valid feature names")  # checked above
            predictions = predictions_of(model.predict(X), classes, table.n_rows)
    else:
        X, inputs = reference_matrix(table)
        if X.shape[1] == 0:
            raise InputError("No column has any value; there is nothing to fit the reference on.")
        _check_magnitude(X)
        if model is None:
            model = named_reference("gbdt", *choose_size(X, y, weight, fit_model, is_over))
        rows = _rows_in_time(model, X, y, weight, seconds)
        some = slice(None) if rows is None else rows
        model = fit_model(clone(model), X[some], y[some], weight[some], is_over)
        predictions = np.asarray(model.predict(X), dtype=np.int32)
    check_predictions(predictions, y)
    error = float(weight[predictions != y].sum() / weight.sum())
    return Reference(model, X, inputs, predictions, error, None if rows is None else len(rows))


def _rows_in_time(
    model: Any, X: NDArray[np.float64], y: NDArray[np.int32], weight: NDArray[np.float64], seconds: float
) -> NDArray[np.intp] | None:
    """Return the rows that the model has time to learn from; None is all."""
    from sklearn.base import clone

    def fit(rows: NDArray[np.intp]) -> Any:
        # Gradient boosting is asked after each of its rounds: one is all that cannot be stopped.
        return fit_model(clone(model), X[rows], y[rows], weight[rows], lambda: True)

    return rows_in_time(X, y, seconds, fit)


def _check_magnitude(X: NDArray[np.float64]) -> None:
    """Refuse numbers that trees of scikit-learn cannot read."""
    largest = largest_magnitude(X)
    if largest > float(np.finfo(np.float32).max):
        raise InputError(
            f"A column holds {largest:g}, which a reference of scikit-learn cannot read (32-bit floats end at 3.4e38). "
            "Divide the column, or search without guesses."
        )


def fit_model(
    model: Any,
    X: NDArray[np.float64],
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    is_over: Callable[[], bool] | None = None,
) -> Any:
    """Fit with weights if they differ; stop adding trees when the time is over where the model can be asked to."""
    how: dict[str, Any] = {}
    if is_over is not None and "monitor" in inspect.signature(model.fit).parameters:
        how["monitor"] = lambda *_: is_over()
    if (weight == weight[0]).all():
        return model.fit(X, y, **how)
    if "sample_weight" not in inspect.signature(model.fit).parameters:
        raise InputError(
            f"The reference, {kind_of(model)}, takes no sample_weight, and the rows have different "
            "weights. Give a fitted reference, or fit without weights."
        )
    return model.fit(X, y, sample_weight=weight, **how)


def predictions_of(labels: ArrayLike, classes: NDArray[Any], n_rows: int) -> NDArray[np.int32]:
    """Return predicted labels as class indices.

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
    classes : ndarray of shape (n_classes,)
    n_rows : int

    Returns
    -------
    ndarray of shape (n_rows,), int32

    Raises
    ------
    InputError
        Wrong length, or a label that is none of `classes`.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import predictions_of
    >>> predictions_of(["yes", "no"], np.array(["no", "yes"]), 2)
    array([1, 0], dtype=int32)
    """
    given = np.asarray(labels)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if given.shape != (n_rows,):
        raise InputError(
            f"The reference's predictions have shape {given.shape}, the table has {n_rows} rows; give one "
            "predicted label a row."
        )
    advice = "Fit it on the labels of y, with their type."
    return label_positions(given, classes, "The reference predicts", advice).astype(np.int32)


def check_predictions(predictions: NDArray[np.int32], y: NDArray[np.int32]) -> None:
    """Refuse a reference that has learned nothing.

    Raises
    ------
    InputError
        It predicts one class where the rows have two or more.
    """
    if len(np.unique(predictions)) == 1 < len(np.unique(y)):
        raise InputError(
            "The reference predicts one and the same class for every row; nothing can be guessed from it. "
            "Give one with more or deeper trees, or leave the guess out."
        )


def _as_fitted_on(model: Any, table: Table) -> tuple[NDArray[np.float64], tuple[Input, ...]]:
    expected = getattr(model, "n_features_in_", None)
    if expected is not None and expected != len(table.columns):
        raise InputError(
            f"The reference was fitted on {expected} columns, the table has {len(table.columns)}; give one "
            "that was fitted on these columns, or one that is not fitted."
        )
    names = getattr(model, "feature_names_in_", None)
    if names is not None and tuple(map(str, names)) != table.names:
        other = next(
            (f"{a!r} where the table has {b!r}" for a, b in zip(names, table.names, strict=False) if a != b),
            "",
        )
        raise InputError(
            f"The reference was fitted on other columns: {other}. Give the same columns in the same order, "
            "or a reference that is not fitted."
        )
    words = [column.name for column in table.columns if column.kind is ColumnKind.CATEGORICAL]
    if words:
        raise InputError(
            f"A fitted reference reads numbers, but {', '.join(words[:5])} hold categories. Give a "
            "reference that is not fitted, or code the categories as numbers first."
        )
    X = np.ascontiguousarray(table.X)
    if np.isnan(X).any() and not _takes_missing(model):
        raise InputError(
            f"The table has missing values, which {kind_of(model)} cannot read. Give a reference "
            "that is not fitted (missing rows are then coded), or a HistGradientBoostingClassifier."
        )
    return X, tuple(Input(j) for j in range(len(table.columns)))


def _takes_missing(model: Any) -> bool:
    from sklearn.utils import get_tags

    if hasattr(model, "get_booster") or hasattr(model, "booster_"):
        return True
    return bool(get_tags(model).input_tags.allow_nan)
