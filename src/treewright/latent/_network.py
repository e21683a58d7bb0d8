"""A latent tree with a predictor on top: y = f(x, z), f linear or a multi-layer perceptron (Section 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from treewright._numbers import is_real
from treewright.errors import InputError
from treewright.latent._forest import LatentForest
from treewright.latent._torch import torch
from treewright.latent._tree import LatentTree

__all__ = ["LatentTreeNetwork"]

nn = torch.nn


class LatentTreeNetwork(nn.Module):
    """Predictor over [x, z].

    Parameters
    ----------
    tree : LatentTree or LatentForest
        With a forest and a linear predictor the outputs are a sum over its trees.
    out_features : int
        Number of outputs (logits, or regression targets).
    hidden_layers : sequence of int, default=()
        Widths of fully connected layers with ELU; () is a linear predictor.
    dropout : float, default=0.0
        Probability of dropping a hidden unit in training, in [0, 1).
    tree_only : bool, default=False
        Whether the predictor gets only z: then the model uses only the path of x.

    Examples
    --------
    >>> import torch
    >>> from treewright.latent import LatentTree, LatentTreeNetwork
    >>> network = LatentTreeNetwork(LatentTree(3, depth=2), out_features=2)
    >>> network(torch.rand(5, 3)).shape
    torch.Size([5, 2])
    """

    def __init__(
        self,
        tree: LatentTree | LatentForest,
        out_features: int,
        *,
        hidden_layers: Sequence[int] = (),
        dropout: float = 0.0,
        tree_only: bool = False,
    ) -> None:
        super().__init__()
        if not (is_real(dropout) and 0 <= dropout < 1):
            raise InputError(f"dropout must be in [0, 1); got {dropout!r}.")
        listed = isinstance(hidden_layers, Sequence) and not isinstance(hidden_layers, str)
        if not listed or any(not isinstance(width, int) or width < 1 for width in hidden_layers):
            raise InputError(f"hidden_layers must be a sequence of widths >= 1; got {hidden_layers!r}.")
        self.tree = tree
        widths = [*hidden_layers, out_features]
        device, dtype = tree.bias.device, tree.bias.dtype
        n_nodes = len(tree.nodes)
        bound = 1 / math.sqrt(n_nodes + (0 if tree_only else tree.in_features))  # as Linear over [x, z]

        def draw(*size: int) -> torch.nn.Parameter:
            return nn.Parameter(torch.empty(*size, device=device, dtype=dtype).uniform_(-bound, bound))

        # The first layer is kept in two parts, so that [x, z] is never copied together.
        self.x_weight = None if tree_only else draw(widths[0], tree.in_features)
        self.z_weight = draw(widths[0], n_nodes)
        self.first_bias = draw(widths[0])
        rest: list[torch.nn.Module] = []
        for before, after in pairwise(widths):
            rest += [nn.ELU(), nn.Dropout(dropout), nn.Linear(before, after, device=device, dtype=dtype)]
        self.rest = nn.Sequential(*rest) if rest else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return outputs of rows.

        Parameters
        ----------
        x : Tensor of shape (n_rows, in_features)

        Returns
        -------
        Tensor of shape (n_rows, out_features)
        """
        z = self.tree.compact(x)
        out = torch.addmm(self.first_bias.unsqueeze(1), self.z_weight, z)
        if self.x_weight is not None:
            out = torch.addmm(out, self.x_weight, x.t())
        return out.t() if self.rest is None else self.rest(out.t())

    def prune_(self, threshold: float = 0.0) -> LatentTreeNetwork:
        """Drop nodes of the tree (`LatentTree.prune_`) and their inputs to the predictor.

        Parameters
        ----------
        threshold : float, default=0.0
            In [0, 1).

        Returns
        -------
        LatentTreeNetwork
            This network.
        """
        before = self.tree.nodes
        self.tree.prune_(threshold)
        with torch.no_grad():
            self.z_weight = nn.Parameter(self.z_weight[:, torch.isin(before, self.tree.nodes)].clone())
        return self

    def _load_from_state_dict(self, state: Any, prefix: str, *args: Any) -> None:
        weight = state.get(prefix + "z_weight")
        if weight is not None and weight.shape[1] < self.z_weight.shape[1]:
            self.z_weight = nn.Parameter(self.z_weight[:, : weight.shape[1]].detach().clone())
        super()._load_from_state_dict(state, prefix, *args)
