"""Models of other libraries, read as one kind of object."""

from treewright.convert._ensemble import Ensemble, EnsembleTree, float32_threshold
from treewright.convert._read_forest_file import read_forest_file

__all__ = ["Ensemble", "EnsembleTree", "float32_threshold", "read_forest_file"]
