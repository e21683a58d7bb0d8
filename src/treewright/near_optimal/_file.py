"""A set as one JSON file: schema "treewright-near-optimal", version 1.

The best tree, with the columns, the labels and its certificate, is a model file of its own inside, and so are the
splits: as a tree with one split a level. What a model file cannot hold wrongly, this one cannot either. Arrays are
compressed and in base64; exact fractions are text. The file holds the training rows, without which votes and gaps could
not be asked.

Nothing in a file is trusted: numbers are checked for their range, the graph for its form, and its nodes against the
rows. That the set is complete is a claim, as the certificate of a model file is.
"""

from __future__ import annotations

import copyreg
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from treewright import __version__
from treewright._arguments import check_arguments
from treewright.binarize import SplitMatrix
from treewright.convert import Model, Terms, bytes_of, check_format, from_json, to_json, write_bytes
from treewright.errors import ModelFileError
from treewright.near_optimal._counts import Counts
from treewright.near_optimal._derived import native_of
from treewright.near_optimal._file_fields import Fields, are_integers, packed
from treewright.near_optimal._graph import Membership, SetGraph
from treewright.near_optimal._trees import NearOptimalTrees
from treewright.near_optimal._units import units_of
from treewright.problem import Problem
from treewright.result import StopReason
from treewright.search import Limits, integer_costs
from treewright.table import Reading, Table
from treewright.tree import Split, Tree

__all__ = ["FORMAT", "load_near_optimal", "save_near_optimal", "set_from_json", "set_to_json"]

FORMAT = "treewright-near-optimal"
VERSION = 1
ARRAYS = {
    "depth": "<i4",
    "budget": "<i8",
    "first_edge": "<i8",
    "last_edge": "<i8",
    "leaf_cost": "<i8",
    "leaf_rows": "<i8",
    "column": "<i4",
    "left": "<i8",
    "right": "<i8",
    "source": "<i4",
}
NUMBERS = {"leaf_penalty": 2**62, "unit_shift": 59, "min_count": 2**62}  # and the largest that each may be


def save_near_optimal(
    path: str | Path, trees: NearOptimalTrees, terms: Terms | None = None, reading: Reading | None = None
) -> None:
    """Write a set to one file, completely or not at all.

    Parameters
    ----------
    path : str or Path
    trees : NearOptimalTrees
    terms : Terms, default=None
        The problem, stored with the best tree, so that its file of data can be read again.
    reading : Reading, default=None
        How the file of its rows was read.

    Raises
    ------
    InputError
        The file cannot be written (the old one is not changed), or a name is not valid Unicode text.

    Notes
    -----
    The file contains the training rows, their labels and weights, so protect it like the data.

    See Also
    --------
    load_near_optimal : the way back, which is exact.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright import near_optimal_trees
    >>> from treewright.near_optimal import load_near_optimal, save_near_optimal
    >>> trees = near_optimal_trees([[20], [30], [40], [50]], [0, 0, 1, 1], max_depth=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_near_optimal(Path(folder) / "set.json", trees)
    ...     len(load_near_optimal(Path(folder) / "set.json")) == len(trees)
    True
    """
    check_arguments(save_near_optimal, locals(), "path", "trees", "terms", "reading")
    write_bytes(path, set_to_json(trees, terms, reading).encode("utf-8"))


def load_near_optimal(path: str | Path) -> NearOptimalTrees:
    """Read a file that `save_near_optimal` wrote.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    NearOptimalTrees

    Raises
    ------
    InputError
        The file does not exist or cannot be read.
    ModelFileError
        It is not a valid file of a set; the message names the place.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright import near_optimal_trees
    >>> from treewright.near_optimal import load_near_optimal, save_near_optimal
    >>> trees = near_optimal_trees([[20], [30], [40], [50]], [0, 0, 1, 1], max_depth=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_near_optimal(Path(folder) / "set.json", trees)
    ...     load_near_optimal(Path(folder) / "set.json").best.objective
    0.02
    """
    check_arguments(load_near_optimal, locals(), "path")
    try:
        text = bytes_of(path, "file of a near-optimal set", None).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ModelFileError(
            f"{path} is not UTF-8 text, so it is not a file of a near-optimal set."
        ) from None
    return set_from_json(text)


