"""Binary columns for the exact search: each one *is* a split of the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Split

__all__ = ["Cuts"]


@dataclass(frozen=True, eq=False)
class Cuts:
    """The splits a tree may use, and where each sends each row.

    Parameters
    ----------
    splits : tuple of Split
    goes_right : ndarray of shape (n_splits, n_rows), uint8
        1 where the row goes right; one contiguous row of bytes a split.
    scope : str
        Which splits these are, in words that complete "optimal over ...":
        "all thresholds", "the given cuts (at most 16 quantiles a column)".
    notes : tuple of str
        Plain sentences about what was left out (columns binned, categories grouped).
    """

    splits: tuple[Split, ...]
    goes_right: NDArray[np.uint8]
    scope: str
    notes: tuple[str, ...] = ()
