"""Check that the arrays of a tree form a valid tree; all other checks rely on this."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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

__all__ = ["fault_of_splits", "fault_of_structure"]

ARRAYS = {
    "children_left": "iu",
    "children_right": "iu",
    "prediction": "iu",
    "n_node_samples": "iu",
    "value": "iuf",
}
SPLITS = (ThresholdSplit, CategorySplit, LinearSplit, type(None))


def fault_of_structure(tree: Tree) -> str:
    """Return the first fault of lengths, links or numbering, or an empty string."""
    if fault := _fault_of_types(tree):
        return fault
    n_nodes = len(tree.splits)
    n_outputs = tree.n_outputs if tree.classes is None and tree.value.ndim == 2 else 1
    if tree.classes is not None:
        n_outputs = len(tree.classes)
    shapes: dict[str, tuple[NDArray[Any], tuple[int, ...]]] = {
        "children_left": (tree.children_left, (n_nodes,)),
        "children_right": (tree.children_right, (n_nodes,)),
        "prediction": (tree.prediction, (n_nodes,)),
        "n_node_samples": (tree.n_node_samples, (n_nodes,)),
        "value": (tree.value, (n_nodes, n_outputs)),
    }
    if n_nodes == 0 or n_outputs == 0:
        return "there is no node" if n_nodes == 0 else "value has no column"
    for name, (array, shape) in shapes.items():
        if array.shape != shape:
            return f"{name} has shape {array.shape}, not {shape}"
    if not np.isfinite(tree.value).all():
        return "value holds NaN or infinity"
    pending = [0]
    for node in range(n_nodes):
        if not pending:
            return f"node {node} is not below the root"
        expected = pending.pop()
        if expected != node:
            return f"node {expected} stands where depth-first order has node {node}"
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if tree.splits[node] is None:
            if (left, right) != (-1, -1):
                return f"leaf {node} has children"
        else:
            pending += [right, left]
    return f"node {pending[-1]} is a child but does not exist" if pending else ""


def _fault_of_types(tree: Tree) -> str:
    """Return the first part of the tree that has a wrong type, or an empty string."""
    for name, kinds in ARRAYS.items():
        array = getattr(tree, name)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds:
            return f"{name} is {getattr(array, 'dtype', type(array).__name__)}"
    if tree.classes is not None and (not isinstance(tree.classes, np.ndarray) or tree.classes.ndim != 1):
        return f"classes is {type(tree.classes).__name__}"
    for name, parts, kind in (("columns", tree.columns, Column), ("splits", tree.splits, SPLITS)):
        if not isinstance(parts, tuple):
            return f"{name} is {type(parts).__name__}"
        other = next((part for part in parts if not isinstance(part, kind)), None)
        if other is not None:
            return f"{name} holds {other!r:.60}"
    return ""


def fault_of_splits(tree: Tree) -> str:
    """Return the first split with a column or category that is not in the schema, or an empty string."""
    for node, split in enumerate(tree.splits):
        if split is not None and (fault := _fault(split, tree)):
            return f"node {node}: {fault}"
    n_classes = 1 if tree.classes is None else len(tree.classes)
    if fault := _fault_of_lines(tree):
        return fault
    outside = np.flatnonzero((tree.prediction < 0) | (tree.prediction >= n_classes))
    return f"node {outside[0]}: predicts class {tree.prediction[outside[0]]}" if len(outside) else ""


def _fault_of_lines(tree: Tree) -> str:
    """Return the first line that is not valid, or an empty string."""
    if tree.lines is None:
        return ""
    if tree.kind is not TreeKind.REGRESSION or not isinstance(tree.lines, tuple):
        return f"lines of a {tree.kind.value} tree"
    if len(tree.lines) != len(tree.splits):
        return f"{len(tree.lines)} lines for {len(tree.splits)} nodes"
    for node, line in enumerate(tree.lines):
        if line is None:
            continue
        if not isinstance(line, Line) or tree.splits[node] is not None:
            return f"node {node}: no line belongs here"
        width = len(line.columns)
        if not all(0 <= column < len(tree.columns) for column in line.columns) or width == 0:
            return f"node {node}: a line over column {line.columns} of {len(tree.columns)}"
        if any(tree.columns[column].kind is ColumnKind.CATEGORICAL for column in line.columns):
            return f"node {node}: a slope of a categorical column"
        if len(set(line.columns)) < width or len(line.slopes) != tree.value.shape[1]:
            return f"node {node}: columns or outputs of the line"
        numbers = [line.centers, *line.slopes]
        if any(len(part) != width or not np.isfinite(part).all() for part in numbers):
            return f"node {node}: the slopes do not fit the columns"
        bounds = (line.low, line.high)
        if any(len(bound) != len(line.slopes) or not np.isfinite(bound).all() for bound in bounds):
            return f"node {node}: the bounds of the line"
        if not np.isfinite(line.freedom) or line.freedom < 1:
            return f"node {node}: {line.freedom} coefficients"
    return ""


def _fault(split: Split, tree: Tree) -> str:
    named = split.columns if isinstance(split, LinearSplit) else (split.column,)
    if not named or not all(0 <= column < len(tree.columns) for column in named):
        return f"column {named} of {len(tree.columns)}"
    kinds = [tree.columns[column].kind for column in named]
    if isinstance(split, CategorySplit):
        n_categories = len(tree.columns[split.column].categories)
        if kinds[0] is not ColumnKind.CATEGORICAL:
            return "a category split of a column of numbers"
        if not all(0 <= code < n_categories for code in split.left):
            return f"category {split.left} of {n_categories}"
        return ""
    if np.isnan(split.threshold):
        return "the threshold is NaN"
    if isinstance(split, LinearSplit):
        if len(split.weights) != len(named) or not np.isfinite(split.weights).all():
            return "the weights do not fit the columns"
        return ""
    if kinds[0] is ColumnKind.CATEGORICAL and np.isfinite(split.threshold):
        return "a finite threshold on a categorical column"
    return ""