def set_to_json(trees: NearOptimalTrees, terms: Terms | None = None, reading: Reading | None = None) -> str:
    """Return a set as JSON text; `set_from_json` gives it back exactly."""
    graph, problem, member = trees.graph, trees.graph.problem, trees.membership
    table = problem.table
    content = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": __version__,
        "best": json.loads(to_json(Model.of(trees.best, terms, reading))),
        "splits": json.loads(to_json(_as_tree(graph.split_matrix.splits, trees.best.tree))),
        "scope": graph.split_matrix.scope,
        "notes": [list(table.notes), list(problem.notes), list(graph.split_matrix.notes)],
        "limits": {
            "cost_complexity": problem.cost_complexity,
            "max_depth": problem.max_depth,
            "max_leaf_nodes": problem.max_leaf_nodes,
            "min_samples_leaf": problem.min_samples_leaf,
        },
        "rows": {
            "X": packed(np.asarray(table.X, order="F").T, "<f8"),
            "y": packed(problem.y, "<i4"),
            "weight": packed(problem.sample_weight, "<f8"),
            "costs": packed(problem.costs, "<f8"),
            "kept": None if problem.rows is None else packed(problem.rows, "<i8"),
        },
        "graph": {
            **{name: packed(graph.arrays[name], kind) for name, kind in ARRAYS.items()},
            **{name: int(graph.arrays[name]) for name in NUMBERS},
        },
        "pinned": [[edge, list(group)] for edge, group in graph.pinned.items()],
        "unit": str(graph.unit),
        "leaf_penalty": str(graph.leaf_penalty),
        "base": int(graph.base),
        "any_label": graph.any_label,
        "redundant": graph.redundant,
        "empty": graph.empty,
        "budget": str(member.budget),
        "max_leaves": member.max_leaves,
        "open_splits": None if member.open_splits is None else sorted(member.open_splits),
        "root_splits": None if member.root_splits is None else sorted(member.root_splits),
        "least": str(trees.least),
        "asked": str(trees.asked),
        "stop_reason": None if trees.stop_reason is None else trees.stop_reason.name,
        "rules": list(trees.rules),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _reduced(trees: NearOptimalTrees) -> tuple[Any, ...]:
    """Pickle and copy as a file's text: the graph of the compiled core is made again."""
    return set_from_json, (set_to_json(trees),)


copyreg.pickle(NearOptimalTrees, _reduced)


