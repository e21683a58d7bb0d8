"""How valid a tree is as an explanation: the accuracy of its worst leaf."""

from treewright.leaf_accuracy._baseline import tuned_cart
from treewright.leaf_accuracy._metrics import LeafRecord, leaf_accuracy_score, leaf_table, wilson_interval

__all__ = ["LeafRecord", "leaf_accuracy_score", "leaf_table", "tuned_cart", "wilson_interval"]
