"""Squared error of the best line in one column for each leaf, and its integers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.errors import InputError
from treewright.search._additive_losses import SquaredErrorLoss
from treewright.search._additive_units import MOST_TIE_BITS
from treewright.search._exact_sum import exact_sum
from treewright.search._kept import engine_answer
from treewright.search._whole_numbers import WholeNumbers, whole_numbers
from treewright.table import Table
from treewright.tree import Split

__all__ = ["SimpleLinesLoss", "SimpleLinesUnits", "best_line", "best_of_lines", "losses_of_lines"]

LARGEST_WEIGHT = 2**22  # of all rows
SUM_BITS = 62  # of the weight of all rows times the largest number
NUMBER_BITS = 52  # exact in double precision
LOSS_BITS = 49  # of the squares of the targets, in units
EXTRA, LEAF_ERROR = 7, 14  # units of a leaf (simple_lines.hpp)
MISSING = np.iinfo(np.int64).min
MOST_TOLERANCE = 1e-8  # of the variance; more is no proof
WEIGHT_DECIMALS = 6
MOST_OF_LEAST = 32  # parts of the least weight that are tried
WEIGHT_ERROR = 2.0**-49  # by which a weight is off from its whole number of parts, as a share
MOST_OF_A_PASS = 2**27  # lines, rows and columns that split: more takes large parts of a second
FLAT = 1e-14  # share of the squares of a leaf that a line may gain by rounding alone

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SimpleLinesUnits:
    """Whole weights, targets and values, and what one unit of the engine's cost stands for.

    Parameters
    ----------
    weight, target : ndarray of shape (n_rows,), int64
    value : ndarray of shape (n_lines, n_rows), int64
        `MISSING` where a value is.
    scale : int
        One of loss in whole numbers is ``2**scale`` units.
    tie_bits, leaf : int
    unit : float
        Loss of one unit of cost above the tie bits, in the user's units.
    rounding : float
        What the rounding of targets and values may move any tree's loss, in the user's units.
    """

    weight: NDArray[np.int64]
    target: NDArray[np.int64]
    value: NDArray[np.int64]
    scale: int
    tie_bits: int
    leaf: int
    unit: float
    rounding: float

    of_one_tree: ClassVar[bool] = False

    @property
    def room(self) -> float:
        """How far a tree's loss as it is measured may be above `loss`, or below, beside the `tolerance` of one tree.

        All squares are below ``2**LOSS_BITS`` units. `best_line` may leave a gain of `FLAT` of them, and as much again
        where float64 subtracts the line; sums of 512 rows are added up one by one, each with an error of 2^-53.
        """
        return 2.0**LOSS_BITS * (2 * FLAT + 2.0**-62 * len(self.weight)) * self.unit

    def loss(self, cost: float) -> float:
        """Return what an engine cost stands for at least, leaf penalties included."""
        return (cost / 2.0**self.tie_bits - 4.0 * len(self.weight)) * self.unit

    def tolerance(self, loss: float, n_leaves: int) -> float:
        """Return how far the true objective of a tree may be from what the engine says."""
        return LEAF_ERROR * n_leaves * self.unit + 2 * self.rounding + 1e-15 * abs(loss)


@dataclass(frozen=True, eq=False)
class SimpleLinesLoss:
    """Squared error of lines: a leaf of rows i costs the least ``sum_i weight_i (y_i - a - b x_ij)^2`` over a, b and j.

    A column whose value a row of the leaf lacks cannot have the line of the leaf.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), float64
        Finite targets.
    weight : ndarray of shape (n_rows,), float64
        Finite and positive; whole numbers of a common part that add up to at most 2^22.
    X : ndarray of shape (n_rows, n_lines), float64
        The columns that may have a line; NaN is a missing value.
    names : tuple of str
        Of the columns, for messages.
    """

    y: Floats
    weight: Floats
    X: Floats
    names: tuple[str, ...]
    _known: dict[bytes, tuple[int | None, float]] = field(default_factory=dict, init=False, repr=False)

    def leaf_loss(self, rows: NDArray[np.intp] | slice = slice(None)) -> float:
        """Return the loss of one leaf with these rows."""
        return self.line(np.arange(len(self.y))[rows])[1]

    def line(self, rows: NDArray[np.intp]) -> tuple[int | None, float]:
        """Return the number of the best line of a leaf, None for a constant, and the loss, as `best_line`.

        The same leaves are asked about where a tree is measured, pruned and written, and each takes a pass over the
        columns: it is made once.
        """
        from hashlib import blake2b  # here: it takes longer to load than all of this file

        key = blake2b(rows.tobytes(), digest_size=16).digest()
        if key not in self._known:
            every = np.arange(self.X.shape[1])
            self._known[key] = best_line(self.X, self.y, self.weight, every, rows)
        return self._known[key]

    def variance(self) -> float:
        """Return the loss of one leaf that says a constant."""
        return best_line(self.X, self.y, self.weight, np.arange(0))[1]

    def unavoidable(self) -> float:
        """Return the loss that every tree has: none."""
        return 0.0

    def check(self, n: int) -> None:
        """Refuse numbers that are no loss of `n` rows, or that cannot be compared as whole numbers."""
        if self.y.shape != (n,) or self.weight.shape != (n,) or self.X.shape != (n, len(self.names)):
            raise InputError(
                f"The loss has {len(self.y)} targets, {len(self.weight)} weights and values of {self.X.shape}; the "
                f"table has {n} rows. Give one of each per row."
            )

    def units(self, leaf_penalty: float, max_leaves: int, needs_spans: bool) -> SimpleLinesUnits:
        """Return the loss in integers.

        Raises
        ------
        InputError
            Weights, targets or values cannot be made whole without moving a loss by more than 1e-8 of the variance.

        Notes
        -----
        Let r be the norm of what rounding moves the targets, roots of weights included, and e the largest change of
        the difference of two values of a column, as a share of that difference, in either direction. A set S of rows
        with the best line a + b x may keep a and b when numbers are rounded. With the squares Q of its targets about
        their mean, ``sum w (b x - b mean)^2 <= Q``, and sums of squares about means are sums over pairs,
        ``sum w_i w_k (u_i - u_k)^2 / (2 sum w)``: so the root of its loss moves by at most ``r_S + e sqrt(Q)``, either
        way. Over the leaves of a tree, by Cauchy and Schwarz, losses move by at most ``2 (r + e s) s`` for s the root
        of all Q, plus r.

        As for log loss (``_log_loss.py``) a leaf costs 6 units and one more, which no split without a gain saves by
        rounding alone.
        """
        n = len(self.y)
        weight, by = _whole_weights(self.weight)
        bits = min(NUMBER_BITS, SUM_BITS - math.ceil(math.log2(max(int(weight.sum()), 2))))
        target = whole_numbers(self.y, bits)
        value = np.empty((len(self.names), n), dtype=np.int64)
        worst, worst_column = 0.0, ""
        for name, x, own in zip(self.names, self.X.T, value, strict=True):
            known = ~np.isnan(x)
            own[:] = MISSING
            if not known.any():
                continue
            found = whole_numbers(x[known], bits)
            own[known] = found.whole
            if found.stretch > worst:
                worst, worst_column = found.stretch, name
        all_squares = exact_sum(weight * target.whole.astype(np.float64) ** 2) * (1 + 1e-12)
        scale = LOSS_BITS - math.frexp(all_squares)[1] if all_squares > 0 else 0
        unit = math.ldexp(target.unit, -scale) * target.unit / by
        rounding = self._rounding(target, weight / by, worst, worst_column)
        tie_bits = min(MOST_TIE_BITS, max_leaves.bit_length())
        leaf = round(min(leaf_penalty / unit, 2.0**LOSS_BITS)) + EXTRA
        return SimpleLinesUnits(
            weight, target.whole, value, scale, tie_bits, (leaf << tie_bits) + 1, unit, rounding
        )

    def _rounding(self, target: WholeNumbers, weight: Floats, stretch: float, column: str) -> float:
        """Return what rounding may move the loss of a tree; refuse what would be no proof."""
        variance = self.variance()
        moved = target.largest_error * math.sqrt(float(weight.sum()))
        root = math.sqrt(variance) + moved
        rounding = 2 * (moved + stretch * root) * root + WEIGHT_ERROR * variance
        if 2 * rounding <= MOST_TOLERANCE * variance:
            return rounding
        if 2 * moved * root > rounding / 2:
            raise InputError(
                "The targets have too many digits for an exact comparison of lines: round y to fewer digits."
            )
        raise InputError(
            f"Column {column!r} has values that lie too close together for an exact comparison of lines. Round it to "
            "fewer digits, leave it out, or use leaf_model='linear', which is not exact."
        )

    def row_sums(self) -> None:
        """Return nothing: a leaf's loss is no function of few sums."""

    def best_split(self, table: Table, min_leaf: int, below: float = math.inf) -> list[Split | None] | None:
        """Return the best split for constants, where a pass over all splits for lines would be cut short by a limit.

        Such a pass looks at each line of each row once for each column that may split. None where it is a short one.
        """
        if table.n_rows * len(table.columns) * len(self.names) <= MOST_OF_A_PASS:
            return None
        return SquaredErrorLoss(self.y, self.weight).best_split(table, min_leaf)

    def native(self, rank: NDArray[np.uint32], units: Any, **rest: Any) -> dict[str, Any]:
        """Run the engine."""
        return engine_answer(
            core.simple_lines_solve,
            rank=rank,
            weight=units.weight,
            target=units.target,
            value=units.value,
            scale=units.scale,
            tie_bits=units.tie_bits,
            leaf=units.leaf,
            **rest,
        )


