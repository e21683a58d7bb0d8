"""GRANDE (Marton, Luedtke, Bartelt, Stuckenschmidt, ICLR 2024) in PyTorch, step for step as its package trains.

The package, GRANDE 0.1.6, pins TensorFlow 2.16.1. This is the same model with the same steps; how far its weights are
from the package's, from the same first weights and with the same batches, `python -m benchmarks.latent port` says. What
may look like an oversight is what the package does:

- the order of the batches is drawn once, for the rows are shuffled before they are kept;
- class weights scale the loss of a whole batch, by their mean over its rows;
- an epoch is better if the loss of the rows held out falls by more than .001.

Only how the leaf of a row is found differs: level by level, not path by path, which is the same product.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn import functional

__all__ = ["Forest", "Rates", "columns_of_trees", "first_weights", "fit"]

Tensor = torch.Tensor
NAMES = ("leaf_weights", "split_values", "split_index", "leaf_values")


@dataclass(frozen=True)
class Rates:
    """Steps of Adam, in the order of `NAMES`: the parameters of the package's own example."""

    leaf_weights: float = 0.005
    split_values: float = 0.01
    split_index: float = 0.01
    leaf_values: float = 0.01


class Entmax15(torch.autograd.Function):
    """Entmax with alpha 1.5 over the last axis (Peters, Niculae, Martins 2019), exactly, by sorting."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor) -> Tensor:
        """Return weights that sum to one."""
        x = scores / 2
        x = x - x.amax(-1, keepdim=True)
        ordered = x.sort(-1, descending=True).values
        rho = torch.arange(1, x.shape[-1] + 1, device=x.device, dtype=x.dtype)
        mean, square = ordered.cumsum(-1) / rho, ordered.square().cumsum(-1) / rho
        tau = mean - ((1 - rho * (square - mean.square())) / rho).clamp(min=0).sqrt()
        support = (tau <= ordered).sum(-1, keepdim=True)
        root = (x - tau.gather(-1, support - 1)).clamp(min=0)
        ctx.save_for_backward(root)
        return root.square()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:  # type: ignore[override]
        """Return the gradient of the scores."""
        (root,) = ctx.saved_tensors
        out = gradient * root
        return out - out.sum(-1, keepdim=True) / root.sum(-1, keepdim=True) * root


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees of one depth; `n_outputs` is 0 for numbers and for the score of the second of two classes.

    Parameters
    ----------
    columns : Tensor
        The columns that each tree reads, (trees, columns of a tree).
    weights : dict of Tensor
        By `NAMES`; (trees, leaves), twice (trees, nodes, columns of a tree), (trees, leaves) or with outputs behind.
    """

    columns: Tensor
    weights: dict[str, Tensor]

    def __call__(self, rows: Tensor) -> Tensor:
        """Return scores: (rows,), or (rows, outputs)."""
        chosen = Entmax15.apply(self.weights["split_index"])
        hot = functional.one_hot(chosen.argmax(-1), chosen.shape[-1]).to(chosen.dtype)
        chosen = chosen - (chosen - hot).detach()
        threshold = (self.weights["split_values"] * chosen).sum(-1)
        seen = rows[:, self.columns].transpose(0, 1)  # (trees, rows, columns of a tree)
        value = torch.bmm(seen, chosen.transpose(1, 2)).transpose(0, 1)
        soft = (functional.softsign(threshold - value) + 1) / 2
        left = soft - (soft - soft.round()).detach()  # (rows, trees, nodes)
        reached = torch.ones_like(left[:, :, :1])
        first = 0
        while first < left.shape[2]:
            width = reached.shape[2]
            go = left[:, :, first : first + width]
            reached = torch.stack((reached * go, reached * (1 - go)), 3).flatten(2)
            first += width
        share = (self.weights["leaf_weights"] * reached).sum(-1).softmax(1)
        values = self.weights["leaf_values"]
        if values.ndim == 2:
            return (share * (values * reached).sum(-1)).sum(1)
        said = torch.bmm(reached.transpose(0, 1), values)  # (trees, rows, outputs)
        return torch.einsum("be,ebc->bc", share, said)


