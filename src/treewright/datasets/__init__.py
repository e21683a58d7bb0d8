"""Real data: exact re-creations of UCI tables, and those that come with scikit-learn."""

from treewright.datasets._dataset import Dataset
from treewright.datasets._monks import monks
from treewright.datasets._sklearn import breast_cancer, digits, iris, wine
from treewright.datasets._tic_tac_toe import tic_tac_toe

__all__ = ["Dataset", "breast_cancer", "digits", "iris", "monks", "tic_tac_toe", "wine"]
