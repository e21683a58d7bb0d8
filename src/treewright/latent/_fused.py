"""The two passes of the tree layer on a graphics processor, as kernels of Triton.

They compute what the CPU's kernels compute (`_kernels.py`, cpp/include/treewright/latent/tree_layer.hpp). There, a
column is made from its parent's; here a node's program takes the minimum along its whole path again, for the scores
are few and near, and programs do not wait for each other. Nothing is read back from the device.

Triton comes with PyTorch's builds for CUDA. With TRITON_INTERPRET=1 the same kernels run on a CPU, for tests.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np

from treewright.latent._shape import TreeShape
from treewright.latent._torch import torch

try:
    import triton
    import triton.language as tl
except ImportError:  # PyTorch's builds for CPUs come without it
    triton = None

__all__ = ["fused_backward", "fused_forward", "is_fused"]

DEEPEST = 10  # deeper trees are too many programs of too long a path, and go by tensor operations
# Rows that a program holds at once: of a node, where it runs over all (the fewest of these that are enough, for each is
# compiled by itself); else of a node; and of all nodes.
COLUMN_BLOCKS, ROW_BLOCK, CLIMB_BLOCK = (256, 1024, 4096), 256, 64


def is_fused(s: torch.Tensor, shape: TreeShape) -> bool:
    """Whether scores of this device are for these kernels."""
    return bool(triton is not None and s.is_cuda and shape.depth <= DEEPEST)


def fused_forward(
    s: torch.Tensor, shape: TreeShape, pruning: float, offset: float, fixed: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what `_kernels.layer_forward` returns, on the device of the scores."""
    n = s.shape[1]
    path, above = _paths(shape, s.device)
    z, state = s.new_empty(shape.n_nodes, n), s.new_empty(2, shape.n_nodes)
    with _on(s):
        if fixed is None:
            high = float(np.float32(pruning))  # a number is handed over in single precision: two make one
            block = _column_block(n)
            _roots[(shape.n_nodes,)](
                s, path, state, n, shape.n_nodes, high, pruning - high, path.shape[1], block, n <= block
            )
            state[0] = _least_above(state[0], above)  # rounding: no child has more than its parent
        else:
            state[0] = fixed.detach()
            state[1] = torch.inf  # no gradient through a
        _traversals[(triton.cdiv(n, ROW_BLOCK), shape.n_nodes)](
            s, path, state, z, n, offset - 0.5, path.shape[1], ROW_BLOCK
        )
    return z, state


def fused_backward(
    s: torch.Tensor,
    shape: TreeShape,
    offset: float,
    state: torch.Tensor,
    grad_z: torch.Tensor,
    grad_a: torch.Tensor,
) -> torch.Tensor:
    """Return what `_kernels.layer_backward` returns, on the device of the scores."""
    n = s.shape[1]
    path, _ = _paths(shape, s.device)
    children, score_row = _children(shape, s.device)
    share, grad_q, grad_s = torch.empty_like(state[0]), torch.empty_like(grad_z), torch.empty_like(s)
    with _on(s):
        shift, depth = offset - 0.5, path.shape[1]
        _shares[(shape.n_nodes,)](
            s, path, state, grad_z, grad_a, share, n, shape.n_nodes, shift, depth, _column_block(n)
        )
        _climb[(triton.cdiv(n, CLIMB_BLOCK),)](
            s, path, state, share, children, score_row, grad_z, grad_q, grad_s, n, shape.n_nodes, shift, depth,
            CLIMB_BLOCK,
        )  # fmt: skip
    return grad_s


def _on(s: torch.Tensor) -> Any:
    return torch.cuda.device(s.device) if s.is_cuda else nullcontext()


def _column_block(n: int) -> int:
    return next((block for block in COLUMN_BLOCKS if n <= block), COLUMN_BLOCKS[-1])


def _least_above(a: torch.Tensor, above: torch.Tensor) -> torch.Tensor:
    return torch.minimum(a, torch.where(above >= 0, a[above], torch.inf).amin(1))