def best_line(
    X: Floats,
    y: Floats,
    weight: Floats,
    columns: NDArray[np.intp],
    rows: NDArray[np.intp] | slice = slice(None),
) -> tuple[int | None, float]:
    """Return the column of the best line of a leaf, None for a constant, and its weighted squared error.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
    y, weight : ndarray of shape (n_rows,)
    columns : ndarray of int
        That may have the line; one with a missing value has none.
    rows : ndarray of int or slice, default=all
        Of the leaf.
    """
    return best_of_lines(columns, *losses_of_lines(X, y, weight, columns, rows))


def losses_of_lines(
    X: Floats,
    y: Floats,
    weight: Floats,
    columns: NDArray[np.intp],
    rows: NDArray[np.intp] | slice = slice(None),
) -> tuple[float, Floats]:
    """Return the weighted squared error of a leaf with a constant, and with the line of each column; see `best_line`.

    Where a constant leaves nothing there are no lines.
    """
    if isinstance(rows, slice):
        rows = np.arange(len(y))[rows]
    if len(rows) == 0:
        return 0.0, np.empty(0)
    y, weight = y[rows], weight[rows]
    apart = _centered(y, weight / weight.sum())
    single = float((weight * apart**2).sum())
    if single == 0:
        return single, np.empty(0)
    at, offered = (np.ascontiguousarray(one, dtype=np.int64) for one in (rows, columns))
    left: Floats = core.line_losses(X, at, apart, np.ascontiguousarray(weight), offered)
    return single, left


