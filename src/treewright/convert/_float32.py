"""What a model that rounds its rows to float32 can keep of a tree of float64 thresholds.

scikit-learn's trees ask ``float32(x) <= t`` with a float64 t. Rounding is monotone, so among all t the rows
that go left are ``x <= s`` for one s, and t matters only through the largest float32 that is <= t. Let f be
float32(T), T our threshold. Every x <= T has float32(x) <= f, every x > T has float32(x) >= f. So

* with t = f all rows x <= T go left as they should, and of the others exactly those with float32(x) = f go
  wrong;
* with t just below f all rows x > T go right, and of the others exactly those with float32(x) = f go wrong;
* every other t errs on a superset of one of the two.

Hence rows of float32 numbers can always be kept apart (t = T does it), and given rows can be kept apart at a
node exactly if no two of them, one on each side of T, round to f (`choose_thresholds` finds out). Where
they do, no tree over float32 numbers can tell the two values apart at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Tree

__all__ = ["Float32Conflict", "choose_thresholds"]


@dataclass(frozen=True, slots=True)
class Float32Conflict:
    """A threshold that float32 cannot represent for given rows: values on both sides of it round to the same number.

    Parameters
    ----------
    node : int
    column : str
    threshold : float
    left, right : float
        A value of the rows on each side; both are `rounded` in float32.
    rounded : float
    n_rows : int
        Rows that go the wrong way at this node.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.convert import float32_conflicts
    >>> X = [[1.0], [1.0 + 1e-12]]  # one number in float32
    >>> conflict = float32_conflicts(OptimalTreeClassifier().fit(X, [0, 1]).tree_, X)[0]
    >>> conflict.node, conflict.rounded
    (0, 1.0)
    """

    node: int
    column: str
    threshold: float
    left: float
    right: float
    rounded: float
    n_rows: int


def choose_thresholds(
    tree: Tree, X: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], tuple[Float32Conflict, ...]]:
    """Return thresholds for a model that compares ``float32(x) <= t``, and where no threshold will do.

    Parameters
    ----------
    tree : Tree
        Of threshold splits only.
    X : ndarray of shape (n_rows, n_columns), float64, or None
        Encoded rows that are to be kept apart; None keeps apart all rows of float32 numbers.

    Returns
    -------
    ndarray of shape (node_count,), float64
    tuple of Float32Conflict
        Empty if all rows fall into the same leaf as before.
    """
    thresholds = tree.threshold.copy()
    conflicts: list[Float32Conflict] = []
    if X is None:
        return thresholds, ()
    pending = [(0, np.arange(len(X)))]
    while pending:
        node, rows = pending.pop()
        split = tree.splits[node]
        if split is None or not len(rows):
            continue
        goes_left = split.goes_left(X, rows)
        pending.append((int(tree.children_left[node]), rows[goes_left]))
        pending.append((int(tree.children_right[node]), rows[~goes_left]))
        threshold = float(tree.threshold[node])
        with np.errstate(over="ignore"):
            rounded = np.float32(threshold)
            at_limit = X[rows, split.column].astype(np.float32) == rounded
        if not np.isfinite(rounded) or not at_limit.any():  # beyond its range scikit-learn refuses the row
            continue
        close = X[rows[at_limit], split.column]
        wrong_right, wrong_left = close > threshold, close <= threshold
        below = np.nextafter(rounded, np.float32(-np.inf))
        left_wins = int(wrong_right.sum()) <= int(wrong_left.sum())
        if left_wins != (float(rounded) <= threshold):  # where T itself does as well, it is the one to read
            thresholds[node] = float(rounded if left_wins else below)
        if wrong_right.any() and wrong_left.any():
            conflicts.append(
                Float32Conflict(
                    node,
                    tree.columns[split.column].name,
                    threshold,
                    float(close[wrong_left][0]),
                    float(close[wrong_right][0]),
                    float(rounded),
                    int(min(wrong_right.sum(), wrong_left.sum())),
                )
            )
    return thresholds, tuple(conflicts)
