"""From a table to the splits that a tree may use."""

from treewright.binarize._candidates import (
    CandidateSplits,
    candidates_of,
    candidates_of_text,
    known_split,
    scope_of_all,
)
from treewright.binarize._cuts import Cuts
from treewright.binarize._make import (
    auto_cuts,
    count_splits,
    even_level,
    fewer_notes,
    given_cuts,
    listed,
    make_cuts,
    midpoints,
    quantiles,
)
from treewright.binarize._thresholds import ValueRanks, value_ranks
from treewright.binarize._worth import Worth

__all__ = [
    "CandidateSplits",
    "Cuts",
    "ValueRanks",
    "Worth",
    "auto_cuts",
    "candidates_of",
    "candidates_of_text",
    "count_splits",
    "even_level",
    "fewer_notes",
    "given_cuts",
    "known_split",
    "listed",
    "make_cuts",
    "midpoints",
    "quantiles",
    "scope_of_all",
    "value_ranks",
]