def best_of_lines(columns: NDArray[np.intp], single: float, left: Floats) -> tuple[int | None, float]:
    """Return the column of the best line, None for a constant, and its error, given those of `losses_of_lines`."""
    best: tuple[int | None, float] = (None, single)
    for j, own in zip(columns[: len(left)].tolist(), left.tolist(), strict=True):
        if own < best[1] - FLAT * single:
            best = (j, own)
    return best


def _centered(values: Floats, share: Floats) -> Floats:
    """Return values less their mean."""
    first = values - (share * values).sum()
    return np.asarray(first - (share * first).sum(), dtype=np.float64)


def _whole_weights(weight: Floats) -> tuple[NDArray[np.int64], float]:
    """Return weights as whole numbers, and how many of them make a weight of one."""
    exponent = math.frexp(float(weight.max()))[1]
    scaled = np.ldexp(weight, -exponent)  # below 1
    for power in range(LARGEST_WEIGHT.bit_length()):
        whole = np.rint(np.ldexp(scaled, power))
        if np.array_equal(np.ldexp(whole, -power), scaled) and (whole > 0).all():
            if whole.sum() > LARGEST_WEIGHT:
                break
            return whole.astype(np.int64), math.ldexp(1.0, power - exponent)
    distinct, least = np.unique(weight), float(weight.min())
    parts = [10.0**-decimals for decimals in range(1, WEIGHT_DECIMALS + 1)]
    for unit in (*parts, *(least / count for count in range(1, MOST_OF_LEAST + 1))):
        if (np.abs(np.rint(distinct / unit) * unit - distinct) <= WEIGHT_ERROR / 2 * distinct).all():
            counts = np.rint(weight / unit)
            if counts.sum() >= 2.0**62:  # no integers of 64 bits
                continue
            whole = counts.astype(np.int64)
            common = int(np.gcd.reduce(whole))
            if whole.sum() <= common * LARGEST_WEIGHT:
                return whole // common, 1 / (unit * common)
    raise InputError(
        "sample_weight: lines are compared as whole numbers, which takes weights that are whole numbers of a common "
        f"part, such as 1, a quarter, 0.1 or the least weight, and add up to at most {LARGEST_WEIGHT:,} of them "
        "(without weights: so many rows). Round the weights to one decimal, or use leaf_model='linear'."
    )