def set_from_json(text: str) -> NearOptimalTrees:
    """Return the set of JSON text that `set_to_json` wrote.

    Raises
    ------
    ModelFileError
        The text is not a valid set; the message names the place.
    """
    try:
        top = json.loads(text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise ModelFileError(f"The file of the set is not JSON ({error}). It may be cut off.") from None
    check_format(top.get("format") if isinstance(top, dict) else None, FORMAT, "a file of a near-optimal set")
    fields = Fields(top, "")
    if fields.integer("version", 1) > VERSION:
        raise ModelFileError(
            f"The file of the set has schema version {top['version']}, this release of treewright reads up to "
            f"{VERSION}. Upgrade: pip install --upgrade treewright."
        )
    try:
        return _set(fields)
    except (OverflowError, MemoryError, RecursionError) as error:
        raise ModelFileError(f"The file of the set holds numbers that are too large ({error}).") from None


def _set(fields: Fields) -> NearOptimalTrees:
    fields.text("written_by")
    model = from_json(json.dumps(fields.field("best")))
    best = model.result
    if best is None or model.tree.classes is None:
        raise ModelFileError("File of the set, at best: a tree of classes with its certificate is needed.")
    cuts_tree = from_json(json.dumps(fields.field("splits"))).tree
    if cuts_tree.columns != model.tree.columns:
        fields.fail("splits", "over the columns of the best tree")
    splits = tuple(split for split in cuts_tree.splits if split is not None)
    problem = _problem(fields, model.tree)
    notes = fields.texts("notes", 3)
    goes_right = [~split.goes_left(problem.table.X) for split in splits]
    split_matrix = SplitMatrix.from_matrix(
        splits,
        np.array(goes_right, dtype=np.bool_).reshape(len(splits), problem.table.n_rows),
        fields.text("scope"),
        notes[2],
    )
    graph = _graph(fields, problem, split_matrix)
    splits_within = (0, len(splits) - 1)
    member = Membership(
        fields.fraction("budget"),
        fields.optional_integer("max_leaves", 1),
        fields.optional_numbers("open_splits", *splits_within),
        fields.optional_numbers("root_splits", *splits_within),
    )
    reason = fields.field("stop_reason")
    if reason is not None and reason not in list(StopReason.__members__):
        fields.fail("stop_reason", f"null or one of {', '.join(StopReason.__members__)}")
    rules = fields.field("rules")
    if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
        fields.fail("rules", "a list of texts")
    return NearOptimalTrees(
        counts=Counts(graph, member),
        best=best,
        least=fields.fraction("least"),
        asked=fields.fraction("asked"),
        stop_reason=None if reason is None else StopReason[reason],
        rules=tuple(rules),
    )


def _problem(fields: Fields, tree: Tree) -> Problem:
    assert tree.classes is not None  # checked
    rows, limits = fields.object("rows"), fields.object("limits")
    k = len(tree.classes)
    y = rows.array("y", "<i4", None)
    n = len(y)
    if n == 0 or y.min() < 0 or y.max() >= k:
        rows.fail("y", "the class of each row, at least one")
    X = rows.array("X", "<f8", len(tree.columns) * n).reshape(len(tree.columns), n).T
    weight, costs = rows.array("weight", "<f8", n), rows.array("costs", "<f8", k * k).reshape(k, k)
    if not (np.isfinite(weight).all() and (weight > 0).all()):
        rows.fail("weight", "numbers above 0")
    if not (np.isfinite(costs).all() and (costs >= 0).all()):
        rows.fail("costs", "numbers of at least 0")
    if np.isinf(X).any():
        rows.fail("X", "finite where known")
    for j, column in enumerate(tree.columns):
        known = X[:, j][~np.isnan(X[:, j])]
        if column.categories and not np.isin(known, np.arange(len(column.categories))).all():
            rows.fail("X", f"codes of the categories of {column.name!r}")
    kept = None if rows.field("kept") is None else rows.array("kept", "<i8", n)
    if kept is not None and (kept.min() < 0 or (np.diff(kept) <= 0).any()):
        rows.fail("kept", "ascending positions")
    price = limits.field("cost_complexity")
    if isinstance(price, bool) or not isinstance(price, (int, float)) or not 0 <= price <= 1:
        limits.fail("cost_complexity", "a number from 0 to 1")
    notes = fields.texts("notes", 3)
    return Problem(
        table=Table(tree.columns, np.asfortranarray(X), notes[0]),
        y=y.astype(np.int32),
        classes=tree.classes,
        sample_weight=weight,
        costs=costs,
        cost_complexity=float(price),
        max_depth=limits.optional_integer("max_depth", 0),
        max_leaf_nodes=limits.optional_integer("max_leaf_nodes", 1),
        min_samples_leaf=limits.integer("min_samples_leaf", 1),
        rows=kept,
        notes=notes[1],
    )


def _graph(fields: Fields, problem: Problem, split_matrix: SplitMatrix) -> SetGraph:
    given = fields.object("graph")
    arrays: dict[str, Any] = {name: given.array(name, kind, None) for name, kind in ARRAYS.items()}
    arrays |= {name: given.integer(name, 0, most) for name, most in NUMBERS.items()}
    source = arrays["source"]
    if len(source) and (source.min() < 0 or source.max() >= len(split_matrix.splits)):
        given.fail("source", "numbers of splits")
    if len(arrays["leaf_cost"]) != len(arrays["depth"]) * problem.n_classes:
        given.fail("leaf_cost", "a number for each node and class")
    if problem.max_depth is not None and len(arrays["depth"]) and arrays["depth"][0] > problem.max_depth:
        given.fail("depth", "at most max_depth")
    try:
        native = native_of(arrays)
    except ValueError as error:
        raise ModelFileError(f"File of the set, at graph: {error}.") from None
    pinned = {}
    entries = fields.field("pinned")
    for entry in entries if isinstance(entries, list) else [None]:
        pair = entry if isinstance(entry, list) and len(entry) == 2 else [None, []]
        known = are_integers([pair[0]], 0, len(arrays["column"]) - 1) and isinstance(pair[1], list)
        if not known or not are_integers(pair[1], 0, len(split_matrix.splits) - 1):
            fields.fail("pinned", "pairs of an edge and its splits")
        pinned[pair[0]] = tuple(pair[1])
    graph = SetGraph(
        problem,
        split_matrix,
        native,
        native.arrays(),
        fields.fraction("unit"),
        fields.fraction("leaf_penalty"),
        fields.integer("base", 0),
        fields.truth("any_label"),
        fields.truth("redundant"),
        Limits().native()["memory_limit"],
        fields.truth("empty"),
        pinned,
    )
    units = units_of(problem)
    if graph.unit <= 0 or graph.leaf_penalty < 0:
        fields.fail("unit and leaf_penalty", "above 0, and at least 0")
    _check_nodes(graph)
    return replace(graph, rounding=units.rounding * units.unit / graph.unit)


def _check_nodes(graph: SetGraph) -> None:
    """Compare the costs and rows of all nodes with the training rows."""
    integers = integer_costs(graph.problem)
    by_row = integers.weight[:, None] * integers.costs[graph.problem.y]
    kind, n_kinds, ones = graph.rows
    by_kind = np.zeros((n_kinds, graph.problem.n_classes), dtype=np.int64)
    np.add.at(by_kind, kind, by_row)
    # What every tree pays is known for each kind of rows over binary columns, for each class over ranked ones.
    least = by_kind.min(axis=1)
    if graph.base != int(least.sum()):
        least = np.zeros(n_kinds, dtype=np.int64)
        np.add.at(least, kind, by_row.min(axis=1))
    k = graph.problem.n_classes
    costs = graph.native.sum_by_node(ones, n_kinds, (by_kind - least[:, None]).reshape(-1))
    rows = np.repeat(np.bincount(kind, minlength=n_kinds)[:, None], k, axis=1).reshape(-1)
    counted = np.asarray(graph.native.sum_by_node(ones, n_kinds, rows))[::k]
    given = np.asarray(graph.arrays["leaf_rows"])
    reached = counted > 0  # a derived graph has nodes that nothing leads to, and nodes that are no leaves
    n = graph.n_nodes
    parent = np.repeat(np.arange(n), np.asarray(graph.arrays["last_edge"]) - graph.arrays["first_edge"])
    sides = (graph.leaf_errors[graph.arrays[side]] for side in ("left", "right"))
    divided = (sum(sides) == graph.leaf_errors[parent])[reached[parent]].all()  # each row goes to one side
    right_costs = (np.asarray(costs).reshape(-1, k) == graph.leaf_errors)[reached].all()
    if (
        not divided
        or not right_costs
        or not ((given == counted) | (given == 0))[reached].all()
        or graph.base != int(least.sum())
    ):
        raise ModelFileError("File of the set, at graph: the nodes do not agree with the rows.")


def _as_tree(splits: tuple[Split, ...], like: Tree) -> Tree:
    """Return a tree that asks one split after the other: the way in which a model file holds splits."""
    n = 2 * len(splits) + 1
    inner = np.arange(0, n - 1, 2)
    left, right = np.full(n, -1, dtype=np.int32), np.full(n, -1, dtype=np.int32)
    left[inner], right[inner] = inner + 1, inner + 2
    every: list[Split | None] = [None] * n
    for place, split in zip(inner, splits, strict=True):
        every[place] = split
    assert like.classes is not None
    return Tree(
        like.columns, like.classes, tuple(every), left, right, np.zeros(n, dtype=np.int32),
        np.zeros((n, len(like.classes))), np.zeros(n, dtype=np.int64),
    )  # fmt: skip
