"""From a table to the splits that a tree may use."""

from treewright.binarize._candidates import (
    CandidateSplits,
    candidates_of,
    candidates_of_text,
    known_split,
    scope_of_all,
)
from treewright.binarize._fewer import even_level, fewer_notes
from treewright.binarize._make import (
    auto_splits,
    count_splits,
    given_splits,
    midpoints,
    quantiles,
)
from treewright.binarize._rows import make_splits
from treewright.binarize._split_matrix import SplitMatrix
from treewright.binarize._thresholds import between as between
from treewright.binarize._thresholds import gaps_of_ranks
from treewright.binarize._value_ranks import ranks_of, thresholds_below, value_ranks
from treewright.binarize._worth import Worth

__all__ = [
    "CandidateSplits",
    "SplitMatrix",
    "Worth",
    "auto_splits",
    "candidates_of",
    "candidates_of_text",
    "count_splits",
    "even_level",
    "fewer_notes",
    "gaps_of_ranks",
    "given_splits",
    "known_split",
    "make_splits",
    "midpoints",
    "quantiles",
    "ranks_of",
    "scope_of_all",
    "thresholds_below",
    "value_ranks",
]
