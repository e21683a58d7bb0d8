"""From a table to the splits that a tree may use."""

from treewright.binarize._candidates import (
    CandidateSplits,
    candidates_of,
    candidates_of_text,
    known_split,
    scope_of_all,
)
from treewright.binarize._make import (
    auto_splits,
    count_splits,
    even_level,
    fewer_notes,
    given_splits,
    listed,
    make_splits,
    midpoints,
    quantiles,
)
from treewright.binarize._split_matrix import SplitMatrix
from treewright.binarize._thresholds import Gaps
from treewright.binarize._worth import Worth

__all__ = [
    "CandidateSplits",
    "Gaps",
    "SplitMatrix",
    "Worth",
    "auto_splits",
    "candidates_of",
    "candidates_of_text",
    "count_splits",
    "even_level",
    "fewer_notes",
    "given_splits",
    "known_split",
    "listed",
    "make_splits",
    "midpoints",
    "quantiles",
    "scope_of_all",
]
