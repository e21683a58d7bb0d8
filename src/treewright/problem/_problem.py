"""What is to be solved, with no idea how."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.table import Table

__all__ = ["Problem", "TreeProblem"]

Kind = TypeVar("Kind", bound="TreeProblem")


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeProblem:
    """The common part of all problems: a weighted table, the penalty of a leaf, and constraints.

    The ``make_...`` functions build one with checks; the constructor trusts its arguments.

    Parameters
    ----------
    table : Table
    sample_weight : ndarray of shape (n_rows,), float64
        Positive: rows of weight zero were left out.
    cost_complexity : float
        Penalty of one leaf (lambda in the papers), >= 0; each problem says what it is a share of.
    max_depth : int or None
        Largest number of splits on a path; None is unlimited.
    max_leaf_nodes : int or None
        Largest number of leaves; None is unlimited.
    min_samples_leaf : int
        Fewest rows (not weight) in a leaf, >= 1.
    rows : ndarray of shape (n_rows,), int64, or None
        Positions in the input of the rows that stayed; None if all did.
    notes : tuple of str
        Plain sentences about the input that a reader of the certificate must know (rows left out).

    Examples
    --------
    >>> from treewright.problem import make_problem, make_regression_problem
    >>> from treewright.table import table_from
    >>> table = table_from([[20], [30], [40]])
    >>> make_problem(table, [0, 0, 1]).sample_weight, make_regression_problem(table, [1.0, 1.0, 5.0]).max_depth
    (array([1., 1., 1.]), None)
    """

    table: Table
    sample_weight: NDArray[np.float64]
    cost_complexity: float = 0.01
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 1
    rows: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()

    BY_ROW: ClassVar[tuple[str, ...]] = ("sample_weight",)

    @property
    def total_weight(self) -> float:
        """Sum of the sample weights."""
        return float(self.sample_weight.sum())

    def into(self, kind: type[Kind], **own: Any) -> Kind:
        """Return a problem of another kind; the common fields stay the same.

        Parameters
        ----------
        kind : type
            A subclass of `TreeProblem`.
        **own
            Its other fields, and those that change.
        """
        both = {field.name for field in fields(self)} & {field.name for field in fields(kind)}
        return kind(**{name: getattr(self, name) for name in both} | own)

    def take(self, rows: NDArray[np.int64], min_samples_leaf: int | None = None) -> Self:
        """Return the problem of some of the rows; classes, costs and the encoding of the table stay.

        Parameters
        ----------
        rows : ndarray of int64
            Their positions.
        min_samples_leaf : int, default=None
            Of these rows; None is as many as before.

        Returns
        -------
        TreeProblem
            Of the same kind.
        """
        fewer = {name: getattr(self, name)[rows] for name in self.BY_ROW}
        least = self.min_samples_leaf if min_samples_leaf is None else min_samples_leaf
        own = rows if self.rows is None else self.rows[rows]
        return replace(self, table=self.table.take(rows), min_samples_leaf=least, rows=own, notes=(), **fewer)


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem(TreeProblem):
    """Minimise ``sum(w_i * costs[y_i, tree(x_i)]) / sum(w_i) + cost_complexity * leaves`` under constraints.

    The fields common to all problems are those of `TreeProblem`; `cost_complexity` is a share of the total weight. Use
    `make_problem` to build one with checks.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), int32
        Class index of each row.
    classes : ndarray of shape (n_classes,)
        Labels, sorted.
    costs : ndarray of shape (n_classes, n_classes), float64
        ``costs[true, predicted] >= 0``; 1 off the diagonal and 0 on it for plain misclassification.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40]]), ["no", "no", "yes"], cost_complexity=0.1)
    >>> problem.y.tolist(), problem.classes.tolist(), problem.cost_complexity
    ([0, 0, 1], ['no', 'yes'], 0.1)
    """

    BY_ROW: ClassVar[tuple[str, ...]] = ("sample_weight", "y")

    y: NDArray[np.int32]
    classes: NDArray[Any]
    costs: NDArray[np.float64]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)
