"""Decision trees that people can read, check and trust.

Names and packages (``treewright.show``, ``treewright.table``, ...) load on first use, so that ``import treewright``
costs little.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright.audit import audit_groups as audit_groups
    from treewright.binarize import SplitMatrix as SplitMatrix
    from treewright.estimators import BornAgainTreeClassifier as BornAgainTreeClassifier
    from treewright.estimators import BornAgainTreeRegressor as BornAgainTreeRegressor
    from treewright.estimators import HybridTreeClassifier as HybridTreeClassifier
    from treewright.estimators import LatentTreeClassifier as LatentTreeClassifier
    from treewright.estimators import LatentTreeClusterer as LatentTreeClusterer
    from treewright.estimators import LatentTreeRegressor as LatentTreeRegressor
    from treewright.estimators import LeafAccuracyTreeClassifier as LeafAccuracyTreeClassifier
    from treewright.estimators import LeafAccuracyTreeClassifierCV as LeafAccuracyTreeClassifierCV
    from treewright.estimators import MIPTreeClassifier as MIPTreeClassifier
    from treewright.estimators import NearOptimalTreeClassifier as NearOptimalTreeClassifier
    from treewright.estimators import OptimalPolicyTree as OptimalPolicyTree
    from treewright.estimators import OptimalProbabilityTree as OptimalProbabilityTree
    from treewright.estimators import OptimalSurvivalTree as OptimalSurvivalTree
    from treewright.estimators import OptimalTreeClassifier as OptimalTreeClassifier
    from treewright.estimators import OptimalTreeClassifierCV as OptimalTreeClassifierCV
    from treewright.estimators import OptimalTreeRegressor as OptimalTreeRegressor
    from treewright.estimators import OptimalTreeRegressorCV as OptimalTreeRegressorCV
    from treewright.estimators import ThresholdGuesser as ThresholdGuesser
    from treewright.estimators import compare_with_cart as compare_with_cart
    from treewright.estimators import raise_on_interrupt as raise_on_interrupt
    from treewright.near_optimal import NearOptimalTrees as NearOptimalTrees
    from treewright.near_optimal import near_optimal_trees as near_optimal_trees
    from treewright.problem import Problem as Problem
    from treewright.result import SolveResult as SolveResult
    from treewright.result import SolveStatus as SolveStatus
    from treewright.search import Frontier as Frontier
    from treewright.search import RocFrontier as RocFrontier
    from treewright.search import accuracy_frontier as accuracy_frontier
    from treewright.search import regression_frontier as regression_frontier
    from treewright.search import roc_frontier as roc_frontier
    from treewright.shards import ShardedTree as ShardedTree
    from treewright.shards import fit_shards as fit_shards
    from treewright.table import Table as Table
    from treewright.tree import Split as Split
    from treewright.tree import Tree as Tree

__version__ = "0.1.0"

_HOME = {
    "BornAgainTreeClassifier": "treewright.estimators",
    "BornAgainTreeRegressor": "treewright.estimators",
    "SplitMatrix": "treewright.binarize",
    "Frontier": "treewright.search",
    "HybridTreeClassifier": "treewright.estimators",
    "LatentTreeClassifier": "treewright.estimators",
    "LatentTreeClusterer": "treewright.estimators",
    "LatentTreeRegressor": "treewright.estimators",
    "MIPTreeClassifier": "treewright.estimators",
    "LeafAccuracyTreeClassifier": "treewright.estimators",
    "LeafAccuracyTreeClassifierCV": "treewright.estimators",
    "NearOptimalTreeClassifier": "treewright.estimators",
    "NearOptimalTrees": "treewright.near_optimal",
    "OptimalPolicyTree": "treewright.estimators",
    "OptimalProbabilityTree": "treewright.estimators",
    "OptimalSurvivalTree": "treewright.estimators",
    "OptimalTreeClassifier": "treewright.estimators",
    "OptimalTreeClassifierCV": "treewright.estimators",
    "OptimalTreeRegressor": "treewright.estimators",
    "OptimalTreeRegressorCV": "treewright.estimators",
    "Problem": "treewright.problem",
    "ShardedTree": "treewright.shards",
    "RocFrontier": "treewright.search",
    "SolveResult": "treewright.result",
    "SolveStatus": "treewright.result",
    "Split": "treewright.tree",
    "ThresholdGuesser": "treewright.estimators",
    "Table": "treewright.table",
    "Tree": "treewright.tree",
    "accuracy_frontier": "treewright.search",
    "audit_groups": "treewright.audit",
    "compare_with_cart": "treewright.estimators",
    "fit_shards": "treewright.shards",
    "near_optimal_trees": "treewright.near_optimal",
    "raise_on_interrupt": "treewright.estimators",
    "regression_frontier": "treewright.search",
    "roc_frontier": "treewright.search",
}

_PACKAGES = (
    "audit", "binarize", "bornagain", "convert", "datasets", "errors", "estimators", "guess", "latent", "leaf_accuracy",
    "lines", "mip", "near_optimal", "policy", "problem", "result", "search", "shards", "show", "sources", "survival",
    "table", "tree", "verify",
)  # fmt: skip

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"treewright.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'treewright' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
