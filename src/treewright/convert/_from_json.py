"""Read a model file. Nothing in it is trusted: whatever passes is a tree that predicts.

The checks are those that `Tree` and its users rely on: one root, every node reached exactly once and numbered
depth-first, columns and categories that exist, finite numbers, a prediction that is a class. A fault is named
by its place in the file. The reader only builds numbers, texts and tuples, so a file cannot run anything.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._arguments import check_arguments
from treewright.convert._certificate_from_json import LARGEST_VALUE, MAX_COLUMNS, certificate_of
from treewright.convert._checked import LARGEST_INTEGER, Checked, parse
from treewright.convert._model import Model
from treewright.convert._read_bytes import bytes_of, check_format
from treewright.convert._reading import checked_reading
from treewright.convert._to_json import FORMAT, VERSION
from treewright.errors import ModelFileError
from treewright.tree import (
    CategorySplit,
    Column,
    ColumnKind,
    Line,
    LinearSplit,
    Split,
    ThresholdSplit,
    Tree,
    TreeKind,
)

__all__ = ["from_json", "load_model"]

MAX_NODES = 1 << 24
NODE = ("split", "left", "right", "prediction", "value", "n_node_samples")
LINE = "line"  # of trees whose leaves may hold lines: of every node, or of none
LARGEST_WEIGHT = 1e100  # of a linear split, so that sums with ordinary columns are finite
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")


def load_model(path: str | Path) -> Model:
    """Read a model file.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    Model

    Raises
    ------
    InputError
        The file does not exist or cannot be read.
    ModelFileError
        It is not a valid model file; the message names the place. A file of a newer schema needs an upgrade.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.convert import load_model, save_model
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(Path(folder) / "tree.json", OptimalTreeClassifier().fit([[20], [40]], [0, 1]).result_)
    ...     load_model(Path(folder) / "tree.json").result.status.value
    'proven optimal'
    """
    check_arguments(load_model, locals(), "path")
    try:
        text = bytes_of(path, "model file").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ModelFileError(f"{path} is not UTF-8 text, so it is not a model file.") from None
    return from_json(text)


def from_json(text: str) -> Model:
    """Read a model from JSON text; the inverse of `to_json`.

    Parameters
    ----------
    text : str

    Returns
    -------
    Model

    Raises
    ------
    ModelFileError
        As for `load_model`.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.convert import from_json, to_json
    >>> tree = OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).tree_
    >>> from_json(to_json(tree)).tree.n_leaves
    2
    """
    check_arguments(from_json, locals(), "text")
    try:
        return _model(parse(text))
    except (RecursionError, MemoryError):
        raise ModelFileError("The model file is too large or nested too deeply.") from None


def _model(top: Checked) -> Model:
    _check_format(top)
    fields = top.fields(
        "format",
        "version",
        "written_by",
        "classes",
        "columns",
        "nodes",
        "certificate",
        optional=("kind", "reading"),
    )
    columns = _columns(fields["columns"])
    classes = _classes(fields["classes"])
    kind = TreeKind.CLASSIFICATION
    if fields["kind"].value is not None:
        kind = TreeKind(fields["kind"].choice(TreeKind.POLICY.value, TreeKind.SURVIVAL.value))
        if (classes is None) is not (kind is TreeKind.SURVIVAL):
            fields["kind"].fail('"policy" where there are classes, "survival" where there are none')
    tree = _tree(fields["nodes"], columns, classes, kind)
    claim = None
    if fields["certificate"].value is not None:
        claim = certificate_of(fields["certificate"], 0 if classes is None else len(classes))
    reading = None if fields["reading"].value is None else checked_reading(fields["reading"])
    return Model(tree, claim, fields["written_by"].text(), reading)


def _check_format(top: Checked) -> None:
    check_format(top.value.get("format") if isinstance(top.value, dict) else None, FORMAT, "a model file")
    version = Checked(top.value.get("version"), "version").integer(1, LARGEST_INTEGER)
    if version > VERSION:
        raise ModelFileError(
            f"The model file has schema version {version}, this release of treewright reads up to {VERSION}. "
            "Upgrade: pip install --upgrade treewright."
        )


def _columns(value: Checked) -> tuple[Column, ...]:
    columns = []
    seen: set[str] = set()
    for entry in value.entries(0, MAX_COLUMNS):
        fields = entry.fields("name", "kind", "categories", "has_missing", optional=("ordered",))
        name = fields["name"].text()
        if name in seen:
            fields["name"].fail("a name that no other column has")
        seen.add(name)
        kind = ColumnKind(fields["kind"].choice(*(kind.value for kind in ColumnKind)))
        categories = tuple(category.text() for category in fields["categories"].entries())
        if len(set(categories)) < len(categories):
            fields["categories"].fail("a list without repetition")
        if (kind is ColumnKind.CONTINUOUS and categories) or (
            kind is ColumnKind.BINARY and len(categories) not in (0, 2)
        ):
            fields["categories"].fail("empty for numbers, and empty or the two names of a binary column")
        ordered = "ordered" in entry and fields["ordered"].boolean()
        if ordered and kind is not ColumnKind.CATEGORICAL:
            fields["ordered"].fail("false, for only categories have an order")
        columns.append(Column(name, kind, categories, fields["has_missing"].boolean(), ordered))
    return tuple(columns)


def _classes(value: Checked) -> NDArray[Any] | None:
    if value.value is None:
        return None
    fields = value.fields("dtype", "labels")
    dtype = fields["dtype"].choice("bool", "str", "object", *INTEGERS, *FLOATS)
    entries = fields["labels"].entries(1, MAX_NODES)
    labels: list[Any]
    if dtype == "bool":
        labels = [entry.boolean() for entry in entries]
    elif dtype in INTEGERS:
        info = np.iinfo(dtype)
        labels = [entry.integer(int(info.min), int(info.max)) for entry in entries]
    elif dtype in FLOATS:
        largest = float(np.finfo(dtype).max)
        labels = [entry.number(-largest, largest) for entry in entries]
    else:
        labels = [entry.text() for entry in entries]
    if len(set(labels)) < len(labels):
        fields["labels"].fail("a list without repetition")
    classes = np.array(labels, dtype=np.dtype(dtype))
    if len(np.unique(classes)) < len(classes):  # also after rounding to a narrow float, or cutting at NUL
        fields["labels"].fail(f"distinct as {dtype}")
    return classes


def _tree(value: Checked, columns: tuple[Column, ...], classes: NDArray[Any] | None, kind: TreeKind) -> Tree:
    entries = list(value.entries(1, MAX_NODES))
    n_nodes = len(entries)
    n_outputs = 1 if classes is None else len(classes)
    if classes is None and kind is not TreeKind.SURVIVAL:  # several outputs are told by the first node
        n_outputs = sum(1 for _ in entries[0].fields(*NODE, optional=(LINE,))["value"].entries(1, MAX_NODES))
    largest_class = 0 if classes is None else len(classes) - 1
    splits: list[Split | None] = []
    left = np.empty(n_nodes, dtype=np.int32)
    right = np.empty(n_nodes, dtype=np.int32)
    prediction = np.empty(n_nodes, dtype=np.int32)
    values = np.empty((n_nodes, n_outputs), dtype=np.float64)
    count = np.empty(n_nodes, dtype=np.int64)
    has_lines = LINE in entries[0]
    lines: list[Line | None] = []
    pending = [0]  # right siblings that are still to come, and the root
    for node, entry in enumerate(entries):
        if not pending:
            entry.fail("absent: the tree is complete before it")
        if (expected := pending.pop()) != node:
            raise ModelFileError(
                f"Model file, at {entry.path}: nodes must be numbered depth-first, left before right; node "
                f"{expected} is expected here."
            )
        fields = entry.fields(*NODE, optional=(LINE,))
        if (LINE in entry) is not has_lines or (
            has_lines and (classes is not None or kind is TreeKind.SURVIVAL)
        ):
            entry.fail('without "line", or every node of a regression tree with it')
        split = _split(fields["split"], columns) if fields["split"].value is not None else None
        splits.append(split)
        if split is None:
            left[node] = fields["left"].integer(-1, -1)
            right[node] = fields["right"].integer(-1, -1)
        else:
            left[node] = fields["left"].integer(node + 1, node + 1)
            right[node] = fields["right"].integer(node + 2, n_nodes - 1)
            pending.extend((int(right[node]), int(left[node])))
        prediction[node] = fields["prediction"].integer(0, largest_class)
        is_weight = classes is not None and kind is TreeKind.CLASSIFICATION
        limit = LARGEST_VALUE / n_outputs if is_weight else LARGEST_VALUE
        low = 0.0 if is_weight else -limit
        values[node] = [output.number(low, limit) for output in fields["value"].entries(n_outputs, n_outputs)]
        count[node] = fields["n_node_samples"].integer(0, LARGEST_INTEGER)
        lines.append(None if fields[LINE].value is None else _line(fields[LINE], columns, n_outputs))
        if split is not None and lines[node] is not None:
            fields[LINE].fail("null, for the node is no leaf")
    if pending:
        value.fail(f"complete: node {pending[-1]} is named as a child and does not follow")
    held = tuple(lines) if has_lines else None
    return Tree(columns, classes, tuple(splits), left, right, prediction, values, count, kind, held)


def _columns_of_numbers(value: Checked, columns: tuple[Column, ...]) -> tuple[int, ...]:
    """Read the columns that a sum of numbers is made of."""
    chosen = tuple(column.integer(0, len(columns) - 1) for column in value.entries(1))
    if len(set(chosen)) < len(chosen):
        value.fail("a list without repetition")
    if any(columns[column].kind is ColumnKind.CATEGORICAL for column in chosen):
        value.fail("columns of numbers")
    return chosen


def _line(value: Checked, columns: tuple[Column, ...], n_outputs: int) -> Line:
    fields = value.fields("columns", "centers", "slopes", "low", "high", "freedom")
    chosen = _columns_of_numbers(fields["columns"], columns)
    width = len(chosen)
    low = tuple(bound.number() for bound in fields["low"].entries(n_outputs, n_outputs))
    return Line(
        chosen,
        tuple(center.number() for center in fields["centers"].entries(width, width)),
        tuple(
            tuple(slope.number() for slope in slopes.entries(width, width))
            for slopes in fields["slopes"].entries(n_outputs, n_outputs)
        ),
        low,
        tuple(
            bound.number(least)
            for bound, least in zip(fields["high"].entries(n_outputs, n_outputs), low, strict=True)
        ),
        fields["freedom"].number(0.0),
    )


def _split(value: Checked, columns: tuple[Column, ...]) -> Split:
    if not isinstance(value.value, dict) or "kind" not in value.value:
        value.fail('null or an object with "kind"')
    kind = Checked(value.value["kind"], f"{value.path}.kind").choice("threshold", "category", "linear")
    if kind == "threshold":
        fields = value.fields("kind", "column", "threshold", "missing_left")
        column = fields["column"].integer(0, len(columns) - 1)
        threshold = fields["threshold"].threshold()
        if columns[column].kind is ColumnKind.CATEGORICAL and np.isfinite(threshold):
            fields["threshold"].fail('"inf" or "-inf" (is the value known?), for the column is categorical')
        return ThresholdSplit(column, threshold, fields["missing_left"].boolean())
    if kind == "category":
        fields = value.fields("kind", "column", "left", "missing_left")
        column = fields["column"].integer(0, len(columns) - 1)
        if columns[column].kind is not ColumnKind.CATEGORICAL:
            fields["column"].fail("a categorical column")
        n_categories = len(columns[column].categories)
        left = tuple(code.integer(0, n_categories - 1) for code in fields["left"].entries())
        if any(a >= b for a, b in pairwise(left)):
            fields["left"].fail("ascending")
        return CategorySplit(column, left, fields["missing_left"].boolean())
    fields = value.fields("kind", "columns", "weights", "threshold", "missing_left")
    chosen = _columns_of_numbers(fields["columns"], columns)
    weights = tuple(
        weight.number(-LARGEST_WEIGHT, LARGEST_WEIGHT)
        for weight in fields["weights"].entries(len(chosen), len(chosen))
    )
    return LinearSplit(chosen, weights, fields["threshold"].threshold(), fields["missing_left"].boolean())
