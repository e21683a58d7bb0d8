"""The tree layer on a graphics processor: the kernels of Triton beside the same in tensor operations, and a CPU.

Wall times, for the device works by itself; each is the median of batches of calls with one wait at their end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from treewright.latent import LatentTree, LatentTreeNetwork, tree_layer
from treewright.latent._layer import _tensor_layer
from treewright.latent._shape import complete_shape

__all__ = ["device_times"]

SIZES = (512, 4096, 65_536)
DEPTHS = (3, 6, 8)
PRUNING = 10.0


def device_times() -> list[dict[str, Any]]:
    """The layer, forward and backward, and a training step, n x depth; in milliseconds."""
    if not torch.cuda.is_available():
        raise SystemExit("This needs a graphics processor and PyTorch's build for CUDA.")
    name, rows = torch.cuda.get_device_name(0), []
    for n in SIZES:
        for depth in DEPTHS:
            shape = complete_shape(depth)
            s = torch.randn(shape.n_splits, n, generator=torch.Generator().manual_seed(0))
            row: dict[str, Any] = {"device": name, "n": n, "depth": depth}
            row["layer, kernels"], fused = layer(s.cuda(), tree_layer)
            row["layer, tensor operations"], plain = layer(
                s.cuda(), lambda x, pruning, shape=shape: _tensor_layer(x, shape, pruning, 0.5)
            )
            row["layer, one CPU thread"], cpu = layer(s, tree_layer)
            row["largest difference of a gradient from the CPU's"] = float((fused.cpu() - cpu).abs().max())
            row["... of tensor operations"] = float((plain.cpu() - cpu).abs().max())
            row["training step, kernels"] = step(n, depth, "cuda")
            with patch("treewright.latent._layer.is_fused", lambda *_: False):
                row["training step, tensor operations"] = step(n, depth, "cuda")
            row["training step, one CPU thread"] = step(n, depth, "cpu")
            rows.append(row)
    return rows


def layer(s: torch.Tensor, call: Callable[..., Any]) -> tuple[float, torch.Tensor]:
    """Milliseconds of forward and backward, and the gradient."""
    s.requires_grad_()
    z, a = call(s, PRUNING)
    generator = torch.Generator().manual_seed(1)
    towards = [torch.randn(t.shape, generator=generator).to(s.device) for t in (z, a)]
    return measured(lambda: torch.autograd.grad(call(s, PRUNING), s, towards), s.device)


def step(n: int, depth: int, device: str) -> float:
    """Milliseconds of forward, loss, backward and optimizer on 20 columns."""
    torch.manual_seed(0)
    x, y = torch.randn(n, 20).to(device), torch.randint(0, 2, (n,)).float().to(device)
    network = LatentTreeNetwork(LatentTree(20, depth, pruning=PRUNING), 1).to(device)
    network.tree.initialize(x)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, fused=True)

    def one() -> None:
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.binary_cross_entropy_with_logits(network(x)[:, 0], y).backward()
        optimizer.step()

    return measured(one, x.device)[0]


def measured(run: Callable[[], Any], device: torch.device, budget: float = 0.5) -> tuple[float, Any]:
    """Median milliseconds of a call, and what the last one returned."""

    def calls(number: int) -> float:
        start = time.perf_counter()
        for _ in range(number):
            run()
        if device.type == "cuda":
            torch.cuda.synchronize()
        return (time.perf_counter() - start) / number

    calls(3)
    once = calls(1)
    number = max(1, int(0.01 / once))
    times = [calls(number) for _ in range(min(30, max(3, int(budget / (once * number)))))]
    found = run()
    return 1e3 * float(np.median(times)), found[0] if found is not None else None
