"""What an exact search can learn from a reference ensemble: thresholds, a depth and lower bounds, with guarantees."""

from treewright.guess._depth import depth_of_ensemble, guess_depth
from treewright.guess._faithful import FaithfulTree, faithful_tree
from treewright.guess._guessed_splits import GuessedSplits, guess_splits
from treewright.guess._in_time import rows_by_number, rows_in_time
from treewright.guess._lower_bounds import ReferenceCosts, guessed_lower_bound, most_lost, reference_costs
from treewright.guess._magnitude import largest_magnitude
from treewright.guess._named import named_reference
from treewright.guess._reference import Reference, make_reference, predictions_of
from treewright.guess._reference import check_predictions as check_predictions
from treewright.guess._reference import reference_cells as reference_cells
from treewright.guess._thresholds import Elimination, eliminate_columns, thresholds_in_use

__all__ = [
    "Elimination",
    "FaithfulTree",
    "GuessedSplits",
    "Reference",
    "ReferenceCosts",
    "depth_of_ensemble",
    "eliminate_columns",
    "faithful_tree",
    "guess_depth",
    "guess_splits",
    "guessed_lower_bound",
    "largest_magnitude",
    "make_reference",
    "most_lost",
    "named_reference",
    "predictions_of",
    "reference_costs",
    "rows_by_number",
    "rows_in_time",
    "thresholds_in_use",
]
