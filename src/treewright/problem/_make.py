"""From a table and labels to a `Problem`: all checks of labels, weights, costs and limits, done once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments
from treewright.errors import InputError
from treewright.problem._asked import check_penalty_and_limits, leave_out_weightless
from treewright.problem._problem import Problem
from treewright.problem._weights import (
    LARGEST_TOTAL,
    apply_class_weight,
    as_numbers,
    balance,
    check_sample_weight,
    is_integer,
)
from treewright.table import Table

__all__ = ["encode_labels", "make_problem"]

OBJECTIVES = ("accuracy", "balanced_accuracy")
LOSS_OF_IMPURITY = {"gini": "brier", "entropy": "log_loss"}  # of leaves that say their own shares
OF_COSTS = {  # what a leaf penalty is a share of, beside a cost matrix
    "share_of": "a cost of 1 for every row",
    "saves": "that; divide costs that are larger by the largest of them",
}
MOST_CLASSES = 4096  # matrices of classes times classes are made
SMALLEST_COST = 1e-250  # what the search divides by stays clear of subnormal numbers


def make_problem(
    table: Table,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
    costs: ArrayLike | None = None,
    objective: Literal["accuracy", "balanced_accuracy"] = "accuracy",
    cost_complexity: float = 0.01,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int | float = 1,
) -> Problem:
    """Define the problem to solve.

    Parameters
    ----------
    table : Table
    y : array-like of shape (n_rows,)
        Label of each row: integers, whole floats, truth values or text. One class is allowed (the tree is a
        leaf).
    sample_weight : array-like of shape (n_rows,), default=None
        Weights >= 0, not all zero; None is 1 for each row. An integer weight equals that many copies of the
        row, except that `min_samples_leaf` counts rows.
    class_weight : dict of label to float, "balanced" or None, default=None
        Factor for the rows of each class; labels that are not named have 1. "balanced" gives all classes the
        same total weight.
    costs : array-like of shape (n_classes, n_classes), default=None
        ``costs[i, j] >= 0`` is the cost of predicting the j-th label for a row of the i-th, labels sorted. No
        prediction may be cheaper than the right one. None is 1 for each wrong prediction.
    objective : {"accuracy", "balanced_accuracy"}, default="accuracy"
        With "balanced_accuracy" the loss is 1 - balanced accuracy, the mean of the classes' error rates.
    cost_complexity : float, default=0.01
        Penalty of one leaf as a fraction of the total weight, 0 to 1; with `costs`, of a cost of 1 for every row.
    max_depth : int or None, default=None
        Largest number of splits on a path, >= 0; None is unlimited.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves, >= 1; None is unlimited.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf; a float in (0, 1) is a fraction of the rows of weight above 0, rounded up.

    Returns
    -------
    Problem
        Without the rows of weight zero: ``problem.table`` and ``problem.y`` are what the method must use (and
        what the splits must be made from), so that such a row changes neither thresholds nor counts. This is
        scikit-learn's rule that weight zero equals a row that is not there. All labels of `y` stay classes.

    Raises
    ------
    InputError
        An argument is not as described above; the message names it.

    Notes
    -----
    Balanced weights of integer weights are integers (see `treewright.problem._weights`).

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import solve
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40]]), ["no", "no", "yes"], max_depth=1)
    >>> solve(problem).tree.n_leaves
    2
    """
    check_arguments(make_problem, locals(), "table")
    classes, index = encode_labels(y, table.n_rows)
    weight = check_sample_weight(sample_weight, table.n_rows)
    if objective not in OBJECTIVES:
        loss = LOSS_OF_IMPURITY.get(str(objective), str(objective))
        named = {"brier": "Brier score", "log_loss": "log loss"}.get(loss)
        shares = f" OptimalProbabilityTree(criterion={loss!r}) minimises the {named}." if named else ""
        raise InputError(
            f"objective={objective!r}; choose one of {', '.join(OBJECTIVES)}; f1 is available in OptimalTreeClassifier "
            f"and treewright fit.{shares}"
        )
    if objective == "balanced_accuracy" and class_weight is not None:
        raise InputError(
            'objective="balanced_accuracy" sets the weight of each class itself and cannot be combined with '
            "class_weight; leave one of them out."
        )
    weight = apply_class_weight(weight, index, classes, class_weight)
    if objective == "balanced_accuracy":
        weight = balance(weight, index, len(classes))
    matrix = _check_costs(costs, len(classes), weight)
    matrix.setflags(write=False)
    table, by_row, kept = leave_out_weightless(table, {"y": index, "sample_weight": weight})
    limits = check_penalty_and_limits(
        table.n_rows,
        cost_complexity=cost_complexity,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
        **({} if costs is None else OF_COSTS),
    )
    return Problem(table=table, classes=classes, costs=matrix, **by_row, **limits, **kept)


def encode_labels(y: Any, n_rows: int | None = None) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the sorted labels and the position of each row's label among them.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
    n_rows : int, default=None
        Expected length; None takes any.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
        With the dtype of `y`.
    index : ndarray of shape (n_rows,), int32

    Raises
    ------
    InputError
        None, NaN or infinity among the labels, numbers that are not whole, text mixed with numbers, more than
        one column, wrong length.

    Examples
    --------
    >>> from treewright.problem import encode_labels
    >>> encode_labels(["yes", "no", "yes"])
    (array(['no', 'yes'], dtype='<U3'), array([1, 0, 1], dtype=int32))
    """
    if np.ma.is_masked(y):
        raise InputError("Input y contains missing values (masked). Leave out the rows without a label.")
    if y is None:
        raise InputError("A classifier requires y to be passed, but the target y is None.")
    labels = np.asarray(y)
    if isinstance(y, (list, tuple)) and labels.dtype.kind in "US" and not all(isinstance(v, str) for v in y):
        labels = np.empty(len(y), dtype=object)  # numpy would turn [1, "a"] into text, and None into "None"
        labels[:] = y
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise InputError(
            f"y should be a 1d array, got an array of shape {labels.shape} instead: one label per row."
        )
    if n_rows is not None and len(labels) != n_rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, len(labels)]} (table, y)."
        )
    if len(labels) == 0:
        raise InputError("y is empty; give at least one row.")
    kind = labels.dtype.kind
    if kind == "f":
        _check_whole(labels)
    elif kind == "O":
        labels = _check_objects(labels)
    elif kind not in "biuU":
        raise InputError(
            f"Unknown label type: {labels.dtype}; labels are whole numbers, truth values or text."
        )
    classes, index = _distinct(labels)
    if len(classes) > MOST_CLASSES:
        first, second = classes[:2].tolist()
        raise InputError(
            f"y has {len(classes):,} different labels (such as {first!r}, {second!r}); at most "
            f"{MOST_CLASSES:,} classes are supported. If y is a quantity, cut it into a few ranges first; if it "
            "identifies the rows, it is not a label."
        )
    return classes, index.astype(np.int32, copy=False)


