"""Trees in other forms: model files, scikit-learn, ONNX, source code; and other libraries' ensembles as one kind."""

from treewright.convert._domain import Domain
from treewright.convert._domain import without_known_questions as without_known_questions
from treewright.convert._ensemble import LINKS as LINKS
from treewright.convert._ensemble import Ensemble
from treewright.convert._ensemble_tree import EnsembleTree, float32_threshold
from treewright.convert._ensemble_tree import float32_below as float32_below
from treewright.convert._files import check_writable, write_bytes
from treewright.convert._float32 import Float32Conflict
from treewright.convert._from_json import from_json, load_model
from treewright.convert._from_sklearn import from_sklearn
from treewright.convert._model import Certificate, Model, Terms
from treewright.convert._number_ensemble import NumberEnsemble
from treewright.convert._number_files import save_numbers
from treewright.convert._read_bytes import bytes_of as bytes_of
from treewright.convert._read_bytes import check_format as check_format
from treewright.convert._read_forest_file import read_forest_file
from treewright.convert._rows_by_name import rows_by_name as rows_by_name
from treewright.convert._to_c import to_c
from treewright.convert._to_json import save_model, to_json
from treewright.convert._to_onnx import to_onnx
from treewright.convert._to_python import to_python
from treewright.convert._to_sklearn import float32_conflicts, to_sklearn, to_sklearn_pipeline
from treewright.convert._to_sklearn import has_other_splits as has_other_splits
from treewright.convert._to_sql import to_sql
from treewright.convert._tree_of import TreeLike as TreeLike
from treewright.convert._tree_of import tree_of as tree_of

__all__ = [
    "Certificate",
    "Domain",
    "Ensemble",
    "EnsembleTree",
    "Float32Conflict",
    "Model",
    "NumberEnsemble",
    "Terms",
    "check_writable",
    "float32_conflicts",
    "float32_threshold",
    "from_json",
    "from_sklearn",
    "load_model",
    "read_forest_file",
    "save_model",
    "save_numbers",
    "to_c",
    "to_json",
    "to_onnx",
    "to_python",
    "to_sklearn",
    "to_sklearn_pipeline",
    "to_sql",
    "write_bytes",
]
