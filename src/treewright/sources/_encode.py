"""The rows of a source in the encoding of a tree that exists."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.sources._source import Piece, Roles, Source
from treewright.table import encode_column
from treewright.tree import Tree

__all__ = ["encoded_pieces"]


def encoded_pieces(source: Source, roles: Roles, tree: Tree) -> Iterator[tuple[NDArray[np.float64], Piece]]:
    """Yield the rows of a source as numbers, each with the piece they come from.

    Parameters
    ----------
    source : Source
        Its columns are found by name; those that the tree does not ask about may be absent.
    roles : Roles
    tree : Tree

    Yields
    ------
    X : ndarray of shape (n_rows, n_columns), float64
        NaN in the columns that the tree does not ask about.
    piece : Piece

    Raises
    ------
    InputError
        A column that the tree asks about is absent or cannot be read, or holds a category that it never saw.
    """
    for piece in source.pieces(roles):
        raws = {raw.name: raw for raw in piece.columns}
        absent = [tree.columns[j].name for j in sorted(tree.asked) if tree.columns[j].name not in raws]
        if absent:
            raise InputError(
                f"{piece.origin} lacks columns that the tree needs: {', '.join(map(repr, absent))}."
            )
        X = np.full((piece.n_rows, len(tree.columns)), np.nan, order="F")
        for j in sorted(tree.asked):
            try:
                X[:, j] = encode_column(raws[tree.columns[j].name], tree.columns[j])
            except InputError as error:
                raise InputError(f"{piece.origin}: {error}") from None
        yield X, piece
