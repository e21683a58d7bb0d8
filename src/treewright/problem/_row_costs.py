"""Classification in which every row has its own cost of each prediction: all checks, done once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments
from treewright._by_name import by_name, column_names
from treewright.errors import InputError
from treewright.problem._asked import check_penalty_and_limits, leave_out_weightless
from treewright.problem._make import encode_labels
from treewright.problem._problem import TreeProblem
from treewright.problem._weights import apply_class_weight, as_numbers, check_sample_weight
from treewright.table import Table

__all__ = ["RowCostsProblem", "make_row_costs_problem"]

LARGEST_COST = 1e300  # sums over rows stay finite


@dataclass(frozen=True, eq=False, kw_only=True)
class RowCostsProblem(TreeProblem):
    """Minimise ``sum(w_i * row_costs[i, tree(x_i)]) / sum(w_i) + cost_complexity * leaves`` under constraints.

    Use `make_row_costs_problem` to build one with checks.

    The fields that all problems have are those of `TreeProblem`; `cost_complexity` is in units of a row's cost.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), int32
        Class index of each row; for the counts in the tree only.
    classes : ndarray of shape (n_classes,)
        Labels, sorted.
    row_costs : ndarray of shape (n_rows, n_classes), float64
        Finite, >= 0.

    Examples
    --------
    >>> from treewright.problem import make_row_costs_problem
    >>> from treewright.table import table_from
    >>> costs = [[0, 2], [0, 1], [7, 0]]  # of predicting "no" and "yes" for each row
    >>> make_row_costs_problem(table_from([[20], [30], [40]]), ["no", "no", "yes"], costs).row_costs.shape
    (3, 2)
    """

    BY_ROW: ClassVar[tuple[str, ...]] = ("sample_weight", "y", "row_costs")

    y: NDArray[np.int32]
    classes: NDArray[Any]
    row_costs: NDArray[np.float64]


def make_row_costs_problem(
    table: Table,
    y: ArrayLike,
    row_costs: Any,
    *,
    sample_weight: ArrayLike | None = None,
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
    cost_complexity: float = 0.01,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int | float = 1,
) -> RowCostsProblem:
    """Define the problem of a tree if every row has its own costs.

    Parameters
    ----------
    table : Table
    y : array-like of shape (n_rows,)
        Labels.
    row_costs : array-like or frame of shape (n_rows, n_classes)
        Cost of predicting each class for each row, >= 0; classes sorted. If the columns of a frame have the names of
        the classes, they may come in any order; if only some of them do, that is an error.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights >= 0, not all zero, by which costs are multiplied; a row of weight zero is left out.
    class_weight : dict of label to float, "balanced" or None, default=None
    cost_complexity : float, default=0.01
        Penalty of one leaf, at least 0, in units of `row_costs`: it is added to the mean cost of a row.
    max_depth, max_leaf_nodes : int or None, default=None
    min_samples_leaf : int or float, default=1

    Returns
    -------
    RowCostsProblem

    Raises
    ------
    InputError
        An argument is not as described above; the message names it.

    Examples
    --------
    >>> from treewright.problem import make_row_costs_problem
    >>> from treewright.search import solve_row_costs
    >>> from treewright.table import table_from
    >>> costs = [[0, 2], [0, 1], [7, 0]]  # of predicting "no" and "yes" for each row
    >>> problem = make_row_costs_problem(table_from([[20], [30], [40]]), ["no", "no", "yes"], costs, max_depth=1)
    >>> solve_row_costs(problem).loss
    0.0
    """
    check_arguments(make_row_costs_problem, locals(), "table")
    classes, index = encode_labels(y, table.n_rows)
    weight = apply_class_weight(
        check_sample_weight(sample_weight, table.n_rows), index, classes, class_weight
    )
    costs = _check_row_costs(row_costs, table.n_rows, classes)
    table, by_row, kept = leave_out_weightless(
        table, {"y": index, "sample_weight": weight, "row_costs": costs}
    )
    limits = check_penalty_and_limits(
        table.n_rows,
        cost_complexity=cost_complexity,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
        in_units_of="row_costs (5 means that a leaf must save 5 of them per row, on average)",
    )
    return RowCostsProblem(table=table, classes=classes, **by_row, **limits, **kept)


def _check_row_costs(row_costs: Any, n_rows: int, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the costs as float64, in the order of the classes."""
    costs = as_numbers(row_costs, "row_costs", "numbers, one for each row and class")
    if costs.shape != (n_rows, len(classes)):
        raise InputError(
            f"row_costs has shape {costs.shape}; give ({n_rows}, {len(classes)}): a cost for each row and class "
            f"({classes.tolist()[:20]}, sorted)."
        )
    costs = by_name(costs, column_names(row_costs), classes.tolist(), "row_costs")
    bad = ~((costs >= 0) & (costs <= LARGEST_COST))
    if bad.any():
        row, column = (int(k) for k in np.argwhere(bad)[0])
        raise InputError(
            f"row_costs[{row}, {column}] is {costs[row, column]:g}; costs are finite numbers of at least 0 and at "
            "most 1e300. For gains, add the same number to all costs of the row, so that none is negative."
        )
    return costs
