"""Trees in other forms (the JSON model file), and models of other libraries as one kind of ensemble."""

from treewright.convert._ensemble import Ensemble, EnsembleTree, float32_threshold
from treewright.convert._files import check_writable, write_bytes
from treewright.convert._from_json import from_json, load_model
from treewright.convert._model import Certificate, Model, Terms
from treewright.convert._read_forest_file import read_forest_file
from treewright.convert._to_json import save_model, to_json

__all__ = [
    "Certificate",
    "Ensemble",
    "EnsembleTree",
    "Model",
    "Terms",
    "check_writable",
    "float32_threshold",
    "from_json",
    "load_model",
    "read_forest_file",
    "save_model",
    "to_json",
    "write_bytes",
]
