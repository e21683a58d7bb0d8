"""The two kernels of the tree layer, as calls from tensors to new tensors: the CPU's here, others' in `_fused.py`.

All tensors are detached, contiguous and node-major. PyTorch asks for a layer in three ways (a direct call, the
transforms of `torch.func`, and an operator with a name); what they compute is here.
"""

from __future__ import annotations

from treewright._native import core
from treewright.latent._checks import not_finite
from treewright.latent._fused import fused_backward, fused_forward
from treewright.latent._shape import TreeShape
from treewright.latent._torch import torch

__all__ = ["layer_backward", "layer_forward"]


def layer_forward(
    s: torch.Tensor, shape: TreeShape, pruning: float, offset: float, fixed: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the traversals z, (n_nodes, n_rows), and the state (2, n_nodes) that the backward kernel needs.

    Row 0 of the state is the pruning vector a: `fixed`, or solved for where that is None. Row 1 holds the slopes
    lambda + k.
    """
    if not s.is_cpu:
        return fused_forward(s, shape, pruning, offset, fixed)
    z = s.new_empty(shape.n_nodes, s.shape[1])
    state = s.new_empty(2, shape.n_nodes)
    if fixed is not None:
        state[0] = fixed.detach()
        state[1] = torch.inf  # no gradient through a
    if not core.latent_layer_forward(
        shape.left, shape.right, shape.score_row, s.numpy(), pruning, offset, fixed is not None,
        z.numpy(), state.numpy(),
    ):  # fmt: skip
        raise not_finite("s")
    return z, state


def layer_backward(
    s: torch.Tensor,
    shape: TreeShape,
    offset: float,
    state: torch.Tensor,
    grad_z: torch.Tensor,
    grad_a: torch.Tensor,
) -> torch.Tensor:
    """Return the gradient by the scores s, of their shape."""
    if not s.is_cpu:
        return fused_backward(s, shape, offset, state, grad_z, grad_a)
    grad_s = torch.empty_like(s)
    core.latent_layer_backward(
        shape.left, shape.right, shape.score_row, s.numpy(), offset, state.numpy(), grad_z.numpy(), grad_a.numpy(),
        grad_s.numpy(),
    )  # fmt: skip
    return grad_s
