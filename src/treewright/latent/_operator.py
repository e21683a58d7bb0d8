"""The tree layer as an operator that PyTorch knows by name, so that whole graphs are compiled and exported with it.

`torch.compile` and `torch.export` cannot look into a kernel; of an operator they need the shapes of its results and
its derivative. Outside of them the layer is called directly (`_layer.py`), which takes less time a call.
"""

from __future__ import annotations

from typing import Any

from treewright.latent._kernels import layer_backward, layer_forward
from treewright.latent._shape import TreeShape, complete_shape
from treewright.latent._torch import torch

__all__ = ["layer_operator"]


def _shape(nodes: torch.Tensor, depth: int) -> TreeShape:
    if len(nodes) == 2 ** (depth + 1) - 1:
        return complete_shape(depth)
    return TreeShape(depth, nodes.numpy())


def _forward(
    s: torch.Tensor,
    nodes: torch.Tensor,
    depth: int,
    pruning: float,
    offset: float,
    fixed: torch.Tensor | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    return layer_forward(s.detach().contiguous(), _shape(nodes, depth), pruning, offset, fixed)


def _backward(
    s: torch.Tensor,
    state: torch.Tensor,
    nodes: torch.Tensor,
    depth: int,
    offset: float,
    grad_z: torch.Tensor,
    grad_a: torch.Tensor,
) -> torch.Tensor:
    shape = _shape(nodes, depth)
    return layer_backward(s.contiguous(), shape, offset, state, grad_z.contiguous(), grad_a.contiguous())


def _registered() -> tuple[Any, Any]:
    forward = torch.library.custom_op(
        "treewright::tree_layer",
        _forward,
        mutates_args=(),
        device_types="cpu",
        schema="(Tensor s, Tensor nodes, int depth, float pruning, float offset, Tensor? fixed) -> (Tensor, Tensor)",
    )
    backward = torch.library.custom_op(
        "treewright::tree_layer_backward",
        _backward,
        mutates_args=(),
        device_types="cpu",
        schema="(Tensor s, Tensor state, Tensor nodes, int depth, float offset, Tensor grad_z, Tensor grad_a)"
        " -> Tensor",
    )

    @forward.register_fake
    def _(s: torch.Tensor, nodes: torch.Tensor, *_: Any) -> tuple[torch.Tensor, torch.Tensor]:
        return s.new_empty(nodes.shape[0], s.shape[1]), s.new_empty(2, nodes.shape[0])

    @backward.register_fake
    def _(s: torch.Tensor, *_: Any) -> torch.Tensor:
        return torch.empty_like(s, memory_format=torch.contiguous_format)

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, torch.Tensor]) -> None:
        s, nodes, ctx.depth, _, ctx.offset, _ = inputs
        ctx.save_for_backward(s, nodes, output[1])

    def derivative(ctx: Any, grad_z: torch.Tensor, grad_state: torch.Tensor) -> tuple[Any, ...]:
        s, nodes, state = ctx.saved_tensors
        return backward(s, state, nodes, ctx.depth, ctx.offset, grad_z, grad_state[0]), *([None] * 5)

    forward.register_autograd(derivative, setup_context=setup_context)
    return forward, backward


_OPERATOR, _ = _registered()


def layer_operator(
    s: torch.Tensor,
    nodes: torch.Tensor,
    depth: int,
    pruning: float,
    offset: float,
    fixed: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return traversals (n_nodes, n_rows) and the pruning vector (n_nodes,), as `tree_layer`, by the operator.

    Parameters
    ----------
    s : Tensor of shape (n_splits, n_rows), float32 or float64
        On the CPU.
    nodes : Tensor of shape (n_nodes,), int64
        Names of the nodes that are there.
    depth : int
        Of the complete tree.
    pruning, offset : float
        lambda > 0, and 1/2 for the paper's routing.
    fixed : Tensor of shape (n_nodes,), optional
        A given pruning vector instead of a solved one.
    """
    z, state = _OPERATOR(s, nodes, depth, pruning, offset, fixed)
    return z, state[0]
