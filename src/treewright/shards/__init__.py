"""Divide and bound: a tree with a proven bound over tables of any size."""

from treewright.shards._fit import ShardedTree, fit_shards
from treewright.shards._progress import ShardProgress

__all__ = ["ShardProgress", "ShardedTree", "fit_shards"]
