"""From a table to the splits that a tree may use."""

from treewright.binarize._cuts import Cuts
from treewright.binarize._make import auto_cuts, count_splits, given_cuts, midpoints, quantiles

__all__ = ["Cuts", "auto_cuts", "count_splits", "given_cuts", "midpoints", "quantiles"]
