"""The tree as data for the page's own program, which predicts exactly like `Tree.predict`.

JavaScript numbers are the same float64, and JSON writes the digits that read back as the same number, so `x <= t` has
the same answer there. JSON has no infinity; such a threshold is written as null. Only columns that the tree splits on
go into the page, and of the training rows only what one number per column says: a typical value, a range, a spread.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.show._report._task import Task
from treewright.show._titles import ColumnWords
from treewright.show._words import printable
from treewright.tree import CategorySplit, Column, ColumnKind, LinearSplit, Split, Tree

__all__ = ["embedded_model", "script_json", "used_columns"]

MOST_DECIMALS = 6  # columns written with more digits have no step of their own


def used_columns(tree: Tree) -> list[int]:
    """Return the positions of the columns that splits or lines ask about, in the order of the table."""
    return sorted(tree.asked)


def embedded_model(task: Task, words: Sequence[ColumnWords]) -> dict[str, Any]:
    """Return what the page's program needs, as JSON values; `words` are those of all columns."""
    tree, X = task.context.said, task.context.train.X
    used = used_columns(tree)
    place = {column: k for k, column in enumerate(used)}
    leaves = {leaf.node: leaf for leaf in task.leaves}
    scores = np.nan_to_num(task.scores())
    return {
        "columns": [_column(tree.columns[j], X[:, j], words[j]) for j in used],
        "classes": [] if tree.classes is None else [printable(str(label)) for label in tree.classes.tolist()],
        "words": task.form_words(),
        "nodes": [
            {
                "number": leaves[node].number,
                "share": scores[node].tolist(),
                **_said(task.says(leaves[node]), place),
            }
            if split is None
            else {
                **_split(split, place),
                "share": scores[node].tolist(),
                "left": int(tree.children_left[node]),
                "right": int(tree.children_right[node]),
            }
            for node, split in enumerate(tree.splits)
        ],
    }


def _said(said: dict[str, Any], place: dict[int, int]) -> dict[str, Any]:
    """What a leaf says, with the columns of its line as places in the form."""
    line = said.get("line")
    if line is None:
        return said
    return {**said, "line": {**line, "columns": [place[column] for column in line["columns"]]}}


def script_json(value: Any) -> str:
    """Return JSON that may stand in a script element: no text in it can close the element or open a comment."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _split(split: Split, place: dict[int, int]) -> dict[str, Any]:
    if isinstance(split, CategorySplit):
        own: dict[str, Any] = {"kind": "category", "column": place[split.column], "codes": list(split.left)}
    elif isinstance(split, LinearSplit):
        own = {
            "kind": "linear",
            "columns": [place[column] for column in split.columns],
            "weights": [float(weight) for weight in split.weights],
            "threshold": _threshold(split.threshold),
        }
    else:
        own = {
            "kind": "threshold",
            "column": place[split.column],
            "threshold": _threshold(split.threshold),
        }
    return {**own, "missingLeft": bool(split.missing_left)}


def _threshold(value: float) -> float | str:
    return float(value) if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def _column(column: Column, x: NDArray[np.float64], words: ColumnWords) -> dict[str, Any]:
    known = x[~np.isnan(x)]
    said: dict[str, Any] = {
        "name": printable(column.name),
        "kind": column.kind.value,
        "ordered": column.ordered,
        "description": printable(words.description),
        "unit": printable(words.unit),
        "change": words.change,
        "codes": [[code, printable(text)] for code, text in words.codes.items()],
    }
    if words.codes:  # ranges and typical values are those of the numbers that count something
        known = known[~np.isin(known, list(words.codes))]
    if column.kind is ColumnKind.CONTINUOUS:
        typical = float(np.quantile(known, 0.5, method="inverted_cdf")) if len(known) else None  # a value
        return said | {
            "typical": typical,
            "low": float(known.min()) if len(known) else None,
            "high": float(known.max()) if len(known) else None,
            "spread": _spread(known),
            "decimals": _decimals(known),
        }
    names = column.categories or (("0", "1") if column.kind is ColumnKind.BINARY else ())
    codes = known > 0.5 if column.kind is ColumnKind.BINARY else known  # a binary column takes any number
    most = int(np.argmax(np.bincount(codes.astype(np.int64)))) if len(known) else None
    return said | {"categories": [printable(name) for name in names], "typical": most}


def _spread(known: NDArray[np.float64]) -> float:
    """Range of the middle half of the values; their standard deviation where that is 0; 1 where both are."""
    if not len(known):
        return 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = np.quantile(known, [0.25, 0.75])
        for spread in (float(high - low), float(known.std())):
            if 0 < spread < math.inf:
                return spread
    return 1.0


def _decimals(known: NDArray[np.float64]) -> int | None:
    """How many decimals all values get by with; None if more than `MOST_DECIMALS`."""
    if not len(known) or np.abs(known).max() >= 2**53 / 10**MOST_DECIMALS:
        return None
    for decimals in range(MOST_DECIMALS + 1):
        if (np.round(known, decimals) == known).all():
            return decimals
    return None
