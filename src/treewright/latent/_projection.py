"""T_lambda of eq. (3) for free scores q, pooling included.

On a CPU a C++ kernel (cpp/include/treewright/latent/projection.hpp has the dynamic program and its proof);
elsewhere the same dynamic program level by level in tensor operations, with a fixed number of Newton steps
so that nothing is read back from the device. The backward pass is the paper's Jacobian (after Prop. 2):
inside a group G of equal a, d a_G / d q_it = 1 / (lambda |G| + k) for the pairs in the support, and z
follows q or a.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from treewright._native import core
from treewright.errors import InputError
from treewright.latent._checks import (
    check_pruning,
    check_scores,
    first_derivative_only,
    not_finite,
    working_dtype,
)
from treewright.latent._roots import roots
from treewright.latent._torch import torch

__all__ = ["prune_traversals"]

POOL_STEPS = 16  # Newton steps a level of the tensor path; see _roots


def prune_traversals(q: torch.Tensor, pruning: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Project scores onto pruned tree traversals: the operator T_lambda of eq. (3), differentiable.

    Parameters
    ----------
    q : Tensor of shape (n_rows, n_nodes)
        Score of each node of a complete tree for each row, breadth first; n_nodes = 2**(depth+1) - 1. Any
        floating dtype (float16 and bfloat16 are computed in float32) and device. A row-major tensor (as
        PyTorch makes them) is used without a copy.
    pruning : float
        lambda >= 0, relative to the number of rows. 0 = no pruning: among the minimisers of eq. (3), which is
        then not strictly convex in a, the one with a = 1 is returned.

    Returns
    -------
    a : Tensor of shape (n_nodes,)
        Pruning vector in [0, 1], a_child <= a_parent; a_t = 0 exactly if no row has q_it > -1/2 at t or
        an ancestor's group forces it.
    z : Tensor of shape (n_rows, n_nodes)
        Traversals, z_it = clip(q_it + 1/2, 0, a_t).

    Raises
    ------
    InputError
        If q is not a finite floating matrix of a complete tree's width, or pruning is negative. On other devices than
        the CPU NaN is not checked, because the check would have to wait for the device; it propagates to the output.

    Notes
    -----
    Time O(n_rows n_nodes) times Newton steps (4-7 usual), and times up to the depth where children are
    pooled with their parents; memory linear in n_rows n_nodes: only q, a and one number and a group a node
    are kept for backward.

    References
    ----------
    Zantedeschi, Kusner and Niculae 2021, eq. (3), Prop. 1, Prop. 2, Algorithm 1.

    Examples
    --------
    >>> import torch
    >>> a, z = prune_traversals(torch.tensor([[1.0, 0.8, -0.8], [1.0, -0.2, 0.2]]), pruning=1.0)
    >>> [round(v, 4) for v in a.tolist()]
    [1.0, 0.65, 0.35]
    """
    check_scores(q, "q", "(n_rows, n_nodes)")
    pruning = check_pruning(pruning)
    nodes = q.shape[1]
    if nodes < 3 or (nodes + 1) & nodes:
        raise InputError(
            f"q must have 2**(depth+1) - 1 columns with depth >= 1 (3, 7, 15, ...); got {nodes}."
        )
    dtype = working_dtype(q.dtype)
    if dtype is not q.dtype:
        a, z = prune_traversals(q.to(dtype), pruning)
        return a.to(q.dtype), z.to(q.dtype)
    if pruning == 0:
        if q.is_cpu and not bool(torch.isfinite(q).all()):
            raise not_finite("q")
        return q.new_ones(nodes), (q + 0.5).clamp(0, 1)
    a, z = (_project if q.is_cpu else _project_tensor)(q, pruning)
    return a, z


class _Projection(torch.autograd.Function):
    """The C++ kernel."""

    @staticmethod
    def forward(ctx: Any, q: torch.Tensor, pruning: float) -> tuple[torch.Tensor, torch.Tensor]:
        q = q.detach().contiguous()
        z = torch.empty_like(q)
        state = q.new_empty(2, q.shape[1])  # the pruning vector a, and the slopes lambda |G| + k
        group = torch.empty(q.shape[1], dtype=torch.int32)
        if not core.latent_project_forward(q.numpy(), pruning, z.numpy(), state.numpy(), group.numpy()):
            raise not_finite("q")
        ctx.save_for_backward(q, state, group)
        return state[0], z

    @staticmethod
    def backward(ctx: Any, grad_a: torch.Tensor, grad_z: torch.Tensor) -> tuple[torch.Tensor, None]:
        first_derivative_only()
        q, state, group = ctx.saved_tensors
        grad_q = torch.empty_like(q)
        core.latent_project_backward(
            q.numpy(), state.numpy(), group.numpy(),
            grad_z.contiguous().numpy(), grad_a.contiguous().numpy(), grad_q.numpy(),
        )  # fmt: skip
        return grad_q, None


