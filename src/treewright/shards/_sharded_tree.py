"""What `fit_shards` returns: the tree with its result, ready to predict and to be saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.convert import Model, Terms, save_model
from treewright.result import ShardsResult
from treewright.sources import Roles, encoded_pieces, open_source
from treewright.table import Reading
from treewright.tree import Tree

__all__ = ["ShardedTree"]


@dataclass(frozen=True, eq=False)
class ShardedTree:
    """A tree over all rows of a source.

    Parameters
    ----------
    result_ : ShardsResult
        Tree, objective, lower bound, gap; ``print(model.result_.sentence())`` says what is proven.
    terms : Terms
        The problem, as a model file stores it.
    reading : Reading or None
        How the files were read; None if the rows did not come from files.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import fit_shards
    >>> X = np.arange(200.0).reshape(-1, 1)
    >>> found = fit_shards(X, X[:, 0] > 80, max_depth=1, shard_rows=100, progress=False)
    >>> found.tree_.splits[0].threshold
    80.0
    """

    result_: ShardsResult
    terms: Terms
    reading: Reading | None = None

    @property
    def tree_(self) -> Tree:
        """The tree."""
        return self.result_.tree

    @property
    def classes_(self) -> NDArray[Any]:
        """The sorted labels."""
        assert self.tree_.classes is not None  # a classification tree
        return self.tree_.classes

    @property
    def model(self) -> Model:
        """The content of a model file."""
        return Model.of(self.result_, self.terms, self.reading)

    def predict(self, source: Any) -> NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        source : path, array or frame
            As in `fit_shards`. Its columns are found by name; columns that the tree does not split on may be absent.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        parts = list(self.predict_batches(source))
        return np.concatenate(parts) if parts else self.classes_[:0]

    def predict_batches(self, source: Any) -> Iterator[NDArray[Any]]:
        """Yield the labels of a source, a batch of rows at a time; the source need not fit into memory.

        Parameters
        ----------
        source : path, array or frame

        Yields
        ------
        ndarray of shape (n_rows_of_the_batch,)
        """
        for rows in encoded_pieces(open_source(source, reading=self.reading), Roles(), self.tree_):
            yield self.tree_.predict(rows.X)

    def save(self, path: str | Path) -> None:
        """Write the model file, which `treewright verify` checks over all rows.

        Parameters
        ----------
        path : str or Path
        """
        save_model(path, self.model)
