"""What a regression tree is to solve: all checks of targets, weights and limits, done once."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments, refuse_dates, refuse_lossy
from treewright._numbers import is_real
from treewright.errors import InputError
from treewright.problem._asked import check_penalty_and_limits, leave_out_weightless
from treewright.problem._problem import TreeProblem
from treewright.problem._weights import check_sample_weight, first_word
from treewright.table import Table

__all__ = ["CRITERIA", "Criterion", "RegressionProblem", "make_regression_problem"]

Criterion = Literal["squared_error", "poisson", "gamma", "absolute_error", "quantile"]
CRITERIA = get_args(Criterion)
SMALLEST_SHARE = 1e-11  # of the largest target of a gamma deviance
LARGEST_DENOMINATOR = 10**4  # of a quantile


@dataclass(frozen=True, eq=False, kw_only=True)
class RegressionProblem(TreeProblem):
    """Minimise ``loss(tree) / loss(one leaf) + cost_complexity * leaves`` under constraints.

    The loss is the weighted sum over rows of the loss that `criterion` names, where each leaf predicts the value of
    least loss. For squared error this value is the weighted mean, and the first term is the share of the variance that
    the tree does not explain. For several outputs the squared errors are added, each in its own unit. Use
    `make_regression_problem` to build one with checks.

    The fields that all problems have are those of `TreeProblem`; `cost_complexity` is a
    share of the loss of a single leaf.

    Parameters
    ----------
    y : ndarray of shape (n_rows,) or (n_rows, n_outputs), float64
        Finite targets; two outputs or more, for squared error only.
    criterion : {"squared_error", "poisson", "gamma", "absolute_error", "quantile"}, default="squared_error"
        "poisson" and "gamma" are half the deviances of these families, of means.
    quantile : float, default=0.5
        Which one, for criterion "quantile".

    Examples
    --------
    >>> from treewright.problem import make_regression_problem
    >>> from treewright.table import table_from
    >>> make_regression_problem(table_from([[20], [30], [40]]), [1, 1, 5]).y
    array([1., 1., 5.])
    """

    BY_ROW: ClassVar[tuple[str, ...]] = ("sample_weight", "y")

    y: NDArray[np.float64]
    criterion: Criterion = "squared_error"
    quantile: float = 0.5

    @property
    def n_outputs(self) -> int:
        """How many numbers a leaf predicts."""
        return 1 if self.y.ndim == 1 else int(self.y.shape[1])

    @property
    def targets(self) -> NDArray[np.float64]:
        """The targets with a column for each output, shape (n_rows, n_outputs)."""
        return self.y.reshape(len(self.y), -1)

    @property
    def share(self) -> Fraction | None:
        """The quantile that leaves predict, None for means."""
        if self.criterion == "absolute_error":
            return Fraction(1, 2)
        return Fraction(str(self.quantile)) if self.criterion == "quantile" else None


def make_regression_problem(
    table: Table,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    cost_complexity: float = 0.01,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int | float = 1,
    criterion: Criterion = "squared_error",
    quantile: float = 0.5,
) -> RegressionProblem:
    """Define the problem of a regression tree.

    Parameters
    ----------
    table : Table
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        Finite numbers; several outputs for criterion "squared_error" only. Their squared errors are added without
        scaling, so an output with large numbers counts more: scale the outputs if they should count equally.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights >= 0, not all zero; None is 1 for each row. A row of weight zero is left out.
    cost_complexity : float, default=0.01
        Penalty of one leaf as a share of the loss of a single leaf, 0 to 1: a split must explain at least this share of
        the variance.
    max_depth : int or None, default=None
    max_leaf_nodes : int or None, default=None
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf; a float in (0, 1) is a fraction of the rows of weight above 0, rounded up.
    criterion : {"squared_error", "poisson", "gamma", "absolute_error", "quantile"}, default="squared_error"
        "poisson" takes targets >= 0 that are not all 0, "gamma" targets above 0.
    quantile : float, default=0.5
        Between 0 and 1, with at most four decimals; used for criterion "quantile" only.

    Returns
    -------
    RegressionProblem

    Raises
    ------
    InputError
        An argument is not as described above; the message names it.

    Examples
    --------
    >>> from treewright.problem import make_regression_problem
    >>> from treewright.search import solve_regression
    >>> from treewright.table import table_from
    >>> problem = make_regression_problem(table_from([[20], [30], [40]]), [1.0, 1.0, 5.0], max_depth=1)
    >>> solve_regression(problem).loss
    0.0
    """
    check_arguments(make_regression_problem, locals(), "table")
    check_criterion(criterion, quantile)
    target = check_target(y, table.n_rows, several=True)
    if target.ndim == 2 and criterion != "squared_error":
        raise InputError(
            f"y has {target.shape[1]} columns; criterion={criterion!r} takes one: give a single column, or use "
            "criterion='squared_error', which adds the squared errors of several outputs."
        )
    weight = check_sample_weight(sample_weight, table.n_rows)
    table, by_row, kept = leave_out_weightless(table, {"y": target, "sample_weight": weight})
    _check_family(criterion, by_row["y"])
    limits = check_penalty_and_limits(
        table.n_rows,
        cost_complexity=cost_complexity,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
        share_of="the loss of a single leaf",
        saves="that loss",
    )
    return RegressionProblem(
        table=table, criterion=criterion, quantile=float(quantile), **by_row, **limits, **kept
    )


def check_criterion(criterion: str, quantile: float = 0.5) -> None:
    """Refuse a loss that does not exist, or a quantile out of range.

    Raises
    ------
    InputError
    """
    if criterion not in CRITERIA:
        raise InputError(f"criterion={criterion!r}; choose one of {', '.join(CRITERIA)}.")
    if not is_real(quantile) or not 0 < float(quantile) < 1:
        raise InputError(f"quantile={quantile!r}; give a number above 0 and below 1, for example 0.9.")
    if Fraction(str(float(quantile))).denominator > LARGEST_DENOMINATOR:
        raise InputError(
            f"quantile={quantile!r}; give at most four decimals: losses are compared as whole numbers."
        )


def _check_family(criterion: str, y: NDArray[np.float64]) -> None:
    """Refuse targets that the deviance of a family is not defined for."""
    if criterion == "poisson" and (y < 0).any():
        raise InputError(
            f"y has {float(y.min()):g}; criterion='poisson' is for counts and rates, which are not negative. For "
            "other targets use criterion='squared_error'."
        )
    if criterion == "poisson" and not (y > 0).any():
        raise InputError(
            "All targets are 0: their Poisson deviance is not defined. criterion='poisson' needs one above 0 in a "
            "row of positive weight."
        )
    if criterion == "gamma" and (y <= 0).any():
        raise InputError(
            f"y has {float(y.min()):g}; criterion='gamma' needs positive targets. If there are zeros, use "
            "criterion='poisson'."
        )
    if criterion == "gamma" and float(y.max()) * SMALLEST_SHARE > float(y.min()):
        raise InputError(
            f"y ranges from {float(y.min()):g} to {float(y.max()):g}; criterion='gamma' compares logarithms as whole "
            f"numbers and takes targets that differ by a factor of at most {1 / SMALLEST_SHARE:g}. Leave out the "
            "rows with targets close to 0."
        )


def check_target(y: Any, n_rows: int | None = None, *, several: bool = False) -> NDArray[np.float64]:
    """Return targets as float64, shape (n_rows,); with `several` also (n_rows, n_outputs) for two outputs or more.

    Raises
    ------
    InputError
        None, text, complex numbers, dates, NaN or infinity, wrong length, more columns than are taken, or none.
    """
    if y is None:
        raise InputError("A regressor requires y to be passed, but the target y is None.")
    refuse_dates("y", y)
    refuse_lossy("y", y)
    raw = np.asarray(y)
    try:
        target = np.array(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        word = first_word(raw)
        held = "values that are not numbers" if word is None else f"{word!r}, which is not a number"
        amount = word is not None and any(mark.isdigit() for mark in word)
        raise InputError(
            f"y holds {held}; a regression tree predicts numbers. "
            f"{'If it is an amount, convert the column to numbers first; for' if amount else 'For'} labels use a "
            "classifier."
        ) from None
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    if target.ndim != 1 and not (several and target.ndim == 2 and target.shape[1] > 0):
        wanted = "one number per row" + (", or one for each row and output" if several else "")
        raise InputError(f"y should be a 1d array, got an array of shape {target.shape} instead: {wanted}.")
    if n_rows is not None and len(target) != n_rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, len(target)]} (table, y)."
        )
    if len(target) == 0:
        raise InputError("y is empty; give at least one row.")
    if np.isnan(target).any():
        raise InputError("Input y contains NaN. Leave out the rows without a target.")
    if np.isinf(target).any():
        raise InputError("Input y contains infinity or a value too large for dtype('float64').")
    return target