def columns_of_trees(n_columns: int, n_trees: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Draw four fifths of the columns for each tree, but ten to fifty where there are so many."""
    wanted = min(max(min(int(n_columns * 0.8), 50), 10), n_columns)
    return np.stack([rng.choice(n_columns, size=wanted, replace=False) for _ in range(n_trees)])


def first_weights(n_trees: int, n_columns: int, n_outputs: int, depth: int = 5) -> dict[str, Tensor]:
    """Draw weights from a normal distribution of deviation .05; `n_columns` of a tree."""
    leaves = (n_trees, 2**depth)
    nodes = (n_trees, 2**depth - 1, n_columns)
    shapes = (leaves, nodes, nodes, (*leaves, n_outputs) if n_outputs else leaves)
    return {name: 0.05 * torch.randn(shape) for name, shape in zip(NAMES, shapes, strict=True)}


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns by quantiles, and targets: standardized numbers, or classes. `weight` is that of each row's class."""

    x: Tensor
    y: Tensor
    weight: Tensor

    def loss(self, forest: Forest, kind: str, part: Tensor | slice = slice(None)) -> Tensor:
        """Return the mean loss of some rows."""
        said, y = forest(self.x[part]), self.y[part]
        if kind == "numbers":
            return functional.mse_loss(said, y)
        if kind == "two classes":
            return functional.binary_cross_entropy_with_logits(said, y.to(said.dtype))
        return functional.cross_entropy(said, y)


def fit(
    forest: Forest,
    train: Rows,
    held: Rows,
    kind: str,
    batches: list[Tensor],
    n_epochs: int,
    patience: int,
    rates: Rates | None = None,
    least_gain: float = 1e-3,
) -> None:
    """Train in place, and leave the weights of the best epoch."""
    adam = KerasAdam(forest.weights, rates or Rates())
    best, kept, waited = np.inf, {n: w.detach().clone() for n, w in forest.weights.items()}, 0
    for _ in range(n_epochs):
        for rows in batches:
            loss = train.loss(forest, kind, rows) * train.weight[rows].mean()
            adam.step(loss)
        with torch.no_grad():
            now = float(held.loss(forest, kind))
        waited += 1
        if now < best - least_gain:
            best, waited = now, 0
            kept = {name: weight.detach().clone() for name, weight in forest.weights.items()}
        if waited >= patience:
            break
    for name, weight in kept.items():
        forest.weights[name].data.copy_(weight)


class KerasAdam:
    """Adam with the constant that keeps from dividing by zero where Keras has it: beside the uncorrected deviation."""

    def __init__(self, weights: dict[str, Tensor], rates: Rates) -> None:
        self._weights = [weights[name].requires_grad_() for name in NAMES]
        self._rates = [getattr(rates, name) for name in NAMES]
        self._first = [torch.zeros_like(weight) for weight in self._weights]
        self._second = [torch.zeros_like(weight) for weight in self._weights]
        self._steps = 0

    def step(self, loss: Tensor) -> None:
        """Move every weight."""
        gradients = torch.autograd.grad(loss, self._weights)
        self._steps += 1
        correction = (1 - 0.999**self._steps) ** 0.5 / (1 - 0.9**self._steps)
        with torch.no_grad():
            torch._foreach_lerp_(self._first, gradients, 0.1)
            torch._foreach_mul_(self._second, 0.999)
            torch._foreach_addcmul_(self._second, gradients, gradients, 0.001)
            roots = torch._foreach_sqrt(self._second)
            torch._foreach_add_(roots, 1e-7)
            moves = torch._foreach_div(self._first, roots)
            torch._foreach_mul_(moves, [-rate * correction for rate in self._rates])
            torch._foreach_add_(self._weights, moves)
