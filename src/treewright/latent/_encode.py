"""From an encoded table to the numbers that a network takes: centred, scaled, without holes.

Numbers, truth values and category codes are z-scored by the training rows (Appendix A.5 of the paper does
so with ordinal codes); with "onehot" each category is a 0/1 column instead. A missing value becomes the
mean (0 after scaling), and a column that had missing values in training brings a second one that says so. A
constant column is 0.

One wild value must not take the scale from all others: mean and deviation are those of the values clipped to `FENCE`
spans between the quartiles around the median, and no input lies farther than `FARTHEST` deviations from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.tree import Column, ColumnKind

__all__ = ["Encoder", "fit_encoder"]


@dataclass(frozen=True, eq=False)
class Encoder:
    """Network inputs f_k = (x[column_k] - center_k) / scale_k, or an indicator.

    Parameters
    ----------
    source : ndarray of shape (n_inputs,), int64
        Column of the table that each input comes from.
    category : ndarray of shape (n_inputs,), int64
        -1: the value itself; -2: whether it is missing; k >= 0: whether it is category k.
    center, scale : ndarray of shape (n_inputs,), float64
    """

    source: NDArray[np.int64]
    category: NDArray[np.int64]
    center: NDArray[np.float64]
    scale: NDArray[np.float64]

    @property
    def n_inputs(self) -> int:
        """Number of network inputs."""
        return len(self.source)

    def transform(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the inputs of encoded rows X (n_rows, n_columns), shape (n_rows, n_inputs), C order."""
        taken = X[:, self.source]
        missing = np.isnan(taken)
        out = np.where(missing, 0.0, np.clip((taken - self.center) / self.scale, -FARTHEST, FARTHEST))
        for k in np.flatnonzero(self.category >= 0):
            out[:, k] = taken[:, k] == self.category[k]
        indicator = self.category == IS_MISSING
        out[:, indicator] = missing[:, indicator]
        return np.ascontiguousarray(out)


VALUE, IS_MISSING = -1, -2
FENCE = 10.0
FARTHEST = 100.0


def fit_encoder(
    X: NDArray[np.float64], columns: Sequence[Column], categories: str, leave_out: Sequence[int] = ()
) -> Encoder:
    """Make the encoder for the training rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Encoded rows.
    columns : sequence of Column
    categories : {"ordinal", "onehot"}
    leave_out : sequence of int, default=()
        Columns that are no inputs.
    """
    if categories not in ("ordinal", "onehot"):
        raise InputError(f'categories must be "ordinal" or "onehot"; got {categories!r}.')
    entries: list[tuple[int, int, float, float]] = []
    for j, column in enumerate(columns):
        if j in leave_out:
            continue
        if column.kind is ColumnKind.CATEGORICAL and categories == "onehot":
            entries += [(j, k, 0.0, 1.0) for k in range(len(column.categories))]
        else:
            entries.append((j, VALUE, *_moments(X[:, j])))
        if np.isnan(X[:, j]).any():
            entries.append((j, IS_MISSING, 0.0, 1.0))
    source, category, center, scale = zip(*entries, strict=True)
    return Encoder(np.asarray(source), np.asarray(category), np.asarray(center), np.asarray(scale))


def _moments(values: NDArray[np.float64]) -> tuple[float, float]:
    """Mean and standard deviation of the known values inside the fence; scale 1 for a constant column."""
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return 0.0, 1.0
    # Scaled by the largest value first: no overflow in the squares.
    unit = float(np.abs(known).max()) or 1.0
    ordered = np.sort(known / unit)
    last = len(ordered) - 1
    low, middle, high = np.interp([0.25 * last, 0.5 * last, 0.75 * last], np.arange(last + 1), ordered)
    reach = (
        FENCE * (high - low) if high > low else np.inf
    )  # most values are one: the others are the information
    inside = np.clip(known / unit, middle - reach, middle + reach)
    mean, deviation = float(inside.mean()) * unit, float(inside.std()) * unit
    constant = deviation <= 1e-12 * abs(mean) or deviation == 0
    return mean, 1.0 if constant else deviation
