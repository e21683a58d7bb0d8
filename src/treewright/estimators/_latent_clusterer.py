"""Latent trees as a scikit-learn estimator of hierarchical clusterings (Section 4.2 of the paper)."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin

from treewright.errors import InputError
from treewright.estimators._interrupt import settle_interrupt
from treewright.estimators._latent_base import LatentTreeBase
from treewright.estimators._latent_docs import documented
from treewright.estimators._latent_progress import EpochCallback
from treewright.table import Table
from treewright.tree import percent_at_least

if TYPE_CHECKING:
    import torch

    from treewright.latent import HardenedTree
    from treewright.latent._encode import Encoder

__all__ = ["LatentTreeClusterer"]


@documented
class LatentTreeClusterer(ClusterMixin, LatentTreeBase):  # type: ignore[misc]
    """Hierarchical clustering by self-supervision: a tree that helps to predict some columns (Section 4.2).

    The tree is trained to predict the columns `targets` from all others. Its nodes are the clusters; its leaves are the
    smallest ones. Without `targets` every column is predicted from the row's path alone.

    {parameters}
    targets : sequence of str or int, default=None
        Columns to predict; they are not used as inputs. None predicts every column, from the path alone.

    {attributes}
    labels_ : ndarray of shape (n_rows,)
        Cluster (0, 1, ...) of each training row.
    nodes_ : ndarray of shape (n_rows,)
        Breadth-first number of the node in which each training row ends; its ancestors are the row's larger clusters.
    tree_ : Tree
        The hard tree of the training rows, as `harden` returns it. It does not exist if splits are your own module, if
        categories are one-hot, and after Ctrl-C.

    {notes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import LatentTreeClusterer
    >>> from treewright.latent import dendrogram_purity
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LatentTreeClusterer(depth=2, epochs=30, learning_rate=0.5, random_state=0).fit(X)
    >>> bool(dendrogram_purity(model.nodes_, y) > 0.5)
    True
    """

    def __init__(
        self,
        depth: int = 3,
        *,
        pruning: float = 1.0,
        splits: Literal["linear", "elu"] | torch.nn.Module = "linear",
        hidden_layers: Sequence[int] = (),
        dropout: float = 0.0,
        tree_only: bool = False,
        routing: Literal["paper", "published"] = "paper",
        batch_norm: bool = False,
        categories: Literal["ordinal", "onehot"] = "ordinal",
        loss: Any = "auto",
        optimizer: str | type = "adamw",
        optimizer_options: Mapping[str, Any] | None = None,
        learning_rate: float = 0.01,
        batch_size: int = 512,
        epochs: int | Literal["auto"] = "auto",
        schedule: Literal["plateau", "cosine"] | None = "plateau",
        patience: int | Literal["auto"] = "auto",
        validation_fraction: float = 0.2,
        time_limit: float | None = None,
        device: str = "cpu",
        random_state: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Literal["auto"] | bool | EpochCallback = "auto",
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        targets: Sequence[str] | Sequence[int] | None = None,
    ) -> None:
        super().__init__(
            depth,
            pruning=pruning,
            splits=splits,
            hidden_layers=hidden_layers,
            dropout=dropout,
            tree_only=tree_only,
            routing=routing,
            batch_norm=batch_norm,
            categories=categories,
            loss=loss,
            optimizer=optimizer,
            optimizer_options=optimizer_options,
            learning_rate=learning_rate,
            batch_size=batch_size,
            epochs=epochs,
            schedule=schedule,
            patience=patience,
            validation_fraction=validation_fraction,
            time_limit=time_limit,
            device=device,
            random_state=random_state,
            checkpoint=checkpoint,
            progress=progress,
            categorical_features=categorical_features,
        )
        self.targets = targets

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : ignored

        Returns
        -------
        LatentTreeClusterer

        Raises
        ------
        MissingDependencyError
            PyTorch is not installed (extra `latent`).
        InputError
            The table, the targets or a parameter cannot be used.
        ModelFileError
            The checkpoint is damaged, or belongs to a model of another shape.

        Warns
        -----
        ConvergenceWarning
            The last epoch was the best one, or the validation loss was still falling at the end of the "auto" epochs:
            more epochs may give a better model.
        """
        begun = time.perf_counter()
        table = self._table(X)
        self.columns_ = table.columns
        chosen = _positions(self.targets, table)
        limit = math.inf if self.time_limit is None else self.time_limit
        goal = fit_goal(
            table,
            chosen or range(len(table.columns)),
            self.categories,
            is_over=lambda: time.perf_counter() >= begun + limit,
        )
        only = True if not chosen else self.tree_only
        self._train(
            table,
            lambda rows: goal.transform(table.X[rows]),
            goal.n_inputs,
            "squared_error",
            leave_out=chosen,
            tree_only=only,
            begun=begun,
        )
        self.nodes_ = self._blocks(table.X, self.network_.tree.leaf)
        # Clusters that hold training rows come first, so that labels_ has no gaps; then the rest.
        reached = np.unique(self.nodes_)
        self._clusters = np.concatenate([reached, np.setdiff1d(self.network_.tree.nodes.numpy(), reached)])
        self.labels_ = self._label(self.nodes_)
        self._hardened = self._keep_hardened(
            lambda: self._harden_on(table.X, self.labels_, self._judging_rows(table.X))
        )
        self.__dict__.pop("tree_", None)  # of an earlier fit
        if not isinstance(self._hardened, str):
            self.tree_ = self._hardened.tree
        settle_interrupt(self.result_.stop_reason)
        return self

    def harden(self, X: Any = None, y: Any = None) -> HardenedTree:
        """Return a `Tree` with linear splits that leads to the clusters.

        Parameters
        ----------
        X : table, default=None
            Rows for the counts in the leaves and for measuring the agreement; None returns the tree of the training
            rows.
        y : ignored

        Returns
        -------
        HardenedTree
            `tree` (its classes are named "cluster 0", "cluster 1", ...), `agreement` (share of rows that it puts into
            their cluster) and a `sentence`.

        Raises
        ------
        InputError
            Splits are your own module, or categories were one-hot.
        """
        return self._kept_hardened() if X is None else self._harden_on(self._encode(X), self.predict(X))

    def _harden_on(
        self, rows: NDArray[np.float64], labels: NDArray[np.int64], judged_on: slice = slice(None)
    ) -> HardenedTree:
        from treewright.latent._harden import HardenedTree, classification_tree
        from treewright.latent._late import taken

        index = labels.astype(np.int32)
        names = np.array([f"cluster {k}" for k in range(max(int(index.max()), int(self.labels_.max())) + 1)])
        tree = self._harden(rows, classification_tree(self.columns_, names, index), judged_on)
        rows, index = taken(rows, judged_on), index[judged_on]
        agreement = float((tree.prediction[tree.apply(rows)] == index).mean())
        return HardenedTree(
            tree,
            agreement,
            f"This tree puts {percent_at_least(agreement)} of {len(rows)} rows into the cluster that they are in.",
        )

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the cluster of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in their order or by their names.

        Returns
        -------
        ndarray of shape (n_rows,), int64
            A number of `labels_`, or a larger one for a cluster without training rows.
        """
        return self._label(self.apply(X))

    def _label(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        order = np.argsort(self._clusters)
        labels: NDArray[np.int64] = order[np.searchsorted(self._clusters, nodes, sorter=order)]
        return labels


def fit_goal(
    table: Table, columns: Sequence[int], categories: str, *, is_over: Callable[[], bool] = lambda: False
) -> Encoder:
    """Return what makes the scaled columns to predict."""
    from treewright.latent._encode import fit_encoder

    rest = [j for j in range(len(table.columns)) if j not in columns]
    return fit_encoder(table.X, table.columns, categories, rest, is_over=is_over)


def _positions(targets: Sequence[str] | Sequence[int] | None, table: Table) -> list[int]:
    """Positions of the target columns; [] for none."""
    if targets is None:
        return []
    found = []
    for target in targets:
        if isinstance(target, str) and target in table.names:
            found.append(table.names.index(target))
        elif isinstance(target, (int, np.integer)) and 0 <= target < len(table.columns):
            found.append(int(target))
        else:
            raise InputError(
                f"targets names {target!r}, which is not a column; give names or positions among "
                f"{list(table.names)}."
            )
    if not found or len(set(found)) >= len(table.columns):
        raise InputError("targets must name at least one column and leave at least one to predict them from.")
    return sorted(set(found))
