"""The effective number of coefficients of a leaf's line, recomputed from its slopes, without any code of the fit.

Let A be the columns of a leaf with weighted mean 0 and mean square 1, W the shares of weight, s the slopes for A and r
the errors that the line leaves. Slopes of a ridge regression solve ``A'W r = c s``, so its penalty is
``c = s'A'W r / s's``. The coefficients are 1 for the mean plus the trace of the smoother, ``sum d / (d + c)`` over the
eigenvalues d of A'W A. The cost for n rows and p columns is n p min(n, p).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.problem import RegressionProblem
from treewright.tree import ColumnKind, Line
from treewright.verify._means import mean_of

__all__ = ["OF_ONE_COLUMN", "freedom_of", "is_freedom"]

OF_ONE_COLUMN = 2.0  # a mean and a slope without a penalty
NEAR = 1e-7  # relative
FLAT = 1e-11  # relative: eigenvalues below a tenth of it are rounding, which the fit counts as 0
Floats = NDArray[np.float64]


def is_freedom(said: float, found: tuple[float, float]) -> bool:
    """Return whether a stated number of coefficients is the recomputed one."""
    number, doubt = found
    return abs(said - number) <= NEAR * number + doubt


def freedom_of(
    problem: RegressionProblem, line: Line, value: Floats, rows: NDArray[np.int64]
) -> tuple[float, float]:
    """Return the effective number of coefficients of a line that was fitted with a penalty, and how far it is open.

    Parameters
    ----------
    problem : RegressionProblem
    line : Line
    value : ndarray of shape (n_outputs,)
        Means of the leaf.
    rows : ndarray of int64
        Training rows of the leaf.

    Returns
    -------
    number : float
        NaN if no penalty gives these slopes.
    doubt : float
        What may be missing: the part of eigenvalues that could count as rounding.
    """
    weight = problem.sample_weight[rows]
    share = weight / weight.sum()
    parts = [
        (column, *standard)
        for column, kind in enumerate(problem.table.columns)
        if kind.kind is not ColumnKind.CATEGORICAL
        and (standard := _standard(problem.table.X[rows, column], share)) is not None
    ]
    if not set(line.columns) <= {column for column, _, _ in parts}:
        return np.nan, 0.0
    A = np.column_stack([standard for _, standard, _ in parts])
    targets = problem.targets[rows] / 2 - value / 2
    unit = float(np.abs(targets).max())
    slopes = np.zeros((len(parts), targets.shape[1]))
    position = {column: k for k, (column, _, _) in enumerate(parts)}
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for k, column in enumerate(line.columns):
            at = position[column]
            slopes[at] = [of_output[k] * parts[at][2] / unit for of_output in line.slopes]
        errors = targets / unit - A @ slopes
        left = A.T @ (share[:, None] * errors)
        penalty = float((slopes * left).sum() / (slopes**2).sum())
    if not penalty > 0:
        return np.nan, 0.0
    rooted = A * np.sqrt(share)[:, None]
    d = np.linalg.eigvalsh(rooted @ rooted.T if len(rows) < len(parts) else rooted.T @ rooted)
    d = np.maximum(d, 0.0)
    parts_of_trace = d / (d + penalty)
    return 1.0 + float(parts_of_trace.sum()), float(parts_of_trace[d < FLAT * d.max()].sum())


def _standard(x: Floats, share: Floats) -> tuple[Floats, float] | None:
    """Return a column with mean 0 and mean square 1, missing values at 0, and half of its unit; or None."""
    known = ~np.isnan(x)
    if not known.any() or x[known].min() == x[known].max():
        return None
    center = mean_of(x[known], share[known])
    apart = np.where(known, x / 2 - center / 2, 0.0)
    unit = float(np.abs(apart).max())
    if not (unit > 0 and np.isfinite(1 / unit)):
        return None
    apart /= unit
    scale = float(np.sqrt((share * apart**2).sum()))
    return (apart / scale, unit * scale) if scale > 0 else None