def _distinct(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the sorted labels and the position of each row's label; whole numbers close together need no sort."""
    if labels.dtype.kind not in "iu" or int(labels.max()) - int(labels.min()) > len(labels):
        return np.unique(labels, return_inverse=True)
    least = labels.min()
    wide = labels.dtype if labels.dtype.kind == "u" else np.dtype(np.int64)  # the range of int8 is 255
    place = np.subtract(labels, least, dtype=wide).astype(np.int64)
    present = np.flatnonzero(np.bincount(place))
    index = np.empty(present[-1] + 1, dtype=np.int32)
    index[present] = np.arange(len(present))
    first_row = np.empty(len(index), dtype=np.int64)  # some row of each label
    first_row[place] = np.arange(len(place))
    return labels[first_row[present]], index[place]


def _check_whole(labels: NDArray[Any]) -> None:
    if np.isnan(labels).any():
        raise InputError("Input y contains NaN. Leave out the rows without a label.")
    if np.isinf(labels).any():
        raise InputError("Input y contains infinity or a value too large for dtype('float64').")
    broken = labels != np.floor(labels)
    if broken.any():
        raise InputError(
            "Unknown label type: continuous. y holds numbers that are not whole (such as "
            f"{labels[broken][0]}); a classifier needs classes. Cut y into classes first, or use "
            "OptimalTreeRegressor."
        )


def _check_objects(labels: NDArray[Any]) -> NDArray[Any]:
    """Check labels that came as Python objects; numbers get a numeric dtype, text stays as it is."""
    types = set(map(type, labels.tolist()))
    if any(t is type(None) or t.__name__ in ("NAType", "NaTType") for t in types):
        raise InputError("Input y contains missing values (None). Leave out the rows without a label.")
    if all(issubclass(t, str) for t in types):
        return labels
    if all(issubclass(t, (bool, np.bool_)) for t in types):
        return labels.astype(np.bool_)
    if all(issubclass(t, (Integral, np.bool_)) for t in types):
        try:
            return labels.astype(np.int64)
        except OverflowError:
            raise InputError("y holds integers beyond 64 bits; give them as text.") from None
    if all(issubclass(t, (Real, np.bool_)) for t in types):
        numbers = labels.astype(np.float64)
        _check_whole(numbers)
        return numbers
    if any(issubclass(t, (float, np.floating)) and np.isnan(v) for v in labels for t in [type(v)]):
        raise InputError("Input y contains NaN. Leave out the rows without a label.")
    names = ", ".join(sorted(t.__name__ for t in types))
    if len(types) == 1:
        raise InputError(
            f"Unknown label type: {names}; labels are whole numbers, truth values or text. Give these as text: "
            "y.astype(str) in pandas, list(map(str, y)) for a list."
        )
    raise InputError(f"Unknown label type: a mixture of {names}. Give labels of one type, numbers or text.")


def _check_costs(costs: ArrayLike | None, n_classes: int, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    if costs is None:
        return 1.0 - np.eye(n_classes)
    matrix = as_numbers(costs, "costs", "a matrix of numbers")
    if matrix.shape != (n_classes, n_classes):
        raise InputError(
            f"costs has shape {matrix.shape}, expected ({n_classes}, {n_classes}): a row for each true "
            "label, a column for each predicted one, labels sorted."
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise InputError("costs must be finite numbers of at least 0.")
    if not matrix.any():
        raise InputError("costs are all zero: there is nothing to minimise.")
    if matrix.max() < SMALLEST_COST:
        raise InputError(
            f"The largest of the costs is {matrix.max():g}, too near to zero for float64; multiply all costs by "
            "the same large number."
        )
    dearer = matrix < np.diag(matrix)[:, None]
    if dearer.any():
        i, j = (int(k) for k in np.argwhere(dearer)[0])
        raise InputError(
            f"costs[{i}, {j}] = {matrix[i, j]:g} is below costs[{i}, {i}] = {matrix[i, i]:g}: a wrong "
            "prediction would cost less than the right one. Rows are true labels, columns predicted ones."
        )
    with np.errstate(over="ignore"):
        largest = float(weight.sum() * matrix.max())
    if math.isinf(largest) or (is_integer(weight) and is_integer(matrix) and largest >= LARGEST_TOTAL):
        raise InputError(
            f"Weights times costs sum to up to {largest:g}; whole numbers are added exactly up to 2**53. "
            "Divide the weights or the costs by a common factor."
        )
    return matrix
