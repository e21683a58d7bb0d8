"""What a probability tree is to solve: a problem of classes whose leaf penalty is a share of the loss of one leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from treewright._arguments import check_arguments
from treewright.errors import InputError
from treewright.problem._asked import check_cost_complexity
from treewright.problem._make import LOSS_OF_IMPURITY, make_problem
from treewright.problem._problem import Problem
from treewright.table import Table

__all__ = ["ProbabilityProblem", "make_probability_problem"]

LOSSES = {"brier": "Brier score", "log_loss": "log loss"}


@dataclass(frozen=True, eq=False, kw_only=True)
class ProbabilityProblem(Problem):
    """Minimise ``loss(tree) / loss(one leaf) + cost_complexity * leaves``; leaves predict shares of their classes.

    The fields that all problems of classes have are those of `Problem`; `cost_complexity` is a share of the loss of a
    single leaf, and `costs` are ignored. Use `make_probability_problem` to build one with checks.

    Parameters
    ----------
    criterion : {"brier", "log_loss"}, default="brier"
        The loss of the shares of a leaf.

    Examples
    --------
    >>> from treewright.problem import make_probability_problem
    >>> from treewright.table import table_from
    >>> make_probability_problem(table_from([[20], [30], [40]]), [0, 0, 1], criterion="log_loss").criterion
    'log_loss'
    """

    criterion: Literal["brier", "log_loss"] = "brier"


def make_probability_problem(
    table: Table,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    cost_complexity: float = 0.01,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int | float = 1,
    criterion: Literal["brier", "log_loss"] = "brier",
) -> ProbabilityProblem:
    """Define the problem of a probability tree.

    Parameters
    ----------
    table : Table
    y : array-like of shape (n_rows,)
        Labels.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights >= 0, not all zero; a row of weight zero is left out.
    cost_complexity : float, default=0.01
        Penalty of one leaf, 0 to 1, as a share of the loss of a single leaf.
    max_depth, max_leaf_nodes : int or None, default=None
    min_samples_leaf : int or float, default=1
    criterion : {"brier", "log_loss"}, default="brier"
        The mean squared error of the shares, or minus the mean logarithm of the share of the true class.

    Returns
    -------
    ProbabilityProblem
        For `treewright.search.solve_probability`.

    Raises
    ------
    InputError
        An argument is not as described above; the message names it.

    Examples
    --------
    >>> from treewright.problem import make_probability_problem
    >>> from treewright.search import solve_probability
    >>> from treewright.table import table_from
    >>> problem = make_probability_problem(table_from([[20], [30], [40]]), [0, 0, 1], max_depth=1)
    >>> solve_probability(problem).loss
    0.0
    """
    check_arguments(make_probability_problem, locals(), "table")
    if not isinstance(criterion, str) or criterion not in LOSSES:
        same = LOSS_OF_IMPURITY.get(str(criterion))
        equal = f" The {criterion} of the leaves is {same!r}." if same else ""
        raise InputError(f'criterion={criterion!r}; choose "brier" or "log_loss".{equal}')
    name = LOSSES[criterion]
    problem = make_problem(
        table,
        y,
        sample_weight=sample_weight,
        cost_complexity=check_cost_complexity(
            cost_complexity, f"the {name} of a single leaf", f"that {name}"
        ),
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
    )
    return problem.into(ProbabilityProblem, criterion=criterion)
