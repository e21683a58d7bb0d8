"""The switches of every engine, for tests and ablation: the optimum depends on none of them."""

from treewright.search._binary_options import BinaryOptions
from treewright.search._leaf_accuracy_options import LeafAccuracyOptions
from treewright.search._ranked_options import RankedOptions

__all__ = ["BinaryOptions", "LeafAccuracyOptions", "RankedOptions"]
