"""A mixed-integer linear program as plain arrays: what the formulations write and both solvers read.

Variables and rows come in blocks with a name and a shape, such as ``z[i,t]`` and ``(14)[i]``; the names of rows
carry the equation numbers of the papers. Single names are made only when somebody asks for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix

__all__ = ["Model", "Rows"]

BYTES_PER_TERM = 16  # a position and a coefficient
COPIES = 2  # while they are put together


@dataclass(frozen=True, eq=False)
class Rows:
    """One block of constraints ``lower <= sum(coefficient * variable) <= upper``.

    Parameters
    ----------
    name : str
        Equation number.
    shape : tuple of int
        Index set; the rows are numbered in C order.
    columns, coefficients : ndarray of shape (n_rows, n_terms)
    lower, upper : ndarray of shape (n_rows,)
    """

    name: str
    shape: tuple[int, ...]
    columns: NDArray[np.int64]
    coefficients: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


@dataclass(eq=False)
class Model:
    """Minimise ``offset + cost @ x`` over the rows; some variables are integers.

    Parameters
    ----------
    offset : float, default=0
        Constant of the objective.
    unit : float, default=1
        A solver gets the objective divided by it: its tolerances are meant for numbers near 1.
    watch : callable, default=None
        Called with the bytes of each block of constraints before it is written; it may raise to stop the writing of
        a model that takes too long or too much.

    Examples
    --------
    >>> from treewright.mip import Model
    >>> model = Model()
    >>> x = model.variables("x", (2,), upper=1.0, integer=True)
    >>> x.shape
    (2,)
    """

    offset: float = 0.0
    unit: float = 1.0
    watch: Callable[[int], None] | None = None
    blocks: list[tuple[str, NDArray[np.int64]]] = field(default_factory=list, init=False)
    constraints: list[Rows] = field(default_factory=list, init=False)
    _lower: list[NDArray[np.float64]] = field(default_factory=list, init=False)
    _upper: list[NDArray[np.float64]] = field(default_factory=list, init=False)
    _cost: list[NDArray[np.float64]] = field(default_factory=list, init=False)
    _integer: list[NDArray[np.bool_]] = field(default_factory=list, init=False)
    n_variables: int = field(default=0, init=False)

    def variables(
        self,
        name: str,
        shape: tuple[int, ...],
        *,
        lower: ArrayLike = 0.0,
        upper: ArrayLike = 1.0,
        integer: bool = False,
        cost: ArrayLike = 0.0,
    ) -> NDArray[np.int64]:
        """Add a block of variables and return their positions in an array of its shape.

        Parameters
        ----------
        name : str
            Of the block; its variables are called after it and their positions.
        shape : tuple of int
        lower, upper : array-like that broadcasts to `shape`, default=0.0 and 1.0
            Bounds; infinite ones are none.
        integer : bool, default=False
            Whole numbers only.
        cost : array-like that broadcasts to `shape`, default=0.0
            Coefficients in the objective, which is minimised.

        Returns
        -------
        ndarray of shape `shape`, int64
        """
        size = math.prod(shape)
        index = np.arange(self.n_variables, self.n_variables + size).reshape(shape)
        self.n_variables += size
        self.blocks.append((name, index))
        for store, value in ((self._lower, lower), (self._upper, upper), (self._cost, cost)):
            store.append(np.broadcast_to(np.asarray(value, dtype=np.float64), shape).ravel())
        self._integer.append(np.full(size, integer))
        return index

    def rows(
        self,
        name: str,
        shape: tuple[int, ...],
        terms: Sequence[tuple[Any, NDArray[np.int64]]],
        *,
        lower: ArrayLike = -math.inf,
        upper: ArrayLike = math.inf,
    ) -> None:
        """Add a block of constraints.

        Parameters
        ----------
        name : str
        shape : tuple of int
            Index set of the block.
        terms : sequence of (coefficients, variables)
            Variables broadcast to `shape` are one term of each row; with one axis more they are summed over the
            last axis. Coefficients are broadcast to the variables.
        lower, upper : array-like, broadcast to `shape`
        """
        size = math.prod(shape)
        if self.watch is not None:
            widths = (v.shape[-1] if v.ndim == len(shape) + 1 else 1 for _, v in terms)
            self.watch(COPIES * BYTES_PER_TERM * size * sum(widths))
        columns, coefficients = [], []
        for coefficient, variables in terms:
            summed = variables.ndim == len(shape) + 1
            full = (*shape, variables.shape[-1]) if summed else (*shape, 1)
            index = variables if summed else variables[..., None]
            value = np.asarray(coefficient, dtype=np.float64)
            value = value if summed or value.ndim == 0 else value[..., None]
            columns.append(np.broadcast_to(index, full).reshape(size, full[-1]))
            coefficients.append(np.broadcast_to(value, full).reshape(size, full[-1]))
        self.constraints.append(
            Rows(
                name,
                shape,
                np.concatenate(columns, axis=1),
                np.concatenate(coefficients, axis=1),
                np.broadcast_to(np.asarray(lower, dtype=np.float64), shape).ravel(),
                np.broadcast_to(np.asarray(upper, dtype=np.float64), shape).ravel(),
            )
        )

    @property
    def lower(self) -> NDArray[np.float64]:
        """Lower bounds of the variables."""
        return np.concatenate(self._lower)

    @property
    def upper(self) -> NDArray[np.float64]:
        """Upper bounds of the variables."""
        return np.concatenate(self._upper)

    @property
    def cost(self) -> NDArray[np.float64]:
        """Objective coefficients."""
        return np.concatenate(self._cost)

    @property
    def integer(self) -> NDArray[np.bool_]:
        """Which variables are integers."""
        return np.concatenate(self._integer)

    @property
    def row_bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper sides of all rows."""
        return (
            np.concatenate([rows.lower for rows in self.constraints]),
            np.concatenate([rows.upper for rows in self.constraints]),
        )

    def matrix(self) -> csr_matrix:
        """Return the coefficients, shape (n_rows, n_variables); terms of one variable added, zeros left out."""
        if self.watch is not None:
            self.watch(COPIES * BYTES_PER_TERM * sum(rows.columns.size for rows in self.constraints))
        widths = np.concatenate([np.full(len(r.columns), r.columns.shape[1]) for r in self.constraints])
        starts = np.concatenate([[0], np.cumsum(widths)])
        columns = np.concatenate([rows.columns.ravel() for rows in self.constraints])
        values = np.concatenate([rows.coefficients.ravel() for rows in self.constraints])
        matrix = csr_matrix((values, columns, starts), shape=(len(widths), self.n_variables))
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return matrix

    def variable_names(self) -> list[str]:
        """Return the name of each variable, such as ``z[3,1]``."""
        return [f"{name}{_brackets(at)}" for name, index in self.blocks for at in _indices(index.shape)]

    def row_names(self) -> list[str]:
        """Return the name of each row, such as ``(14)[3]``."""
        return [f"{rows.name}{_brackets(at)}" for rows in self.constraints for at in _indices(rows.shape)]


def _indices(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(product(*map(range, shape)))


def _brackets(at: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, at))}]" if at else ""
