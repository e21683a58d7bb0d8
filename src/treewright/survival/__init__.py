"""Survival curves of groups of rows, and how well risks order the times of events."""

from treewright.survival._concordance import concordance_index
from treewright.survival._curve import SurvivalCurve, kaplan_meier

__all__ = ["SurvivalCurve", "concordance_index", "kaplan_meier"]
