"""The tree layer under the transforms of `torch.func` (grad, vmap, jacrev).

They want of a function that the context is made apart, that there is a rule for `vmap`, and that `backward` uses the
kernel through another such function only. PyTorch takes .1 ms more for a call of such a function, twice the rest of a
small layer, so `_layer.py` has one without for all other calls.
"""

from __future__ import annotations

from typing import Any

from treewright.latent._checks import NO_SECOND
from treewright.latent._kernels import layer_backward, layer_forward
from treewright.latent._shape import TreeShape
from treewright.latent._torch import torch

__all__ = ["is_transformed", "transformed_layer"]


def is_transformed() -> bool:
    """Whether a transform of `torch.func` is at work; torch.autograd.Function asks in the same way."""
    return bool(torch._C._are_functorch_transforms_active())


class _TreeLayer(torch.autograd.Function):
    """As `_TreeLayer` in `_layer.py`; the third result is for the backward pass."""

    @staticmethod
    def forward(
        s: torch.Tensor, shape: TreeShape, pruning: float, offset: float, fixed: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        z, state = layer_forward(s.detach().contiguous(), shape, pruning, offset, fixed)
        return z, state[0], state

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, ...]) -> None:
        s, ctx.shape, _, ctx.offset, fixed = inputs
        _, a, state = output
        ctx.save_for_backward(s, state)
        ctx.mark_non_differentiable(*((state,) if fixed is None else (a, state)))

    @staticmethod
    def backward(ctx: Any, grad_z: torch.Tensor, grad_a: torch.Tensor, _: Any) -> tuple[Any, ...]:
        s, state = ctx.saved_tensors
        return _solve_gradient(s, state, ctx.shape, ctx.offset, grad_z, grad_a), None, None, None, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *given: Any) -> tuple[Any, ...]:
        return _one_by_one(_solve_layer, info.batch_size, in_dims, given)


class _LayerGradient(torch.autograd.Function):
    """The backward kernel of `_TreeLayer`."""

    @staticmethod
    def forward(
        s: torch.Tensor,
        state: torch.Tensor,
        shape: TreeShape,
        offset: float,
        grad_z: torch.Tensor,
        grad_a: torch.Tensor,
    ) -> torch.Tensor:
        given = (tensor.detach().contiguous() for tensor in (state, grad_z, grad_a))
        return layer_backward(s.detach().contiguous(), shape, offset, *given)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *_: Any) -> Any:
        raise NotImplementedError(NO_SECOND)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *given: Any) -> tuple[Any, ...]:
        return _one_by_one(_solve_gradient, info.batch_size, in_dims, given)


def _one_by_one(apply: Any, n: int, in_dims: tuple[Any, ...], given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Call a function for each of the n entries of a batch: the batching rule of `torch.func.vmap`."""
    parts = [
        apply(*(x if d is None else x.select(d, i) for x, d in zip(given, in_dims, strict=True)))
        for i in range(n)
    ]
    if isinstance(parts[0], tuple):
        return tuple(torch.stack(each) for each in zip(*parts, strict=True)), (0,) * len(parts[0])
    return torch.stack(parts), 0


_solve_layer: Any = _TreeLayer.apply
_solve_gradient: Any = _LayerGradient.apply


def transformed_layer(
    s: torch.Tensor, shape: TreeShape, pruning: float, offset: float, fixed: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return traversals (n_nodes, n_rows) and pruning vector (n_nodes,) of checked scores on the CPU."""
    z, a, _ = _solve_layer(s, shape, pruning, offset, fixed)
    return z, a
