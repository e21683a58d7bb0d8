"""The fused tree layer: split scores -> eq. (1) -> T_lambda of eq. (3), without pooling.

Inside a tree q_child = min(q_parent, +-s), so that the node equations solve themselves in the right order
(proof in cpp/include/treewright/latent/tree_layer.hpp). On a CPU one kernel does all of it, on a graphics
processor with Triton two; elsewhere the same in tensor operations. Everything is node-major, (nodes, rows): a
matrix product gives it that way for free, and a column of a node is contiguous.
"""

from __future__ import annotations

from typing import Any

from treewright.errors import InputError
from treewright.latent._checks import (
    check_pruning,
    check_scores,
    first_derivative_only,
    working_dtype,
)
from treewright.latent._func import is_transformed, transformed_layer
from treewright.latent._fused import is_fused
from treewright.latent._kernels import layer_backward, layer_forward
from treewright.latent._roots import roots
from treewright.latent._shape import TreeShape, complete_shape
from treewright.latent._torch import torch

__all__ = ["OFFSETS", "route", "tree_layer"]

OFFSETS = {"paper": 0.5, "published": 0.0}  # z = clip(q + offset, 0, a)


class _TreeLayer(torch.autograd.Function):
    """The kernels. `fixed` is a given pruning vector, or None to solve for it."""

    @staticmethod
    def forward(
        ctx: Any, s: torch.Tensor, shape: TreeShape, pruning: float, offset: float, fixed: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        s = s.detach().contiguous()
        z, state = layer_forward(s, shape, pruning, offset, fixed)
        ctx.save_for_backward(s, state)
        ctx.shape, ctx.offset = shape, offset
        a = state[0]
        if fixed is not None:
            ctx.mark_non_differentiable(a)
        return z, a

    @staticmethod
    def backward(ctx: Any, grad_z: torch.Tensor, grad_a: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        first_derivative_only()
        s, state = ctx.saved_tensors
        grad_s = layer_backward(s, ctx.shape, ctx.offset, state, grad_z.contiguous(), grad_a.contiguous())
        return grad_s, None, None, None, None


def tree_layer(
    s: torch.Tensor, pruning: float, *, shape: TreeShape | None = None, routing: str = "paper"
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return traversals and pruning vector of a batch, from the scores of its splits.

    Parameters
    ----------
    s : Tensor of shape (n_splits, n_rows)
        Score of each split (node-major) for each row; negative goes left. float16 and bfloat16 are computed
        in float32.
    pruning : float
        lambda of eq. (3), relative to the number of rows; 0 = no pruning: a = 1.
    shape : TreeShape, optional
        Default: the complete tree with ``n_splits = 2**depth - 1``.
    routing : {"paper", "published"}, default="paper"
        z = clip(q + 1/2, 0, a) as in eq. (3), or z = min(clip(q, 0, 1), a) as in the published code.

    Returns
    -------
    z : Tensor of shape (n_nodes, n_rows)
        Node-major traversals in [0, a].
    a : Tensor of shape (n_nodes,)
        Pruning vector; a_child <= a_parent.

    Raises
    ------
    InputError
        If s is not a finite floating matrix of a tree's size (on other devices than the CPU NaN spreads to
        the output instead: a check would have to wait for the device), or pruning is negative.

    References
    ----------
    Zantedeschi, Kusner and Niculae 2021, eq. (1), eq. (3), Prop. 1 and 2.
    """
    check_scores(s, "s", "(n_splits, n_rows)")
    pruning = check_pruning(pruning)
    if shape is None:
        depth = (s.shape[0] + 1).bit_length() - 1
        if s.shape[0] != 2**depth - 1:
            raise _wrong_rows(s, "2**depth - 1")
        shape = complete_shape(depth)
    elif s.shape[0] != shape.n_splits:
        raise _wrong_rows(s, str(shape.n_splits))
    return solve_layer(s, pruning, shape, check_routing(routing))


def solve_layer(
    s: torch.Tensor, pruning: float, shape: TreeShape, offset: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what `tree_layer` returns, for checked arguments."""
    if pruning == 0:
        one = s.new_ones(shape.n_nodes)
        return _route(s, one, shape, offset), one
    dtype = working_dtype(s.dtype)
    if dtype is not s.dtype:
        z, a = solve_layer(s.to(dtype), pruning, shape, offset)
        return z.to(s.dtype), a.to(s.dtype)
    if _has_kernels(s, shape):
        return _by_kernels(s, shape, pruning, offset, None)
    return _tensor_layer(s, shape, pruning, offset)


def route(s: torch.Tensor, a: torch.Tensor, *, shape: TreeShape, routing: str = "paper") -> torch.Tensor:
    """Return traversals (n_nodes, n_rows) for a given pruning vector `a` (n_nodes,): each row by itself."""
    return _route(s, a, shape, check_routing(routing))


def _has_kernels(s: torch.Tensor, shape: TreeShape) -> bool:
    if s.is_cpu:
        return True
    return is_fused(s, shape) and not is_transformed() and not torch.compiler.is_compiling()


def _by_kernels(
    s: torch.Tensor, shape: TreeShape, pruning: float, offset: float, fixed: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    solve = transformed_layer if is_transformed() else _solve_layer
    z, a = solve(s, shape, pruning, offset, fixed)
    return z, a


def _route(s: torch.Tensor, a: torch.Tensor, shape: TreeShape, offset: float) -> torch.Tensor:
    work = s.to(working_dtype(s.dtype))
    if _has_kernels(work, shape):
        z: torch.Tensor = _by_kernels(work, shape, 1.0, offset, a.to(work.dtype))[0]
    else:
        z = clip_scores(scores_to_q(work, shape), a.to(work.dtype), offset)
    return z.to(s.dtype)


def check_routing(routing: str) -> float:
    """Return the offset of a routing's name, else raise InputError."""
    if routing not in OFFSETS:
        raise InputError(f"routing={routing!r}; choose one of {', '.join(OFFSETS)}.")
    return OFFSETS[routing]


def scores_to_q(s: torch.Tensor, shape: TreeShape, *, capped: bool = True) -> torch.Tensor:
    """Return q of eq. (1), shape (n_nodes, n_rows), by running minima along the paths.

    `capped`: the minimum starts from the root's q = 1; else eq. (1) is read literally, without the root.
    """
    q = [s.new_ones(1, s.shape[1])]
    start = q[0] if capped else s.new_full((1, s.shape[1]), torch.inf)
    above = start
    for parent, row, side in shape.levels(s.device):
        above = torch.minimum(above.index_select(0, parent), s.index_select(0, row) * side)
        q.append(above)
    return torch.cat(q)


def clip_scores(q: torch.Tensor, a: torch.Tensor, offset: float) -> torch.Tensor:
    """Return z = clip(q + offset, 0, a); at q + offset = a the gradient goes to q (a Clarke element)."""
    x = q + offset
    return torch.where(x > a[:, None], a[:, None], torch.relu(x))  # relu lets NaN through


class _Roots(torch.autograd.Function):
    """min(1, root) of each column, with the Jacobian after Prop. 2; for tensors of any device."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, pruning: float) -> torch.Tensor:
        a, slope = roots(x.detach(), pruning)
        a = a.clamp(max=1)
        ctx.save_for_backward(x, a, slope)
        return a

    @staticmethod
    def backward(ctx: Any, grad_a: torch.Tensor) -> tuple[torch.Tensor, None]:
        first_derivative_only()
        x, a, slope = ctx.saved_tensors
        h = torch.where((a > 0) & (a < 1), grad_a / slope, 0)
        return torch.where(x > a[:, None], h[:, None], 0), None


_solve_layer: Any = _TreeLayer.apply
_solve_roots: Any = _Roots.apply


def _tensor_layer(
    s: torch.Tensor, shape: TreeShape, pruning: float, offset: float
) -> tuple[torch.Tensor, torch.Tensor]:
    q = scores_to_q(s, shape)
    a = _solve_roots(q + 0.5, pruning)
    return clip_scores(q, a, offset), a


def _wrong_rows(s: torch.Tensor, wanted: str) -> InputError:
    return InputError(
        f"s must have one row per split, {wanted}; got {s.shape[0]} rows (s is node-major: pass s.T)."
    )
