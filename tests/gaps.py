"""The gaps of a column given as an array, for tests of what is made from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.binarize import gaps_of_ranks, value_ranks
from treewright.binarize._thresholds import Gaps

__all__ = ["gaps_of"]


def gaps_of(x: NDArray[np.float64], weight: NDArray[np.float64] | None = None) -> Gaps:
    """Find all gaps of a column (NaN = missing); weight None is 1 for each row."""
    return gaps_of_ranks(value_ranks(np.ascontiguousarray(x), np.empty(len(x), dtype=np.uint32)), weight)
