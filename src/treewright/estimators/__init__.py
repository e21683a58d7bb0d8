"""scikit-learn classes, one a method."""

from treewright.estimators._born_again import BornAgainTreeClassifier

__all__ = ["BornAgainTreeClassifier"]
