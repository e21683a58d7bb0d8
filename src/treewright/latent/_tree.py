"""A latent tree as a PyTorch module: any network can hold one, before or after other layers.

The pruning vector a depends on the rows it is solved for, and lambda is relative to their number. So in
training mode each batch solves its own; in evaluation mode the stored vector is used, and a row is treated
the same whoever is in its batch. `fix_pruning(x)` solves the stored vector on the training set, which is
what a fitted model should keep.

The paper and the published code differ; the defaults follow the paper:
- ``routing="paper"``: z = clip(q + 1/2, 0, a), the minimiser of eq. (3); "published" is min(clip(q, 0, 1), a).
- ``batch_norm=False``: the published splits are a linear map followed by batch normalisation.
- ``capped=True``: running minima start from the root's q = 1, as in the published code; with False eq. (1) is
  read literally, without the root, and pooling can happen (slower, general projection).

Longer than 400 lines: one class, and a third of it documents what it can be asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.latent._checks import check_pruning, working_dtype
from treewright.latent._layer import check_routing, clip_scores, route, scores_to_q, solve_layer
from treewright.latent._operator import layer_operator
from treewright.latent._projection import prune_traversals
from treewright.latent._shape import TreeShape, check_depth, complete_shape
from treewright.latent._torch import torch

__all__ = ["LatentTree"]

nn, functional = torch.nn, torch.nn.functional


class LatentTree(nn.Module):
    """Binary tree whose splits are learned by gradients through its traversals and its pruning.

    Parameters
    ----------
    in_features : int
        Number of input features.
    depth : int
        Depth D >= 1 of the tree; it starts complete with 2**(D+1) - 1 nodes, 2**D - 1 of them with a split.
    pruning : float, default=1.0
        lambda >= 0 of eq. (3), relative to the rows of a batch; 0 = no pruning.
    splits : "linear", "elu" or Module, default="linear"
        Split scores without their bias: a linear map, a linear map followed by ELU, or any module that maps
        (n_rows, in_features) to (n_rows, 2**depth - 1).
    routing : {"paper", "published"}, default="paper"
        z = clip(q + 1/2, 0, a), or z = min(clip(q, 0, 1), a).
    batch_norm : bool, default=False
        Whether split scores are normalised over the batch before their bias.
    capped : bool, default=True
        Whether the minima of eq. (1) start from q = 1 of the root; see the module's text.
    device, dtype
        Of the parameters.

    Attributes
    ----------
    bias : Parameter of shape (n_splits,)
        The bias b of the splits (Appendix A.4); `initialize` fills it in place.
    pruning_vector : Tensor of shape (n_nodes,)
        Stored a: of the last training batch until `fix_pruning` is called.
    shape : TreeShape
        The nodes that are there.

    References
    ----------
    Zantedeschi, Kusner and Niculae 2021, eq. (1)-(3), Algorithm 2, Appendix A.4.

    Examples
    --------
    >>> import torch
    >>> tree = LatentTree(in_features=4, depth=3, pruning=2.0)
    >>> x = torch.randn(64, 4)
    >>> tree.initialize(x)
    >>> tree(x).shape
    torch.Size([64, 15])
    """

    bias: torch.Tensor
    pruning_vector: torch.Tensor
    nodes: torch.Tensor
    split_names: torch.Tensor
    weight: torch.Tensor
    scale: torch.Tensor
    running_mean: torch.Tensor
    running_var: torch.Tensor
    splits: torch.nn.Module | None

    def __init__(
        self,
        in_features: int,
        depth: int,
        *,
        pruning: float = 1.0,
        splits: str | torch.nn.Module = "linear",
        routing: str = "paper",
        batch_norm: bool = False,
        capped: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if not isinstance(in_features, (int, np.integer)) or in_features < 1:
            raise InputError(f"in_features must be an integer >= 1; got {in_features!r}.")
        self.offset = check_routing(routing)
        if not isinstance(splits, nn.Module) and splits not in ("linear", "elu"):
            raise InputError(f'splits must be "linear", "elu" or a torch Module; got {splits!r}.')
        self.in_features = int(in_features)
        self.depth = check_depth(depth)
        self.pruning = check_pruning(pruning)
        self.routing = routing
        self.capped = capped
        self.batch_norm = batch_norm
        self.shape: TreeShape = complete_shape(self.depth)
        made: dict[str, Any] = {"device": device, "dtype": dtype}
        n_splits = self.shape.n_splits
        self.splits = splits if isinstance(splits, nn.Module) else None
        self.elu = splits == "elu"
        if self.splits is None:
            bound = 1 / math.sqrt(in_features)  # as torch.nn.Linear
            self.weight = nn.Parameter(torch.empty(n_splits, in_features, **made).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(n_splits, **made))
        if batch_norm:
            self.scale = nn.Parameter(torch.ones(n_splits, **made))
            self.register_buffer("running_mean", torch.zeros(n_splits, **made))
            self.register_buffer("running_var", torch.ones(n_splits, **made))
        self.register_buffer("pruning_vector", torch.ones(self.shape.n_nodes, **made))
        self.register_buffer("nodes", torch.as_tensor(self.shape.nodes, device=device))
        self.register_buffer("split_names", torch.arange(n_splits, device=device))

    @property
    def out_features(self) -> int:
        """Width of the output: nodes of the complete tree, also after `prune_`."""
        return int(2 ** (self.depth + 1) - 1)

    @property
    def active_nodes(self) -> NDArray[np.int64]:
        """Names (breadth-first numbers) of the nodes with a > 0 in the stored pruning vector, ascending."""
        return self.shape.nodes[self.pruning_vector.detach().cpu().numpy() > 0]

    def extra_repr(self) -> str:
        """Say the settings and the number of nodes.

        Returns
        -------
        str
        """
        return (
            f"in_features={self.in_features}, depth={self.depth}, pruning={self.pruning:g}, "
            f"routing={self.routing!r}, batch_norm={self.batch_norm}, nodes={self.shape.n_nodes}"
        )

    # ------------------------------------------------------------------------------------------ forward

    def scores(self, x: torch.Tensor) -> torch.Tensor:
        """Return the split scores s of some rows.

        Parameters
        ----------
        x : Tensor of shape (n_rows, in_features)

        Returns
        -------
        Tensor of shape (n_splits, n_rows)

        Raises
        ------
        InputError
            `x` has another shape, or no row.
        """
        if x.ndim != 2 or x.shape[1] != self.in_features or x.shape[0] == 0:
            raise InputError(
                f"x must have shape (n_rows, {self.in_features}) with at least one row; got {tuple(x.shape)}."
            )
        if self.splits is None and not self.batch_norm and not self.elu:
            return torch.addmm(self.bias.unsqueeze(1), self.weight, x.t())
        raw = self._raw(x)
        linear = not self.elu
        if self.batch_norm:
            raw = self._normalise(raw, self.bias if linear else None)
        if self.elu:
            raw = functional.elu(raw)
        return raw if self.batch_norm and linear else raw + self.bias.unsqueeze(1)

    def compact(self, x: torch.Tensor) -> torch.Tensor:
        """Return traversals of the nodes that are there, node-major. See `forward`.

        Parameters
        ----------
        x : Tensor of shape (n_rows, in_features)

        Returns
        -------
        Tensor of shape (n_nodes, n_rows)
        """
        s = self.scores(x)
        if torch.compiler.is_compiling() and self.capped and s.is_cpu:
            z, a = self._by_operator(s)
            if self.training:
                self.pruning_vector.copy_(a.detach())
            return z
        if not self.training:
            return self._route(s)
        if self.capped:
            z, a = solve_layer(s, self.pruning, self.shape, self.offset)
        else:
            z, a = self._uncapped(s)
        self.pruning_vector.copy_(a.detach())
        return z

    def _by_operator(self, s: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return traversals and pruning vector, by an operator that stays whole in a compiled or exported graph."""
        work = s.to(working_dtype(s.dtype))
        fixed = None if self.training and self.pruning > 0 else self.pruning_vector.to(work.dtype)
        if self.training and self.pruning == 0:
            fixed = torch.ones_like(self.pruning_vector).to(work.dtype)
        z, a = layer_operator(work, self.nodes, self.depth, self.pruning or 1.0, self.offset, fixed)
        return z.to(s.dtype), a.to(self.pruning_vector.dtype)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return traversals z of rows x.

        In training mode a is solved for the batch (and stored); in evaluation mode the stored a is used.

        Parameters
        ----------
        x : Tensor of shape (n_rows, in_features)

        Returns
        -------
        Tensor of shape (n_rows, out_features)
            z in [0, 1]; columns of dropped nodes are 0.
        """
        return self._widen(self.compact(x))

    def traverse(self, x: torch.Tensor) -> torch.Tensor:
        """Return traversals by the stored pruning vector in any mode.

        Parameters
        ----------
        x : Tensor of shape (n_rows, in_features)

        Returns
        -------
        Tensor of shape (n_rows, out_features)
        """
        training = self.training
        try:
            return self._widen(self.eval().compact(x))
        finally:
            self.train(training)

    def leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the name of the deepest active node that the signs of the splits lead each row to.

        At a split whose chosen child is pruned the row stays.

        Parameters
        ----------
        x : Tensor of shape (n_rows, in_features)

        Returns
        -------
        Tensor of shape (n_rows,), int64
        """
        training = self.training
        self.eval()
        with torch.no_grad():
            s = self.scores(x)
        self.train(training)
        shape, alive = self.shape, self.pruning_vector > 0
        child = torch.as_tensor(np.stack([shape.left, shape.right], axis=1).astype(np.int64), device=x.device)
        stays = torch.arange(len(child), device=x.device)[:, None]
        following = torch.where((child >= 0) & alive[child.clamp(min=0)], child, stays).flatten()
        right = s >= 0
        row = torch.as_tensor(np.maximum(shape.score_row, 0).astype(np.int64), device=x.device)
        at = torch.zeros(x.shape[0], dtype=torch.int64, device=x.device)
        for _ in range(self.depth):
            if shape.n_splits == 0:
                break
            side = right.gather(0, row.index_select(0, at).unsqueeze(0))[0]
            at = following.index_select(0, 2 * at + side)
        return self.nodes[at]

    # ------------------------------------------------------------------------------------------ fitting

    @torch.no_grad()
    def initialize(self, x: torch.Tensor) -> None:
        """Balance the tree: b_t = minus the mean score of the rows that reach t (Appendix A.4).

        Fills `bias` in place, level by level, because the biases above a node decide which rows reach it. The Parameter
        object stays the same, so an existing optimizer continues to train it. A node that no row reaches gets the mean
        over all rows.

        Parameters
        ----------
        x : Tensor of shape (n_rows, in_features)
            Training rows, all or a sample.
        """
        self.bias.zero_()
        raw = self._raw(x)
        if self.batch_norm:
            mean, var = raw.mean(1), raw.var(1, unbiased=False)
            self.running_mean.copy_(mean)
            self.running_var.copy_(var)
            raw = (raw - mean[:, None]) / (var[:, None] + EPSILON).sqrt() * self.scale[:, None]
        if self.elu:
            raw = functional.elu(raw)
        shape = self.shape
        reaches = torch.zeros(shape.n_nodes, raw.shape[1], dtype=torch.bool, device=raw.device)
        reaches[0] = True
        for t in range(shape.n_nodes):
            if not shape.inner[t]:
                continue
            row = int(shape.score_row[t])
            here = raw[row][reaches[t]]
            self.bias[row] = -(here if len(here) else raw[row]).mean()
            s = raw[row] + self.bias[row]
            if shape.left[t] >= 0:
                reaches[shape.left[t]] = reaches[t] & (s < 0)
            if shape.right[t] >= 0:
                reaches[shape.right[t]] = reaches[t] & (s > 0)

    @torch.no_grad()
    def fix_pruning(self, x: torch.Tensor, *, batch_size: float | None = None) -> torch.Tensor:
        """Solve the pruning vector once for rows x (the training set), store it and return it.

        Parameters
        ----------
        x : Tensor of shape (n_rows, in_features)
        batch_size : float, optional
            Rows of a training batch: lambda is relative to them and is scaled by n_rows / batch_size.
            Default: x counts as one batch.

        Returns
        -------
        Tensor of shape (n_nodes,)
        """
        training = self.training
        s = self.eval().scores(x)
        self.train(training)
        pruning = self.pruning * (1.0 if batch_size is None else x.shape[0] / batch_size)
        if self.capped:
            _, a = solve_layer(s, pruning, self.shape, self.offset)
        else:
            _, a = self._uncapped(s, pruning)
        self.pruning_vector.copy_(a)
        return self.pruning_vector

    def prune_(self, threshold: float = 0.0) -> LatentTree:
        """Drop the nodes with a <= threshold in the stored vector, and the splits that only led to them.

        With 0 the output in evaluation mode stays the same, because a dropped z is 0 for every row (z <= a). With a
        larger threshold no z changes by more than the threshold. `a` decreases along the tree, so whole subtrees are
        dropped. Parameters, memory and time become smaller. Existing optimizers hold the old parameters: make a new one
        to continue training. Dropped nodes do not come back.

        Parameters
        ----------
        threshold : float, default=0.0
            In [0, 1).

        Returns
        -------
        LatentTree
            This tree.

        Raises
        ------
        InputError
            The threshold is outside [0, 1).
        """
        if not 0 <= threshold < 1:
            raise InputError(f"threshold must be in [0, 1); got {threshold!r}.")
        alive = self.pruning_vector.detach().cpu().numpy() > threshold
        self._become(self.shape.keep(alive))
        return self

    # ------------------------------------------------------------------------------------------ details

    def _raw(self, x: torch.Tensor) -> torch.Tensor:
        """Split scores before normalisation, ELU and bias, (n_splits, n_rows)."""
        if self.splits is None:
            return self.weight @ x.t()
        raw: torch.Tensor = self.splits(x)
        n_all = 2**self.depth - 1
        if raw.ndim != 2 or raw.shape != (x.shape[0], n_all):
            raise InputError(
                f"the splits module must return shape (n_rows, 2**depth - 1) = {(x.shape[0], n_all)}; "
                f"got {tuple(raw.shape)}."
            )
        raw = raw.t()
        return raw if self.shape.is_complete else raw.index_select(0, self.split_names)

    def _normalise(self, raw: torch.Tensor, shift: torch.Tensor | None) -> torch.Tensor:
        if self.training and raw.shape[1] < 2:
            raise InputError("batch_norm needs at least two rows in a training batch; got one.")
        # One sequence of rows a channel: normalises node-major scores without a transposed copy.
        return functional.batch_norm(
            raw.unsqueeze(0),
            self.running_mean,
            self.running_var,
            self.scale,
            shift,
            self.training,
            0.1,
            EPSILON,
        ).squeeze(0)

    def _route(self, s: torch.Tensor) -> torch.Tensor:
        if self.capped:
            return route(s, self.pruning_vector, shape=self.shape, routing=self.routing)
        q = scores_to_q(s, self.shape, capped=False)
        return clip_scores(q, self.pruning_vector, self.offset)

    def _uncapped(self, s: torch.Tensor, pruning: float | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        if not self.shape.is_complete:
            raise InputError("with capped=False a tree cannot be trained any more after prune_().")
        q = scores_to_q(s, self.shape, capped=False)
        a, _ = prune_traversals(q.t(), self.pruning if pruning is None else pruning)
        return clip_scores(q, a, self.offset), a

    def _widen(self, z: torch.Tensor) -> torch.Tensor:
        if (
            len(self.nodes) < self.out_features
        ):  # not shape.is_complete: a graph cannot enter a cached property
            z = z.new_zeros(self.out_features, z.shape[1]).index_copy(0, self.nodes, z)
        return z.t()

    def _become(self, shape: TreeShape) -> None:
        """Keep the nodes of `shape` (a subset of the present ones) and the parameters of their splits."""
        node_at = torch.as_tensor(np.searchsorted(self.shape.nodes, shape.nodes), device=self.nodes.device)
        inner = np.searchsorted(self.shape.nodes, shape.nodes[shape.inner])
        split_at = torch.as_tensor(self.shape.score_row[inner].astype(np.int64), device=self.nodes.device)
        with torch.no_grad():
            for name in ("weight", "bias", "scale"):
                old = self._parameters.get(name)
                if old is not None:
                    setattr(self, name, nn.Parameter(old[split_at].clone(), requires_grad=old.requires_grad))
            for name in ("running_mean", "running_var", "split_names"):
                if name in self._buffers:
                    setattr(self, name, getattr(self, name)[split_at].clone())
            self.pruning_vector = self.pruning_vector[node_at].clone()
            self.nodes = self.nodes[node_at].clone()
        self.shape = shape

    def _load_from_state_dict(self, state: Mapping[str, Any], prefix: str, *args: Any) -> None:
        """Take the shape of a pruned checkpoint first, if this tree has all its nodes."""
        nodes = state.get(prefix + "nodes")
        if nodes is not None and not np.array_equal(nodes.cpu().numpy(), self.shape.nodes):
            shape = TreeShape(self.depth, nodes.cpu().numpy())
            if not np.isin(shape.nodes, self.shape.nodes).all():
                raise InputError(
                    f"the checkpoint is of another tree: it has {shape.n_nodes} nodes up to number "
                    f"{shape.nodes[-1]}, this one {self.shape.n_nodes} up to {self.shape.nodes[-1]} (depth "
                    f"{self.depth}). Build the tree with the depth it was saved with."
                )
            self._become(shape)
        super()._load_from_state_dict(state, prefix, *args)


EPSILON = 1e-5  # of the normalisation, as torch.nn.BatchNorm1d
