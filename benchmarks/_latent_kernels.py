"""Times of the latent trees' kernels and of a training step, beside generic solvers of the same program.

Peers (OSQP, cvxpylayers) run in this process on the same input, and the answer says where one is not installed.
Times are medians of the process's CPU time, so that a shared machine disturbs them little; wall times are beside.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from treewright._native import core
from treewright.latent import LatentTree, LatentTreeNetwork, prune_traversals, tree_layer
from treewright.latent._shape import complete_shape

__all__ = ["kernels", "training_steps"]


def kernels(
    sizes: Sequence[int] = (10, 100, 512, 1000, 10_000, 100_000), depths: Sequence[int] = (2, 3, 4, 6, 8, 10)
) -> list[dict[str, Any]]:
    """Projection and layer, forward and forward+backward, n x depth; beside cvxpylayers and OSQP where they
    can.
    """
    rows = []
    for n in sizes:
        for depth in depths:
            nodes = 2 ** (depth + 1) - 1
            if n * nodes > 13_000_000:
                continue
            generator = torch.Generator().manual_seed(0)
            s = torch.randn(2**depth - 1, n, generator=generator, requires_grad=True)
            free = (torch.rand(n, nodes, generator=generator) * 4 - 2).requires_grad_()
            z, a = tree_layer(s, 10.0)
            q = tree_q(s.detach()).requires_grad_()
            grad_z, grad_a = (
                torch.randn(z.shape, generator=generator),
                torch.randn(a.shape, generator=generator),
            )
            both = (grad_a, grad_z.t().contiguous())
            row: dict[str, Any] = {"n": n, "depth": depth}
            row["layer forward"] = measure(lambda s=s: tree_layer(s, 10.0))
            row["layer forward+backward"] = measure(
                lambda s=s, g=(grad_z, grad_a): torch.autograd.grad(tree_layer(s, 10.0), s, g)
            )
            for name, scores in (("tree q", q), ("free q", free)):
                row[f"projection {name} forward"] = measure(lambda x=scores: prune_traversals(x, 10.0))
                row[f"projection {name} forward+backward"] = measure(
                    lambda x=scores, g=both: torch.autograd.grad(prune_traversals(x, 10.0), x, g)
                )
            row |= kernel_times(s.detach().numpy(), q.detach().numpy(), depth)
            ones = torch.ones_like(s)
            row["empty autograd function forward+backward"] = measure(
                lambda s=s, g=ones: torch.autograd.grad(_Empty.apply(s), s, g)
            )
            if n * nodes <= 1500:
                row |= peers(free.detach().double().numpy(), 10.0)
            row["bytes kept for backward / (4 n |T|)"] = kept_bytes(s) / (4 * n * nodes)
            rows.append(row)
    return rows


class _Empty(torch.autograd.Function):
    """What PyTorch takes for calling any Python function and its gradient, without work."""

    @staticmethod
    def forward(ctx: Any, s: torch.Tensor) -> torch.Tensor:
        return s.view_as(s)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad


def kernel_times(s: Any, q: Any, depth: int) -> dict[str, Any]:
    """The C++ kernels alone, on node-major arrays and their own output: no autograd, no allocation."""
    shape, nodes, n = complete_shape(depth), q.shape[1], len(q)
    z, grad_s = np.empty((nodes, n), q.dtype), np.empty_like(s)
    flat, out, grad_flat = np.empty_like(q), np.empty_like(q), np.ones_like(q)
    state, group = np.empty((2, nodes), np.float32), np.empty(nodes, np.int32)
    grad_z, grad_a = np.ones_like(z), np.ones(nodes, np.float32)
    tree = (shape.left, shape.right, shape.score_row)
    return {
        "layer kernel forward": measure(
            lambda: core.latent_layer_forward(*tree, s, 10.0, 0.5, False, z, state)
        ),
        "layer kernel backward": measure(
            lambda: core.latent_layer_backward(*tree, s, 0.5, state, grad_z, grad_a, grad_s)
        ),
        "projection kernel forward": measure(
            lambda: core.latent_project_forward(q, 10.0, flat, state, group)
        ),
        "projection kernel backward": measure(
            lambda: core.latent_project_backward(q, state, group, grad_flat, grad_a, out)
        ),
    }


def tree_q(s: torch.Tensor) -> torch.Tensor:
    """Eq. (1), row-major."""
    q = [torch.ones(s.shape[1])]
    for t in range(2 * s.shape[0]):
        up = t // 2
        q.append(torch.minimum(q[up], -s[up] if t % 2 == 0 else s[up]))
    return torch.stack(q, 1).contiguous()


def kept_bytes(s: torch.Tensor) -> int:
    """Bytes of the tensors that autograd keeps between forward and backward."""
    kept: dict[int, int] = {}

    def pack(t: torch.Tensor) -> torch.Tensor:
        kept[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        tree_layer(s, 10.0)
    return sum(kept.values())


def constraints(n: int, nodes: int) -> tuple[Any, np.ndarray[Any, Any]]:
    """Sparse G and h of G (a, z) <= h for eq. (3)."""
    from scipy.sparse import coo_matrix

    r, c, v, h = [], [], [], []
    k = 0
    for t in range(nodes):
        r += [k, k] if t else [k]
        c += [t, (t - 1) // 2] if t else [0]
        v += [1.0, -1.0] if t else [1.0]
        h.append(0.0 if t else 1.0)
        k += 1
    for i in range(n):
        for t in range(nodes):
            place = nodes + i * nodes + t
            r += [k, k, k + 1]
            c += [place, t, place]
            v += [1.0, -1.0, -1.0]
            h += [0.0, 0.0]
            k += 2
    return coo_matrix((v, (r, c)), shape=(k, nodes + n * nodes)).tocsc(), np.array(h)


def peers(q: np.ndarray[Any, Any], pruning: float) -> dict[str, Any]:
    """OSQP (forward) and cvxpylayers (forward and backward) on the same problem, with the largest
    difference in a.
    """
    out: dict[str, Any] = {}
    n, nodes = q.shape
    ours = prune_traversals(torch.tensor(q), pruning)[0].numpy()
    g, h = constraints(n, nodes)
    try:
        import osqp
        from scipy.sparse import diags

        weights = diags(np.r_[np.full(nodes, pruning), np.ones(n * nodes)]).tocsc()
        linear = np.r_[np.zeros(nodes), -(q + 0.5).ravel()]
        found = []

        def solve() -> None:
            solver = osqp.OSQP()
            solver.setup(
                weights, linear, g, np.full(len(h), -np.inf), h, verbose=False, eps_abs=1e-5, eps_rel=1e-5
            )
            found.append(solver.solve().x)

        out["OSQP forward"] = measure(solve, 0.2) | {
            "max |da|": float(np.abs(found[-1][:nodes] - ours).max())
        }
    except ImportError:
        out["OSQP forward"] = "not installed"
    try:
        import cvxpy as cp
        from cvxpylayers.torch import CvxpyLayer

        parameter = cp.Parameter(n * nodes)
        a, z = cp.Variable(nodes), cp.Variable(n * nodes)
        cost = pruning / 2 * cp.sum_squares(a) + cp.sum_squares(z - parameter - 0.5) / 2
        problem = cp.Problem(cp.Minimize(cost), [g @ cp.hstack([a, z]) <= h])
        layer = CvxpyLayer(problem, parameters=[parameter], variables=[a, z])
        tensor = torch.tensor(q.ravel(), requires_grad=True)
        answer = layer(tensor)[0].detach().numpy()

        def both() -> None:
            a, z = layer(tensor)
            torch.autograd.grad(a.sum() + (z * z).sum(), tensor)

        out["cvxpylayers forward"] = measure(lambda: layer(tensor), 0.2) | {
            "max |da|": float(np.abs(answer - ours).max())
        }
        out["cvxpylayers forward+backward"] = measure(both, 0.2)
    except ImportError:
        out["cvxpylayers forward"] = "not installed"
    return out


def training_steps() -> list[dict[str, Any]]:
    """One training step: forward, loss, backward, optimizer."""
    rows = []
    for name, batch, features, depth in (
        ("mushrooms", 512, 22, 6),
        ("mushrooms", 512, 22, 3),
        ("tic-tac-toe", 64, 9, 6),
        ("FICO", 512, 23, 4),
    ):
        for batch_norm in (False, True):
            torch.manual_seed(0)
            x, y = torch.randn(batch, features), torch.randint(0, 2, (batch,)).float()
            network = LatentTreeNetwork(LatentTree(features, depth, pruning=10.0, batch_norm=batch_norm), 1)
            network.tree.initialize(x)
            optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, fused=True)

            def one(network: Any = network, optimizer: Any = optimizer, x: Any = x, y: Any = y) -> None:
                optimizer.zero_grad(set_to_none=True)
                torch.nn.functional.binary_cross_entropy_with_logits(network(x)[:, 0], y).backward()
                optimizer.step()

            timed = measure(one)
            rows.append(
                {"like": name, "batch": batch, "features": features, "depth": depth, "batch_norm": batch_norm}
                | timed
                | {"rows/s (cpu)": batch / timed["cpu_ms"] * 1e3}
            )
    return rows


def measure(run: Callable[[], Any], budget: float = 0.4) -> dict[str, float]:
    """Median CPU and wall milliseconds of `run`, in batches long enough for the clock."""
    run()
    start = time.perf_counter()
    run()
    once = max(time.perf_counter() - start, 1e-6)
    repeat = max(1, int(0.002 / once))
    cpu, wall = [], []
    for _ in range(min(60, max(3, int(budget / (once * repeat))))):
        c, w = time.process_time_ns(), time.perf_counter_ns()
        for _ in range(repeat):
            run()
        cpu.append((time.process_time_ns() - c) / repeat / 1e6)
        wall.append((time.perf_counter_ns() - w) / repeat / 1e6)
    return {
        "cpu_ms": float(np.median(cpu)),
        "wall_ms": float(np.median(wall)),
        "best_wall_ms": float(np.min(wall)),
    }
