"""The tree that all methods share: the columns' schema, the splits and flat arrays. Needs only numpy."""

from treewright.tree._column import Column, ColumnKind
from treewright.tree._conditions import (
    CategoryCondition,
    Condition,
    IntervalCondition,
    LinearCondition,
    all_leaf_conditions,
    leaf_conditions,
)
from treewright.tree._conditions import left_codes as left_codes
from treewright.tree._conditions import path_in_words as path_in_words
from treewright.tree._figures import (
    at_least,
    at_most,
    exactly,
    percent_at_least,
    percent_at_most,
    power_at_most,
)
from treewright.tree._grow import grow, grow_regression, mean_of, quantile_of
from treewright.tree._grow_policy import grow_policy
from treewright.tree._grow_survival import grow_survival
from treewright.tree._labels import label_positions
from treewright.tree._line import Line
from treewright.tree._missing_side import settle_missing as settle_missing
from treewright.tree._routing import children_of as children_of
from treewright.tree._routing import rows_of_nodes as rows_of_nodes
from treewright.tree._simplify import merge_equal_leaves, prune_empty_leaves, reduce_tree
from treewright.tree._split import (
    CategorySplit,
    LinearSplit,
    Split,
    ThresholdSplit,
    describe,
    relation,
    split_at,
    subject,
)
from treewright.tree._split import columns_of as columns_of
from treewright.tree._split import with_unit as with_unit
from treewright.tree._tree import Tree, TreeKind, leaf_path, leaves_in_words
from treewright.tree._wilson import check_confidence as check_confidence
from treewright.tree._wilson import wilson_interval

__all__ = [
    "CategoryCondition",
    "CategorySplit",
    "Column",
    "ColumnKind",
    "Condition",
    "IntervalCondition",
    "Line",
    "LinearCondition",
    "LinearSplit",
    "Split",
    "ThresholdSplit",
    "Tree",
    "TreeKind",
    "all_leaf_conditions",
    "at_least",
    "at_most",
    "describe",
    "exactly",
    "grow",
    "grow_policy",
    "grow_regression",
    "grow_survival",
    "label_positions",
    "leaf_conditions",
    "leaf_path",
    "leaves_in_words",
    "mean_of",
    "merge_equal_leaves",
    "percent_at_least",
    "percent_at_most",
    "power_at_most",
    "prune_empty_leaves",
    "quantile_of",
    "reduce_tree",
    "relation",
    "split_at",
    "subject",
    "wilson_interval",
]
