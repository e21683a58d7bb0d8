"""Categories of so few rows that no best tree splits on them.

Let one side A of a split hold rows whose largest possible saving, sum over A of weight * (largest - smallest cost of
the row), is at most the leaf penalty. Take any tree with this split at some node; the rows of A within the node are
some of A. Put the other side's subtree in the node's place:

* the rows of A cost at most that saving more (each pays at most its largest cost and paid at least its smallest);
* at least one leaf less is paid;
* every other row meets the same leaf as before; no leaf loses a row, the tree is not deeper, and has fewer leaves.

So the new tree is at most as expensive with fewer leaves, and keeps ``max_depth``, ``max_leaf_nodes`` and
``min_samples_leaf``: without the split the optimum is the same. What this needs of the objective: a sum over rows, a
constant penalty a leaf, and no condition on a leaf that further rows can break. A required leaf accuracy is such a
condition, and the best worst leaf is no sum, so there only the second rule holds:

* A split with a side of fewer than ``min_samples_leaf`` rows in the whole table has so few in every node.

With a penalty of 0 the first rule leaves out only rows that cost nothing anywhere. Sums of floating-point numbers are
compared with a margin, on the side that keeps the split.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Worth"]

ROUNDING = 4 * float(
    np.finfo(np.float64).eps
)  # a sum of n positive numbers is off by less than n times this, relative


@dataclass(frozen=True, eq=False)
class Worth:
    """When a split can be of use.

    Parameters
    ----------
    saving : ndarray of shape (n_rows,), float64, or None
        By how much the cost of each row can differ between two leaves; None where no leaf penalty decides.
    leaf_penalty : float, default=0
        Of a leaf, in units of `saving`.
    min_rows : int, default=1
        Minimum number of rows in a leaf.

    Examples
    --------
    >>> from treewright.binarize import Worth
    >>> Worth(saving=None, min_rows=5).min_rows
    5
    """

    saving: NDArray[np.float64] | None
    leaf_penalty: float = 0.0
    min_rows: int = 1

    def of_categories(
        self, codes: NDArray[np.int64], known: NDArray[np.bool_], n: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Say for each category whether its split is of use, without and with the missing rows.

        Parameters
        ----------
        codes : ndarray of shape (n_known,), int64
            Codes of the rows with a value, from 0 to `n` - 1.
        known : ndarray of shape (n_rows,), bool
            Which rows these are.
        n : int

        Returns
        -------
        alone, joined : ndarray of shape (n,), bool
            Whether the category against the rest is of use, and whether it is with the missing rows on its side.
        """
        rows = np.bincount(codes, minlength=n)
        missing = len(known) - len(codes)
        alone, joined = (
            (np.minimum(side, len(known) - side) >= self.min_rows) for side in (rows, rows + missing)
        )
        if self.saving is not None:
            saved = np.bincount(codes, self.saving[known], minlength=n)
            total, of_missing = float(self.saving.sum()), float(self.saving[~known].sum())
            least = self.leaf_penalty - ROUNDING * len(known) * (self.leaf_penalty + total)
            for useful, side in ((alone, saved), (joined, saved + of_missing)):
                useful &= np.minimum(side, total - side) > least
        return alone, joined
