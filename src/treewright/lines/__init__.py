"""Lines in the leaves of a regression tree, fitted after it was chosen for constants."""

from treewright.lines._fit import LEAF_MODELS, check_leaf_model, fit_lines, with_lines
from treewright.lines._ridge import PENALTIES, Ridge, fit_ridge
from treewright.lines._solve import solve_frontier_with_lines, solve_with_lines

__all__ = [
    "LEAF_MODELS",
    "PENALTIES",
    "Ridge",
    "check_leaf_model",
    "fit_lines",
    "fit_ridge",
    "solve_frontier_with_lines",
    "solve_with_lines",
    "with_lines",
]
