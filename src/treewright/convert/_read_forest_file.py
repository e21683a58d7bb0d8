"""Published forest files of Vidal and Schiffer 2020: text, one random forest per file, hard votes.

Six header lines ``KEY: value``, a comment line, then for each tree ``[TREE t]``, ``NB_NODES: n`` and n node
lines ``id type left right feature threshold depth class`` with type IN (inner node) or LN (leaf).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treewright.convert._check_ensemble import EnsembleFault, check_sizes
from treewright.convert._ensemble import Ensemble
from treewright.convert._ensemble_tree import EnsembleTree
from treewright.convert._read_bytes import bytes_of
from treewright.convert._text_numbers import number_in_text, whole_in_text
from treewright.errors import ModelFileError

__all__ = ["read_forest_file", "read_forest_text"]

LARGEST = 2**31 - 1
FEW_CLASSES = 1000  # that any file may name: each node holds a vote for each of them


def read_forest_file(path: str | Path) -> Ensemble:
    r"""Read a published forest file.

    Parameters
    ----------
    path : str or Path
        Text file in the form that the top of this module describes.

    Returns
    -------
    Ensemble
        A hard vote of equal weights; columns ``x0``, ``x1``, ..., classes 0, 1, ...

    Raises
    ------
    InputError
        The file does not exist or cannot be read.
    ModelFileError
        If the file is not such a file, is cut short or contradicts itself; the message names the line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright.convert import read_forest_file
    >>> lines = ["DATASET_NAME: tiny.csv", "ENSEMBLE: RF", "NB_TREES: 1", "NB_FEATURES: 1", "NB_CLASSES: 2"]
    >>> lines += ["MAX_TREE_DEPTH: 1", "Format: node", "", "[TREE 0]", "NB_NODES: 3"]
    >>> lines += ["0 IN 1 2 0 0.5 0 -1", "1 LN -1 -1 -1 -1 1 0", "2 LN -1 -1 -1 -1 1 1", ""]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tiny.RF1.txt"
    ...     _ = path.write_text("\n".join(lines))
    ...     read_forest_file(path).n_leaves
    2
    """
    name = Path(path).name
    try:
        return read_forest_text(bytes_of(path, "forest file"), f"forest file {name}")
    except (EnsembleFault, ModelFileError) as error:
        raise ModelFileError(f"{name} cannot be read. {error}") from None


def read_forest_text(content: bytes, source: str) -> Ensemble:
    """Read the content of a published forest file; `source` is its name for messages."""
    try:
        lines = content.decode("utf-8").rstrip().split("\n")
    except UnicodeDecodeError as error:
        raise ModelFileError("It is not a text file; expected a published forest file.") from error
    lines = [line.rstrip() for line in lines]
    n_trees, n_features, n_classes, most_depth = _header(lines[:6])
    if n_classes > max(FEW_CLASSES, len(lines)):
        raise ModelFileError(
            f"NB_CLASSES is {n_classes:,}, but the file has only {len(lines):,} lines, so some classes are in no leaf. "
            "Correct NB_CLASSES."
        )
    trees = []
    at = 6
    for t in range(n_trees):
        at = _next_tree(lines, at, first=t == 0)
        if at + 1 >= len(lines):
            raise ModelFileError(
                f"It ends before tree {t} of {n_trees}: the file is cut short. Fetch it again."
            )
        if lines[at] != f"[TREE {t}]":
            raise ModelFileError(f"Line {at + 1}: expected [TREE {t}], got {lines[at][:60]!r}.")
        key, _, count = lines[at + 1].partition(":")
        if key.strip() != "NB_NODES" or (n_nodes := _whole(count)) is None:
            raise ModelFileError(f"Line {at + 2}: expected 'NB_NODES: n', got {lines[at + 1][:60]!r}.")
        rows = lines[at + 2 : at + 2 + n_nodes]
        if n_nodes < 1 or len(rows) < n_nodes:
            raise ModelFileError(
                f"It ends in tree {t}: {len(rows)} of {n_nodes} nodes are there. The file is cut short; "
                "fetch it again."
            )
        trees.append(_read_tree(rows, at + 3, n_features, n_classes, most_depth))
        at += 2 + n_nodes
    at = _next_tree(lines, at, first=False)
    if at < len(lines):
        raise ModelFileError(f"Line {at + 1}: more follows after the last of {n_trees} trees.")
    return Ensemble.hard_vote(trees, np.arange(n_classes), n_features=n_features, source=source)


def _header(lines: list[str]) -> tuple[int, int, int, int]:
    """Numbers of trees, columns and classes, and the largest depth (which the header may lack)."""
    header: dict[str, str] = {}
    for line in lines:
        key, colon, value = line.partition(":")
        if colon:
            header[key.strip()] = value
    n_trees, n_features, n_classes = (
        _whole(header.get(key, "")) for key in ("NB_TREES", "NB_FEATURES", "NB_CLASSES")
    )
    if n_trees is None or n_features is None or n_classes is None:
        raise ModelFileError(
            "It has no forest header: expected lines NB_TREES, NB_FEATURES and NB_CLASSES, with whole "
            "numbers, among the first six."
        )
    check_sizes(n_features, n_classes, n_trees)
    depth = _whole(header.get("MAX_TREE_DEPTH", str(LARGEST)))
    if depth is None:
        raise ModelFileError(f"MAX_TREE_DEPTH is {header['MAX_TREE_DEPTH'][:60]!r}, not a whole number.")
    return n_trees, n_features, n_classes, depth


def _next_tree(lines: list[str], at: int, *, first: bool) -> int:
    """The next line that is not empty; before the first tree there is one line of explanation."""
    while at < len(lines) and (not lines[at] or (first and not lines[at].startswith("[TREE"))):
        at += 1
    return at


def _whole(text: str) -> int | None:
    """A whole number of at most ten digits, or None."""
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 10 else None


def _read_tree(
    rows: list[str], first_line: int, n_features: int, n_classes: int, most_depth: int
) -> EnsembleTree:
    n = len(rows)
    feature = np.full(n, -1, dtype=np.int32)
    threshold = np.zeros(n)
    left = np.zeros(n, dtype=np.int32)
    right = np.zeros(n, dtype=np.int32)
    value = np.zeros((n, 1))
    depth = np.zeros(n, dtype=np.int64)  # as the children of earlier nodes tell
    for i, row in enumerate(rows):
        fields = row.split()
        where = f"Line {first_line + i}"
        try:
            node, kind = whole_in_text(fields[0]), fields[1]
            left_child, right_child, column, level, label = (
                whole_in_text(fields[k]) for k in (2, 3, 4, 6, 7)
            )
            cut = number_in_text(fields[5])
        except (IndexError, ValueError) as error:
            raise ModelFileError(f"{where}: expected eight node fields, got {row[:60]!r}.") from error
        if len(fields) != 8 or node != i or kind not in ("IN", "LN"):
            raise ModelFileError(f"{where}: expected node {i} of type IN or LN, got {row[:60]!r}.")
        if level != depth[i] or level > most_depth:
            raise ModelFileError(
                f"{where}: the node says depth {str(level)[:20]}; its place in the tree is depth {depth[i]}, "
                f"and the header allows {most_depth}."
            )
        if kind == "LN":
            if not 0 <= label < n_classes:
                raise ModelFileError(f"{where}: class {str(label)[:20]} is outside 0..{n_classes - 1}.")
            value[i, 0] = label
            continue
        if not (0 <= column < n_features and i < left_child < n and i < right_child < n):
            raise ModelFileError(f"{where}: the feature or a child is out of range in {row[:60]!r}.")
        if not np.isfinite(cut):
            raise ModelFileError(f"{where}: the threshold {cut} is not a finite number.")
        feature[i], threshold[i], left[i], right[i] = column, cut, left_child, right_child
        depth[[left_child, right_child]] = level + 1
    return EnsembleTree(feature, threshold, left, right, value, np.zeros(n, dtype=np.bool_))
