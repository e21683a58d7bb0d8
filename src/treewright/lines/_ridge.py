"""Ridge regression of one leaf, whose penalty is chosen by the error on rows left out one by one.

With weights w that sum to 1, targets y and columns A that have mean 0 and mean square 1, the slopes at penalty c are
least for ``sum w (y - mean - A s)^2 + c s's``. With A'WA = V diag(d) V' and Z = A V the smoother's diagonal is

    h_i = w_i (1 + sum_k z_ik^2 / (d_k + c)),

and the model without row i, whose other weights stay as they are, misses row i by ``(y_i - said_i) / (1 - h_i)``: the
penalised least-squares problem loses one summand, a change of rank one (Cook and Weisberg 1982, section 2.2; for ridge
regression Golub, Heath and Wahba 1979). So one decomposition serves all penalties and all rows. What is not done again
for a row left out: centers and scales of the columns are those of all rows of the leaf.

Cost: O(n p^2 + n p k) for n rows, p columns and k penalties, with p <= n; else the n x n matrix of the rows is
decomposed in place of the p x p one. Rows are read in blocks, so that the memory is two blocks and the matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Line, mean_of

__all__ = ["PENALTIES", "Ridge", "fit_ridge"]

PENALTIES = tuple(float(10.0 ** (power / 2)) for power in range(-12, 7))  # 1e-6 to 1e3, per unit of weight
BLOCK = 1 << 16  # numbers of a block of rows: it stays in the cache
CERTAIN = 1e-10  # a row whose own target decides what is said of it tells nothing about others
BETTER = 1e-9  # relative; by less a line is not better than the constant
FLAT = 1e-12  # relative eigenvalue that is rounding
SMALLEST = 2.0**-1022  # below it numbers lose digits

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ridge:
    """The chosen model of a leaf.

    Parameters
    ----------
    line : Line
    penalty : float
        One of `PENALTIES`.
    left_out : float
        Weighted mean square of the errors on rows left out, as a share of that of the leaf's mean; below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.lines import fit_ridge
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> found = fit_ridge(X, 3 * X + 1, np.ones(40), np.array([0]))
    >>> found.left_out < 0.001
    True
    """

    line: Line
    penalty: float
    left_out: float


def fit_ridge(
    X: Floats,
    y: Floats,
    weight: Floats,
    columns: NDArray[np.int64],
    *,
    go_on: Callable[[float], None] = lambda work: None,
) -> Ridge | None:
    """Fit the line of a leaf.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Encoded rows of the leaf.
    y : ndarray of shape (n_rows, n_outputs)
    weight : ndarray of shape (n_rows,)
        Positive.
    columns : ndarray of int64
        Columns of numbers that may have a slope. One without two known values that differ gets none.
    go_on : callable
        Called before each piece of work with the number of multiplications that it takes; raises to end the fit.

    Returns
    -------
    Ridge or None
        None if no line is better than the mean on rows left out.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.lines import fit_ridge
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> fit_ridge(X, np.full((40, 1), 5.0), np.ones(40), np.array([0])) is None  # the mean is right everywhere
    True
    """
    if len(y) < 3 or (y == y[0]).all():
        return None
    means = np.array([mean_of(one, weight) for one in y.T])
    apart = y / 2 - means / 2  # halves: two numbers may lie further apart than a float
    unit = float(np.abs(apart).max())
    if unit == 0:  # half of the smallest number
        return None
    leaf = _Leaf(X, apart / unit, weight / weight.max(), columns, go_on)
    if len(leaf.columns) == 0 or not np.isfinite(1 / unit):
        return None
    constant = leaf.score_of_mean()
    scores = leaf.scores()
    best = len(scores) - 1 - int(np.argmin(scores[::-1]))  # the largest penalty of the least error
    if not scores[best] < (1 - BETTER) * constant:
        return None
    coefficients = leaf.coefficients(PENALTIES[best])  # of the standardised columns, shape (p, n_outputs)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        slopes = coefficients / leaf.scales[:, None] / leaf.units[:, None] * unit
    effect = np.abs(coefficients).max(axis=1)
    order = [int(at) for at in np.argsort(-effect, kind="stable") if np.abs(slopes[at]).max() > 0]
    lost = (coefficients != 0) & (np.abs(slopes) < SMALLEST)  # digits, or all of a slope
    if not order or lost.any() or not np.isfinite(slopes).all():
        return None
    line = Line(
        tuple(int(leaf.columns[at]) for at in order),
        tuple(float(leaf.centers[at]) for at in order),
        tuple(tuple(float(slopes[at, output]) for at in order) for output in range(y.shape[1])),
        tuple(y.min(axis=0).tolist()),
        tuple(y.max(axis=0).tolist()),
        leaf.freedom(PENALTIES[best]),
    )
    with np.errstate(over="ignore", invalid="ignore"):
        left = (y - line.values(means, X)) / 2 / unit
    if not _mean_square(left, weight) <= _mean_square(
        apart / unit, weight
    ):  # numbers too large for their slopes
        return None
    return Ridge(line, PENALTIES[best], float(scores[best] / constant))


class _Leaf:
    """The standardised rows of a leaf, block by block, and the decomposition of their second moments."""

    def __init__(
        self,
        X: Floats,
        y: Floats,
        weight: Floats,
        columns: NDArray[np.int64],
        go_on: Callable[[float], None],
    ) -> None:
        self.X, self.y, self.go_on = X, y, go_on
        self.share = weight / weight.sum()
        found = [entry for column in columns if (entry := self._standard(int(column))) is not None]
        self.columns = np.array([entry[0] for entry in found], dtype=np.int64)
        self.centers, self.units, self.scales = (
            np.array([entry[part] for entry in found], dtype=np.float64) for part in (1, 2, 3)
        )
        if found:
            self._decompose()

    def _standard(self, column: int) -> tuple[int, float, float, float] | None:
        """Return center, half unit and root mean square (in units) of a column; None if it says nothing."""
        self.go_on(8.0 * len(self.X))
        values = self.X[:, column]
        known = ~np.isnan(values)
        seen, share = (values, self.share) if known.all() else (values[known], self.share[known])
        if len(seen) == 0 or seen.min() == seen.max():
            return None
        center = mean_of(seen, share)
        apart = seen / 2 - center / 2
        unit = float(np.abs(apart).max())
        if not (unit > 0 and np.isfinite(1 / unit)):
            return None
        scale = float(np.sqrt(np.dot(share, (apart / unit) ** 2)))
        return (column, center, unit, scale) if scale > 0 else None

    def _blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Yield the standardised columns of some rows; missing values are at the center."""
        n, p = len(self.X), len(self.columns)
        step = max(1, BLOCK // p)
        for start in range(0, n, step):
            rows = slice(start, min(n, start + step))
            self.go_on(float(rows.stop - start) * p * min(n, p))
            block = self.X[rows][:, self.columns]
            block /= 2
            block -= self.centers / 2
            block /= self.units
            block /= self.scales
            block[np.isnan(block)] = 0.0
            yield rows, block

    def _decompose(self) -> None:
        """Decompose the moments of the columns, or those of the rows if they are fewer."""
        n, p = self.X.shape[0], len(self.columns)
        self.go_on(10.0 * min(n, p) ** 3)
        self.by_rows = p > n
        if self.by_rows:
            self.all = np.concatenate([block for _, block in self._blocks()]) * np.sqrt(self.share)[:, None]
            self.d, self.V = np.linalg.eigh(self.all @ self.all.T)
            self.moment = self.V.T @ (np.sqrt(self.share)[:, None] * self.y)
        else:
            gram, cross = np.zeros((p, p)), np.zeros((p, self.y.shape[1]))
            for rows, block in self._blocks():
                weighted = block * self.share[rows][:, None]
                gram += weighted.T @ block
                cross += weighted.T @ self.y[rows]
            self.d, self.V = np.linalg.eigh((gram + gram.T) / 2)
            self.moment = self.V.T @ cross
        self.d = np.where(self.d > FLAT * self.d.max(), self.d, 0.0)

    def _left_out(self, penalties: Floats) -> Iterator[tuple[slice, Floats]]:
        """Yield for some rows the errors of the models without them, shape (rows, penalties, outputs)."""
        shrink = 1 / (self.d[:, None] + penalties)  # (directions, penalties)
        if self.by_rows:
            root = np.sqrt(self.share)
            said = np.einsum("ik,kc,ko->ico", self.V, self.d[:, None] * shrink, self.moment, optimize=True)
            lever = self.share[:, None] + self.V**2 @ (self.d[:, None] * shrink)
            yield slice(0, len(root)), self._errors(slice(0, len(root)), said / root[:, None, None], lever)
            return
        for rows, block in self._blocks():
            turned = block @ self.V
            said = np.stack([turned @ (shrink * one[:, None]) for one in self.moment.T], axis=2)
            lever = self.share[rows][:, None] * (1 + turned**2 @ shrink)
            yield rows, self._errors(rows, said, lever)

    def _errors(self, rows: slice, said: Floats, lever: Floats) -> Floats:
        free = np.where(1 - lever > CERTAIN, 1 - lever, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((self.y[rows][:, None, :] - said) / free[:, :, None], dtype=np.float64)

    def scores(self) -> Floats:
        """Return the mean square of the errors on rows left out, for each penalty; inf where it cannot be told."""
        total = np.zeros(len(PENALTIES))
        for rows, errors in self._left_out(np.array(PENALTIES)):
            with np.errstate(over="ignore", invalid="ignore"):
                total += np.einsum("i,ico->c", self.share[rows], errors**2)
        return np.where(np.isfinite(total), total, np.inf)

    def score_of_mean(self) -> float:
        """Return the same for the mean alone."""
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = self.y / (1 - self.share)[:, None]
        return float(np.dot(self.share, (errors**2).sum(axis=1)))

    def coefficients(self, penalty: float) -> Floats:
        """Return the slopes of the standardised columns, shape (columns, outputs)."""
        inner = self.V @ (self.moment / (self.d + penalty)[:, None])
        return np.asarray(self.all.T @ inner if self.by_rows else inner, dtype=np.float64)

    def freedom(self, penalty: float) -> float:
        """Return the trace of the smoother, the mean included."""
        return 1.0 + float((self.d / (self.d + penalty)).sum())


def _mean_square(apart: Floats, weight: Floats) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.dot(weight / weight.sum(), (apart**2).sum(axis=1)))
