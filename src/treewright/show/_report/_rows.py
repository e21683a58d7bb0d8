"""Rows that the report counts with: encoded columns, and what was seen of each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.table import Table, encode_like
from treewright.tree import Tree

__all__ = ["Rows", "read_rows", "rows_seen_before"]

LEAST_OVERLAP = 0.02  # share of the test rows; a few equal rows say nothing


@dataclass(frozen=True, eq=False)
class Rows:
    """A table with what was seen.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns), float64
        Encoded for the tree.
    y : ndarray of shape (n_rows,) or (n_rows, n)
        As the task of the tree reads it: a class index (-1 for a label that the tree has never seen), targets, rewards
        of the actions, or event and time.
    """

    X: NDArray[np.float64]
    y: NDArray[Any]

    def __len__(self) -> int:
        return len(self.y)


def rows_seen_before(train: Rows, test: Rows) -> int:
    """Count the test rows that are training rows: equal in every column and in what was seen, and more than by chance.

    Where rows repeat within the training rows, as many of other rows like them repeat one, too; only what is beyond
    that counts as seen before. 0 if nothing is.
    """
    groups, rows_of = np.unique(_as_bytes(train), return_counts=True)
    by_chance = float(rows_of[rows_of > 1].sum()) / len(train)
    seen = int(np.isin(_as_bytes(test), groups).sum())
    doubt = 3 * np.sqrt(by_chance * (1 - by_chance) / len(test))
    return seen if seen > len(test) * (by_chance + max(LEAST_OVERLAP, doubt)) else 0


def _as_bytes(rows: Rows) -> NDArray[np.void]:
    """Return each row, with what was seen, as one value that can be compared; missing values are alike."""
    content = np.column_stack([np.nan_to_num(rows.X, nan=np.inf) + 0.0, rows.y])
    return np.ascontiguousarray(content).view(f"V{8 * content.shape[1]}").ravel()


def read_rows(
    tree: Tree, X: Any, y: Any, name: str, read: Callable[[Tree, Any, int, str], NDArray[Any]]
) -> Rows:
    """Encode a table for `tree`, and read what was seen; `name` is what messages call the table ("X", "X_test").

    Raises
    ------
    InputError
        Other columns than the tree's, categories it has never seen, or what `read` refuses.
    """
    encoded = X.X if isinstance(X, Table) else encode_like(X, tree.columns)
    if isinstance(X, Table):
        _check_columns(X, tree, name)
    return Rows(encoded, read(tree, y, len(encoded), name.replace("X", "y")))


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
