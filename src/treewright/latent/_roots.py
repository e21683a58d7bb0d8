"""The node equations of Prop. 2 in tensor operations, for any device; nothing is copied to the host.

Every column is one scalar equation lambda a = sum_i max(x_i - a, 0), solved by Newton's iteration (the
proof is in cpp/include/treewright/latent/newton.hpp): the iterates rise from 0 and end exactly. Without
reading back from the device the iteration cannot know that all columns are done, so a fixed number of steps
is made; a finished column stays where it is. 12 is the largest number seen over columns of 64 to 8192
random values and 11 over adversarial sequences; `residual` lets tests check it.
"""

from __future__ import annotations

from treewright.latent._torch import torch

__all__ = ["NEWTON_STEPS", "residual", "roots"]

NEWTON_STEPS = 16


def roots(x: torch.Tensor, pruning: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the unclipped minimiser of each node's problem, and the slope lambda + k there.

    Parameters
    ----------
    x : Tensor of shape (n_nodes, n_rows)
        q + 1/2.
    pruning : float
        lambda > 0.

    Returns
    -------
    a, slope : Tensor of shape (n_nodes,)
    """
    a = x.new_zeros(x.shape[0])
    for _ in range(NEWTON_STEPS):
        above = x > a[:, None]
        total = torch.where(above, x, 0).sum(1)
        # The count in the dtype of x: lambda * integer tensor would be float32 even in a float64 problem.
        count = above.sum(1).to(x.dtype)
        # Rounded up to the largest value itself, a would lose its support: the previous step's a stays (max).
        a = torch.maximum(a, total / (count + pruning))
    return a, (x > a[:, None]).sum(1).to(x.dtype) + pruning


def residual(x: torch.Tensor, pruning: float, a: torch.Tensor) -> torch.Tensor:
    """Return |lambda a - sum_i max(x_i - a, 0)| of each node, shape (n_nodes,): 0 at the exact root."""
    return (pruning * a - torch.clamp(x - a[:, None], min=0).sum(1)).abs()
