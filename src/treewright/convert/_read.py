"""One door for all models: fitted objects by their class, files by their first bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from treewright.convert._check_ensemble import EnsembleFault
from treewright.convert._ensemble import Ensemble
from treewright.convert._number_files import FORMAT as NUMBERS_FORMAT
from treewright.convert._read_bytes import READ_BY, bytes_of
from treewright.convert._read_forest_file import read_forest_text
from treewright.convert._read_lightgbm import read_lightgbm, read_lightgbm_text
from treewright.convert._read_sklearn import read_sklearn
from treewright.convert._read_xgboost import read_xgboost, read_xgboost_json
from treewright.convert._unwrap import unwrapped
from treewright.errors import InputError, ModelFileError

__all__ = ["faults_of", "load_ensemble", "read_ensemble"]

ACCEPTED = (
    "RandomForestClassifier, ExtraTreesClassifier, DecisionTreeClassifier, BaggingClassifier and "
    "AdaBoostClassifier of trees, GradientBoostingClassifier, HistGradientBoostingClassifier, "
    "xgboost.XGBClassifier or Booster, lightgbm.LGBMClassifier or Booster"
)


def read_ensemble(model: Any, *, missing: str = "refuse", inputs: str = "float64") -> Ensemble:
    """Read a fitted model; see `Ensemble.from_model`."""
    options = _options(missing, inputs)
    if isinstance(model, Ensemble):
        return model
    model = unwrapped(model)
    home = type(model).__module__.partition(".")[0]
    name = type(model).__name__
    if "Regressor" in name or getattr(model, "_estimator_type", None) == "regressor":
        raise InputError(
            f"{name} predicts numbers; a born-again tree needs a classifier. Accepted: {ACCEPTED}."
        )
    ensemble = None
    if home == "xgboost":
        ensemble = read_xgboost(model, **options)
    elif home == "lightgbm":
        ensemble = read_lightgbm(model, **options)
    if ensemble is None:
        ensemble = read_sklearn(model, **options)
    if ensemble is None:
        raise InputError(f"{name} cannot be read as a tree ensemble. Accepted: {ACCEPTED}.")
    return ensemble


def load_ensemble(path: str | Path, *, missing: str = "refuse", inputs: str = "float64") -> Ensemble:
    """Read a model file; see `Ensemble.load`."""
    options = _options(missing, inputs)
    file = Path(path)
    content = bytes_of(file, "model file")
    head = content[:4096]
    start = head.lstrip()
    with faults_of(file):
        if start.startswith(b"{") and NUMBERS_FORMAT.encode() in start[:200]:
            raise ModelFileError(
                "It holds a model that predicts numbers: use BornAgainTreeRegressor, or --task regression on the "
                "command line."
            )
        named = re.search(rb'"format": ?"([\w-]+)"', start[:200])
        if start.startswith(b"{") and named is not None and named[1].decode() in READ_BY:
            raise ModelFileError(f"It holds no ensemble. It is {READ_BY[named[1].decode()]}.")
        if start.startswith(b"{"):
            return read_xgboost_json(content, f"XGBoost file {file.name}", **options)
        if start.startswith((b"tree\n", b"tree\r\n")):
            text = content.decode("utf-8", errors="replace")
            return read_lightgbm_text(text, f"LightGBM file {file.name}", **options)
        if b"NB_TREES" in head or b"[TREE" in head:
            return read_forest_text(content, f"forest file {file.name}")
    raise ModelFileError(
        f"{file.name} is none of the known model files: a published forest file (header NB_TREES), an "
        "XGBoost JSON model (Booster.save_model('model.json')) or a LightGBM text model "
        "(Booster.save_model('model.txt'))."
    )


@contextmanager
def faults_of(file: Path) -> Iterator[None]:
    """Let what is found wrong with a model file name the file."""
    try:
        yield
    except EnsembleFault as fault:
        raise ModelFileError(f"{file.name} is damaged. {fault}") from None
    except ModelFileError as error:
        raise ModelFileError(f"{file.name} cannot be read. {error}") from None
    except MemoryError:
        raise ModelFileError(f"{file.name} does not fit into memory.") from None


def _options(missing: str, inputs: str) -> dict[str, Any]:
    if missing not in ("refuse", "route"):
        raise InputError(f"missing must be 'refuse' or 'route'; got {missing!r}.")
    if inputs not in ("float64", "float32"):
        raise InputError(f"inputs must be 'float64' or 'float32'; got {inputs!r}.")
    return {"route_missing": missing == "route", "float32_inputs": inputs == "float32"}
