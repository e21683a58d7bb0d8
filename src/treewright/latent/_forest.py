"""Several latent trees side by side, as one PyTorch module with the face of one tree.

A predictor that is linear in the traversals of all trees is the sum of what it would be in each; trained by one loss,
the trees share the work out, as those of NODE (Popov, Morozov, Babenko 2020) and GRANDE (Marton et al. 2024) do. Each
tree has its own pruning vector. Time and memory are those of the trees, one after another.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright._numbers import is_whole
from treewright.errors import InputError
from treewright.latent._shape import MAX_DEPTH, check_depth
from treewright.latent._torch import torch
from treewright.latent._tree import LatentTree

__all__ = ["LatentForest"]

MAX_TREES = 4096

nn = torch.nn


class LatentForest(nn.Module):
    """Several latent trees whose traversals are concatenated; a network can use it in place of a `LatentTree`.

    Parameters
    ----------
    in_features : int
        Number of input features, the same for all trees.
    depth : int
        Depth >= 1 of each tree.
    n_trees : int
        Number of trees, from 1 to 4096; together they have at most 2**21 nodes, like the deepest single tree.
    pruning : float, default=1.0
        lambda >= 0 of eq. (3) in each tree, relative to the rows of a batch; 0 = no pruning.
    splits : {"linear", "elu"}, default="linear"
        Split scores without their bias, as of `LatentTree`; copies of a module would be the same tree.
    routing : {"paper", "published"}, default="paper"
        z = clip(q + 1/2, 0, a), or z = min(clip(q, 0, 1), a).
    batch_norm : bool, default=False
        Whether split scores are normalised over the batch before their bias.
    capped : bool, default=True
        Whether the minima of eq. (1) start from q = 1 of the root.
    device, dtype
        Of the parameters.

    Attributes
    ----------
    trees : ModuleList of LatentTree
        They differ by the random weights that they start from.

    Raises
    ------
    InputError
        `n_trees` is not a positive whole number, or `splits` is a module.

    Examples
    --------
    >>> import torch
    >>> forest = LatentForest(in_features=4, depth=3, n_trees=5)
    >>> x = torch.randn(64, 4)
    >>> forest.initialize(x)
    >>> forest(x).shape
    torch.Size([64, 75])
    """

    trees: torch.nn.ModuleList

    def __init__(
        self,
        in_features: int,
        depth: int,
        n_trees: int,
        *,
        pruning: float = 1.0,
        splits: str = "linear",
        routing: str = "paper",
        batch_norm: bool = False,
        capped: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if not is_whole(n_trees) or not 1 <= n_trees <= MAX_TREES:
            raise InputError(f"n_trees must be an integer from 1 to {MAX_TREES:,}; got {n_trees!r}.")
        if n_trees << check_depth(depth) > 1 << MAX_DEPTH:
            raise InputError(
                f"{n_trees:,} trees of depth {depth} have more than 2**{MAX_DEPTH + 1} nodes; give fewer trees, or "
                "less depth."
            )
        if isinstance(splits, nn.Module):
            raise InputError(
                'splits must be "linear" or "elu" where there are several trees: copies of one module would be '
                "the same tree."
            )
        self.trees = nn.ModuleList(
            LatentTree(
                in_features, depth, pruning=pruning, splits=splits, routing=routing, batch_norm=batch_norm,
                capped=capped, device=device, dtype=dtype,
            )
            for _ in range(n_trees)
        )  # fmt: skip
        first = self._each[0]
        self.in_features, self.depth, self.batch_norm = first.in_features, first.depth, first.batch_norm

    @property
    def _each(self) -> list[LatentTree]:
        return cast("list[LatentTree]", list(self.trees))

    @property
    def bias(self) -> torch.Tensor:
        """Biases of the splits, tree after tree."""
        return torch.cat([tree.bias for tree in self._each])

    @property
    def pruning_vector(self) -> torch.Tensor:
        """Stored a of the nodes that are there, tree after tree."""
        return torch.cat([tree.pruning_vector for tree in self._each])

    @property
    def nodes(self) -> torch.Tensor:
        """Columns of the output that belong to nodes that are there, ascending."""
        return torch.cat([tree.nodes + k * tree.out_features for k, tree in enumerate(self._each)])

    @property
    def out_features(self) -> int:
        """Width of the output: nodes of all complete trees."""
        return len(self.trees) * self._each[0].out_features

    @property
    def active_nodes(self) -> NDArray[np.int64]:
        """Columns of the output that belong to nodes with a > 0, ascending."""
        return np.concatenate(
            [tree.active_nodes + k * tree.out_features for k, tree in enumerate(self._each)]
        )

    def compact(self, x: torch.Tensor) -> torch.Tensor:
        """Return traversals of the nodes that are there, (n_nodes, n_rows), tree after tree.

        Parameters
        ----------
        x : Tensor of shape (n_rows, in_features)

        Returns
        -------
        Tensor of shape (n_nodes, n_rows)
        """
        return torch.cat([tree.compact(x) for tree in self._each])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the traversals of rows, tree after tree.

        Parameters
        ----------
        x : Tensor of shape (n_rows, in_features)

        Returns
        -------
        Tensor of shape (n_rows, out_features)
        """
        return torch.cat([tree(x) for tree in self._each], dim=1)

    def leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the node of each tree that the signs lead each row to; see `LatentTree`.

        Parameters
        ----------
        x : Tensor of shape (n_rows, in_features)

        Returns
        -------
        Tensor of shape (n_rows, n_trees), int64
        """
        return torch.stack([tree.leaf(x) for tree in self._each], dim=1)

    def initialize(self, x: torch.Tensor) -> None:
        """Balance each tree on rows x; see `LatentTree.initialize`.

        Parameters
        ----------
        x : Tensor of shape (n_rows, in_features)
            Training rows, all or a sample.
        """
        for tree in self._each:
            tree.initialize(x)

    def fix_pruning(self, x: torch.Tensor, *, batch_size: float | None = None) -> torch.Tensor:
        """Solve and store the pruning vector of each tree, and return them; see `LatentTree.fix_pruning`.

        Parameters
        ----------
        x : Tensor of shape (n_rows, in_features)
        batch_size : float, optional
            Rows of a training batch. Default: `x` counts as one batch.

        Returns
        -------
        Tensor of shape (n_nodes,)
            Tree after tree.
        """
        return torch.cat([tree.fix_pruning(x, batch_size=batch_size) for tree in self._each])

    def prune_(self, threshold: float = 0.0) -> LatentForest:
        """Drop the nodes with a <= threshold of each tree. See `LatentTree.prune_`.

        Parameters
        ----------
        threshold : float, default=0.0
            In [0, 1).

        Returns
        -------
        LatentForest
            This forest.
        """
        for tree in self._each:
            tree.prune_(threshold)
        return self
