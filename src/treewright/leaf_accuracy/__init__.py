"""Trees whose leaves are right: hybrid trees with a model in each leaf."""

from treewright.leaf_accuracy._explanations import HybridReport, LeafReport
from treewright.leaf_accuracy._hybrid import Extension, Treatment

__all__ = ["Extension", "HybridReport", "LeafReport", "Treatment"]