class _TensorProjection(torch.autograd.Function):
    """The same in tensor operations."""

    @staticmethod
    def forward(ctx: Any, q: torch.Tensor, pruning: float) -> tuple[torch.Tensor, torch.Tensor]:
        x = q.detach().t() + 0.5
        b, slope, group = _pooled(x, pruning)
        a = b.clamp(max=1)
        z = torch.where(x > a[:, None], a[:, None], torch.relu(x))  # relu lets NaN through
        ctx.save_for_backward(x, a, slope, group)
        return a, z.t()

    @staticmethod
    def backward(ctx: Any, grad_a: torch.Tensor, grad_z: torch.Tensor) -> tuple[torch.Tensor, None]:
        first_derivative_only()
        x, a, slope, group = ctx.saved_tensors
        grad = grad_z.t()
        above = x > a[:, None]
        share = grad_a + torch.where(above, grad, 0).sum(1)
        total = torch.zeros_like(share).index_add_(0, group, share)
        h = torch.where((a > 0) & (a < 1), total / slope, 0)[group]
        return torch.where(above, h[:, None], torch.where(x > 0, grad, 0)).t(), None


_project: Any = _Projection.apply
_project_tensor: Any = _TensorProjection.apply


@lru_cache(maxsize=32)
def _in_order(depth: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Breadth-first numbers of a complete tree's nodes in in-order: subtrees are then contiguous blocks."""

    def walk(t: int) -> list[int]:
        return [t] if 2 * t + 2 >= 2 ** (depth + 1) - 1 else [*walk(2 * t + 1), t, *walk(2 * t + 2)]

    return np.asarray(walk(0))


def _pooled(x: torch.Tensor, pruning: float) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return b (isotonic solution before the box), slope and group of each node; x is (n_nodes, n_rows)."""
    nodes = x.shape[0]
    depth = nodes.bit_length() - 1
    m, slope = roots(x, pruning)
    # In in-order with one pad row, the subtrees of a level are equal blocks: node t of level l is the
    # middle of block [2^(depth+1-l)] and its last entry is an ancestor (or the pad), masked by cap = -inf.
    order = torch.as_tensor(_in_order(depth), device=x.device)
    x_in = torch.cat([x[order], x.new_zeros(1, x.shape[1])])
    for level in range(depth - 1, -1, -1):
        first, count, width = 2**level - 1, 2**level, 2 ** (depth + 1 - level)
        block = x_in.view(count, width, -1)
        cap = _caps(m, depth, level)
        a = m[first : first + count]
        for _ in range(POOL_STEPS):
            on = cap > a[:, None]
            threshold = torch.where(on, a[:, None], torch.inf)[:, :, None]
            above = block > threshold
            total = torch.where(above, block, 0).sum((1, 2))
            # Counts in the dtype of x (see _roots).
            steep = on.sum(1).to(x.dtype) * pruning + above.sum((1, 2)).to(x.dtype)
            a = torch.maximum(a, total / steep)
        on = cap > a[:, None]
        above = block > torch.where(on, a[:, None], torch.inf)[:, :, None]
        steep = on.sum(1).to(x.dtype) * pruning + above.sum((1, 2)).to(x.dtype)
        m = torch.cat([m[:first], a, m[first + count :]])
        slope = torch.cat([slope[:first], steep, slope[first + count :]])
    b = [m[:1]]
    group = [torch.zeros(1, dtype=torch.int64, device=x.device)]
    for level in range(1, depth + 1):
        first, count = 2**level - 1, 2**level
        here = m[first : first + count]
        above_b, above_group = b[-1].repeat_interleave(2), group[-1].repeat_interleave(2)
        pooled = here > above_b
        b.append(torch.where(pooled, above_b, here))
        group.append(torch.where(pooled, above_group, torch.arange(first, first + count, device=x.device)))
    return torch.cat(b), slope, torch.cat(group)


def _caps(m: torch.Tensor, depth: int, level: int) -> torch.Tensor:
    """Smallest m on the path from a child of t to each node of t's block; +inf at t, -inf at the pad."""
    count = 2**level
    cap = m.new_full((count, 1), torch.inf)  # level by level below t, kept in in-order
    for below in range(level + 1, depth + 1):
        first = 2**below - 1
        mine = m[first : first + 2**below].view(count, -1)
        # in-order of a tree one level deeper: leaf, node, leaf, ..., leaf; a leaf's parent is a neighbour.
        k = cap.shape[1]
        out = m.new_empty(count, 2 * k + 1)
        out[:, 1::2] = cap
        parents = cap[:, torch.arange(k + 1, device=m.device).clamp(max=k - 1)]
        right_of = cap[:, (torch.arange(k + 1, device=m.device) - 1).clamp(min=0)]
        # Of a leaf's two neighbours one is its parent, the other a higher ancestor (or none at the ends).
        # The path to the leaf passes both, and caps shrink along it, so the parent's is the smaller.
        out[:, 0::2] = torch.minimum(mine, torch.minimum(parents, right_of))
        cap = out
    return torch.cat([cap, m.new_full((count, 1), -torch.inf)], 1)
