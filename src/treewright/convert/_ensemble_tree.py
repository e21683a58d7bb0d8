"""One tree of an ensemble as flat arrays, with float64 thresholds whatever the model rounds its input to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLOCK", "EnsembleTree", "float32_below", "float32_threshold"]

BLOCK = 4096  # rows that are sent through trees at once: what they take stays in the cache of the processor


@dataclass(frozen=True, eq=False)
class EnsembleTree:
    """One tree of an ensemble; node 0 is the root, children come after their parent.

    Parameters
    ----------
    feature : ndarray of shape (n_nodes,), int32
        Column tested by each node; -1 marks a leaf.
    threshold : ndarray of shape (n_nodes,), float64
        ``x[feature] <= threshold`` goes left; ``inf`` sends every known value left. Ignored at leaves.
    left, right : ndarray of shape (n_nodes,), int32
    value : ndarray of shape (n_nodes, n_outputs), float64
        Scores that a leaf adds; ignored at inner nodes.
    missing_left : ndarray of shape (n_nodes,), bool
        Whether a missing value goes left.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.convert import Ensemble
    >>> forest = RandomForestClassifier(1, max_depth=1, random_state=0).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> tree = Ensemble.from_model(forest).trees[0]
    >>> tree.depth, tree.feature.tolist()
    (1, [0, -1, -1])
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float64]
    missing_left: NDArray[np.bool_]

    @cached_property
    def depth(self) -> int:
        """Largest number of splits on a path."""
        depth = np.zeros(len(self.feature), dtype=np.int64)
        for node in np.flatnonzero(self.feature >= 0):
            depth[[self.left[node], self.right[node]]] = depth[node] + 1
        return int(depth.max())

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.feature < 0).sum())

    def apply(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the leaf of each row of `X` (n_rows, n_features).

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features), float64
            A missing value goes where `missing_left` says.

        Returns
        -------
        ndarray of shape (n_rows,), int64
            Positions in `feature`.
        """
        at = np.zeros(len(X), dtype=np.int64)
        rows = np.arange(len(X))
        while True:
            rows = rows[self.feature[at[rows]] >= 0]
            if not len(rows):
                return at
            node = at[rows]
            x = X[rows, self.feature[node]]
            go_left = np.where(np.isnan(x), self.missing_left[node], x <= self.threshold[node])
            at[rows] = np.where(go_left, self.left[node], self.right[node])


def float32_threshold(threshold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each t the largest float64 x with ``float32(x) <= t``.

    Rounding to float32 is monotone, so ``float32(x) <= t`` and ``x <= float32_threshold(t)`` agree for every
    x.

    Parameters
    ----------
    threshold : ndarray of float64, any shape
        Thresholds of a model that rounds its input. Infinite ones, and those outside the range of float32,
        stay as they are.

    Returns
    -------
    ndarray of float64, of the same shape

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.convert import float32_threshold
    >>> threshold = float32_threshold(np.array([0.5]))
    >>> bool(np.float32(threshold[0]) <= 0.5)
    True
    """
    t = np.asarray(threshold, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        below = float32_below(t).astype(np.float32)
        above = np.nextafter(below, np.float32(np.inf))
        # Everything up to the midpoint rounds down; the midpoint itself goes to the even neighbour.
        middle = below.astype(np.float64) / 2 + above.astype(np.float64) / 2
        goes_down = middle.astype(np.float32) == below
        moved = np.where(goes_down, middle, np.nextafter(middle, -np.inf))
    largest = np.float64(np.finfo(np.float32).max)
    # Beyond the float32 range the models themselves refuse the row; keep the threshold as it is.
    return np.asarray(np.where(np.isfinite(t) & (np.abs(t) < largest), moved, t), dtype=np.float64)


def float32_below(threshold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each t the largest float32 number that is not above it, as float64.

    Among float32 numbers ``x <= t`` and ``x <= float32_below(t)`` ask the same.

    Parameters
    ----------
    threshold : ndarray of float64, any shape

    Returns
    -------
    ndarray of float64, of the same shape

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.convert._ensemble_tree import float32_below
    >>> float32_below(np.array([0.5, 0.1])).tolist()
    [0.5, 0.09999999403953552]
    """
    with np.errstate(over="ignore"):
        near = np.asarray(threshold, dtype=np.float64).astype(np.float32)
        below = np.where(near > threshold, np.nextafter(near, np.float32(-np.inf)), near)
    return np.asarray(below, dtype=np.float64)
