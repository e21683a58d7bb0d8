"""Write a model as JSON: schema "treewright-tree", version 1.

Numbers are written with the fewest digits that read back as the same float64, so the round trip is exact;
infinite thresholds, which JSON has no numbers for, are the strings "inf" and "-inf". One node a line, so that
people can read the file and compare two of them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from treewright._arguments import check_arguments
from treewright.convert._files import write_bytes
from treewright.convert._model import Certificate, Model, Terms
from treewright.convert._reading import plain_reading
from treewright.convert._source import refuse_sums_of_words
from treewright.convert._tree_of import TreeLike
from treewright.errors import InputError
from treewright.tree import CategorySplit, Line, LinearSplit, Split, ThresholdSplit, Tree, TreeKind

__all__ = ["FORMAT", "VERSION", "save_model", "to_json"]

FORMAT = "treewright-tree"
VERSION = 1


def save_model(path: str | Path, model: Model | TreeLike) -> None:
    """Write a model file, completely or not at all.

    Parameters
    ----------
    path : str or Path
    model : Model, SolveResult, Tree or fitted estimator
        From an estimator its result is saved, without the problem. An estimator whose predictions are not those of its
        tree is refused.

    Raises
    ------
    InputError
        The file cannot be written (the old one is not changed), or the tree has something that JSON cannot express.

    See Also
    --------
    load_model : the way back, which is exact.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.convert import save_model
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(Path(folder) / "tree.json", OptimalTreeClassifier().fit([[20], [40]], [0, 1]).result_)
    ...     [path.name for path in Path(folder).iterdir()]
    ['tree.json']
    """
    check_arguments(save_model, locals(), "path")
    write_bytes(path, to_json(model).encode("utf-8"))


def to_json(model: Model | TreeLike) -> str:
    """Return a model as JSON text; `from_json` gives it back exactly.

    Parameters
    ----------
    model : Model, SolveResult, Tree or fitted estimator

    Returns
    -------
    str

    Raises
    ------
    InputError
        A name or label is not valid Unicode text, labels are neither text, numbers nor truth values, or a linear split
        adds up columns of words.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.convert import to_json
    >>> to_json(OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).tree_).splitlines()[1].strip()
    '"format": "treewright-tree",'
    """
    if not isinstance(model, Model):
        model = Model.of(model)
    tree = model.tree
    refuse_sums_of_words(tree, "a model file")
    head = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": model.written_by,
        "classes": _classes(tree),
    }
    if tree.kind in (TreeKind.POLICY, TreeKind.SURVIVAL):  # others are told apart by their classes
        head["kind"] = tree.kind.value
    columns = [
        {
            "name": column.name,
            "kind": column.kind.value,
            "categories": list(column.categories),
            "has_missing": column.has_missing,
        }
        | ({"ordered": True} if column.ordered else {})
        for column in tree.columns
    ]
    nodes = [
        {
            "split": _split(tree.splits[node]),
            "left": int(tree.children_left[node]),
            "right": int(tree.children_right[node]),
            "prediction": int(tree.prediction[node]),
            "value": tree.value[node].tolist(),
            "n_node_samples": int(tree.n_node_samples[node]),
        }
        | ({} if tree.lines is None else {"line": _line(tree.lines[node])})
        for node in range(tree.node_count)
    ]
    fields = [f"{_dump(key)}: {_dump(value)}" for key, value in head.items()]
    fields.append(f'"columns": {_lines(columns)}')
    fields.append(f'"nodes": {_lines(nodes)}')
    fields.append(f'"certificate": {_certificate(model.certificate)}')
    if model.reading is not None:
        fields.append(f'"reading": {_dump(plain_reading(model.reading))}')
    text = "{\n" + ",\n".join(fields) + "\n}\n"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            "A name or label is not valid Unicode text: "
            f"{text[max(0, error.start - 20) : error.end + 20]!r}. Rename it."
        ) from None
    return text


def _dump(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise InputError(
            f"The tree holds NaN or infinity where a model file takes finite numbers: {str(value)[:80]}."
        ) from None


def _lines(entries: Sequence[Mapping[str, Any]]) -> str:
    return "[\n  " + ",\n  ".join(_dump(entry) for entry in entries) + "\n]"


def _classes(tree: Tree) -> dict[str, Any] | None:
    if tree.classes is None:
        return None
    kind = tree.classes.dtype.kind
    if kind not in "biufUO":
        raise InputError(
            f"Labels of type {tree.classes.dtype} cannot be written; use text, numbers or truth values."
        )
    dtype = {"U": "str", "O": "object"}.get(kind, tree.classes.dtype.name)
    labels = tree.classes.tolist()
    if kind == "O" and not all(isinstance(label, str) for label in labels):
        raise InputError("Labels of mixed Python types cannot be written; use text for all of them.")
    if kind == "f" and tree.classes.dtype.itemsize > 8:
        raise InputError(f"Labels of type {tree.classes.dtype} cannot be written exactly; use float64.")
    return {"dtype": dtype, "labels": labels}


def _line(line: Line | None) -> dict[str, Any] | None:
    if line is None:
        return None
    return {
        "columns": [int(column) for column in line.columns],
        "centers": [float(center) for center in line.centers],
        "slopes": [[float(slope) for slope in slopes] for slopes in line.slopes],
        "low": [float(low) for low in line.low],
        "high": [float(high) for high in line.high],
        "freedom": float(line.freedom),
    }


def _split(split: Split | None) -> dict[str, Any] | None:
    if split is None:
        return None
    if isinstance(split, ThresholdSplit):
        return {
            "kind": "threshold",
            "column": int(split.column),
            "threshold": _number(split.threshold),
            "missing_left": bool(split.missing_left),
        }
    if isinstance(split, CategorySplit):
        return {
            "kind": "category",
            "column": int(split.column),
            "left": [int(code) for code in split.left],
            "missing_left": bool(split.missing_left),
        }
    assert isinstance(split, LinearSplit)
    return {
        "kind": "linear",
        "columns": [int(column) for column in split.columns],
        "weights": [float(weight) for weight in split.weights],
        "threshold": _number(split.threshold),
        "missing_left": bool(split.missing_left),
    }


def _number(value: float) -> float | str:
    """A finite number as it is, an infinite one as text."""
    number = float(value)
    return number if math.isfinite(number) else repr(number)


def _certificate(claim: Certificate | None) -> str:
    if claim is None:
        return "null"
    fields = {
        "status": claim.status.name,
        "objective": float(claim.objective),
        "lower_bound": float(claim.lower_bound),
        "loss": float(claim.loss),
        "scope": claim.scope,
        "stop_reason": claim.stop_reason.name if claim.stop_reason else None,
        "notes": list(claim.notes),
        "terms": _terms(claim.terms),
        "stats": _plain(claim.stats),
        "options": _plain(claim.options),
    }
    return "{\n  " + ",\n  ".join(f"{_dump(key)}: {_dump(value)}" for key, value in fields.items()) + "\n}"


def _terms(terms: Terms | None) -> dict[str, Any] | None:
    if terms is None:
        return None
    return {
        "cost_complexity": float(terms.cost_complexity),
        "max_depth": terms.max_depth,
        "max_leaf_nodes": terms.max_leaf_nodes,
        "min_samples_leaf": int(terms.min_samples_leaf),
        "objective": terms.objective,
        "class_weight": _plain(terms.class_weight),
        "costs": _plain(terms.costs),
        "target": terms.target,
        "weight": terms.weight,
    } | {
        name: _plain(value)
        for name, value in (
            ("min_leaf_accuracy", terms.min_leaf_accuracy),
            ("rewards", terms.rewards),
            ("action_costs", terms.action_costs),
            ("event", terms.event),
            ("quantile", terms.quantile),
            ("targets", terms.targets),
            ("row_costs", terms.row_costs),
            ("tolerance", terms.tolerance),
            ("share", terms.share),
        )
        if value is not None
    }


def _plain(value: Any) -> Any:
    """Turn what methods put into `stats` and `options` into JSON values, or the name of its type."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, (np.generic, np.ndarray)):
        return _plain(value.tolist())
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return f"<{type(value).__name__}>"
