"""The rows of a source in the encoding of a tree that exists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from treewright.errors import InputError
from treewright.sources._csv import CsvSource
from treewright.sources._source import EncodedRows, Roles, Source, lacking
from treewright.table import encode_column
from treewright.tree import Tree

__all__ = ["encoded_pieces"]


def encoded_pieces(source: Source, roles: Roles, tree: Tree) -> Iterator[EncodedRows]:
    """Yield the rows of a source as numbers, with their labels and weights where the roles name them.

    Parameters
    ----------
    source : Source
        Its columns are found by name; those that the tree does not split on may be absent.
    roles : Roles
    tree : Tree

    Yields
    ------
    EncodedRows

    Raises
    ------
    InputError
        A column that the tree splits on is absent or cannot be read, or holds a category that it never saw.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.sources import Roles, encoded_pieces, open_source
    >>> X, y = np.array([[20.0], [30.0]]), [0, 1]
    >>> tree = OptimalTreeClassifier().fit(X, y).tree_
    >>> [rows.X.tolist() for rows in encoded_pieces(open_source(X, y), Roles(), tree)]
    [[[20.0], [30.0]]]
    """
    if isinstance(source, CsvSource):  # it types its columns by the tree, and reads no other
        yield from source.encoded(roles, tree)
        return
    asked = frozenset(tree.columns[j].name for j in tree.asked)
    only = asked or None  # of a single leaf all, which say how many rows there are
    for piece in source.pieces(replace(roles, only=only)):
        raws = {raw.name: raw for raw in piece.columns}
        absent = [tree.columns[j].name for j in sorted(tree.asked) if tree.columns[j].name not in raws]
        if absent:
            raise InputError(lacking(piece.origin, absent))
        X = np.full((piece.n_rows, len(tree.columns)), np.nan, order="F")
        for j in sorted(tree.asked):
            try:
                X[:, j] = encode_column(raws[tree.columns[j].name], tree.columns[j])
            except InputError as error:
                raise InputError(f"{piece.origin}: {error}") from None
        yield EncodedRows(X, piece.labels, piece.weight)
