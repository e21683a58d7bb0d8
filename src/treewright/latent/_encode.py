"""From an encoded table to the numbers that a network takes: centred, scaled, without holes.

Numbers, truth values and category codes are z-scored by the training rows (Appendix A.5 of the paper does
so with ordinal codes); with "onehot" each category is a 0/1 column instead. A missing value becomes the
mean (0 after scaling), and a column that had missing values in training brings a second one that says so. A
constant column is 0.

One wild value must not take the scale from all others: mean and deviation are those of the values clipped to `FENCE`
spans between the quartiles around the median, and no input lies farther than `FARTHEST` deviations from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.latent._late import late_rows
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
        out = np.empty((len(X), self.n_inputs))
        block = max(1, BLOCK_CELLS // max(1, self.n_inputs))
        each = np.arange(self.n_inputs)
        plain = self.n_inputs == X.shape[1] and np.array_equal(self.source, each)
        indicator = self.category == IS_MISSING
        of_category = np.flatnonzero(self.category >= 0)
        for begin in range(0, len(X), block):
            taken = X[begin : begin + block] if plain else X[begin : begin + block, self.source]
            missing = np.isnan(taken)
            here = out[begin : begin + block]
            np.subtract(taken, self.center, out=here)
            here /= self.scale
            np.clip(here, -FARTHEST, FARTHEST, out=here)
            here[missing] = 0.0
            for k in of_category:
                here[:, k] = taken[:, k] == self.category[k]
            here[:, indicator] = missing[:, indicator]
        return out


VALUE, IS_MISSING = -1, -2
FENCE = 10.0
FARTHEST = 100.0
BLOCK_CELLS = 2**16  # that are worked on at once: they stay in the cache of the processor


def fit_encoder(
    X: NDArray[np.float64],
    columns: Sequence[Column],
    categories: str,
    leave_out: Sequence[int] = (),
    *,
    rows: NDArray[np.int64] | None = None,
    is_over: Callable[[], bool] = lambda: False,
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
    rows : ndarray of int, optional
        The training rows; default all.
    is_over : callable, optional
        Asked before each block of columns; after a true answer moments are those of a sample of the rows.
    """
    if categories not in ("ordinal", "onehot"):
        raise InputError(f'categories must be "ordinal" or "onehot"; got {categories!r}.')
    left_out = set(leave_out)
    used = [j for j in range(len(columns)) if j not in left_out]
    onehot = categories == "onehot"
    scaled = {j for j in used if not (onehot and columns[j].kind is ColumnKind.CATEGORICAL)}
    rows = np.arange(len(X)) if rows is None else rows
    few = rows[late_rows(len(rows), X.shape[1])]
    lacking = np.zeros(X.shape[1], dtype=np.bool_)
    moments: dict[int, tuple[float, float]] = {}
    block = max(1, BLOCK_CELLS // max(1, len(rows)))
    for begin in range(0, len(used), block):
        own = np.array(used[begin : begin + block])
        first, last = int(own[0]), int(own[-1])
        # A copy only around what is left out.
        lines = X.T[first : last + 1] if last - first < len(own) else X.T[own]
        values = lines.take(few if is_over() else rows, axis=1)
        gaps = np.isnan(values)
        here = lacking[own] = gaps.any(axis=1)
        whole = np.flatnonzero(~here)
        if len(whole):
            moments |= zip(own[whole].tolist(), zip(*_moments(values[whole]), strict=True), strict=True)
        for k in np.flatnonzero(here).tolist():
            (mean,), (deviation,) = _moments(values[k][~gaps[k]][None])
            moments[int(own[k])] = mean, deviation
    entries: list[tuple[int, int, float, float]] = []
    for j in used:
        if j in scaled:
            entries.append((j, VALUE, *moments[j]))
        else:
            entries += [(j, k, 0.0, 1.0) for k in range(len(columns[j].categories))]
        if lacking[j]:
            entries.append((j, IS_MISSING, 0.0, 1.0))
    source, category, center, scale = zip(*entries, strict=True)
    return Encoder(np.asarray(source), np.asarray(category), np.asarray(center), np.asarray(scale))


def _moments(known: NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """Means and standard deviations inside the fence of columns, one a line, without gaps; scale 1 for constants."""
    if known.shape[1] == 0:
        return [0.0] * len(known), [1.0] * len(known)
    # Scaled by the largest value first: no overflow in the squares.
    unit = np.abs(known).max(axis=1, keepdims=True)
    unit[unit == 0] = 1.0
    shares = known / unit
    ordered = np.sort(shares, axis=1)
    low, middle, high = (_at(ordered, share) for share in (0.25, 0.5, 0.75))
    # Where most values are one, the others are the information.
    reach = np.where(high > low, FENCE * (high - low), np.inf)
    inside = np.clip(shares, middle - reach, middle + reach, out=shares)
    mean, deviation = inside.mean(axis=1) * unit[:, 0], inside.std(axis=1) * unit[:, 0]
    constant = (deviation <= 1e-12 * np.abs(mean)) | (deviation == 0)
    return mean.tolist(), np.where(constant, 1.0, deviation).tolist()


def _at(ordered: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the quantile of each line, between two of its values where it falls there."""
    place = share * (ordered.shape[1] - 1)
    below = min(int(place), max(0, ordered.shape[1] - 2))
    above = min(below + 1, ordered.shape[1] - 1)
    low = ordered[:, below : below + 1]
    return np.asarray((ordered[:, above : above + 1] - low) * (place - below) + low)
