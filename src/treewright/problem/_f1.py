"""The largest F1 of one of two classes: all checks, done once, and the problems of plain costs that it leads to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments
from treewright.errors import InputError
from treewright.problem._make import make_problem
from treewright.problem._problem import Problem, TreeProblem
from treewright.table import Table

__all__ = ["F1Problem", "make_f1_problem"]

LARGEST_EXACT = 2.0**53  # float64 holds every whole number up to here


@dataclass(frozen=True, eq=False, kw_only=True)
class F1Problem(TreeProblem):
    """Minimise ``1 - 2 TP / (2 TP + FP + FN + cost_complexity * sum(w_i) * leaves)`` under constraints.

    TP, FP and FN are the weights of true positives, false positives and false negatives of the second class. Without a
    leaf penalty this is 1 - F1; with one, each leaf counts like that share of the total weight predicted wrong. Use
    `make_f1_problem` to build one with checks. The fields common to all problems are those of `TreeProblem`.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), int32
        1 for the rows of the second class.
    classes : ndarray of shape (2,)
        Labels, sorted; the second is the positive one, as in scikit-learn.

    Examples
    --------
    >>> from treewright.problem import make_f1_problem
    >>> from treewright.table import table_from
    >>> make_f1_problem(table_from([[20], [30], [40]]), ["no", "no", "yes"]).y.tolist()
    [0, 0, 1]
    """

    BY_ROW: ClassVar[tuple[str, ...]] = ("sample_weight", "y")

    y: NDArray[np.int32]
    classes: NDArray[Any]

    @property
    def positive_weight(self) -> float:
        """Weight of the rows of the positive class."""
        return float(self.sample_weight[self.y == 1].sum())

    @property
    def leaf_weight(self) -> float:
        """The weight predicted wrong that a leaf counts for."""
        return self.cost_complexity * self.total_weight

    def at(self, true_positive: float, wrong: float) -> Problem:
        """Return the problem of plain costs in which a tree is cheaper if, and only if, its objective is smaller.

        Parameters
        ----------
        true_positive : float
            TP > 0 of the tree to compare with.
        wrong : float
            Its ``FP + FN + leaf_weight * leaves``.

        Returns
        -------
        Problem
            A false positive costs TP and a false negative TP + wrong, in some unit: see the top of
            ``treewright.search._solve_f1`` for the proof. The costs are whole numbers where all that goes into them is.
        """
        price, other = float(true_positive), float(true_positive) + float(wrong)
        whole = price.is_integer() and other.is_integer() and self.leaf_weight.is_integer()
        if whole and self.total_weight * other < LARGEST_EXACT:
            common = math.gcd(int(price), int(other))
            price, other = price / common, other / common
        else:
            price, other = price / other, 1.0
        costs = np.array([[0.0, price], [other, 0.0]])
        costs.setflags(write=False)
        return self.into(Problem, costs=costs, cost_complexity=self.cost_complexity * price)


def make_f1_problem(
    table: Table,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
    cost_complexity: float = 0.01,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int | float = 1,
) -> F1Problem:
    """Define the problem of the tree of largest F1.

    Parameters
    ----------
    table : Table
    y : array-like of shape (n_rows,)
        Labels of two classes.
    sample_weight, class_weight
        As in `make_problem`.
    cost_complexity : float, default=0.01
        Each leaf counts as this share of the total weight predicted wrong, 0 to 1.
    max_depth, max_leaf_nodes, min_samples_leaf
        As in `make_problem`.

    Returns
    -------
    F1Problem

    Raises
    ------
    InputError
        There are not exactly two classes, or `make_problem` refuses an argument.

    Examples
    --------
    >>> from treewright.problem import make_f1_problem
    >>> from treewright.search import solve_f1
    >>> from treewright.table import table_from
    >>> problem = make_f1_problem(table_from([[20], [30], [40]]), ["no", "no", "yes"], cost_complexity=0.0)
    >>> solve_f1(problem).loss
    0.0
    """
    check_arguments(make_f1_problem, locals(), "table")
    plain = make_problem(
        table,
        y,
        sample_weight=sample_weight,
        class_weight=class_weight,
        cost_complexity=cost_complexity,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
    )
    if plain.n_classes != 2:
        raise InputError(
            f'objective="f1" is for two classes, of which the second (in sorted order) is the positive one; y has '
            f"{plain.n_classes}: {plain.classes.tolist()[:20]}."
        )
    return plain.into(F1Problem)
