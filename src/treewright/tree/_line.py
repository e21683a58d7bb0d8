"""A line in a leaf of a regression tree: the leaf's mean, and a slope for each of some columns of numbers.

A row in the leaf gets ``mean + slope_1 * (x_1 - center_1) + slope_2 * (x_2 - center_2) + ...``, added from left to
right in float64, so that exported code gives the same bits. A missing value has no term, as if it were the center.
No row gets less than the smallest or more than the largest target that the leaf was fitted to: a line that goes on
beyond its rows says anything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Line"]


@dataclass(frozen=True, slots=True)
class Line:
    """What a leaf adds to its mean for a row.

    Parameters
    ----------
    columns : tuple of int
        Columns of numbers, those with the largest effect on the training rows first.
    centers : tuple of float
        One per column: the mean of the leaf's training rows.
    slopes : tuple of tuple of float
        For each output one slope per column, in units of the output per unit of the column.
    low, high : tuple of float
        For each output the smallest and the largest value that the leaf predicts.
    freedom : float
        Effective number of coefficients, the mean among them: 1 plus the trace of the smoother.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import OptimalTreeRegressor
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> model = OptimalTreeRegressor(max_depth=1, leaf_model="linear").fit(X, X[:, 0])
    >>> line = model.tree_.lines[1]
    >>> line.columns, line.slopes[0][0] > 0
    ((0,), True)
    """

    columns: tuple[int, ...]
    centers: tuple[float, ...]
    slopes: tuple[tuple[float, ...], ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    freedom: float

    def values(
        self,
        mean: NDArray[np.float64],
        X: NDArray[np.float64],
        rows: NDArray[np.int64] | slice = slice(None),
    ) -> NDArray[np.float64]:
        """Return what the leaf predicts for rows, shape (n_rows, n_outputs).

        Parameters
        ----------
        mean : ndarray of shape (n_outputs,)
            Of the leaf.
        X : ndarray of shape (n_rows, n_columns)
            Encoded rows.
        rows : ndarray of int64 or slice, default=all
            Which of them: only the columns of the line are read, which of a wide table is little.
        """
        columns = [X[rows, column] for column in self.columns]
        said = np.repeat(mean[None, :].astype(np.float64), len(X[rows, :0]), axis=0)
        with np.errstate(over="ignore", invalid="ignore"):  # far outside the training rows
            for position, (x, center) in enumerate(zip(columns, self.centers, strict=True)):
                apart = x - center
                known = ~np.isnan(x)
                for output, slopes in enumerate(self.slopes):
                    said[known, output] += slopes[position] * apart[known]
            within = np.minimum(np.maximum(said, np.array(self.low)), np.array(self.high))
        return np.asarray(within, dtype=np.float64)
