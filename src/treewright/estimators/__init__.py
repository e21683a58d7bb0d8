"""scikit-learn estimators, one file a method."""

from treewright.estimators._optimal_tree import OptimalTreeClassifier
from treewright.estimators._threshold_guesser import ThresholdGuesser

__all__ = ["OptimalTreeClassifier", "ThresholdGuesser"]
