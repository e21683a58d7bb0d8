"""Born-again tree ensembles: one tree with exactly the decisions of a forest or a boosted model."""

from treewright.bornagain._agreement import Agreement, agreement, label_agreement
from treewright.bornagain._answers_in_time import answers_in_time as answers_in_time
from treewright.bornagain._answers_in_time import first_answers as first_answers
from treewright.bornagain._answers_in_time import of_fewer_rows as of_fewer_rows
from treewright.bornagain._certificate import find_other_decision
from treewright.bornagain._course import Progress
from treewright.bornagain._distil import distil
from treewright.bornagain._distil_labels import distil_labels
from treewright.bornagain._distil_values import distil_values, value_agreement
from treewright.bornagain._forecast import Forecast, forecast
from treewright.bornagain._leaf_scores import LeafScores, leaf_scores
from treewright.bornagain._near_everywhere import near_everywhere
from treewright.bornagain._prune import merged_result as merged_result
from treewright.bornagain._prune import prune, solve_active
from treewright.bornagain._prune import pruned_result as pruned_result
from treewright.bornagain._solve import OBJECTIVES as OBJECTIVES
from treewright.bornagain._solve import solve
from treewright.bornagain._value_ranges import ranges_around as ranges_around
from treewright.convert import Domain, Ensemble, NumberEnsemble
from treewright.result import BornAgainResult

__all__ = [
    "Agreement",
    "BornAgainResult",
    "Domain",
    "Ensemble",
    "Forecast",
    "LeafScores",
    "NumberEnsemble",
    "Progress",
    "agreement",
    "distil",
    "distil_labels",
    "distil_values",
    "find_other_decision",
    "forecast",
    "label_agreement",
    "leaf_scores",
    "near_everywhere",
    "prune",
    "solve",
    "solve_active",
    "value_agreement",
]
