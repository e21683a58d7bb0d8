"""Rows that the report counts with: encoded columns, and their labels as classes of the tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import InputError
from treewright.table import Table, encode_like
from treewright.tree import Tree

__all__ = ["Rows", "read_rows", "rows_seen_before"]

LEAST_OVERLAP = 0.02  # share of the test rows; a few equal rows say nothing
UNKNOWN = -1  # class of a label that the tree cannot predict


@dataclass(frozen=True, eq=False)
class Rows:
    """A table with labels.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns), float64
        Encoded for the tree.
    labels : ndarray of shape (n_rows,), int64
        Class index; -1 for a label that the tree has never seen.
    """

    X: NDArray[np.float64]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)


def rows_seen_before(train: Rows, test: Rows) -> int:
    """Count the test rows that are training rows: equal in every column and the label, and more than by chance.

    Where rows repeat within the training rows, as many of other rows like them repeat one, too; only what is beyond
    that counts as seen before. 0 if nothing is.
    """
    groups, rows_of = np.unique(_as_bytes(train), return_counts=True)
    by_chance = float(rows_of[rows_of > 1].sum()) / len(train)
    seen = int(np.isin(_as_bytes(test), groups).sum())
    doubt = 3 * np.sqrt(by_chance * (1 - by_chance) / len(test))
    return seen if seen > len(test) * (by_chance + max(LEAST_OVERLAP, doubt)) else 0


def _as_bytes(rows: Rows) -> NDArray[np.void]:
    """Return each row, with its label, as one value that can be compared; missing values are alike."""
    content = np.column_stack([np.nan_to_num(rows.X, nan=np.inf) + 0.0, rows.labels])
    return np.ascontiguousarray(content).view(f"V{8 * content.shape[1]}").ravel()


def read_rows(tree: Tree, X: Any, y: ArrayLike, name: str) -> Rows:
    """Encode a table and its labels for `tree`; `name` is what messages call them ("X", "X_test").

    Raises
    ------
    InputError
        Other columns than the tree's, categories it has never seen, as many labels as rows are not there, a missing
        label, or no label that the tree knows.
    """
    assert tree.classes is not None  # the report is of classification trees
    encoded = X.X if isinstance(X, Table) else encode_like(X, tree.columns)
    if isinstance(X, Table):
        _check_columns(X, tree, name)
    given = np.asarray(y)
    labels_name = name.replace("X", "y")
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if given.shape != (len(encoded),):
        raise InputError(
            f"{labels_name} has shape {given.shape}, {name} has {len(encoded)} rows; give one label per row."
        )
    missing = sum(label is None or label != label for label in given.tolist())  # NaN != NaN
    if missing:
        raise InputError(
            f"{labels_name} is missing in {missing} rows; leave these rows out, or fill them in."
        )
    known = tree.classes.tolist()
    position = {label: k for k, label in enumerate(known)}
    if not any(label in position for label in given.tolist()):  # "1" in a file may be 1 in the tree
        position = {str(label): k for k, label in enumerate(known)}
        given = given.astype(str)
    labels = np.array([position.get(label, UNKNOWN) for label in given.tolist()], dtype=np.int64)
    if (labels == UNKNOWN).all():
        raise InputError(
            f"{labels_name} holds no label of the tree: it predicts {', '.join(map(str, known[:10]))}; came "
            f"{', '.join(sorted({str(label) for label in given.tolist()})[:10])}. Is it the right column?"
        )
    return Rows(encoded, labels)


def _check_columns(table: Table, tree: Tree, name: str) -> None:
    """A `Table` is encoded already, so its schema has to be the tree's."""
    if len(table.columns) != len(tree.columns) or any(
        (own.name, own.categories) != (other.name, other.categories)
        for own, other in zip(table.columns, tree.columns, strict=True)
    ):
        raise InputError(
            f"{name} is a Table with other columns or categories than the tree's; read it with "
            "columns=tree.columns, or pass the frame that it was made from."
        )
