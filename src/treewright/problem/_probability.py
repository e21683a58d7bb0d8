"""What a probability tree is to solve: a problem of classes whose leaf penalty is a share of a Brier score."""

from __future__ import annotations

from numpy.typing import ArrayLike

from treewright.problem._asked import check_cost_complexity
from treewright.problem._make import make_problem
from treewright.problem._problem import Problem
from treewright.table import Table

__all__ = ["make_probability_problem"]


def make_probability_problem(
    table: Table,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    cost_complexity: float = 0.01,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int | float = 1,
) -> Problem:
    """State which probability tree is wanted.

    Parameters
    ----------
    table : Table
    y : array-like of shape (n_rows,)
        Labels.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights >= 0, not all zero; a row of weight zero is left out.
    cost_complexity : float, default=0.01
        Penalty of one leaf, 0 to 1, as a share of the Brier score of a single leaf.
    max_depth, max_leaf_nodes : int or None, default=None
    min_samples_leaf : int or float, default=1

    Returns
    -------
    Problem
        For `treewright.search.solve_probability`.

    Raises
    ------
    InputError
        Anything above that does not hold; the message names the argument.
    """
    return make_problem(
        table,
        y,
        sample_weight=sample_weight,
        cost_complexity=check_cost_complexity(
            cost_complexity, "the Brier score of a single leaf", "that score"
        ),
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
    )
