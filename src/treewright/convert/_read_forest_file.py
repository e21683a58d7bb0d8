"""Published forest files of Vidal and Schiffer 2020: text, one random forest a file, hard votes.

Six header lines ``KEY: value``, a comment line, then for each tree ``[TREE t]``, ``NB_NODES: n`` and n node
lines ``id type left right feature threshold depth class`` with type IN (inner node) or LN (leaf).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treewright.convert._ensemble import Ensemble, EnsembleTree
from treewright.errors import ModelFileError

__all__ = ["read_forest_file"]


def read_forest_file(path: str | Path) -> Ensemble:
    """Read a published forest file.

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
    ModelFileError
        If the file is not such a file, is cut short or contradicts itself; the message names the line.
    """
    name = Path(path).name
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{name} is not a text file; expected a published forest file.") from error
    header: dict[str, str] = {}
    for line in lines[:6]:
        key, colon, value = line.partition(":")
        if colon:
            header[key.strip()] = value.strip()
    try:
        n_trees, n_features, n_classes = (
            int(header[key]) for key in ("NB_TREES", "NB_FEATURES", "NB_CLASSES")
        )
    except (KeyError, ValueError) as error:
        raise ModelFileError(
            f"{name} has no forest header: expected lines NB_TREES, NB_FEATURES and NB_CLASSES among the "
            "first six."
        ) from error
    if n_trees < 1 or n_features < 1 or n_classes < 2:
        raise ModelFileError(
            f"{name}: {n_trees} trees, {n_features} features, {n_classes} classes is no forest."
        )
    trees = []
    at = 6
    for t in range(n_trees):
        while at < len(lines) and not lines[at].startswith("[TREE"):
            at += 1
        if at + 1 >= len(lines):
            raise ModelFileError(
                f"{name} ends before tree {t} of {n_trees}: the file is cut short. Fetch it again."
            )
        if lines[at].strip() != f"[TREE {t}]":
            raise ModelFileError(f"{name}, line {at + 1}: expected [TREE {t}], got {lines[at]!r}.")
        key, _, count = lines[at + 1].partition(":")
        if key.strip() != "NB_NODES" or not count.strip().isdigit():
            raise ModelFileError(f"{name}, line {at + 2}: expected 'NB_NODES: n', got {lines[at + 1]!r}.")
        n_nodes = int(count)
        rows = lines[at + 2 : at + 2 + n_nodes]
        if n_nodes < 1 or len(rows) < n_nodes:
            raise ModelFileError(
                f"{name} ends in tree {t}: {len(rows)} of {n_nodes} nodes are there. The file is cut "
                "short; fetch it again."
            )
        trees.append(_read_tree(rows, name, at + 3, n_features, n_classes))
        at += 2 + n_nodes
    return Ensemble.hard_vote(
        trees, np.arange(n_classes), n_features=n_features, source=f"forest file {name}"
    )


def _read_tree(rows: list[str], name: str, first_line: int, n_features: int, n_classes: int) -> EnsembleTree:
    n = len(rows)
    feature = np.full(n, -1, dtype=np.int32)
    threshold = np.zeros(n)
    left = np.zeros(n, dtype=np.int32)
    right = np.zeros(n, dtype=np.int32)
    value = np.zeros((n, 1))
    for i, row in enumerate(rows):
        fields = row.split()
        where = f"{name}, line {first_line + i}"
        try:
            node, kind = int(fields[0]), fields[1]
            left[i], right[i], feature[i] = (int(f) for f in fields[2:5])
            threshold[i] = float(fields[5])
            label = int(fields[7])
        except (IndexError, ValueError) as error:
            raise ModelFileError(f"{where}: expected eight node fields, got {row!r}.") from error
        if node != i or kind not in ("IN", "LN"):
            raise ModelFileError(f"{where}: expected node {i} of type IN or LN, got {row!r}.")
        if kind == "LN":
            feature[i] = -1
            if not 0 <= label < n_classes:
                raise ModelFileError(f"{where}: class {label} is outside 0..{n_classes - 1}.")
            value[i, 0] = label
        elif not (0 <= feature[i] < n_features and i < left[i] < n and i < right[i] < n):
            raise ModelFileError(f"{where}: the feature or a child is out of range in {row!r}.")
        elif not np.isfinite(threshold[i]):
            raise ModelFileError(f"{where}: the threshold {threshold[i]} is not a finite number.")
    return EnsembleTree(feature, threshold, left, right, value, np.zeros(n, dtype=np.bool_))
