"""scikit-learn estimators, one file a method."""

from treewright.estimators._optimal_tree import OptimalTreeClassifier

__all__ = ["OptimalTreeClassifier"]