def _paths(shape: TreeShape, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Return for each node the score rows from the root down, plus one, with their signs (0: the path is over), and its
    ancestors (-1: none), each of shape (n_nodes, depth).
    """
    paths: tuple[torch.Tensor, torch.Tensor] = shape.on_device("paths", device, _make_paths)
    return paths


def _children(shape: TreeShape, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the children of each node, (n_nodes, 2), and its score row."""
    children: tuple[torch.Tensor, torch.Tensor] = shape.on_device("children", device, _make_children)
    return children


def _make_paths(shape: TreeShape, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    path = np.zeros((shape.n_nodes, max(1, int(shape.node_depth.max()))), np.int32)
    above = np.full(path.shape, -1, np.int64)
    for t in range(1, shape.n_nodes):
        parent, level = shape.parent[t], shape.node_depth[t] - 1
        path[t], above[t] = path[parent], above[parent]
        path[t, level] = (shape.score_row[parent] + 1) * shape.side[t]
        above[t, level] = parent
    return torch.as_tensor(path, device=device), torch.as_tensor(above, device=device)


def _make_children(shape: TreeShape, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    children = np.stack([shape.left, shape.right], 1)
    return torch.as_tensor(children, device=device), torch.as_tensor(shape.score_row, device=device)


if triton is not None:

    @triton.jit
    def _x_of(s, path, t, i, here, n, DEPTH: tl.constexpr):
        """Return x = q + 1/2 of node t for the rows i: the least along its path, which begins with the root's 3/2."""
        x = tl.full(i.shape, 1.5, s.dtype.element_ty)
        for k in tl.static_range(DEPTH):
            step = tl.load(path + t * DEPTH + k)
            row = tl.abs(step).to(tl.int64) - 1
            score = tl.load(s + row * n + i, mask=tl.where(step != 0, here, i < 0), other=float("inf"))
            x = tl.minimum(x, tl.where(step < 0, 0.5 - score, 0.5 + score), propagate_nan=tl.PropagateNan.ALL)
        return x

    @triton.jit
    def _above(s, path, t, n, a, x, DEPTH: tl.constexpr, BLOCK: tl.constexpr, ALL: tl.constexpr):
        """The sum and the number of the x above a: `x` holds all, or they are made again block by block."""
        if ALL:
            over = x > a
            return tl.sum(tl.where(over, x, 0.0)).to(tl.float64), tl.sum(over.to(tl.int32))
        total = tl.zeros((), tl.float64)
        count = tl.zeros((), tl.int32)
        for begin in range(0, n, BLOCK):
            i = begin + tl.arange(0, BLOCK)
            block = _x_of(s, path, t, i, i < n, n, DEPTH)
            over = (block > a) & (i < n)
            total += tl.sum(tl.where(over, block, 0.0)).to(tl.float64)
            count += tl.sum(over.to(tl.int32))
        return total, count

    @triton.jit
    def _roots(
        s, path, state, n, n_nodes, high, low, DEPTH: tl.constexpr, BLOCK: tl.constexpr, ALL: tl.constexpr
    ):
        """The pruning vector min(1, root) and the slopes, one node a program: Newton's steps of newton.hpp."""
        t = tl.program_id(0)
        pruning = tl.cast(high, tl.float64) + tl.cast(low, tl.float64)
        i = tl.arange(0, BLOCK)
        x = _x_of(s, path, t, i, i < n, n, DEPTH)
        x = tl.where(i < n, x, float("-inf"))
        a = tl.zeros((), s.dtype.element_ty)
        total, count = _above(s, path, t, n, a, x, DEPTH, BLOCK, ALL)
        going = count > 0
        while going:
            risen = (total / (pruning + count)).to(s.dtype.element_ty)
            more, left = _above(s, path, t, n, risen, x, DEPTH, BLOCK, ALL)
            # Rounded up to the largest x itself, a would lose its support: it stays where it was.
            rises = (risen > a) & (left > 0)
            going = rises & (left != count) & (risen < 1.0)
            a = tl.where(rises, risen, a)
            total = tl.where(rises, more, total)
            count = tl.where(rises, left, count)
        tl.store(state + t, tl.minimum(a, 1.0))
        tl.store(state + n_nodes + t, (pruning + count).to(s.dtype.element_ty))

    @triton.jit
    def _traversals(s, path, state, z, n, shift, DEPTH: tl.constexpr, BLOCK: tl.constexpr):
        """Traversals z = clip(q + offset, 0, a) of one node, some rows a program."""
        t = tl.program_id(1)
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = _x_of(s, path, t, i, i < n, n, DEPTH) + shift
        a = tl.load(state + t)
        x = tl.where(x > a, a, tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL))
        tl.store(z + t.to(tl.int64) * n + i, x, mask=i < n)

    @triton.jit
    def _shares(
        s, path, state, grad_z, grad_a, share, n, n_nodes, shift, DEPTH: tl.constexpr, BLOCK: tl.constexpr
    ):
        """What each x above a node's a adds to the gradient: that of a, shared by the Jacobian after Prop. 2."""
        t = tl.program_id(0)
        a = tl.load(state + t)
        total = tl.load(grad_a + t).to(tl.float64)
        for begin in range(0, n, BLOCK):
            i = begin + tl.arange(0, BLOCK)
            x = _x_of(s, path, t, i, i < n, n, DEPTH) + shift
            grad = tl.load(grad_z + t.to(tl.int64) * n + i, mask=i < n, other=0.0)
            total += tl.sum(tl.where(x > a, grad, 0.0)).to(tl.float64)
        inside = (a > 0.0) & (a < 1.0)
        slope = tl.load(state + n_nodes + t).to(tl.float64)
        tl.store(share + t, tl.where(inside, total / slope, 0.0).to(s.dtype.element_ty))

    @triton.jit
    def _climb(
        s, path, state, share, children, score_row, grad_z, grad_q, grad_s, n, n_nodes, shift,
        DEPTH: tl.constexpr, BLOCK: tl.constexpr,
    ):  # fmt: skip
        """From the leaves up, some rows a program: the gradient by q goes to the score or to the parent's q, whichever
        is the least, and to the parent's where both are.
        """
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        here = i < n
        for back in range(n_nodes):
            t = n_nodes - 1 - back
            wide = tl.cast(t, tl.int64) * n
            x = _x_of(s, path, t, i, here, n, DEPTH)
            a = tl.load(state + t)
            moved = x + shift
            own = tl.load(grad_z + wide + i, mask=here, other=0.0)
            grad = tl.where((moved > 0.0) & (moved <= a), own, 0.0) + tl.where(x > a, tl.load(share + t), 0.0)
            row = tl.load(score_row + t)
            if row >= 0:
                score = tl.load(s + tl.cast(row, tl.int64) * n + i, mask=here, other=0.0)
                by_score = tl.zeros_like(grad)
                for k in tl.static_range(2):
                    child = tl.load(children + 2 * t + k)
                    if child >= 0:
                        below = tl.load(grad_q + tl.cast(child, tl.int64) * n + i, mask=here, other=0.0)
                        is_score = (0.5 + score if k == 1 else 0.5 - score) < x
                        by_score += tl.where(is_score, below if k == 1 else -below, 0.0)
                        grad += tl.where(is_score, 0.0, below)
                tl.store(grad_s + tl.cast(row, tl.int64) * n + i, by_score, mask=here)
            tl.store(grad_q + wide + i, grad, mask=here)
            tl.debug_barrier()
