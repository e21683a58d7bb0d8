"""The results of all methods: the tree, what is proven about it, and how the run went."""

from treewright.result._additive import (
    AdditiveResult,
    PolicyResult,
    ProbabilityResult,
    RegressionResult,
    RowCostsResult,
    SurvivalResult,
)
from treewright.result._born_again import BornAgainResult
from treewright.result._f1 import F1Result
from treewright.result._leaf_accuracy import LeafAccuracyResult
from treewright.result._one_leaf import why_stopped_at_one_leaf as why_stopped_at_one_leaf
from treewright.result._rounded import after_rounding as after_rounding
from treewright.result._shallow import is_shallow_note, shallow_note
from treewright.result._shards import ShardsResult
from treewright.result._solve import (
    SolveResult,
    SolveStatus,
    StopReason,
    asked_to_stop,
    chosen_options,
    constraints_in_words,
    note_of_rounding,
    told_to_stop,
)

__all__ = [
    "AdditiveResult",
    "BornAgainResult",
    "F1Result",
    "LeafAccuracyResult",
    "PolicyResult",
    "ProbabilityResult",
    "RegressionResult",
    "RowCostsResult",
    "ShardsResult",
    "SolveResult",
    "SolveStatus",
    "StopReason",
    "SurvivalResult",
    "asked_to_stop",
    "chosen_options",
    "constraints_in_words",
    "is_shallow_note",
    "note_of_rounding",
    "shallow_note",
    "told_to_stop",
]
