"""From a table to the splits that a tree may use."""

from treewright.binarize._cuts import Cuts

__all__ = ["Cuts"]
