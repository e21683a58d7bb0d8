"""Born-again tree ensembles: one tree with exactly the decisions of a forest or a boosted model."""

from treewright.bornagain._certificate import find_other_decision
from treewright.bornagain._forecast import Forecast, forecast
from treewright.bornagain._prune import prune, solve_active
from treewright.bornagain._result import BornAgainResult
from treewright.bornagain._solve import OBJECTIVES, Progress, solve
from treewright.convert import Ensemble

__all__ = [
    "OBJECTIVES",
    "BornAgainResult",
    "Ensemble",
    "Forecast",
    "Progress",
    "find_other_decision",
    "forecast",
    "prune",
    "solve",
    "solve_active",
]
