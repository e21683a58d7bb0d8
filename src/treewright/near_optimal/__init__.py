"""All near-optimal trees: counted, ordered, sampled, restricted and queried, without listing them."""

from treewright.near_optimal._answers import ColumnUse, Size
from treewright.near_optimal._compared import Extent, Extreme
from treewright.near_optimal._fewest import FewestColumns, fewest_columns
from treewright.near_optimal._file import load_near_optimal, save_near_optimal
from treewright.near_optimal._gap_frontier import GapFrontier, GapPoint, gap_frontier
from treewright.near_optimal._importance import ColumnImportance, ImportanceOfColumn, column_importance
from treewright.near_optimal._make import near_optimal_trees
from treewright.near_optimal._solve import solve_near_optimal
from treewright.near_optimal._trees import NearOptimalTrees

__all__ = [
    "ColumnImportance",
    "ColumnUse",
    "Extent",
    "Extreme",
    "FewestColumns",
    "GapFrontier",
    "GapPoint",
    "ImportanceOfColumn",
    "NearOptimalTrees",
    "Size",
    "column_importance",
    "fewest_columns",
    "gap_frontier",
    "load_near_optimal",
    "near_optimal_trees",
    "save_near_optimal",
    "solve_near_optimal",
]
