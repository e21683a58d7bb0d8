"""Survival curves of groups of rows, and how well risks and curves predict the times of events."""

from treewright.survival._brier import brier_score, censoring_curve, integrated_brier_score
from treewright.survival._concordance import concordance_index
from treewright.survival._concordance import concordance_with_error as concordance_with_error
from treewright.survival._curve import SurvivalCurve, kaplan_meier

__all__ = [
    "SurvivalCurve",
    "brier_score",
    "censoring_curve",
    "concordance_index",
    "integrated_brier_score",
    "kaplan_meier",
]
