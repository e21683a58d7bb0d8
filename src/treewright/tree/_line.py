"""A linear model in a leaf of a regression tree: the leaf's mean, and slopes for some of the numeric columns.

A row in the leaf gets ``mean + slope_1 * (x_1 - center_1) + slope_2 * (x_2 - center_2) + ...``, added from left to
right in float64, so that exported code gives the same bits. A missing value adds no term, as if it were the center.
A prediction is never below the smallest or above the largest target that the leaf was fitted to, because a linear model
cannot be trusted outside the range of its rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Line"]


@dataclass(frozen=True, slots=True)
class Line:
    """Linear model of a leaf: the amount that it adds to its mean for a row.

    Parameters
    ----------
    columns : tuple of int
        Positions of numeric columns, in descending order of their effect on the training rows.
    centers : tuple of float
        For each of these columns the mean over the leaf's training rows.
    slopes : tuple of tuple of float
        One tuple per output with one slope per column, in units of the output per unit of the column.
    low, high : tuple of float
        For each output the smallest and the largest value that the leaf can predict.
    freedom : float
        Effective degrees of freedom, including one for the mean: 1 plus the trace of the smoother.

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
        """Return the predictions of the leaf for some rows.

        Parameters
        ----------
        mean : ndarray of shape (n_outputs,)
            Mean of the leaf.
        X : ndarray of shape (n_rows, n_columns)
            Encoded rows.
        rows : ndarray of int64 or slice, default=all
            Rows of `X` to predict. Only the line's own columns are read, which are few columns of a wide table.

        Returns
        -------
        ndarray of shape (n_rows_selected, n_outputs), float64
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
