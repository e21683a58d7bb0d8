"""Trees in other forms: the JSON model file."""

from treewright.convert._files import check_writable, write_bytes
from treewright.convert._from_json import from_json, load_model
from treewright.convert._model import Certificate, Model, Terms
from treewright.convert._to_json import save_model, to_json

__all__ = [
    "Certificate",
    "Model",
    "Terms",
    "check_writable",
    "from_json",
    "load_model",
    "save_model",
    "to_json",
    "write_bytes",
]
