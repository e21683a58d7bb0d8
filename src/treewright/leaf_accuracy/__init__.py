"""Trees as valid explanations: the accuracy of the worst leaf, and hybrid trees with a model in each leaf."""

from treewright.leaf_accuracy._baseline import tuned_cart
from treewright.leaf_accuracy._explanations import HybridReport, LeafReport
from treewright.leaf_accuracy._hybrid import Extension, Treatment
from treewright.leaf_accuracy._metrics import LeafRecord, leaf_accuracy_score, leaf_table

__all__ = [
    "Extension",
    "HybridReport",
    "LeafRecord",
    "LeafReport",
    "Treatment",
    "leaf_accuracy_score",
    "leaf_table",
    "tuned_cart",
]
